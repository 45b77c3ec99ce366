//! Arrays.

use std::rc::Rc;

use super::super::inspect::to_text;
use super::super::value::{List, Value, equal};
use super::packing::{Directive, directives};
use super::{Args, Interpreter, Outcome, Raise, check_size};

/// The place that an index names; negative ones count from the end.
pub fn place(index: i64, length: usize) -> Option<usize> {
    let at = if index < 0 { index.checked_add(i64::try_from(length).ok()?)? } else { index };
    usize::try_from(at).ok()
}

/// The part that `[start, length]` or `[range]` names: begin and end.
pub fn part(args: &[Value], length: usize) -> Option<Option<(usize, usize)>> {
    match args {
        [Value::Int(start), Value::Int(count)] => {
            let begin = place(*start, length).filter(|begin| *begin <= length);
            let end = begin
                .zip(usize::try_from(*count).ok())
                .map(|(begin, count)| (begin, begin.saturating_add(count).min(length)));
            Some(end)
        }
        [Value::Range(range)] => {
            let begin = match range.begin {
                Value::Int(n) => n,
                _ => 0,
            };
            let end = match range.end {
                Value::Int(n) => n,
                _ => -1,
            };
            let begin = place(begin, length).filter(|begin| *begin <= length);
            let open = range.end.is_nil();
            let end = if end < 0 { end.saturating_add(length as i64) } else { end };
            let end = if range.exclusive && !open { end } else { end.saturating_add(1) };
            let end = usize::try_from(end.max(0)).unwrap_or(0).min(length);
            Some(begin.map(|begin| (begin, end.max(begin))))
        }
        _ => None,
    }
}

