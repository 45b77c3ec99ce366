//! `format`: `%05d`, `%-10s`, `%.2f`, ….

use num_bigint::BigInt;

use super::super::inspect::{inspect, to_text};
use super::super::value::Value;
use super::{Raise, numbers};

/// The widest field.
const WIDTH_MAX: usize = 1 << 20;

#[derive(Default)]
struct Directive {
    left: bool,
    zero: bool,
    plus: bool,
    blank: bool,
    sharp: bool,
    width: usize,
    precision: Option<usize>,
}

/// The text that a format makes of values.
pub fn format(format: &[u8], values: &[Value]) -> Result<Vec<u8>, Raise> {
    let (mut out, mut at, mut next) = (Vec::new(), 0, 0);
    while let Some(&byte) = format.get(at) {
        at += 1;
        if byte != b'%' {
            out.push(byte);
            continue;
        }
        let mut directive = Directive::default();
        let mut named = None;
        loop {
            match format.get(at) {
                Some(b'-') => directive.left = true,
                Some(b'0') => directive.zero = true,
                Some(b'+') => directive.plus = true,
                Some(b' ') => directive.blank = true,
                Some(b'#') => directive.sharp = true,
                Some(open @ (b'<' | b'{')) => {
                    let close = if *open == b'<' { b'>' } else { b'}' };
                    let Some(length) = format[at + 1..].iter().position(|byte| *byte == close) else {
                        return Err(Raise::argument("malformed name - unmatched parenthesis"));
                    };
                    let key = Value::symbol(&format[at + 1..at + 1 + length]);
                    let value = match values.first() {
                        Some(Value::Hash(table)) => table.get(&key),
                        _ => return Err(Raise::argument("one hash required")),
                    };
                    let Some(value) = value else {
                        return Err(Raise::new(
                            "KeyError",
                            format!("key<{}> not found", String::from_utf8_lossy(&to_text(&key))),
                        ));
                    };
                    at += length + 1;
                    if close == b'}' {
                        out.extend(to_text(&value));
                        named = Some(None);
                        break;
                    }
                    named = Some(Some(value));
                }
                _ => break,
            }
            at += 1;
        }
        if named.as_ref().is_some_and(Option::is_none) {
            at += 1;
            continue;
        }
        let mut take = |values: &[Value]| {
            let value = values.get(next).cloned();
            next += 1;
            value.ok_or_else(|| Raise::argument("too few arguments"))
        };
        let mut number = |at: &mut usize| -> Result<usize, Raise> {
            if format.get(*at) == Some(&b'*') {
                *at += 1;
                return Ok(match take(values)? {
                    Value::Int(n) => usize::try_from(n.unsigned_abs()).unwrap_or(WIDTH_MAX),
                    _ => 0,
                });
            }
            let mut number = 0_usize;
            while let Some(digit @ b'0'..=b'9') = format.get(*at) {
                number = number.saturating_mul(10).saturating_add(usize::from(digit - b'0'));
                *at += 1;
            }
            Ok(number)
        };
        directive.width = number(&mut at)?;
        if format.get(at) == Some(&b'.') {
            at += 1;
            directive.precision = Some(number(&mut at)?);
        }
        if directive.width > WIDTH_MAX || directive.precision.is_some_and(|precision| precision > WIDTH_MAX) {
            return Err(Raise::argument("width too big"));
        }
        let Some(&kind) = format.get(at) else {
            return Err(Raise::argument("incomplete format specifier; use %% (double %) instead"));
        };
        at += 1;
        if kind == b'%' {
            out.push(b'%');
            continue;
        }
        let value = match named {
            Some(Some(value)) => value,
            _ => take(values)?,
        };
        out.extend(directive.text(kind, &value)?);
        super::check_size(out.len())?;
    }
    Ok(out)
}

