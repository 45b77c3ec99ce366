//! Sizes and times as people write them.

use std::time::Duration;

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

/// Number and unit apart.
fn split(given: &str) -> Option<(u64, &str)> {
    let end = given.find(|c: char| !c.is_ascii_digit() && c != '_').unwrap_or(given.len());
    let (number, unit) = given.split_at(end);
    Some((number.replace('_', "").parse().ok()?, unit.trim()))
}

/// `100MiB`, `64k`, `1048576`.
pub fn bytes(given: &str) -> Option<u64> {
    let (number, unit) = split(given)?;
    let (_, factor) = SIZES.iter().find(|(name, _)| name.eq_ignore_ascii_case(unit))?;
    number.checked_mul(*factor)
}

/// `500ms`, `60s`, `2h`; without a unit only 0.
pub fn time(given: &str) -> Option<Duration> {
    let (number, unit) = split(given)?;
    if unit.is_empty() {
        return (number == 0).then_some(Duration::ZERO);
    }
    let (_, factor) = TIMES.iter().find(|(name, _)| *name == unit)?;
    number.checked_mul(*factor).map(Duration::from_nanos)
}

/// In the largest unit that leaves no rest.
pub fn of_bytes(bytes: u64) -> String {
    for (unit, factor) in &SIZES[..3] {
        if bytes >= *factor && bytes.is_multiple_of(*factor) {
            return format!("{}{unit}", bytes / factor);
        }
    }
    bytes.to_string()
}

/// In the largest unit up to hours that leaves no rest.
pub fn of_time(time: Duration) -> String {
    let ns = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
    let fits = TIMES[..6].iter().rev().find(|(_, factor)| ns.is_multiple_of(*factor));
    match fits {
        Some((unit, factor)) if ns > 0 => format!("{}{unit}", ns / factor),
        _ => "0s".to_owned(),
    }
}

/// A TOML string.
pub fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            c if c.is_control() => out.push_str(&format!("\\u{:04X}", c as u32)),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
