//! Numbers.

use std::cmp::Ordering;
use std::rc::Rc;

use num_bigint::BigInt;

use super::super::inspect::{inspected, to_text};
use super::super::value::{NESTING_MAX, Pairs, Value};
use super::{Args, Interpreter, Outcome, Raise, implicit};

/// The largest result of a power or a shift, in bits.
const BITS_MAX: u64 = 1 << 20;

/// The number as a floating-point one.
pub fn as_float(value: &Value) -> Option<f64> {
    match value {
        Value::Int(n) => Some(*n as f64),
        Value::Float(n) => Some(*n),
        Value::Big(n) => n.to_string().parse().ok(),
        _ => None,
    }
}

/// The order of two values; `None` if they cannot be compared.
pub fn compare(a: &Value, b: &Value) -> Option<Ordering> {
    compare_within(a, b, 0, &mut Pairs::default())
}

/// [`compare`] of values that are nested this deep. Pairs of arrays that are being compared, or were found equal, count
/// as equal: each pair is compared once, however often it occurs.
fn compare_within(a: &Value, b: &Value, depth: usize, seen: &mut Pairs) -> Option<Ordering> {
    if depth > NESTING_MAX {
        return None;
    }
    match (a, b) {
        (Value::Int(a), Value::Int(b)) => Some(a.cmp(b)),
        (Value::Float(_), _) | (_, Value::Float(_)) => as_float(a)?.partial_cmp(&as_float(b)?),
        (Value::Int(_) | Value::Big(_), Value::Int(_) | Value::Big(_)) => Some(a.to_big()?.cmp(&b.to_big()?)),
        (Value::Str(a), Value::Str(b)) => Some(a.borrow().cmp(&b.borrow())),
        (Value::Symbol(a), Value::Symbol(b)) => Some(a.cmp(b)),
        (Value::Time(a), Value::Time(b)) => Some(a.cmp(b)),
        (Value::Array(a), Value::Array(b)) => {
            if Rc::ptr_eq(a, b) || !seen.insert((Rc::as_ptr(a).addr(), Rc::as_ptr(b).addr())) {
                return Some(Ordering::Equal);
            }
            let (a, b) = (a.0.borrow(), b.0.borrow());
            for (a, b) in a.iter().zip(b.iter()) {
                match compare_within(a, b, depth + 1, seen)? {
                    Ordering::Equal => {}
                    order => return Some(order),
                }
            }
            Some(a.len().cmp(&b.len()))
        }
        (Value::Nil, Value::Nil) => Some(Ordering::Equal),
        (Value::Bool(a), Value::Bool(b)) if a == b => Some(Ordering::Equal),
        _ => None,
    }
}

/// The error of a comparison that is not possible.
pub fn incomparable(a: &Value, b: &Value) -> Raise {
    let shown = match b {
        Value::Int(_) | Value::Big(_) | Value::Float(_) | Value::Nil | Value::Bool(_) => inspected(b),
        other => other.class_name(),
    };
    Raise::argument(format!("comparison of {} with {shown} failed", a.class_name()))
}

/// `Integer(value)`.
pub fn integer(value: &Value, base: Option<&Value>) -> Outcome {
    match value {
        Value::Int(_) | Value::Big(_) => Ok(value.clone()),
        Value::Float(n) if n.is_finite() => Ok(value.to_big().map_or(Value::Nil, Value::int)),
        Value::Str(text) => {
            let shown = inspected(value);
            let text = String::from_utf8_lossy(&text.borrow()).trim().replace('_', "");
            let radix = match base {
                Some(Value::Int(n)) if (2..=36).contains(n) => *n as u32,
                _ => 10,
            };
            let (radix, digits) = match text.get(..2) {
                Some("0x" | "0X") => (16, &text[2..]),
                Some("0b" | "0B") => (2, &text[2..]),
                _ => (radix, &text[..]),
            };
            let number = (digits.len() < 10_000).then(|| BigInt::parse_bytes(digits.as_bytes(), radix)).flatten();
            number.map(Value::int).ok_or_else(|| Raise::argument(format!("invalid value for Integer(): {shown}")))
        }
        Value::Nil => Err(Raise::kind("can't convert nil into Integer")),
        other => Err(Raise::kind(format!("can't convert {} into Integer", other.class_name()))),
    }
}

/// `Float(value)`.
pub fn float(value: &Value) -> Outcome {
    match value {
        Value::Str(text) => {
            let number = String::from_utf8_lossy(&text.borrow()).trim().replace('_', "").parse::<f64>();
            number
                .map(Value::Float)
                .map_err(|_| Raise::argument(format!("invalid value for Float(): {}", inspected(value))))
        }
        other => as_float(other)
            .map(Value::Float)
            .ok_or_else(|| Raise::kind(format!("can't convert {} into Float", implicit(other)))),
    }
}