impl Interpreter<'_> {
    pub(super) fn list_method(&mut self, list: &Rc<List>, name: &str, args: &Args) -> Option<Outcome> {
        let whole = || Value::Array(Rc::clone(list));
        let length = list.0.borrow().len();
        let first = args.list.first();
        Some(match name {
            "[]" | "slice" => match (first, part(&args.list, length)) {
                (Some(Value::Int(index)), None) => {
                    Ok(place(*index, length).and_then(|at| list.0.borrow().get(at).cloned()).unwrap_or(Value::Nil))
                }
                (_, Some(Some((begin, end)))) => Ok(Value::array(list.0.borrow()[begin..end].to_vec())),
                (_, Some(None)) => Ok(Value::Nil),
                (Some(other), None) => Err(Raise::no_conversion(other, "Integer")),
                (None, None) => Err(Raise::argument("wrong number of arguments (given 0, expected 1..2)")),
            },
            "[]=" => match &args.list[..] {
                [Value::Int(index), value] => {
                    let Some(at) = place(*index, length) else {
                        return Some(Err(Raise::new("IndexError", format!("index {index} too small for array"))));
                    };
                    if let Err(error) = check_size(at) {
                        return Some(Err(error));
                    }
                    let mut values = list.0.borrow_mut();
                    if at >= values.len() {
                        values.resize(at + 1, Value::Nil);
                    }
                    values[at] = value.clone();
                    Ok(value.clone())
                }
                [other, _] => Err(Raise::no_conversion(other, "Integer")),
                _ => Err(Raise::argument("an array takes one index here")),
            },
            "at" | "dig" => {
                let index = match first {
                    Some(Value::Int(index)) => *index,
                    _ => 0,
                };
                let found = place(index, length).and_then(|at| list.0.borrow().get(at).cloned()).unwrap_or(Value::Nil);
                if name == "dig" && args.list.len() > 1 && !found.is_nil() {
                    return Some(self.method(&found, "dig", Args { list: args.list[1..].to_vec(), block: None }));
                }
                Ok(found)
            }
            "<<" | "push" | "append" => {
                if let Err(error) = check_size(length + args.list.len()) {
                    return Some(Err(error));
                }
                list.0.borrow_mut().extend(args.list.iter().cloned());
                Ok(whole())
            }
            "pop" => Ok(list.0.borrow_mut().pop().unwrap_or(Value::Nil)),
            "shift" => {
                let mut values = list.0.borrow_mut();
                Ok(if values.is_empty() { Value::Nil } else { values.remove(0) })
            }
            "unshift" | "prepend" => {
                if let Err(error) = check_size(length + args.list.len()) {
                    return Some(Err(error));
                }
                list.0.borrow_mut().splice(0..0, args.list.iter().cloned());
                Ok(whole())
            }
            "insert" => match first {
                Some(Value::Int(index)) => {
                    let at = place(*index, length + 1).unwrap_or(0).min(length);
                    if let Err(error) = check_size(length + args.list.len()) {
                        return Some(Err(error));
                    }
                    list.0.borrow_mut().splice(at..at, args.list[1..].iter().cloned());
                    Ok(whole())
                }
                _ => Err(Raise::argument("insert takes an index")),
            },
            "concat" => {
                let more = match args.list.iter().map(|value| self.list_of(value)).collect::<Result<Vec<_>, _>>() {
                    Ok(more) => more.concat(),
                    Err(error) => return Some(Err(error)),
                };
                if let Err(error) = check_size(length + more.len()) {
                    return Some(Err(error));
                }
                list.0.borrow_mut().extend(more);
                Ok(whole())
            }
            "length" | "size" => Ok(Value::Int(length as i64)),
            "empty?" => Ok(Value::Bool(length == 0)),
            "last" => {
                let values = list.0.borrow();
                Ok(match first {
                    Some(Value::Int(n)) => Value::array(values[length.saturating_sub((*n).max(0) as usize)..].to_vec()),
                    _ => values.last().cloned().unwrap_or(Value::Nil),
                })
            }
            "+" | "-" | "&" | "|" => {
                let Some(Value::Array(other)) = first else {
                    return Some(Err(Raise::no_conversion(first.unwrap_or(&Value::Nil), "Array")));
                };
                let other = other.0.borrow().clone();
                let own = list.0.borrow().clone();
                if let Err(error) = check_size(own.len() + other.len()) {
                    return Some(Err(error));
                }
                let set = |values: &[Value]| Value::hash(values.iter().map(|value| (value.clone(), Value::Bool(true))));
                let has =
                    |table: &Value, value: &Value| matches!(table, Value::Hash(table) if table.get(value).is_some());
                let theirs = set(&other);
                Ok(Value::array(match name {
                    "+" => [own, other].concat(),
                    "-" => own.into_iter().filter(|value| !has(&theirs, value)).collect(),
                    "&" => unique(own.into_iter().filter(|value| has(&theirs, value)).collect()),
                    _ => unique([own, other].concat()),
                }))
            }
            "*" => match first {
                Some(Value::Int(n @ 0..)) => {
                    let times = *n as usize;
                    if let Err(error) = check_size(length.saturating_mul(times)) {
                        return Some(Err(error));
                    }
                    Ok(Value::array(std::iter::repeat_n(list.0.borrow().clone(), times).flatten().collect()))
                }
                Some(separator @ Value::Str(_)) => {
                    let mut text = Vec::new();
                    join(&list.0.borrow(), &to_text(separator), 0, &mut text).map(|()| Value::text(text))
                }
                _ => Err(Raise::argument("argument must be non-negative")),
            },
            "join" => {
                let (separator, mut text) = (first.map(to_text).unwrap_or_default(), Vec::new());
                join(&list.0.borrow(), &separator, 0, &mut text).map(|()| Value::text(text))
            }
            "reverse" => Ok(Value::array(list.0.borrow().iter().rev().cloned().collect())),
            "rotate" => {
                let mut values = list.0.borrow().clone();
                if length > 0 {
                    let by = match first {
                        Some(Value::Int(n)) => n.rem_euclid(length as i64) as usize,
                        _ => 1 % length,
                    };
                    values.rotate_left(by);
                }
                Ok(Value::array(values))
            }
            "compact" => Ok(Value::array(list.0.borrow().iter().filter(|value| !value.is_nil()).cloned().collect())),
            "flatten" => {
                let mut flat = Vec::new();
                flatten(&list.0.borrow(), 0, &mut flat).map(|()| Value::array(flat))
            }
            "uniq" if args.block.is_none() => Ok(Value::array(unique(list.0.borrow().clone()))),
            "delete" => {
                let Some(wanted) = first else {
                    return Some(Err(Raise::argument("wrong number of arguments (given 0, expected 1)")));
                };
                let kept: Vec<_> = list.0.borrow().iter().filter(|value| !equal(value, wanted)).cloned().collect();
                let found = kept.len() < length;
                *list.0.borrow_mut() = kept;
                Ok(if found { wanted.clone() } else { Value::Nil })
            }
            "delete_at" => match first {
                Some(Value::Int(index)) => Ok(place(*index, length)
                    .filter(|at| *at < length)
                    .map_or(Value::Nil, |at| list.0.borrow_mut().remove(at))),
                _ => Err(Raise::argument("delete_at takes an index")),
            },
            "clear" => {
                let old = std::mem::take(&mut *list.0.borrow_mut());
                drop(old);
                Ok(whole())
            }
            "transpose" => {
                let rows = list.0.borrow();
                let rows: Vec<Vec<Value>> = rows.iter().map(super::assign::spread).collect();
                let width = rows.first().map_or(0, Vec::len);
                Ok(Value::array(
                    (0..width)
                        .map(|at| {
                            Value::array(rows.iter().map(|row| row.get(at).cloned().unwrap_or(Value::Nil)).collect())
                        })
                        .collect(),
                ))
            }
            "shuffle" | "sample" => {
                let values = list.0.borrow().clone();
                let mut keyed: Vec<_> = values
                    .into_iter()
                    .map(|value| (super::numbers::random(&Value::Int(i64::MAX)).ok().and_then(|n| n.to_big()), value))
                    .collect();
                keyed.sort_by(|a, b| a.0.cmp(&b.0));
                let mut values: Vec<_> = keyed.into_iter().map(|(_, value)| value).collect();
                Ok(if name == "sample" { values.pop().unwrap_or(Value::Nil) } else { Value::array(values) })
            }
            "to_a" | "to_ary" | "entries" => Ok(whole()),
            "dup" | "clone" => Ok(Value::array(list.0.borrow().clone())),
            "pack" => pack(&list.0.borrow(), &first.map(to_text).unwrap_or_default()),
            "map!" | "collect!" | "select!" | "reject!" | "sort!" | "sort_by!" | "uniq!" | "reverse!" | "compact!"
            | "flatten!" | "shuffle!" | "keep_if" | "delete_if" => {
                let plain = match name {
                    "keep_if" => "select",
                    "delete_if" => "reject",
                    _ => name.trim_end_matches('!'),
                };
                let changed = self.method(&whole(), plain, Args { list: args.list.clone(), block: args.block.clone() });
                changed.map(|changed| {
                    if let Value::Array(new) = changed {
                        let new = new.0.borrow().clone();
                        *list.0.borrow_mut() = new;
                    }
                    whole()
                })
            }
            _ => return None,
        })
    }
}

