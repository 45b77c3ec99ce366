//! Values of settings: kinds, parsing, and the text that describes what is allowed.

use std::fmt;
use std::time::Duration;

use super::text;

/// The kind of values that a setting takes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kind {
    /// `true` or `false`.
    Bool,
    /// A whole number from `min` to `max`, or `off` if that is allowed.
    Count {
        /// The smallest value.
        min: u64,
        /// The largest value.
        max: u64,
        /// Whether `off` is allowed.
        off: bool,
    },
    /// A number from `min` to `max`.
    Ratio {
        /// The smallest value.
        min: f64,
        /// The largest value.
        max: f64,
    },
    /// A size with a unit, or in bytes.
    Bytes {
        /// The smallest value.
        min: u64,
        /// The largest value.
        max: u64,
        /// Whether `off` is allowed.
        off: bool,
    },
    /// A time with a unit.
    Time {
        /// The smallest value.
        min: Duration,
        /// The largest value.
        max: Duration,
        /// Whether `off` is allowed. If `min` is above zero, 0 also means `off`.
        off: bool,
    },
    /// Any non-empty text. The string describes it.
    Text(&'static str),
    /// The path of a file or folder.
    Path,
    /// The name of a host, or an IP address.
    Host,
    /// One of these words. `true` and `false` among them are boolean values.
    Choice(&'static [&'static str]),
    /// One or more `HOST:PORT`.
    Addresses,
    /// One or more origins of web pages, or `*`.
    Origins,
    /// One or more host names without a port.
    Hosts,
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
    /// Of [`Kind::Text`], [`Kind::Path`], [`Kind::Host`] and [`Kind::Choice`].
    Text(String),
    /// Of [`Kind::Addresses`], [`Kind::Origins`] and [`Kind::Hosts`].
    List(Vec<String>),
    /// `off`.
    Off,
}

impl Kind {
    /// Whether only some texts are values. The summary of the setting describes the values of the other kinds.
    pub fn is_limited(&self) -> bool {
        !matches!(self, Self::Text(_) | Self::Path)
    }

    /// A value for users to replace.
    pub fn example(&self) -> Value {
        // The description of a text has an example.
        let described = match self {
            Self::Text(what) => what.split_once("such as ").and_then(|(_, rest)| rest.split([',', ' ']).next()),
            _ => None,
        };
        let described = [described.unwrap_or("off")];
        let texts: &[&str] = match self {
            Self::Path => &["/etc/hjall/FILE"],
            Self::Host | Self::Hosts => &["hbase.example.com"],
            Self::Addresses => &["127.0.0.1:9090"],
            Self::Origins => &["https://console.example.com"],
            Self::Bytes { .. } => &["1GiB", "100MiB", "64KiB", "1"],
            Self::Time { .. } => &["60s", "1s", "500ms", "1h"],
            Self::Text(_) => &described,
            Self::Bool | Self::Count { .. } | Self::Ratio { .. } => &["true", "100", "1", "0.5"],
            Self::Choice(words) => words,
        };
        texts.iter().find_map(|text| self.read(text)).unwrap_or(Value::Off)
    }

    /// Parses a value. Returns `None` if the text is not a value of this kind.
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
                let boolean = words.iter().any(|word| word.eq_ignore_ascii_case(given)).then(|| Self::Bool.read(given));
                if let Some(Some(value)) = boolean {
                    return Some(value);
                }
                words.iter().find(|word| word.eq_ignore_ascii_case(given)).map(|word| Value::Text((*word).to_owned()))
            }
            Self::Host => text::is_host(given).then(|| Value::Text(given.to_owned())),
            Self::Addresses => list(given, |_| true),
            Self::Origins => list(given, text::is_origin),
            Self::Hosts => list(given, text::is_host_name),
        }
    }
}

/// The parts of a list that is separated by commas. `None` if there are none, or if one of them is not allowed.
fn list(given: &str, is_allowed: fn(&str) -> bool) -> Option<Value> {
    let list: Vec<_> = given.split(',').map(str::trim).filter(|part| !part.is_empty()).collect();
    let all_allowed = !list.is_empty() && list.iter().all(|part| is_allowed(part));
    all_allowed.then(|| Value::List(list.into_iter().map(str::to_owned).collect()))
}

/// Those of some values that are allowed, as a text: the last four at most.
fn examples<T: PartialOrd>(all: &[&str], read: fn(&str) -> Option<T>, min: T, max: T) -> String {
    let is_allowed = |text: &&&str| read(text).is_some_and(|value| min <= value && value <= max);
    let allowed: Vec<&str> = all.iter().filter(is_allowed).copied().collect();
    match allowed[allowed.len().saturating_sub(4)..] {
        [ref first @ .., last] if !first.is_empty() => format!("{} or {last}", first.join(", ")),
        ref few => few.concat(),
    }
}

/// The allowed values, as a text that follows "must be".
impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let or_off = |off: bool| if off { ", or off" } else { "" };
        match *self {
            Self::Bool => f.write_str("true or false"),
            Self::Count { min, max, off } => write!(f, "a whole number from {min} to {max}{}", or_off(off)),
            Self::Ratio { min, max } => write!(f, "a number from {min} to {max}"),
            Self::Bytes { min, max, off } => write!(
                f,
                "a size from {} to {}{}, in bytes or with a unit, such as {}",
                text::of_bytes(min),
                text::of_bytes(max),
                or_off(off),
                examples(&["64KiB", "100MiB", "1GiB"], text::bytes, min, max)
            ),
            Self::Time { min, max, off } => write!(
                f,
                "a time from {} to {}{}, with a unit, such as {}",
                text::of_time(min),
                text::of_time(max),
                if off && !min.is_zero() { ", or off or 0" } else { or_off(off) },
                examples(&["50us", "500us", "500ms", "60s", "5m", "2h", "7d"], text::time, min, max)
            ),
            Self::Text(what) => f.write_str(what),
            Self::Path => f.write_str("the path of a file or folder"),
            Self::Host => f.write_str("a host name or an IP address, without a port"),
            Self::Choice(words) => write!(f, "one of {}", words.join(", ")),
            Self::Addresses => f.write_str("one or more addresses HOST:PORT, such as 127.0.0.1:9090"),
            Self::Origins => f.write_str(
                "*, or one or more origins SCHEME://HOST or SCHEME://HOST:PORT as browsers send them, such as \
                 https://console.example.com: without a path, a final slash or the usual port of the scheme",
            ),
            Self::Hosts => {
                f.write_str("one or more host names without scheme, port and path, such as hbase.example.com")
            }
        }
    }
}

/// The value in TOML syntax.
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

/// Accessors for [`super::Setting::set`]. A setting only receives values of its own kind; an accessor of
/// another kind returns an empty value.
impl Value {
    /// Whether it is `true`.
    pub fn is_true(&self) -> bool {
        matches!(self, Self::Bool(true))
    }

    /// A number or a size; `None` for `off`.
    pub fn number(&self) -> Option<u64> {
        match self {
            Self::Count(n) | Self::Bytes(n) => Some(*n),
            _ => None,
        }
    }

    /// A number or a size as `usize`, saturating; 0 for `off`.
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

    /// A time; `None` for `off`.
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
