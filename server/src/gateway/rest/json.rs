//! Reads JSON as Jackson does, which HBase's gateway uses: numbers may be texts, and what follows a value is ignored.

use base64::Engine as _;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use bytes::Bytes;
use hjall_engine::read::Budget;
use serde_json::{Map, Value};

use super::error::{Answer, Failure};
use crate::gateway::context::CallContext;

/// The standard alphabet. Padding is required, but bits behind the last byte are not checked.
pub(super) const BASE64: GeneralPurpose = GeneralPurpose::new(
    &base64::alphabet::STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_allow_trailing_bits(true)
        .with_decode_padding_mode(DecodePaddingMode::RequireCanonical),
);

/// The longest body of a request that does not have cells, in bytes.
const BODY_MAX: usize = 8 << 20;
/// The memory of a parsed value for each byte of its text. The smallest texts of objects take the most.
const MEMORY_PER_BYTE: usize = 32;

/// Reads the fields of an object, whose size has been checked. `None` for no value and for `null`.
pub(super) fn object(body: &[u8]) -> Answer<Option<Map<String, Value>>> {
    // What follows the value is ignored.
    let value = serde_json::Deserializer::from_slice(body).into_iter::<Value>().next();
    match value.transpose().map_err(|error| Failure::bad(format!("the body is not JSON: {error}")))? {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Object(fields)) => Ok(Some(fields)),
        Some(_) => Err(Failure::bad("the body is not a JSON object")),
    }
}

/// Checks the size of a body that is read as a whole, and claims the memory of what it becomes.
pub(super) fn check_size(context: &CallContext<'_>, body: &[u8]) -> Answer<()> {
    if body.len() > BODY_MAX {
        let reason = format_args!("the body has {} bytes, the maximum of this request is {BODY_MAX}", body.len());
        return Err(Failure::new(413, reason));
    }
    context.scope.take(0, body.len().saturating_mul(MEMORY_PER_BYTE)).map_err(|error| Failure::of_memory(&error))
}

/// The failure for a field that does not exist.
pub(super) fn unknown(name: &str, known: &[&str]) -> Failure {
    Failure::bad(format!("the field {} is unknown; the fields are {}", name.escape_default(), known.join(", ")))
}

/// A whole number, or a text of one. Fractions are cut; `null` and the empty text are 0.
pub(super) fn number(name: &str, value: &Value) -> Answer<i64> {
    let wrong = || Failure::bad(format!("{name} must be a whole number in range, not {value}"));
    match value {
        Value::Null => Ok(0),
        Value::Number(number) => {
            // The bound is exact as a floating-point number.
            let bound = 2_f64.powi(63);
            match (number.as_i64(), number.as_f64()) {
                (Some(number), _) => Ok(number),
                (None, Some(number)) if (-bound..bound).contains(&number) => Ok(number as i64),
                _ => Err(wrong()),
            }
        }
        Value::String(text) if text.trim().is_empty() => Ok(0),
        Value::String(text) => text.trim().parse().map_err(|_| wrong()),
        _ => Err(wrong()),
    }
}

/// A number of 32 bits.
pub(super) fn small_number(name: &str, value: &Value) -> Answer<i32> {
    let wrong = |_| Failure::bad(format!("{name} must be a number of 32 bits, not {value}"));
    number(name, value)?.try_into().map_err(wrong)
}

/// `true` or `false`, or a text or number of it.
pub(super) fn truth(name: &str, value: &Value) -> Answer<bool> {
    match value {
        Value::Bool(truth) => Ok(*truth),
        Value::Null => Ok(false),
        Value::Number(number) if number.is_i64() => Ok(number.as_i64() != Some(0)),
        Value::String(text) if matches!(text.trim(), "true" | "True" | "TRUE") => Ok(true),
        Value::String(text) if matches!(text.trim(), "false" | "False" | "FALSE" | "") => Ok(false),
        _ => Err(Failure::bad(format!("{name} must be true or false, not {value}"))),
    }
}

/// Text. Numbers and truth values are texts, too.
pub(super) fn text(name: &str, value: &Value) -> Answer<Option<String>> {
    match value {
        Value::Null => Ok(None),
        Value::String(text) => Ok(Some(text.clone())),
        Value::Number(_) | Value::Bool(_) => Ok(Some(value.to_string())),
        _ => Err(Failure::bad(format!("{name} must be a string"))),
    }
}

/// Bytes in base64. `None` for `null`.
pub(super) fn bytes(name: &str, value: &Value) -> Answer<Option<Bytes>> {
    match value {
        Value::Null => Ok(None),
        Value::String(text) => decode(name, text).map(Some),
        _ => Err(Failure::bad(format!("{name} must be a string with bytes in base64"))),
    }
}

/// Decodes base64. Blanks between the characters are ignored.
pub(super) fn decode(name: &str, text: &str) -> Answer<Bytes> {
    let decoded = match text.bytes().any(|byte| byte <= b' ') {
        true => BASE64.decode(text.bytes().filter(|byte| *byte > b' ').collect::<Vec<_>>()),
        false => BASE64.decode(text),
    };
    decoded.map(Bytes::from).map_err(|error| Failure::bad(format!("{name} is not base64: {error}")))
}

/// A list. `None` for `null`.
pub(super) fn list<'a>(name: &str, value: &'a Value) -> Answer<Option<&'a Vec<Value>>> {
    match value {
        Value::Null => Ok(None),
        Value::Array(list) => Ok(Some(list)),
        _ => Err(Failure::bad(format!("{name} must be a list"))),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use serde_json::json;

    use super::*;

    #[test]
    fn numbers_may_be_texts_and_fractions_are_cut() {
        for (value, wanted) in [
            (json!(5), Some(5)),
            (json!("5"), Some(5)),
            (json!(-1.9), Some(-1)),
            (json!(null), Some(0)),
            (json!(i64::MAX), Some(i64::MAX)),
            (json!(u64::MAX), None),
            (json!(1e300), None),
            (json!("x"), None),
            (json!([]), None),
            (json!(true), None),
        ] {
            assert_eq!(number("n", &value).ok(), wanted, "{value}");
        }
        assert!(small_number("n", &json!(1_i64 << 31)).is_err());
    }

    #[test]
    fn base64_needs_its_padding() {
        assert_eq!(decode("x", "Zg==").ok().unwrap(), "f");
        assert_eq!(decode("x", "Zm\n 9v").ok().unwrap(), "foo");
        for wrong in ["Zg", "Z", "not base64!", "%%%", "Zm9v-_"] {
            assert!(decode("x", wrong).is_err(), "{wrong}");
        }
    }
}