/// `Array#pack` for the formats that build keys and values: `C c n N Q> q> a A H`.
fn pack(values: &[Value], format: &[u8]) -> Outcome {
    let mut out = Vec::new();
    let mut values = values.iter();
    for directive in directives(format) {
        let Directive { code, big_endian, count } = directive;
        if matches!(code, b'a' | b'A' | b'H') {
            let text = values.next().map(to_text).unwrap_or_default();
            if code == b'H' {
                let digits: Vec<_> = text.iter().filter_map(|byte| char::from(*byte).to_digit(16)).collect();
                out.extend(digits.chunks(2).map(|pair| (pair[0] * 16 + pair.get(1).copied().unwrap_or(0)) as u8));
            } else {
                let wanted = count.unwrap_or(text.len());
                check_size(wanted)?;
                let mut text = text;
                text.resize(wanted, if code == b'A' { b' ' } else { 0 });
                out.extend(text);
            }
            continue;
        }
        for _ in 0..directive.limit() {
            let Some(value) = values.next() else {
                if count.is_none() {
                    break;
                }
                return Err(Raise::argument("too few arguments"));
            };
            let Some(number) = value.to_big() else {
                return Err(Raise::no_conversion(value, "Integer"));
            };
            let mask = num_bigint::BigInt::from(u64::MAX);
            let bits = u64::try_from(number & mask).unwrap_or(0);
            match (code, big_endian) {
                (b'C' | b'c', _) => out.push(bits as u8),
                (b'n' | b'S' | b's', true) => out.extend((bits as u16).to_be_bytes()),
                (b'N' | b'L' | b'l', true) => out.extend((bits as u32).to_be_bytes()),
                (b'Q' | b'q', true) => out.extend(bits.to_be_bytes()),
                (b'v', _) => out.extend((bits as u16).to_le_bytes()),
                (b'V', _) => out.extend((bits as u32).to_le_bytes()),
                (b'Q' | b'q', false) => out.extend(bits.to_le_bytes()),
                (b'U', _) => {
                    let letter = char::from_u32(bits as u32).unwrap_or(char::REPLACEMENT_CHARACTER);
                    out.extend(letter.to_string().into_bytes());
                }
                _ => {
                    let message = format!("the format {} of pack is not part of this shell", char::from(code));
                    return Err(Raise::new("NotImplementedError", message));
                }
            }
        }
    }
    Ok(Value::text(out))
}

/// The values without repetitions.
pub fn unique(values: Vec<Value>) -> Vec<Value> {
    match Value::hash(values.into_iter().map(|value| (value, Value::Nil))) {
        Value::Hash(table) => table.pairs().into_iter().map(|(key, _)| key).collect(),
        _ => Vec::new(),
    }
}

fn join(values: &[Value], separator: &[u8], depth: usize, out: &mut Vec<u8>) -> Result<(), Raise> {
    for (at, value) in values.iter().enumerate() {
        if at > 0 {
            out.extend_from_slice(separator);
        }
        match value {
            Value::Array(inner) if depth < 50 => {
                if let Ok(inner) = inner.0.try_borrow() {
                    join(&inner, separator, depth + 1, out)?;
                }
            }
            other => out.extend(to_text(other)),
        }
        check_size(out.len())?;
    }
    Ok(())
}

fn flatten(values: &[Value], depth: usize, out: &mut Vec<Value>) -> Result<(), Raise> {
    for value in values {
        match value {
            Value::Array(inner) if depth < 50 => {
                if let Ok(inner) = inner.0.try_borrow() {
                    flatten(&inner, depth + 1, out)?;
                }
            }
            other => out.push(other.clone()),
        }
        check_size(out.len())?;
    }
    Ok(())
}
