//! Reads JSON as Jackson does, which HBase's gateway uses: numbers may be texts, and bytes after a value are ignored.

use std::fmt;

use base64::Engine as _;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use bytes::Bytes;
use hjall_engine::quote::{self, Quoted};
use serde::de::{DeserializeSeed, Expected, MapAccess, SeqAccess, Unexpected, Visitor};
use serde_json::{Map, Value};

use super::error::{Answer, Failure};
use crate::dispatch::call_scope::CallScope;

/// The standard alphabet. Padding is required, but bits behind the last byte are not checked.
pub(super) const BASE64: GeneralPurpose = GeneralPurpose::new(
    &base64::alphabet::STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_allow_trailing_bits(true)
        .with_decode_padding_mode(DecodePaddingMode::RequireCanonical),
);

/// The memory of an element of a list or of a field, beside its text: a list that grows has up to three times its
/// elements, and the value becomes something of the same size.
const ELEMENT_BYTES: usize = 256;
/// The memory of an object. The first node of a map has room for several fields.
const OBJECT_BYTES: usize = 1 << 10;

/// Reads the fields of an object. `None` for no value and for `null`.
pub(super) fn object(scope: &CallScope<'_>, body: &[u8]) -> Answer<Option<Map<String, Value>>> {
    match value(scope, body, |error| Failure::bad(format!("the body is not JSON: {error}")))? {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Object(fields)) => Ok(Some(fields)),
        Some(_) => Err(Failure::bad("the body is not a JSON object")),
    }
}

/// Reads a value, whose memory is claimed for the request while it is read. `None` if the text is blank. What follows
/// the value is ignored.
pub(super) fn value(
    scope: &CallScope<'_>,
    text: &[u8],
    malformed: impl FnOnce(serde_json::Error) -> Failure,
) -> Answer<Option<Value>> {
    if text.iter().all(u8::is_ascii_whitespace) {
        return Ok(None);
    }
    let read = Claimed(scope).deserialize(&mut serde_json::Deserializer::from_slice(text));
    read.map(Some).map_err(|error| Failure::of_memory_or(scope, || malformed(error)))
}

/// Reads a value and claims its memory.
#[derive(Clone, Copy)]
pub(super) struct Claimed<'a>(pub(super) &'a CallScope<'a>);

impl Claimed<'_> {
    fn claim<E: serde::de::Error>(self, bytes: usize) -> Result<(), E> {
        self.0.claim_request(bytes).map_err(E::custom)
    }
}

impl<'de> DeserializeSeed<'de> for Claimed<'_> {
    type Value = Value;

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Claimed<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E: serde::de::Error>(self, value: &str) -> Result<Value, E> {
        // The reader has a copy if the text has escapes, and the decoded value is another one.
        self.claim(value.len().saturating_mul(3))?;
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Value, A::Error> {
        let mut all = Vec::new();
        while let Some(element) = list.next_element_seed(self)? {
            self.claim(ELEMENT_BYTES)?;
            all.push(element);
        }
        Ok(all.into())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        self.claim(OBJECT_BYTES)?;
        let mut fields = Map::new();
        while let Some(name) = map.next_key::<String>()? {
            self.claim(name.len().saturating_mul(3).saturating_add(ELEMENT_BYTES))?;
            fields.insert(name, map.next_value_seed(self)?);
        }
        Ok(fields.into())
    }
}

/// Reads the name of a field. One that is longer than a message shows is cut: no field has such a name.
pub(super) struct FieldName;

impl<'de> DeserializeSeed<'de> for FieldName {
    type Value = String;

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<String, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for FieldName {
    type Value = String;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a field")
    }

    fn visit_str<E>(self, name: &str) -> Result<String, E> {
        Ok(Quoted(name).to_string())
    }
}

/// The error for a text where something else is expected. That of `serde` has the whole text.
pub(super) fn unexpected_text<E: serde::de::Error>(text: &str, expected: &dyn Expected) -> E {
    E::invalid_type(Unexpected::Str(&Quoted(text).to_string()), expected)
}

/// The failure for a field that does not exist.
pub(super) fn unknown(name: &str, known: &[&str]) -> Failure {
    Failure::bad(format!("the field {} is unknown; the fields are {}", quote::escaped_text(name), known.join(", ")))
}

/// A whole number, or a text of one. Fractions are cut; `null` and the empty text are 0.
pub(super) fn number(name: &str, value: &Value) -> Answer<i64> {
    let wrong = || Failure::bad(format!("{name} must be a whole number in range, not {}", Quoted(value)));
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
    let wrong = |_| Failure::bad(format!("{name} must be a number of 32 bits, not {}", Quoted(value)));
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
        _ => Err(Failure::bad(format!("{name} must be true or false, not {}", Quoted(value)))),
    }
}

/// Text. Numbers and truth values are texts, too.
pub(super) fn text(name: &str, value: &Value) -> Answer<Option<String>> {
    match value {
        Value::Null => Ok(None),
        Value::String(text) => Ok(Some(text.clone())),
        Value::Number(_) | Value::Bool(_) => Ok(Some(value.to_string())),
        _ => Err(Failure::bad(format!("{} must be a string", Quoted(name)))),
    }
}

/// Reads bytes in base64 and claims their memory, with that of the copy that a write stores. `None` for `null`.
#[derive(Clone, Copy)]
pub(super) struct Base64<'a>(pub(super) &'a CallScope<'a>, pub(super) &'static str);

impl<'de> DeserializeSeed<'de> for Base64<'_> {
    type Value = Option<Bytes>;

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<Option<Bytes>, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Base64<'_> {
    type Value = Option<Bytes>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a string with bytes in base64 for {}", self.1)
    }

    fn visit_unit<E>(self) -> Result<Option<Bytes>, E> {
        Ok(None)
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Option<Bytes>, E> {
        self.0.claim_decoded(text.len()).map_err(E::custom)?;
        decode(self.1, text).map(Some).map_err(|failure| E::custom(failure.reason()))
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
