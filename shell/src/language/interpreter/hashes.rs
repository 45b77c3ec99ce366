//! Hashes.

use std::rc::Rc;

use super::super::inspect::inspected;
use super::super::value::{Table, Value, equal};
use super::{Args, Interpreter, Outcome, Raise};

impl Interpreter<'_> {
    pub(super) fn hash_method(&mut self, table: &Rc<Table>, name: &str, args: &Args) -> Option<Outcome> {
        let whole = || Value::Hash(Rc::clone(table));
        let first = args.list.first();
        Some(match name {
            "[]" => Ok(first.and_then(|key| table.get(key)).unwrap_or(Value::Nil)),
            "[]=" | "store" => match &args.list[..] {
                [key, value] => {
                    table.insert(key.clone(), value.clone());
                    Ok(value.clone())
                }
                _ => Err(Raise::argument("a hash takes one key here")),
            },
            "fetch" => match (first.and_then(|key| table.get(key)), args.list.get(1), &args.block) {
                (Some(value), ..) => Ok(value),
                (None, Some(default), _) => Ok(default.clone()),
                (None, None, Some(block)) => self.call_proc(block, args.list.clone()),
                _ => {
                    Err(Raise::new("KeyError", format!("key not found: {}", first.map(inspected).unwrap_or_default())))
                }
            },
            "dig" => {
                let found = first.and_then(|key| table.get(key)).unwrap_or(Value::Nil);
                if args.list.len() > 1 && !found.is_nil() {
                    return Some(self.method(&found, "dig", Args { list: args.list[1..].to_vec(), block: None }));
                }
                Ok(found)
            }
            "key?" | "has_key?" | "include?" | "member?" => {
                Ok(Value::Bool(first.is_some_and(|key| table.get(key).is_some())))
            }
            "value?" | "has_value?" => {
                Ok(Value::Bool(first.is_some_and(|wanted| table.pairs().iter().any(|(_, value)| equal(value, wanted)))))
            }
            "key" => Ok(first
                .and_then(|wanted| table.pairs().into_iter().find(|(_, value)| equal(value, wanted)))
                .map_or(Value::Nil, |(key, _)| key)),
            "keys" => Ok(Value::array(table.pairs().into_iter().map(|(key, _)| key).collect())),
            "values" => Ok(Value::array(table.pairs().into_iter().map(|(_, value)| value).collect())),
            "values_at" => Ok(Value::array(args.list.iter().map(|key| table.get(key).unwrap_or(Value::Nil)).collect())),
            "length" | "size" => Ok(Value::Int(table.len() as i64)),
            "empty?" => Ok(Value::Bool(table.is_empty())),
            "delete" => Ok(first.and_then(|key| table.remove(key)).unwrap_or(Value::Nil)),
            "clear" => {
                table.clear();
                Ok(whole())
            }
            "merge" | "update" | "merge!" => {
                let target = if name == "merge" { Rc::new(copy(table)) } else { Rc::clone(table) };
                for other in &args.list {
                    let Value::Hash(other) = other else {
                        return Some(Err(Raise::no_conversion(other, "Hash")));
                    };
                    for (key, value) in other.pairs() {
                        target.insert(key, value);
                    }
                }
                Ok(Value::Hash(target))
            }
            "dup" | "clone" | "to_h" if args.block.is_none() => Ok(Value::Hash(Rc::new(copy(table)))),
            "invert" => Ok(Value::hash(table.pairs().into_iter().map(|(key, value)| (value, key)))),
            "each_pair" => {
                return Some(self.method(&whole(), "each", Args { list: Vec::new(), block: args.block.clone() }));
            }
            "each_key" | "each_value" | "transform_values" | "transform_keys" => {
                let Some(block) = &args.block else { return Some(Err(Raise::new("LocalJumpError", "no block given"))) };
                let changed = Table::default();
                for (key, value) in table.pairs() {
                    let asked = if matches!(name, "each_key" | "transform_keys") { key.clone() } else { value.clone() };
                    let answer = match self.call_proc(block, vec![asked]) {
                        Ok(answer) => answer,
                        Err(error) => return Some(Err(error)),
                    };
                    match name {
                        "transform_values" => changed.insert(key, answer),
                        "transform_keys" => changed.insert(answer, value),
                        _ => {}
                    }
                }
                Ok(if name.starts_with("each") { whole() } else { Value::Hash(Rc::new(changed)) })
            }
            "slice" => {
                Ok(Value::hash(args.list.iter().filter_map(|key| table.get(key).map(|value| (key.clone(), value)))))
            }
            "sort" if args.block.is_none() => {
                let pairs = table.pairs().into_iter().map(|(key, value)| Value::array(vec![key, value])).collect();
                return Some(self.method(&Value::array(pairs), "sort", Args { list: Vec::new(), block: None }));
            }
            "compact" => Ok(Value::hash(table.pairs().into_iter().filter(|(_, value)| !value.is_nil()))),
            _ => return None,
        })
    }
}

fn copy(table: &Table) -> Table {
    let new = Table::default();
    for (key, value) in table.pairs() {
        new.insert(key, value);
    }
    new
}
