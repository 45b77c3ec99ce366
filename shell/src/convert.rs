//! The conversions of HBase's class `Bytes` by which values can be shown: `toInt`, `toString`, ….

use hjall_engine::region::to_string_binary;
use num_bigint::BigInt;

/// The result of a conversion.
pub enum Converted {
    /// Text.
    Text(String),
    /// A whole number.
    Int(i64),
    /// A floating-point number.
    Float(f64),
    /// A truth value.
    Bool(bool),
}

/// The names of all conversions.
pub const NAMES: &[&str] = &[
    "toString",
    "toStringBinary",
    "toHex",
    "toInt",
    "toLong",
    "toShort",
    "toDouble",
    "toFloat",
    "toBoolean",
    "toBigDecimal",
    "hashCode",
    "len",
];

/// Whether there is a conversion of this name.
pub fn is_conversion(name: &str) -> bool {
    NAMES.contains(&name)
}

/// Converts bytes; `None` if there is no conversion of this name.
///
/// # Errors
/// The text of HBase's exception if the bytes are too short.
pub fn convert(name: &str, bytes: &[u8]) -> Option<Result<Converted, String>> {
    Some(match name {
        "toString" => Ok(Converted::Text(String::from_utf8_lossy(bytes).into_owned())),
        "toStringBinary" => Ok(Converted::Text(to_string_binary(bytes))),
        "toHex" => Ok(Converted::Text(hex(bytes))),
        "toInt" => fixed(bytes).map(|bytes| Converted::Int(i64::from(i32::from_be_bytes(bytes)))),
        "toLong" => fixed(bytes).map(|bytes| Converted::Int(i64::from_be_bytes(bytes))),
        "toShort" => fixed(bytes).map(|bytes| Converted::Int(i64::from(i16::from_be_bytes(bytes)))),
        "toDouble" => fixed(bytes).map(|bytes| Converted::Float(f64::from_be_bytes(bytes))),
        "toFloat" => fixed(bytes).map(|bytes| Converted::Float(f64::from(f32::from_be_bytes(bytes)))),
        "toBoolean" => match bytes {
            [byte] => Ok(Converted::Bool(*byte != 0)),
            _ => Err(format!("Array has wrong size: {}", bytes.len())),
        },
        "toBigDecimal" => match bytes.split_at_checked(4) {
            Some((scale, digits)) if !digits.is_empty() => {
                let scale = i32::from_be_bytes([scale[0], scale[1], scale[2], scale[3]]);
                Ok(Converted::Text(decimal(&BigInt::from_signed_bytes_be(digits), scale)))
            }
            _ => Ok(Converted::Text(String::new())),
        },
        "hashCode" => {
            let hash = bytes
                .iter()
                .fold(1_i32, |hash, byte| hash.wrapping_mul(31).wrapping_add(i32::from(i8::from_be_bytes([*byte]))));
            Ok(Converted::Int(i64::from(hash)))
        }
        "len" => Ok(Converted::Int(bytes.len() as i64)),
        _ => return None,
    })
}

fn fixed<const N: usize>(bytes: &[u8]) -> Result<[u8; N], String> {
    let first = bytes.get(..N).and_then(|first| first.try_into().ok());
    first.ok_or_else(|| format!("offset (0) + length ({N}) exceed the capacity of the array: {}", bytes.len()))
}

fn decimal(number: &BigInt, scale: i32) -> String {
    let Ok(places) = usize::try_from(scale) else {
        return format!("{number}E+{}", scale.unsigned_abs());
    };
    if places == 0 || places > 10_000 {
        return number.to_string();
    }
    let digits = format!("{:0>width$}", number.magnitude().to_string(), width = places + 1);
    let sign = if *number < BigInt::ZERO { "-" } else { "" };
    let (whole, fraction) = digits.split_at(digits.len() - places);
    format!("{sign}{whole}.{fraction}")
}

/// The text of a conversion.
pub fn text(converted: &Converted) -> String {
    match converted {
        Converted::Text(text) => text.clone(),
        Converted::Int(n) => n.to_string(),
        Converted::Float(n) => float(*n),
        Converted::Bool(flag) => flag.to_string(),
    }
}

/// A floating-point number: the shortest text that reads back as the same number.
pub fn float(n: f64) -> String {
    if n.is_nan() {
        return "NaN".to_owned();
    }
    if n.is_infinite() {
        return if n > 0.0 { "Infinity" } else { "-Infinity" }.to_owned();
    }
    let magnitude = n.abs();
    if magnitude != 0.0 && !(1e-4..1e16).contains(&magnitude) {
        let text = format!("{n:e}");
        let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        let digits = if digits.contains('.') { digits.to_owned() } else { format!("{digits}.0") };
        let (sign, exponent) = exponent.strip_prefix('-').map_or(('+', exponent), |rest| ('-', rest));
        return format!("{digits}e{sign}{exponent:0>2}");
    }
    let text = format!("{n}");
    if text.contains('.') { text } else { format!("{text}.0") }
}

/// Bytes as hexadecimal digits, two for each byte.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The MD5 digest of bytes: 16 bytes.
pub fn md5(bytes: &[u8]) -> Vec<u8> {
    use md5::{Digest, Md5};
    Md5::digest(bytes).to_vec()
}

/// The MD5 digest of bytes as 32 hexadecimal digits.
pub fn md5_hex(bytes: &[u8]) -> String {
    hex(&md5(bytes))
}
