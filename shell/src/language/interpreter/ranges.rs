//! Ranges.

use std::cmp::Ordering;
use std::rc::Rc;

use super::super::inspect::to_text;
use super::super::value::{Span, Value};
use super::numbers::compare;
use super::{Args, Interpreter, Outcome, Raise};

/// Checks that two values can be the ends of a range.
pub fn check(begin: &Value, end: &Value) -> Result<(), Raise> {
    if begin.is_nil() || end.is_nil() || compare(begin, end).is_some() {
        return Ok(());
    }
    Err(Raise::argument("bad value for range"))
}

/// Whether a value is between the ends.
pub fn covers(range: &Span, value: &Value) -> bool {
    let above = range.begin.is_nil() || compare(&range.begin, value).is_some_and(Ordering::is_le);
    let below = range.end.is_nil()
        || compare(value, &range.end).is_some_and(|order| if range.exclusive { order.is_lt() } else { order.is_le() });
    above && below
}

/// Checks, before the values of a range are listed, that the list ends and is not too long.
pub fn check_list(range: &Span) -> Result<(), Raise> {
    match (&range.begin, &range.end) {
        (Value::Int(_), Value::Int(_)) => super::check_size(usize::try_from(count(range)).unwrap_or(usize::MAX)),
        (_, Value::Nil) => Err(Raise::new("RangeError", "cannot convert endless range to an array")),
        _ => Ok(()),
    }
}

/// The number of values between two integers; zero for other ends.
fn count(range: &Span) -> i128 {
    let (Value::Int(begin), Value::Int(end)) = (&range.begin, &range.end) else { return 0 };
    (i128::from(*end) - i128::from(*begin) + i128::from(!range.exclusive)).max(0)
}

/// The values of a range, one after the other.
pub struct Steps {
    next: Option<Value>,
    end: Value,
    exclusive: bool,
}

impl Steps {
    /// Begins at the first value.
    pub fn new(range: &Span) -> Result<Self, Raise> {
        match (&range.begin, &range.end) {
            (Value::Int(_), _) => {}
            (Value::Str(begin), Value::Str(end)) => {
                let (begin, end) = (begin.borrow(), end.borrow());
                let empty = begin.len() > end.len() || (begin.len() == end.len() && *begin > *end);
                if empty {
                    return Ok(Self { next: None, end: Value::Nil, exclusive: false });
                }
            }
            (Value::Str(_), Value::Nil) => {}
            (other, _) => return Err(Raise::kind(format!("can't iterate from {}", other.class_name()))),
        }
        Ok(Self { next: Some(range.begin.clone()), end: range.end.clone(), exclusive: range.exclusive })
    }

    /// The next value.
    #[allow(
        clippy::should_implement_trait,
        reason = "an iterator could not be borrowed while its values are passed to the interpreter"
    )]
    pub fn next(&mut self) -> Option<Value> {
        let value = self.next.take()?;
        match (&value, &self.end) {
            (Value::Int(n), end) => {
                let order = compare(&value, end);
                let beyond = order.is_some_and(|order| order.is_gt() || (order.is_eq() && self.exclusive));
                if beyond {
                    return None;
                }
                self.next = n.checked_add(1).map(Value::Int);
            }
            (Value::Str(text), end) => {
                let text = text.borrow().clone();
                if let Value::Str(end) = end {
                    let end = end.borrow();
                    if text == *end {
                        return (!self.exclusive).then(|| Value::text(text));
                    }
                    let next = successor(&text);
                    // A successor that is longer than the end is beyond it.
                    self.next = (next.len() <= end.len()).then(|| Value::text(next));
                } else {
                    self.next = Some(Value::text(successor(&text)));
                }
            }
            _ => return None,
        }
        Some(value)
    }
}

/// `String#succ`: the rightmost letter or digit is increased, with a carry to those left of it.
pub fn successor(text: &[u8]) -> Vec<u8> {
    let mut out = text.to_vec();
    let Some(last) = out.iter().rposition(u8::is_ascii_alphanumeric) else {
        // Without letters and digits the bytes are one number.
        for byte in out.iter_mut().rev() {
            *byte = byte.wrapping_add(1);
            if *byte != 0 {
                return out;
            }
        }
        out.insert(0, 1);
        return out;
    };
    let mut at = last;
    loop {
        let (wrapped, carry) = match out[at] {
            b'z' => (b'a', b'a'),
            b'Z' => (b'A', b'A'),
            b'9' => (b'0', b'1'),
            other => {
                out[at] = other + 1;
                return out;
            }
        };
        out[at] = wrapped;
        if at == 0 || !out[at - 1].is_ascii_alphanumeric() {
            out.insert(at, carry);
            return out;
        }
        at -= 1;
    }
}

impl Interpreter<'_> {
    pub(super) fn range_method(&mut self, range: &Rc<Span>, name: &str, args: &Args) -> Option<Outcome> {
        let whole = Value::Range(Rc::clone(range));
        Some(match name {
            "each" => {
                let Some(block) = &args.block else { return Some(Ok(whole)) };
                let done = self
                    .each_of(&whole, &mut |interpreter, value| interpreter.call_proc(block, vec![value]).map(|_| ()));
                done.map(|()| whole)
            }
            "first" | "begin" | "min" if args.list.is_empty() && args.block.is_none() => Ok(range.begin.clone()),
            "last" | "end" | "max" if args.list.is_empty() && args.block.is_none() => {
                match (&range.end, range.exclusive, name) {
                    (Value::Int(n), true, "max") => Ok(Value::int(num_bigint::BigInt::from(*n) - 1)),
                    _ => Ok(range.end.clone()),
                }
            }
            "include?" | "member?" | "cover?" | "===" => {
                Ok(Value::Bool(args.list.first().is_some_and(|value| covers(range, value))))
            }
            "exclude_end?" => Ok(Value::Bool(range.exclusive)),
            "size" | "count" if args.list.is_empty() && args.block.is_none() => match (&range.begin, &range.end) {
                (Value::Int(_), Value::Int(_)) => Ok(Value::int(num_bigint::BigInt::from(count(range)))),
                _ => return None,
            },
            "sum" if args.block.is_none() && args.list.is_empty() => match (&range.begin, &range.end) {
                (Value::Int(a), Value::Int(b)) => {
                    let (a, b) =
                        (num_bigint::BigInt::from(*a), num_bigint::BigInt::from(*b) - i64::from(range.exclusive));
                    Ok(if b < a { Value::Int(0) } else { Value::int((&a + &b) * (&b - &a + 1) / 2) })
                }
                _ => return None,
            },
            "step" | "%" => {
                let Some(Value::Int(step @ 1..)) = args.list.first() else {
                    return Some(Err(Raise::argument("step can't be 0")));
                };
                let (step, mut at, mut list) = (*step, 0_i64, Vec::new());
                let done = self.each_of(&whole, &mut |interpreter, value| {
                    let take = at % step == 0;
                    at += 1;
                    match &args.block {
                        _ if !take => Ok(()),
                        Some(block) => interpreter.call_proc(block, vec![value]).map(|_| ()),
                        None => {
                            super::check_size(list.len())?;
                            list.push(value);
                            Ok(())
                        }
                    }
                });
                done.map(|()| if args.block.is_some() { whole } else { Value::array(list) })
            }
            "to_s" => Ok(Value::text(to_text(&whole))),
            _ => return None,
        })
    }
}
