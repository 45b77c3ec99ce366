//! RegexStringComparator: a Java regular expression that is found in a part.

use std::cmp::Ordering;
use std::fmt;

use prost::Message;

use super::{Build, Comparator, Kind, matched};
use crate::error::{Error, Result};
use crate::filter::regex::{self, CASE_INSENSITIVE, Charset, DOTALL, JavaRegex, decode_utf8};
use crate::filter::serialised::{DESERIALIZATION, message, refused, required};

pub(super) struct RegexString {
    pattern: String,
    /// Java's flags at the end of the pattern.
    flags: u32,
    /// How parts of cells are decoded.
    charset: Charset,
    /// Compiled from `pattern` and `flags`.
    regex: JavaRegex,
}

impl RegexString {
    fn new(pattern: &str, flags: u32) -> Result<Self> {
        let refused = |error: Error| Error::invalid(format!("PatternSyntaxException: {}", error.message()));
        // HBase's client sends the flags at the end of the pattern, and the server compiles the pattern with those.
        // In `a(?i)b` the server therefore ignores the case of the `a` too.
        let flags = regex::flags_at_end(pattern, flags).map_err(refused)?;
        let regex = JavaRegex::new(pattern, flags).map_err(refused)?;
        Ok(Self { pattern: pattern.to_owned(), flags, charset: Charset::Utf8, regex })
    }
}

impl fmt::Debug for RegexString {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { pattern, flags, charset, regex: _ } = self;
        f.debug_struct("RegexString").field("pattern", pattern).field("flags", flags).field("charset", charset).finish()
    }
}

impl PartialEq for RegexString {
    fn eq(&self, other: &Self) -> bool {
        (&self.pattern, self.flags, self.charset) == (&other.pattern, other.flags, other.charset)
    }
}

impl Comparator {
    /// RegexStringComparator with HBase's default flags ([`DOTALL`]): matches parts, read as UTF-8, in which the
    /// pattern is found.
    ///
    /// # Errors
    /// Those of [`JavaRegex::new`].
    pub fn regex_string(pattern: &str) -> Result<Self> {
        Ok(Self::of(RegexString::new(pattern, DOTALL)?))
    }
}

fn typed(value: &[u8], flags: u32) -> Result<Comparator> {
    Ok(Comparator::of(RegexString::new(&decode_utf8(value), flags)?))
}

/// HBase's RegexStringComparator.
#[derive(Clone, PartialEq, Message)]
struct Body {
    #[prost(string, optional, tag = "1")]
    pattern: Option<String>,
    #[prost(int32, optional, tag = "2")]
    pattern_flags: Option<i32>,
    #[prost(string, optional, tag = "3")]
    charset: Option<String>,
    #[prost(string, optional, tag = "4")]
    engine: Option<String>,
}

impl Kind for RegexString {
    const CLASS: &'static str = "RegexStringComparator";
    const TYPES: &'static [(&'static str, Build)] = &[
        ("regexstring", |value| typed(&value, DOTALL)),
        ("regexstringnocase", |value| typed(&value, CASE_INSENSITIVE | DOTALL)),
    ];
    const IS_EQUALITY_ONLY: bool = true;

    fn decode(body: &[u8]) -> Result<Comparator> {
        let body: Body = message(body)?;
        let (pattern, flags) = (required(body.pattern, "pattern")?, required(body.pattern_flags, "pattern_flags")?);
        let charset = required(body.charset, "charset")?;
        // Both of HBase's engines read Java's syntax, so the choice makes no visible difference.
        if let Some(engine) = body.engine
            && !matches!(engine.as_str(), "JAVA" | "JONI")
        {
            return refused(DESERIALIZATION, format!("No enum constant EngineType.{engine}: JAVA and JONI are known"));
        }
        let mut comparator =
            Self::new(&pattern, flags.cast_unsigned()).or_else(|error| refused(DESERIALIZATION, error.message()))?;
        if !charset.is_empty() {
            let Some(charset) = Charset::named(&charset) else {
                let known = "UTF-8, ISO-8859-1, US-ASCII, UTF-16, UTF-16BE and UTF-16LE";
                let message = format!("UnsupportedCharsetException: {charset} ({known} are known)");
                return refused(DESERIALIZATION, message);
            };
            comparator.charset = charset;
        }
        Ok(Comparator::of(comparator))
    }

    fn encode(&self) -> Vec<u8> {
        let body = Body {
            pattern: Some(self.pattern.clone()),
            pattern_flags: Some(self.flags.cast_signed()),
            charset: Some(self.charset.name().to_owned()),
            engine: Some("JAVA".to_owned()),
        };
        body.encode_to_vec()
    }

    fn order(&self, part: &[u8]) -> Result<Ordering> {
        Ok(matched(self.regex.is_match(&self.charset.decode(part))?))
    }
}
