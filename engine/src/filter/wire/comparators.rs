//! Comparators in HBase's serialised form, and which classes of its package are what.

use bytes::Bytes;

use super::messages::{self as m, PACKAGE};
use super::refusal::{CLASS_NOT_FOUND, DESERIALIZATION, message, nested, refused, required};
use crate::error::Result;
use crate::filter::{BitwiseOp, Charset, Comparator, Decimal, RegexComparator, Substring};

const COMPARATORS: [&str; 9] = [
    "BigDecimalComparator",
    "BinaryComparator",
    "BinaryComponentComparator",
    "BinaryPrefixComparator",
    "BitComparator",
    "LongComparator",
    "NullComparator",
    "RegexStringComparator",
    "SubstringComparator",
];

/// Classes of the package that cannot be read from bytes.
const OTHERS: [&str; 5] =
    ["ParseFilter", "ParseConstants", "HintingFilter", "IncompatibleFilterException", "InvalidRowFilterException"];

pub(super) fn is_comparator(class: &str) -> bool {
    COMPARATORS.contains(&class)
}

pub(super) fn is_other_class(class: &str) -> bool {
    OTHERS.contains(&class)
}

/// Whether Java has a class of that name outside HBase's package, as far as somebody might write it by mistake.
pub(super) fn is_java_class(name: &str) -> bool {
    let simple = name.strip_prefix("java.lang.").or_else(|| name.strip_prefix("java.util."));
    simple.is_some_and(|simple| {
        [
            "Object",
            "String",
            "Integer",
            "Long",
            "Boolean",
            "Thread",
            "Runtime",
            "System",
            "Class",
            "ArrayList",
            "HashMap",
            "Random",
        ]
        .contains(&simple)
    })
}

/// A comparator inside a filter.
pub(super) fn named(named: m::Named) -> Result<Comparator> {
    let name = required(named.name, "comparator.name")?;
    let class = name.strip_prefix(PACKAGE).filter(|class| is_comparator(class));
    match class {
        Some(class) => comparator(class, &named.body.unwrap_or_default()),
        None => refused(CLASS_NOT_FOUND, format!("{name} is no comparator")),
    }
    .map_err(nested)
}

/// A comparator of that class.
pub(super) fn comparator(class: &str, body: &Bytes) -> Result<Comparator> {
    let bytes = |message: m::Comparable| -> Result<Bytes> {
        Ok(required(message.comparable, "comparable")?.bytes.unwrap_or_default())
    };
    Ok(match class {
        "BinaryComparator" => Comparator::Binary(bytes(message(body)?)?),
        "BinaryPrefixComparator" => Comparator::BinaryPrefix(bytes(message(body)?)?),
        "LongComparator" => {
            let value = bytes(message(body)?)?;
            match value.first_chunk::<8>() {
                Some(number) => Comparator::Long(i64::from_be_bytes(*number)),
                None => {
                    return refused(DESERIALIZATION, format!("LongComparator needs 8 bytes, it has {}", value.len()));
                }
            }
        }
        "BigDecimalComparator" => {
            let value = bytes(message(body)?)?;
            match Decimal::from_bytes(&value) {
                Some(number) => Comparator::Decimal(number),
                None => {
                    let found = value.len();
                    return refused(
                        DESERIALIZATION,
                        format!("BigDecimalComparator needs 5 bytes or more, it has {found}"),
                    );
                }
            }
        }
        "BitComparator" => {
            let message: m::Comparable = message(body)?;
            let op = match message.bitwise_op {
                Some(1) => BitwiseOp::And,
                Some(2) => BitwiseOp::Or,
                Some(3) => BitwiseOp::Xor,
                _ => return required(None, "bitwise_op"),
            };
            Comparator::Bit { value: bytes(message)?, op }
        }
        "NullComparator" => {
            let _: m::Empty = message(body)?;
            Comparator::Null
        }
        "RegexStringComparator" => regex(message(body)?)?,
        "SubstringComparator" => {
            let message: m::SubstringText = message(body)?;
            Comparator::Substring(Substring::new(&required(message.text, "substr")?))
        }
        "BinaryComponentComparator" => {
            let message: m::Component = message(body)?;
            Comparator::BinaryComponent {
                value: required(message.value, "value")?,
                offset: required(message.offset, "offset")?,
            }
        }
        other => return refused(CLASS_NOT_FOUND, format!("{PACKAGE}{other}")),
    })
}

fn regex(message: m::RegexString) -> Result<Comparator> {
    let (pattern, flags) = (required(message.pattern, "pattern")?, required(message.flags, "pattern_flags")?);
    let charset = required(message.charset, "charset")?;
    // Both of HBase's engines read Java's syntax; the difference is not visible.
    if let Some(engine) = message.engine
        && !matches!(engine.as_str(), "JAVA" | "JONI")
    {
        return refused(DESERIALIZATION, format!("No enum constant EngineType.{engine}: JAVA and JONI are known"));
    }
    let comparator = RegexComparator::new(&pattern, flags.cast_unsigned())
        .or_else(|error| refused(DESERIALIZATION, error.message()))?;
    let comparator = if charset.is_empty() {
        comparator
    } else {
        match Charset::named(&charset) {
            Some(charset) => comparator.with_charset(charset),
            None => {
                let known = "UTF-8, ISO-8859-1, US-ASCII, UTF-16, UTF-16BE and UTF-16LE";
                return refused(DESERIALIZATION, format!("UnsupportedCharsetException: {charset} ({known} are known)"));
            }
        }
    };
    Ok(Comparator::Regex(comparator))
}
