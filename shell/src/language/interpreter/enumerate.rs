//! Methods that arrays, hashes and ranges share: `each`, `map`, `select`, ….

use std::cmp::Ordering;

use super::super::value::{Value, equal};
use super::numbers::{compare, incomparable};
use super::{Args, Interpreter, Outcome, Raise, check_size};

impl Interpreter<'_> {
    pub(super) fn enumerate(&mut self, whole: &Value, name: &str, args: &Args) -> Option<Outcome> {
        const NAMES: &[&str] = &[
            "each",
            "each_entry",
            "map",
            "collect",
            "flat_map",
            "collect_concat",
            "select",
            "filter",
            "filter_map",
            "reject",
            "find",
            "detect",
            "find_index",
            "index",
            "all?",
            "any?",
            "none?",
            "one?",
            "count",
            "inject",
            "reduce",
            "sum",
            "min",
            "max",
            "min_by",
            "max_by",
            "minmax",
            "sort",
            "sort_by",
            "group_by",
            "partition",
            "each_with_index",
            "each_with_object",
            "each_slice",
            "each_cons",
            "each_index",
            "reverse_each",
            "with_index",
            "first",
            "take",
            "take_while",
            "drop",
            "drop_while",
            "include?",
            "member?",
            "zip",
            "to_a",
            "entries",
            "to_h",
            "uniq",
            "tally",
            "cycle",
            "grep",
            "product",
            "values_at",
            "fetch",
        ];
        NAMES.contains(&name).then(|| self.enumerated(whole, name, args))
    }

    /// Calls the block with a value; without a block the answer is the value itself.
    fn ask(&mut self, args: &Args, value: Value) -> Outcome {
        match &args.block {
            Some(block) => self.call_proc(block, vec![value]),
            None => Ok(value),
        }
    }

    fn enumerated(&mut self, whole: &Value, name: &str, args: &Args) -> Outcome {
        let first = args.list.first();
        let number = || match first {
            Some(Value::Int(n @ 0..)) => Ok(*n as usize),
            Some(_) => Err(Raise::argument("attempt to take negative size")),
            None => Err(Raise::argument("wrong number of arguments (given 0, expected 1)")),
        };
        match name {
            "each" | "each_entry" => {
                let Some(block) = &args.block else { return Ok(Value::array(self.list_of(whole)?)) };
                self.each_of(whole, &mut |interpreter, value| interpreter.call_proc(block, vec![value]).map(|_| ()))?;
                return Ok(whole.clone());
            }
            "each_with_index" | "with_index" | "each_index" => {
                let mut at = match (name, first) {
                    ("with_index", Some(Value::Int(n))) => *n,
                    _ => 0,
                };
                let mut list = Vec::new();
                self.each_of(whole, &mut |interpreter, value| {
                    let pair = match name {
                        "each_index" => vec![Value::Int(at)],
                        _ => vec![value, Value::Int(at)],
                    };
                    at += 1;
                    match &args.block {
                        Some(block) => {
                            let value = interpreter.call_proc(block, pair)?;
                            if name == "with_index" {
                                list.push(value);
                            }
                        }
                        None => list.push(Value::array(pair)),
                    }
                    check_size(list.len())
                })?;
                return Ok(if args.block.is_some() && name != "with_index" {
                    whole.clone()
                } else {
                    Value::array(list)
                });
            }
            "find" | "detect" | "any?" | "all?" | "none?" | "find_index" | "index" | "include?" | "member?" => {
                return self.search(whole, name, args);
            }
            "first" if first.is_none() => {
                let mut found = Value::Nil;
                let mut each = |_: &mut Self, value| {
                    found = value;
                    Err(Raise::Next(Value::Nil))
                };
                return match self.each_of(whole, &mut each) {
                    Ok(()) | Err(Raise::Next(_)) => Ok(found),
                    Err(other) => Err(other),
                };
            }
            "first" | "take" => {
                let (wanted, mut list) = (number()?, Vec::new());
                if wanted == 0 {
                    return Ok(Value::array(list));
                }
                let mut each = |_: &mut Self, value| {
                    list.push(value);
                    if list.len() >= wanted { Err(Raise::Next(Value::Nil)) } else { check_size(list.len()) }
                };
                return match self.each_of(whole, &mut each) {
                    Ok(()) | Err(Raise::Next(_)) => Ok(Value::array(list)),
                    Err(other) => Err(other),
                };
            }
            _ => {}
        }
        let values = self.list_of(whole)?;
        self.of_values(whole, values, name, args)
    }

    fn search(&mut self, whole: &Value, name: &str, args: &Args) -> Outcome {
        let mut answer = match name {
            "all?" | "none?" => Value::Bool(true),
            "any?" | "include?" | "member?" => Value::Bool(false),
            _ => Value::Nil,
        };
        let mut at = 0;
        let done = self.each_of(whole, &mut |interpreter, value| {
            let holds = match args.list.first() {
                Some(wanted) if matches!(name, "include?" | "member?" | "index" | "find_index") => {
                    equal(wanted, &value)
                }
                Some(pattern) => interpreter.case_equal(pattern, &value)?,
                None => interpreter.ask(args, value.clone())?.truthy(),
            };
            let index = at;
            at += 1;
            answer = match (name, holds) {
                ("all?", false) | ("none?", true) => Value::Bool(false),
                ("any?" | "include?" | "member?", true) => Value::Bool(true),
                ("find" | "detect", true) => value,
                ("find_index" | "index", true) => Value::Int(index),
                _ => return Ok(()),
            };
            Err(Raise::Next(Value::Nil))
        });
        match done {
            Ok(()) | Err(Raise::Next(_)) => Ok(answer),
            Err(other) => Err(other),
        }
    }

    fn of_values(&mut self, whole: &Value, values: Vec<Value>, name: &str, args: &Args) -> Outcome {
        let first = args.list.first().cloned();
        let count = match first {
            Some(Value::Int(n)) => usize::try_from(n).unwrap_or(0),
            _ => 0,
        };
        let is_hash = matches!(whole, Value::Hash(_));
        let again = |list: Vec<Value>| {
            if !is_hash {
                return Value::array(list);
            }
            Value::hash(list.iter().map(super::assign::spread).filter_map(|pair| {
                let mut pair = pair.into_iter();
                Some((pair.next()?, pair.next()?))
            }))
        };
        let mut list = Vec::new();
        Ok(match name {
            "map" | "collect" | "flat_map" | "collect_concat" | "filter_map" => {
                for value in values {
                    let answer = self.ask(args, value)?;
                    match (name, answer) {
                        ("flat_map" | "collect_concat", Value::Array(inner)) => {
                            list.extend(inner.0.borrow().iter().cloned())
                        }
                        ("filter_map", answer) if !answer.truthy() => {}
                        (_, answer) => list.push(answer),
                    }
                    check_size(list.len())?;
                }
                Value::array(list)
            }
            "select" | "filter" | "reject" | "grep" => {
                for value in values {
                    let holds = match (&first, name) {
                        (Some(pattern), "grep") => self.case_equal(pattern, &value)?,
                        _ => self.ask(args, value.clone())?.truthy(),
                    };
                    if holds == (name != "reject") {
                        list.push(if name == "grep" { self.ask(args, value)? } else { value });
                    }
                }
                again(list)
            }
            "partition" => {
                let mut others = Vec::new();
                for value in values {
                    if self.ask(args, value.clone())?.truthy() { list.push(value) } else { others.push(value) }
                }
                Value::array(vec![Value::array(list), Value::array(others)])
            }
            "count" | "one?" => {
                let mut found = 0;
                for value in values {
                    let counts = match (&first, &args.block) {
                        (Some(wanted), _) => equal(wanted, &value),
                        (None, Some(block)) => self.call_proc(block, vec![value])?.truthy(),
                        (None, None) => name == "count" || value.truthy(),
                    };
                    found += i64::from(counts);
                }
                if name == "one?" { Value::Bool(found == 1) } else { Value::Int(found) }
            }
            "inject" | "reduce" => {
                let mut values = values.into_iter();
                let (mut sum, op) = match (&args.list[..], &args.block) {
                    ([start, Value::Symbol(op)], _) => (Some(start.clone()), Some(op.clone())),
                    ([Value::Symbol(op)], None) => (values.next(), Some(op.clone())),
                    ([start], _) => (Some(start.clone()), None),
                    _ => (values.next(), None),
                };
                for value in values {
                    let before = sum.take().unwrap_or(Value::Nil);
                    sum = Some(match (&op, &args.block) {
                        (Some(op), _) => {
                            let op = String::from_utf8_lossy(op).into_owned();
                            self.method(&before, &op, Args { list: vec![value], block: None })?
                        }
                        (None, Some(block)) => self.call_proc(block, vec![before, value])?,
                        (None, None) => return Err(Raise::new("LocalJumpError", "no block given")),
                    });
                }
                sum.unwrap_or(Value::Nil)
            }
            "sum" => {
                let mut sum = first.unwrap_or(Value::Int(0));
                for value in values {
                    let value = self.ask(args, value)?;
                    sum = self.method(&sum, "+", Args { list: vec![value], block: None })?;
                }
                sum
            }
            "sort" | "min" | "max" | "minmax" => {
                let sorted = self.sorted(values, args)?;
                match name {
                    "sort" => Value::array(sorted),
                    "min" if count > 0 => Value::array(sorted.into_iter().take(count).collect()),
                    "max" if count > 0 => Value::array(sorted.into_iter().rev().take(count).collect()),
                    "min" => sorted.into_iter().next().unwrap_or(Value::Nil),
                    "max" => sorted.into_iter().next_back().unwrap_or(Value::Nil),
                    _ => {
                        let low = sorted.first().cloned().unwrap_or(Value::Nil);
                        Value::array(vec![low, sorted.into_iter().next_back().unwrap_or(Value::Nil)])
                    }
                }
            }
            "sort_by" | "min_by" | "max_by" => {
                let mut keyed = Vec::with_capacity(values.len());
                for value in values {
                    keyed.push((self.ask(args, value.clone())?, value));
                }
                let mut failure = None;
                keyed.sort_by(|(a, _), (b, _)| {
                    compare(a, b).unwrap_or_else(|| {
                        failure.get_or_insert_with(|| incomparable(a, b));
                        Ordering::Equal
                    })
                });
                if let Some(failure) = failure {
                    return Err(failure);
                }
                let mut sorted = keyed.into_iter().map(|(_, value)| value);
                match name {
                    "sort_by" => Value::array(sorted.collect()),
                    "min_by" => sorted.next().unwrap_or(Value::Nil),
                    _ => sorted.next_back().unwrap_or(Value::Nil),
                }
            }
            "group_by" | "tally" => {
                let table = super::super::value::Table::default();
                for value in values {
                    let key = self.ask(args, value.clone())?;
                    match (name, table.get(&key)) {
                        ("tally", Some(Value::Int(n))) => table.insert(key, Value::Int(n + 1)),
                        ("tally", _) => table.insert(key, Value::Int(1)),
                        (_, Some(Value::Array(group))) => group.0.borrow_mut().push(value),
                        _ => table.insert(key, Value::array(vec![value])),
                    }
                }
                Value::Hash(std::rc::Rc::new(table))
            }
            "each_with_object" => {
                let memo = first.unwrap_or(Value::Nil);
                let Some(block) = &args.block else { return Err(Raise::new("LocalJumpError", "no block given")) };
                for value in values {
                    self.call_proc(block, vec![value, memo.clone()])?;
                }
                memo
            }
            "each_slice" | "each_cons" => {
                if count == 0 {
                    return Err(Raise::argument("invalid slice size"));
                }
                let groups: Vec<Value> = match name {
                    "each_slice" => values.chunks(count).map(|part| Value::array(part.to_vec())).collect(),
                    _ => {
                        check_size(values.len().saturating_mul(count))?;
                        values.windows(count).map(|part| Value::array(part.to_vec())).collect()
                    }
                };
                let Some(block) = &args.block else { return Ok(Value::array(groups)) };
                for group in groups {
                    self.call_proc(block, vec![group])?;
                }
                Value::Nil
            }
            "reverse_each" => {
                for value in values.into_iter().rev() {
                    self.ask(args, value)?;
                }
                whole.clone()
            }
            "take_while" | "drop_while" => {
                let mut split = values.len();
                for (at, value) in values.iter().enumerate() {
                    if !self.ask(args, value.clone())?.truthy() {
                        split = at;
                        break;
                    }
                }
                Value::array(if name == "take_while" { values[..split].to_vec() } else { values[split..].to_vec() })
            }
            "drop" => Value::array(values.into_iter().skip(count).collect()),
            "values_at" => Value::array(
                args.list
                    .iter()
                    .map(|index| match index {
                        Value::Int(n) => super::lists::place(*n, values.len())
                            .and_then(|at| values.get(at).cloned())
                            .unwrap_or(Value::Nil),
                        _ => Value::Nil,
                    })
                    .collect(),
            ),
            "fetch" => {
                let found = match first {
                    Some(Value::Int(n)) => super::lists::place(n, values.len()).and_then(|at| values.get(at).cloned()),
                    _ => None,
                };
                match found.or_else(|| args.list.get(1).cloned()) {
                    Some(value) => value,
                    None => return Err(Raise::new("IndexError", "index outside of array bounds")),
                }
            }
            "zip" => {
                let others = args.list.iter().map(|other| self.list_of(other)).collect::<Result<Vec<_>, _>>()?;
                let zipped = values.into_iter().enumerate().map(|(at, value)| {
                    let rest = others.iter().map(|other| other.get(at).cloned().unwrap_or(Value::Nil));
                    Value::array(std::iter::once(value).chain(rest).collect())
                });
                Value::array(zipped.collect())
            }
            "product" => {
                let mut rows: Vec<Vec<Value>> = values.into_iter().map(|value| vec![value]).collect();
                for other in &args.list {
                    let other = self.list_of(other)?;
                    check_size(rows.len().saturating_mul(other.len()))?;
                    let mut longer = Vec::new();
                    for row in &rows {
                        if self.host.interrupted() {
                            return Err(Raise::Interrupt);
                        }
                        longer.extend(other.iter().map(|value| [&row[..], std::slice::from_ref(value)].concat()));
                    }
                    rows = longer;
                }
                list.extend(rows.into_iter().map(Value::array));
                Value::array(list)
            }
            "to_h" => {
                let table = super::super::value::Table::default();
                for value in values {
                    let pair = self.ask(args, value)?;
                    match &super::assign::spread(&pair)[..] {
                        [key, value] => table.insert(key.clone(), value.clone()),
                        _ => return Err(Raise::kind("wrong element type (expected array of two)")),
                    }
                }
                Value::Hash(std::rc::Rc::new(table))
            }
            "uniq" => {
                let seen = super::super::value::Table::default();
                for value in values {
                    let key = self.ask(args, value.clone())?;
                    if seen.get(&key).is_none() {
                        seen.insert(key, Value::Nil);
                        list.push(value);
                    }
                }
                Value::array(list)
            }
            "cycle" => {
                let Some(block) = &args.block else { return Err(Raise::new("LocalJumpError", "no block given")) };
                let mut rounds = if first.is_some() { count } else { usize::MAX };
                while rounds > 0 && !values.is_empty() {
                    for value in &values {
                        self.call_proc(block, vec![value.clone()])?;
                    }
                    rounds -= 1;
                }
                Value::Nil
            }
            "to_a" | "entries" => Value::array(values),
            _ => {
                let message = format!("{}#{name} is not part of this shell", whole.class_name());
                return Err(Raise::new("NoMethodError", message));
            }
        })
    }

    fn sorted(&mut self, mut values: Vec<Value>, args: &Args) -> Result<Vec<Value>, Raise> {
        let mut failure = None;
        let mut order = |a: &Value, b: &Value| -> Ordering {
            let Some(block) = &args.block else {
                return compare(a, b).unwrap_or_else(|| {
                    failure.get_or_insert_with(|| incomparable(a, b));
                    Ordering::Equal
                });
            };
            match self.call_proc(block, vec![a.clone(), b.clone()]) {
                Ok(Value::Int(n)) => n.cmp(&0),
                Ok(_) => Ordering::Equal,
                Err(error) => {
                    failure.get_or_insert(error);
                    Ordering::Equal
                }
            }
        };
        // Not the standard library's sort, which may panic if the order is inconsistent.
        if values.len() > 1 {
            values = merge_sort(values, &mut order);
        }
        match failure {
            Some(failure) => Err(failure),
            None => Ok(values),
        }
    }
}

fn merge_sort(values: Vec<Value>, order: &mut dyn FnMut(&Value, &Value) -> Ordering) -> Vec<Value> {
    let mut runs: Vec<Vec<Value>> = values.into_iter().map(|value| vec![value]).collect();
    while runs.len() > 1 {
        let mut merged = Vec::with_capacity(runs.len().div_ceil(2));
        let mut pairs = runs.into_iter();
        while let Some(left) = pairs.next() {
            let Some(right) = pairs.next() else {
                merged.push(left);
                break;
            };
            let mut out = Vec::with_capacity(left.len() + right.len());
            let (mut left, mut right) = (left.into_iter().peekable(), right.into_iter().peekable());
            while let (Some(a), Some(b)) = (left.peek(), right.peek()) {
                let next = if order(a, b).is_gt() { right.next() } else { left.next() };
                out.extend(next);
            }
            out.extend(left);
            out.extend(right);
            merged.push(out);
        }
        runs = merged;
    }
    runs.pop().unwrap_or_default()
}