/// 64 random bits.
fn random_word() -> u64 {
    use std::hash::{BuildHasher, Hasher};
    std::collections::hash_map::RandomState::new().build_hasher().finish()
}

/// Random bytes.
pub fn random_bytes(count: usize) -> Vec<u8> {
    let words = std::iter::repeat_with(|| random_word().to_be_bytes());
    words.flatten().take(count).collect()
}

/// `rand`, `rand(n)`, `rand(range)`.
pub fn random(limit: &Value) -> Outcome {
    let word = random_word();
    let fraction = (word >> 11) as f64 / (1_u64 << 53) as f64;
    Ok(match limit {
        Value::Int(n) if *n > 0 => Value::Int((word % n.unsigned_abs()) as i64),
        Value::Range(range) => match (&range.begin, &range.end) {
            (Value::Int(a), Value::Int(b)) => {
                let span = b.saturating_sub(*a).saturating_add(i64::from(!range.exclusive));
                if span <= 0 { Value::Nil } else { Value::Int(a.wrapping_add((word % span.unsigned_abs()) as i64)) }
            }
            _ => Value::Float(fraction),
        },
        Value::Float(n) => Value::Float(fraction * n),
        _ => Value::Float(fraction),
    })
}

/// Functions of `Math` and the like.
pub fn class_method(class: &str, name: &str, args: &Args) -> Option<Outcome> {
    let x = args.list.first().and_then(as_float);
    Some(match (class, name) {
        ("Random" | "SecureRandom", "rand" | "random_number") => random(args.list.first().unwrap_or(&Value::Nil)),
        ("SecureRandom", "hex") => {
            let count = match args.list.first() {
                None | Some(Value::Nil) => 16,
                Some(Value::Int(n @ 0..)) => *n as usize,
                Some(_) => return Some(Err(Raise::argument("SecureRandom.hex takes a number of bytes"))),
            };
            super::check_size(count.saturating_mul(2)).map(|()| Value::text(crate::convert::hex(&random_bytes(count))))
        }
        ("Math", "sqrt") => Ok(Value::Float(x?.sqrt())),
        ("Math", "log") => Ok(Value::Float(match args.list.get(1).and_then(as_float) {
            Some(base) => x?.log(base),
            None => x?.ln(),
        })),
        ("Math", "log2") => Ok(Value::Float(x?.log2())),
        ("Math", "log10") => Ok(Value::Float(x?.log10())),
        ("Math", "pow") => Ok(Value::Float(x?.powf(args.list.get(1).and_then(as_float)?))),
        ("Math", "sin") => Ok(Value::Float(x?.sin())),
        ("Math", "cos") => Ok(Value::Float(x?.cos())),
        _ => return None,
    })
}

