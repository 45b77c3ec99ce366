//! Parses and formats sizes and times with units.

use std::borrow::Cow;
use std::net::Ipv6Addr;
use std::time::Duration;

use hjall_engine::quote;

const SIZES: [(&str, u64); 9] = [
    ("GiB", 1 << 30),
    ("MiB", 1 << 20),
    ("KiB", 1 << 10),
    ("G", 1 << 30),
    ("M", 1 << 20),
    ("K", 1 << 10),
    ("B", 1),
    ("TiB", 1 << 40),
    ("", 1),
];

const TIMES: [(&str, u64); 7] = [
    ("ns", 1),
    ("us", 1_000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
    ("m", 60_000_000_000),
    ("h", 3_600_000_000_000),
    ("d", 86_400_000_000_000),
];

/// Splits a value into number and unit.
fn split(given: &str) -> Option<(u64, &str)> {
    let end = given.find(|c: char| !c.is_ascii_digit() && c != '_').unwrap_or(given.len());
    let (number, unit) = given.split_at(end);
    Some((number.replace('_', "").parse().ok()?, unit.trim()))
}

/// Parses a size such as `100MiB`, `64k` or `1048576`.
pub fn bytes(given: &str) -> Option<u64> {
    let (number, unit) = split(given)?;
    let (_, factor) = SIZES.iter().find(|(name, _)| name.eq_ignore_ascii_case(unit))?;
    number.checked_mul(*factor)
}

/// Parses a time such as `500ms`, `60s` or `2h`. Only 0 may omit the unit.
pub fn time(given: &str) -> Option<Duration> {
    let (number, unit) = split(given)?;
    if unit.is_empty() {
        return (number == 0).then_some(Duration::ZERO);
    }
    let (_, factor) = TIMES.iter().find(|(name, _)| *name == unit)?;
    number.checked_mul(*factor).map(Duration::from_nanos)
}

/// Whether a text can be the name of a host in the header `Host`: as it is sent, in ASCII and without a port.
pub fn is_host_name(given: &str) -> bool {
    let legal = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    // The server ignores the dot that may end a name.
    given.bytes().all(legal) && !given.split('.').any(str::is_empty)
}

/// Whether a text can be the name of a host, which may end with a dot, or an IP address.
pub fn is_host(given: &str) -> bool {
    given.parse::<Ipv6Addr>().is_ok() || is_host_name(given.strip_suffix('.').unwrap_or(given))
}

/// Whether a text can be the header `Origin` of a request, or is `*`.
pub fn is_origin(given: &str) -> bool {
    if matches!(given, "*" | "null") {
        return true;
    }
    let Some((scheme, authority)) = given.split_once("://") else { return false };
    let scheme = scheme.to_ascii_lowercase();
    let legal = |byte: u8| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte);
    if !scheme.starts_with(|first: char| first.is_ascii_alphabetic()) || !scheme.bytes().all(legal) {
        return false;
    }
    let (host, port) = match authority.rsplit_once(':') {
        Some((host, port)) if !port.ends_with(']') => (host, Some(port)),
        _ => (authority, None),
    };
    // Browsers leave the usual port out.
    let usual = match scheme.as_str() {
        "http" => Some(80),
        "https" => Some(443),
        _ => None,
    };
    let is_port =
        port.is_none_or(|text| text.parse::<u16>().is_ok_and(|port| text == port.to_string() && Some(port) != usual));
    let v6 = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
    is_port && v6.map_or_else(|| is_host_name(host), |host| host.parse::<Ipv6Addr>().is_ok())
}

/// Formats a size in the largest unit that divides it exactly.
pub fn of_bytes(bytes: u64) -> String {
    for (unit, factor) in &SIZES[..3] {
        if bytes >= *factor && bytes.is_multiple_of(*factor) {
            return format!("{}{unit}", bytes / factor);
        }
    }
    bytes.to_string()
}

/// Formats a time in the largest unit, up to hours, that divides it exactly.
pub fn of_time(time: Duration) -> String {
    let ns = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
    let fits = TIMES[..6].iter().rev().find(|(_, factor)| ns.is_multiple_of(*factor));
    match fits {
        Some((unit, factor)) if ns > 0 => format!("{}{unit}", ns / factor),
        _ => "0s".to_owned(),
    }
}

/// Wraps a paragraph at 100 columns. The first line starts with `first`, the others with `next`.
pub fn wrapped(paragraph: &str, first: &str, next: &str) -> String {
    const COLUMNS: usize = 100;
    let mut out = first.to_owned();
    let mut column = first.chars().count();
    for (i, word) in paragraph.split(' ').enumerate() {
        let width = word.chars().count();
        if i > 0 && column + 1 + width > COLUMNS {
            out.push('\n');
            out.push_str(next);
            column = next.chars().count();
        } else if i > 0 {
            out.push(' ');
            column += 1;
        }
        out.push_str(word);
        column += width;
    }
    out.push('\n');
    out
}

/// A value for an error message: its beginning as it was given, or in quotes if it could not be seen otherwise.
pub fn shown(given: &str) -> Cow<'_, str> {
    const SHOWN_MAX: usize = 200;
    let hidden = given.is_empty() || given.trim() != given || given.contains(quote::is_hidden);
    match (hidden, given.len() > SHOWN_MAX) {
        (false, false) => given.into(),
        (false, true) => quote::shortened(SHOWN_MAX, &given).into(),
        (true, false) => quoted(given).into(),
        (true, true) => quoted(&quote::shortened(SHOWN_MAX, &given)).into(),
    }
}

/// Quotes a text as a TOML string.
pub fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            c if quote::is_hidden(c) && c <= '\u{ffff}' => out.push_str(&format!("\\u{:04X}", c as u32)),
            c if quote::is_hidden(c) => out.push_str(&format!("\\U{:08X}", c as u32)),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
