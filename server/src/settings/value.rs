//! The values of settings: their kinds, how they are read, and what is said of a wrong one.

use std::fmt;
use std::time::Duration;

use super::text;

/// What values a setting takes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kind {
    /// `true` or `false`.
    Bool,
    /// A whole number from `min` to `max`; with `off`, also the word.
    Count {
        /// The least.
        min: u64,
        /// The most.
        max: u64,
        /// Whether it can be `off`.
        off: bool,
    },
    /// A number from `min` to `max`.
    Ratio {
        /// The least.
        min: f64,
        /// The most.
        max: f64,
    },
    /// A size with its unit, or in bytes.
    Bytes {
        /// The least.
        min: u64,
        /// The most.
        max: u64,
        /// Whether it can be `off`.
        off: bool,
    },
    /// A time with its unit.
    Time {
        /// The least.
        min: Duration,
        /// The most.
        max: Duration,
        /// Whether it can be `off`, which 0 means too where the least is more than that.
        off: bool,
    },
    /// Any text but an empty one; the words say what it is.
    Text(&'static str),
    /// The path of a file or folder.
    Path,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// `HOST:PORT`, any number of them.
    Addresses,
}

/// A value.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// Of [`Kind::Bool`].
    Bool(bool),
    /// Of [`Kind::Count`].
    Count(u64),
    /// Of [`Kind::Ratio`].
    Ratio(f64),
    /// Of [`Kind::Bytes`].
    Bytes(u64),
    /// Of [`Kind::Time`].
    Time(Duration),
    /// Of [`Kind::Text`], [`Kind::Path`] and [`Kind::Choice`].
    Text(String),
    /// Of [`Kind::Addresses`].
    List(Vec<String>),
    /// `off`.
    Off,
}

impl Kind {
    /// Reads a value; `None`: it is none of this kind.
    pub fn read(&self, given: &str) -> Option<Value> {
        let given = given.trim();
        let is_off = given.eq_ignore_ascii_case("off");
        match *self {
            Self::Bool if given.eq_ignore_ascii_case("true") => Some(Value::Bool(true)),
            Self::Bool if given.eq_ignore_ascii_case("false") => Some(Value::Bool(false)),
            Self::Bool => None,
            Self::Count { off: true, .. } | Self::Bytes { off: true, .. } | Self::Time { off: true, .. } if is_off => {
                Some(Value::Off)
            }
            Self::Count { min, max, .. } => {
                let count = given.replace('_', "").parse().ok()?;
                (min..=max).contains(&count).then_some(Value::Count(count))
            }
            Self::Ratio { min, max } => {
                let ratio: f64 = given.parse().ok()?;
                (min..=max).contains(&ratio).then_some(Value::Ratio(ratio))
            }
            Self::Bytes { min, max, .. } => {
                let bytes = text::bytes(given)?;
                (min..=max).contains(&bytes).then_some(Value::Bytes(bytes))
            }
            Self::Time { min, max, off } => {
                let time = text::time(given)?;
                match (off && time.is_zero() && !min.is_zero(), (min..=max).contains(&time)) {
                    (true, _) => Some(Value::Off),
                    (false, true) => Some(Value::Time(time)),
                    (false, false) => None,
                }
            }
            Self::Text(_) | Self::Path => (!given.is_empty()).then(|| Value::Text(given.to_owned())),
            Self::Choice(words) => {
                words.iter().find(|word| word.eq_ignore_ascii_case(given)).map(|word| Value::Text((*word).to_owned()))
            }
            Self::Addresses => {
                let list: Vec<_> =
                    given.split(',').map(str::trim).filter(|a| !a.is_empty()).map(str::to_owned).collect();
                (!list.is_empty()).then_some(Value::List(list))
            }
        }
    }
}

/// What is allowed, as the end of `must be …`.
impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let or_off = |off: bool| if off { ", or off" } else { "" };
        match *self {
            Self::Bool => f.write_str("true or false"),
            Self::Count { min, max, off } => write!(f, "a whole number from {min} to {max}{}", or_off(off)),
            Self::Ratio { min, max } => write!(f, "a number from {min} to {max}"),
            Self::Bytes { min, max, off } => write!(
                f,
                "a size from {} to {}{}, written with its unit such as 64KiB, 100MiB or 1GiB, or in bytes",
                text::of_bytes(min),
                text::of_bytes(max),
                or_off(off)
            ),
            Self::Time { min, max, off } => write!(
                f,
                "a time from {} to {}{}, written with its unit such as 500ms, 60s, 5m or 2h",
                text::of_time(min),
                text::of_time(max),
                or_off(off)
            ),
            Self::Text(what) => f.write_str(what),
            Self::Path => f.write_str("the path of a file or folder"),
            Self::Choice(words) => write!(f, "one of {}", words.join(", ")),
            Self::Addresses => f.write_str("HOST:PORT such as 127.0.0.1:9090, or several of them"),
        }
    }
}

/// As a TOML file has it.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool(yes) => write!(f, "{yes}"),
            Self::Count(count) => write!(f, "{count}"),
            Self::Ratio(ratio) => write!(f, "{ratio:?}"),
            Self::Bytes(bytes) => write!(f, "\"{}\"", text::of_bytes(*bytes)),
            Self::Time(time) => write!(f, "\"{}\"", text::of_time(*time)),
            Self::Text(given) => f.write_str(&text::quoted(given)),
            Self::List(list) => {
                let list: Vec<_> = list.iter().map(|one| text::quoted(one)).collect();
                write!(f, "[{}]", list.join(", "))
            }
            Self::Off => f.write_str("\"off\""),
        }
    }
}

/// For [`super::Setting::set`]: the table gives each setting values of its own kind only, anything else reads as nothing.
impl Value {
    /// A bool.
    pub fn is_true(&self) -> bool {
        matches!(self, Self::Bool(true))
    }

    /// A number, a size: `None` for off.
    pub fn number(&self) -> Option<u64> {
        match self {
            Self::Count(n) | Self::Bytes(n) => Some(*n),
            _ => None,
        }
    }

    /// The same as memory has it; off is 0.
    pub fn size(&self) -> usize {
        self.number().map_or(0, |n| usize::try_from(n).unwrap_or(usize::MAX))
    }

    /// A ratio.
    pub fn ratio(&self) -> f64 {
        match self {
            Self::Ratio(ratio) => *ratio,
            _ => 0.0,
        }
    }

    /// A time: `None` for off.
    pub fn time(&self) -> Option<Duration> {
        match self {
            Self::Time(time) => Some(*time),
            _ => None,
        }
    }

    /// A text.
    pub fn text(&self) -> &str {
        match self {
            Self::Text(text) => text,
            _ => "",
        }
    }

    /// A list.
    pub fn list(&self) -> &[String] {
        match self {
            Self::List(list) => list,
            _ => &[],
        }
    }
}