impl Interpreter<'_> {
    pub(super) fn number_method(&mut self, number: &Value, name: &str, args: &Args) -> Option<Outcome> {
        if let [other] = &args.list[..]
            && let Some(done) = arithmetic(number, name, other)
        {
            return Some(done);
        }
        let count = |name: &str| match number {
            Value::Int(n) => Ok(*n),
            _ => Err(Raise::kind(format!("{} has no {name}", number.class_name()))),
        };
        Some(match name {
            "times" | "upto" | "downto" | "step" => return Some(self.steps(number, name, args)),
            "to_i" | "to_int" | "truncate" | "ord" => match number {
                Value::Float(n) if !n.is_finite() => Err(Raise::new("FloatDomainError", inspected(number))),
                _ => Ok(number.to_big().map_or(Value::Nil, Value::int)),
            },
            "to_f" => Ok(as_float(number).map_or(Value::Nil, Value::Float)),
            "to_s" | "inspect" => match (number.to_big(), args.list.first()) {
                (Some(n), Some(Value::Int(radix @ 2..=36))) if !matches!(number, Value::Float(_)) => {
                    Ok(Value::text(n.to_str_radix(*radix as u32)))
                }
                _ => Ok(Value::text(to_text(number))),
            },
            "-@" => match number {
                Value::Int(n) => Ok(Value::int(-BigInt::from(*n))),
                Value::Big(n) => Ok(Value::int(-(**n).clone())),
                Value::Float(n) => Ok(Value::Float(-n)),
                _ => return None,
            },
            "+@" => Ok(number.clone()),
            "~" => Ok(number.to_big().map_or(Value::Nil, |n| Value::int(-n - 1))),
            "abs" | "magnitude" => match number {
                Value::Float(n) => Ok(Value::Float(n.abs())),
                _ => Ok(number.to_big().map_or(Value::Nil, |n| Value::int(BigInt::from(n.magnitude().clone())))),
            },
            "succ" | "next" => Ok(number.to_big().map_or(Value::Nil, |n| Value::int(n + 1))),
            "pred" => Ok(number.to_big().map_or(Value::Nil, |n| Value::int(n - 1))),
            "chr" => count("chr").and_then(|n| match u8::try_from(n) {
                Ok(byte) => Ok(Value::text(vec![byte])),
                Err(_) => Err(Raise::new("RangeError", format!("{n} out of char range"))),
            }),
            "zero?" => Ok(Value::Bool(as_float(number) == Some(0.0))),
            "positive?" => Ok(Value::Bool(as_float(number)? > 0.0)),
            "negative?" => Ok(Value::Bool(as_float(number)? < 0.0)),
            "even?" => Ok(Value::Bool(number.to_big()? % 2 == BigInt::ZERO)),
            "odd?" => Ok(Value::Bool(number.to_big()? % 2 != BigInt::ZERO)),
            "nan?" => Ok(Value::Bool(as_float(number)?.is_nan())),
            "finite?" => Ok(Value::Bool(as_float(number)?.is_finite())),
            "integer?" => Ok(Value::Bool(!matches!(number, Value::Float(_)))),
            "round" | "floor" | "ceil" => Ok(rounded(number, name, args.list.first())),
            "divmod" => {
                let other = args.list.first()?;
                let quotient = arithmetic(number, "/", other)?;
                let rest = arithmetic(number, "%", other)?;
                quotient.and_then(|quotient| Ok(Value::array(vec![quotient, rest?])))
            }
            "fdiv" => Ok(Value::Float(as_float(number)? / as_float(args.list.first()?)?)),
            "div" => return arithmetic(number, "/", args.list.first()?),
            "modulo" => return arithmetic(number, "%", args.list.first()?),
            "pow" => return arithmetic(number, "**", args.list.first()?),
            "bit_length" => Ok(Value::Int(number.to_big()?.bits() as i64)),
            "digits" => {
                let digits = number.to_big()?.magnitude().to_string();
                Ok(Value::array(digits.bytes().rev().map(|digit| Value::Int(i64::from(digit - b'0'))).collect()))
            }
            "between?" => {
                let (a, b) = (args.list.first()?, args.list.get(1)?);
                Ok(Value::Bool(compare(number, a)? != Ordering::Less && compare(number, b)? != Ordering::Greater))
            }
            "clamp" => {
                let (a, b) = (args.list.first()?, args.list.get(1)?);
                Ok(match (compare(number, a)?, compare(number, b)?) {
                    (Ordering::Less, _) => a.clone(),
                    (_, Ordering::Greater) => b.clone(),
                    _ => number.clone(),
                })
            }
            _ => return None,
        })
    }

    fn steps(&mut self, number: &Value, name: &str, args: &Args) -> Outcome {
        let Value::Int(from) = *number else {
            return Err(super::objects::no_method(number, name));
        };
        let int = |at: usize, default: i64| match args.list.get(at) {
            Some(Value::Int(n)) => Ok(*n),
            None => Ok(default),
            Some(other) => Err(Raise::no_conversion(other, "Integer")),
        };
        let (start, end, step) = match name {
            "times" => (0, from.saturating_sub(1), 1),
            "upto" => (from, int(0, from)?, 1),
            "downto" => (from, int(0, from)?, -1),
            _ => (from, int(0, i64::MAX)?, int(1, 1)?),
        };
        if step == 0 {
            return Err(Raise::argument("step can't be 0"));
        }
        let Some(block) = &args.block else {
            let mut list = Vec::new();
            let mut at = start;
            while if step > 0 { at <= end } else { at >= end } {
                super::check_size(list.len())?;
                list.push(Value::Int(at));
                at = match at.checked_add(step) {
                    Some(next) => next,
                    None => break,
                };
            }
            return Ok(Value::array(list));
        };
        let mut at = start;
        while if step > 0 { at <= end } else { at >= end } {
            if self.host.interrupted() {
                return Err(Raise::Interrupt);
            }
            self.call_proc(block, vec![Value::Int(at)])?;
            at = match at.checked_add(step) {
                Some(next) => next,
                None => break,
            };
        }
        Ok(number.clone())
    }
}

fn rounded(number: &Value, name: &str, digits: Option<&Value>) -> Value {
    let Value::Float(n) = *number else { return number.clone() };
    let round = |n: f64| match name {
        "round" => n.round(),
        "floor" => n.floor(),
        _ => n.ceil(),
    };
    match digits {
        Some(Value::Int(digits @ 1..=15)) => {
            let scale = 10_f64.powi(*digits as i32);
            Value::Float(round(n * scale) / scale)
        }
        _ => Value::Float(round(n)).to_big().map_or(Value::Nil, Value::int),
    }
}