impl Directive {
    fn text(&self, kind: u8, value: &Value) -> Result<Vec<u8>, Raise> {
        let (sign, body) = match kind {
            b's' | b'p' => {
                let text = if kind == b's' { to_text(value) } else { inspect(value) };
                let text = match self.precision {
                    Some(most) => String::from_utf8_lossy(&text).chars().take(most).collect::<String>().into_bytes(),
                    None => text,
                };
                return Ok(self.padded(Vec::new(), text, false));
            }
            b'c' => {
                let text = match value {
                    Value::Int(n) => char::from_u32(*n as u32).map(String::from).unwrap_or_default().into_bytes(),
                    other => to_text(other),
                };
                return Ok(self.padded(Vec::new(), text, false));
            }
            b'd' | b'i' | b'u' | b'x' | b'X' | b'o' | b'b' | b'B' => {
                let number = match value {
                    Value::Float(n) if n.is_finite() => Value::Float(n.floor()).to_big().unwrap_or_default(),
                    other => numbers::integer(other, None)?.to_big().unwrap_or_default(),
                };
                let radix = match kind {
                    b'x' | b'X' => 16,
                    b'o' => 8,
                    b'b' | b'B' => 2,
                    _ => 10,
                };
                let digits = BigInt::from(number.magnitude().clone()).to_str_radix(radix);
                let digits = if kind == b'X' { digits.to_uppercase() } else { digits };
                let digits = format!("{digits:0>width$}", width = self.precision.unwrap_or(1));
                let prefix = match kind {
                    b'x' if self.sharp => "0x",
                    b'X' if self.sharp => "0X",
                    b'b' if self.sharp => "0b",
                    b'o' if self.sharp => "0",
                    _ => "",
                };
                (number < BigInt::ZERO, format!("{prefix}{digits}"))
            }
            b'f' | b'e' | b'E' | b'g' | b'G' => {
                let number = match numbers::float(value)? {
                    Value::Float(n) => n,
                    _ => 0.0,
                };
                if !number.is_finite() {
                    let text = if number.is_nan() { "NaN" } else { "Inf" };
                    return Ok(self.padded(self.sign(number < 0.0), text.into(), false));
                }
                let precision = self.precision.unwrap_or(6).min(1000);
                let magnitude = number.abs();
                let text = match kind {
                    b'f' => format!("{magnitude:.precision$}"),
                    b'g' | b'G' => general(magnitude, precision.max(1)),
                    _ => exponential(magnitude, precision),
                };
                let text = if kind.is_ascii_uppercase() { text.to_uppercase() } else { text };
                (number.is_sign_negative() && number != 0.0, text)
            }
            other => return Err(Raise::argument(format!("malformed format string - %{}", char::from(other)))),
        };
        Ok(self.padded(self.sign(sign), body.into_bytes(), self.zero && !self.left))
    }

    fn sign(&self, negative: bool) -> Vec<u8> {
        match (negative, self.plus, self.blank) {
            (true, ..) => b"-".to_vec(),
            (false, true, _) => b"+".to_vec(),
            (false, false, true) => b" ".to_vec(),
            _ => Vec::new(),
        }
    }

    fn padded(&self, sign: Vec<u8>, body: Vec<u8>, zeros: bool) -> Vec<u8> {
        let length = sign.len() + String::from_utf8_lossy(&body).chars().count();
        let missing = self.width.saturating_sub(length);
        let fill = |byte: u8| vec![byte; missing];
        if zeros {
            return [sign, fill(b'0'), body].concat();
        }
        if self.left { [sign, body, fill(b' ')].concat() } else { [fill(b' '), sign, body].concat() }
    }
}

fn exponential(n: f64, precision: usize) -> String {
    let text = format!("{n:.precision$e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let (sign, exponent) = exponent.strip_prefix('-').map_or(('+', exponent), |rest| ('-', rest));
    format!("{digits}e{sign}{exponent:0>2}")
}

fn general(n: f64, precision: usize) -> String {
    let exponent = if n == 0.0 { 0 } else { n.log10().floor() as i32 };
    let trim = |text: String| {
        if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
    };
    if exponent < -4 || exponent >= precision as i32 {
        let text = exponential(n, precision - 1);
        let (digits, rest) = text.split_once('e').unwrap_or((&text, "+00"));
        return format!("{}e{rest}", trim(digits.to_owned()));
    }
    let decimals = (precision as i32 - 1 - exponent).max(0) as usize;
    trim(format!("{n:.decimals$}"))
}