/// An operator between a number and another value; `None`: not an operator of numbers.
fn arithmetic(a: &Value, op: &str, b: &Value) -> Option<Outcome> {
    if matches!(op, "<" | ">" | "<=" | ">=") {
        return Some(match compare(a, b) {
            Some(order) => Ok(Value::Bool(match op {
                "<" => order.is_lt(),
                ">" => order.is_gt(),
                "<=" => order.is_le(),
                _ => order.is_ge(),
            })),
            None => Err(incomparable(a, b)),
        });
    }
    if !matches!(op, "+" | "-" | "*" | "/" | "%" | "**" | "&" | "|" | "^" | "<<" | ">>") {
        return None;
    }
    if as_float(b).is_none() {
        let message = match b {
            Value::Nil => "nil can't be coerced into Integer".to_owned(),
            other => format!("{} can't be coerced into {}", implicit(other), a.class_name()),
        };
        return Some(Err(Raise::kind(message).with_remedy("a number is needed here: to_i makes one of a string")));
    }
    if matches!(a, Value::Float(_)) || matches!(b, Value::Float(_)) {
        let (x, y) = (as_float(a)?, as_float(b)?);
        return Some(Ok(Value::Float(match op {
            "+" => x + y,
            "-" => x - y,
            "*" => x * y,
            "/" => x / y,
            "%" => x - y * (x / y).floor(),
            "**" => x.powf(y),
            _ => return None,
        })));
    }
    if let (Value::Int(x), Value::Int(y)) = (a, b) {
        let small = match op {
            "+" => x.checked_add(*y),
            "-" => x.checked_sub(*y),
            "*" => x.checked_mul(*y),
            "/" if *y != 0 => floor_div(*x, *y),
            "%" if *y != 0 => {
                x.checked_rem(*y).map(|rest| if rest != 0 && (rest < 0) != (*y < 0) { rest + y } else { rest })
            }
            "&" => Some(x & y),
            "|" => Some(x | y),
            "^" => Some(x ^ y),
            _ => None,
        };
        if let Some(n) = small {
            return Some(Ok(Value::Int(n)));
        }
    }
    Some(big(&a.to_big()?, op, &b.to_big()?))
}

fn floor_div(x: i64, y: i64) -> Option<i64> {
    let quotient = x.checked_div(y)?;
    Some(if x % y != 0 && (x < 0) != (y < 0) { quotient - 1 } else { quotient })
}

fn big(x: &BigInt, op: &str, y: &BigInt) -> Outcome {
    let zero = || Raise::new("ZeroDivisionError", "divided by 0");
    let too_big = || Raise::argument(format!("the result has more than {BITS_MAX} bits"));
    if x.bits().saturating_add(y.bits()) > BITS_MAX && op == "*" {
        return Err(too_big());
    }
    let floor = |x: &BigInt, y: &BigInt| {
        let (quotient, rest) = (x / y, x % y);
        if rest != BigInt::ZERO && (rest < BigInt::ZERO) != (*y < BigInt::ZERO) {
            (quotient - 1, rest + y)
        } else {
            (quotient, rest)
        }
    };
    Ok(Value::int(match op {
        "+" => x + y,
        "-" => x - y,
        "*" => x * y,
        "/" if *y == BigInt::ZERO => return Err(zero()),
        "/" => floor(x, y).0,
        "%" if *y == BigInt::ZERO => return Err(zero()),
        "%" => floor(x, y).1,
        "&" => x & y,
        "|" => x | y,
        "^" => x ^ y,
        "**" => {
            if *y < BigInt::ZERO {
                let (x, y) = (Value::int(x.clone()), Value::int(y.clone()));
                let power = as_float(&x).unwrap_or(0.0).powf(as_float(&y).unwrap_or(0.0));
                return Ok(Value::Float(power));
            }
            if x.bits() <= 1 {
                // 0, 1 and -1 stay small.
                let odd = y % 2 != BigInt::ZERO;
                return Ok(Value::int(if *y == BigInt::ZERO || !odd {
                    x.pow(u32::from(*y != BigInt::ZERO) * 2)
                } else {
                    x.clone()
                }));
            }
            let exponent = u32::try_from(y).map_err(|_| too_big())?;
            if x.bits().saturating_mul(u64::from(exponent)) > BITS_MAX {
                return Err(too_big());
            }
            x.pow(exponent)
        }
        _ => {
            let shift = i64::try_from(y).map_err(|_| too_big())?;
            let shift = if op == ">>" { shift.saturating_neg() } else { shift };
            if shift > 0 {
                if x.bits().saturating_add(shift.unsigned_abs()) > BITS_MAX {
                    return Err(too_big());
                }
                x << shift.unsigned_abs()
            } else {
                x >> shift.unsigned_abs().min(BITS_MAX)
            }
        }
    }))
}
