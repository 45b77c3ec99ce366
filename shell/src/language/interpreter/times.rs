//! Times.

use std::fmt::Write;

use chrono::{DateTime, Datelike, FixedOffset, Local, NaiveDate, TimeZone, Timelike, Utc};

use super::super::inspect::{time_text, to_text};
use super::super::value::Value;
use super::{Args, Outcome, Raise, numbers};

fn local(seconds: i64, nanoseconds: u32) -> Result<Value, Raise> {
    Local
        .timestamp_opt(seconds, nanoseconds)
        .single()
        .map(|time| Value::Time(time.fixed_offset()))
        .ok_or_else(|| Raise::argument("argument out of range"))
}

fn of_float(seconds: f64) -> Outcome {
    let whole = seconds.floor();
    local(whole as i64, (((seconds - whole) * 1e9) as u32).min(999_999_999))
}

/// Functions of `Time`.
pub fn class_method(name: &str, args: &Args) -> Option<Outcome> {
    Some(match name {
        "now" | "new" if args.list.is_empty() => Ok(Value::Time(Local::now().fixed_offset())),
        "at" => match &args.list[..] {
            [Value::Int(seconds)] => local(*seconds, 0),
            [Value::Time(time)] => Ok(Value::Time(*time)),
            [Value::Int(seconds), Value::Int(micros)] => local(
                seconds.saturating_add(micros.div_euclid(1_000_000)),
                (micros.rem_euclid(1_000_000) * 1000) as u32,
            ),
            [Value::Float(seconds)] => of_float(*seconds),
            _ => Err(Raise::kind("Time.at takes seconds since 1970")),
        },
        "new" | "local" | "mktime" | "utc" | "gm" => made(&args.list, matches!(name, "utc" | "gm")),
        "parse" => {
            let text = args.list.first().map(to_text).unwrap_or_default();
            parsed(&String::from_utf8_lossy(&text))
        }
        _ => return None,
    })
}

/// Functions of `Date`. A date is the beginning of its day in the local time zone.
pub fn date_method(name: &str, args: &Args) -> Option<Outcome> {
    let midnight = |date: NaiveDate| zoned(date.and_time(chrono::NaiveTime::MIN), false);
    Some(match name {
        "today" => midnight(Local::now().date_naive()),
        "new" | "civil" => made(&args.list, false),
        "parse" => {
            let text = args.list.first().map(to_text).unwrap_or_default();
            parsed(&String::from_utf8_lossy(&text)).and_then(|time| match time {
                Value::Time(time) => midnight(time.date_naive()),
                other => Ok(other),
            })
        }
        _ => return None,
    })
}

fn made(list: &[Value], utc: bool) -> Outcome {
    let number = |at: usize, default: u32| match list.get(at) {
        Some(Value::Int(n)) => u32::try_from(*n).map_err(|_| Raise::argument("argument out of range")),
        _ => Ok(default),
    };
    let year = match list.first() {
        Some(Value::Int(n)) => i32::try_from(*n).unwrap_or(i32::MAX),
        _ => return Err(Raise::argument("Time.new takes a year")),
    };
    let time = NaiveDate::from_ymd_opt(year, number(1, 1)?, number(2, 1)?)
        .and_then(|date| date.and_hms_opt(number(3, 0).ok()?, number(4, 0).ok()?, number(5, 0).ok()?))
        .ok_or_else(|| Raise::argument("argument out of range"))?;
    zoned(time, utc)
}

fn zoned(time: chrono::NaiveDateTime, utc: bool) -> Outcome {
    if utc {
        return Ok(Value::Time(time.and_utc().fixed_offset()));
    }
    let time = Local.from_local_datetime(&time).earliest();
    time.map(|time| Value::Time(time.fixed_offset())).ok_or_else(|| Raise::argument("this local time does not exist"))
}

fn parsed(text: &str) -> Outcome {
    let text = text.trim();
    if let Ok(time) = DateTime::parse_from_rfc3339(text) {
        return Ok(Value::Time(time));
    }
    let (body, utc) = match text.strip_suffix("UTC").or_else(|| text.strip_suffix('Z')) {
        Some(body) => (body.trim(), true),
        None => (text, false),
    };
    for format in ["%Y-%m-%d %H:%M:%S %z", "%Y-%m-%dT%H:%M:%S%z"] {
        if let Ok(time) = DateTime::parse_from_str(body, format) {
            return Ok(Value::Time(time));
        }
    }
    for format in
        ["%Y-%m-%d %H:%M:%S%.f", "%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M", "%Y/%m/%d %H:%M:%S"]
    {
        if let Ok(time) = chrono::NaiveDateTime::parse_from_str(body, format) {
            return zoned(time, utc);
        }
    }
    for format in ["%Y-%m-%d", "%Y/%m/%d", "%Y%m%d"] {
        if let Ok(date) = NaiveDate::parse_from_str(body, format) {
            return zoned(date.and_time(chrono::NaiveTime::MIN), utc);
        }
    }
    Err(Raise::argument(format!("no time information in {text:?}")))
}

/// Methods of a time.
pub fn method(time: &DateTime<FixedOffset>, name: &str, args: &Args) -> Option<Outcome> {
    let int = |n: i64| Ok(Value::Int(n));
    let first = args.list.first();
    Some(match (name, first) {
        ("to_i" | "tv_sec", _) => int(time.timestamp()),
        ("to_f", _) => Ok(Value::Float(time.timestamp_micros() as f64 / 1e6)),
        ("to_s" | "inspect", _) => Ok(Value::text(time_text(time))),
        ("utc" | "getutc" | "gmtime" | "getgm", _) => Ok(Value::Time(time.with_timezone(&Utc).fixed_offset())),
        ("localtime" | "getlocal", _) => Ok(Value::Time(time.with_timezone(&Local).fixed_offset())),
        ("year", _) => int(i64::from(time.year())),
        ("month" | "mon", _) => int(i64::from(time.month())),
        ("day" | "mday", _) => int(i64::from(time.day())),
        ("hour", _) => int(i64::from(time.hour())),
        ("min", _) => int(i64::from(time.minute())),
        ("sec", _) => int(i64::from(time.second())),
        ("usec", _) => int(i64::from(time.timestamp_subsec_micros())),
        ("nsec", _) => int(i64::from(time.timestamp_subsec_nanos())),
        ("wday", _) => int(i64::from(time.weekday().num_days_from_sunday())),
        ("yday", _) => int(i64::from(time.ordinal())),
        ("utc?", _) => Ok(Value::Bool(super::super::inspect::is_utc(time))),
        ("iso8601" | "xmlschema", _) => {
            Ok(Value::text(time.format("%Y-%m-%dT%H:%M:%S%:z").to_string().replace("+00:00", "Z")))
        }
        ("strftime", Some(format)) => {
            let format = String::from_utf8_lossy(&to_text(format)).replace("%L", "%3f").replace("%N", "%9f");
            let mut out = String::new();
            match write!(out, "{}", time.format(&format)) {
                Ok(()) => Ok(Value::text(out)),
                Err(_) => Err(Raise::argument(format!("the format {format:?} of strftime is not part of this shell"))),
            }
        }
        ("-", Some(Value::Time(other))) => {
            Ok(Value::Float((*time - *other).num_microseconds().unwrap_or(0) as f64 / 1e6))
        }
        ("+" | "-", Some(seconds)) => match numbers::as_float(seconds) {
            Some(seconds) if seconds.abs() < 1e15 => {
                let micros = (seconds * 1e6) as i64;
                let delta = chrono::Duration::microseconds(if name == "+" { micros } else { -micros });
                time.checked_add_signed(delta)
                    .map(Value::Time)
                    .ok_or_else(|| Raise::new("RangeError", "time out of range"))
            }
            _ => Err(Raise::kind("can't convert this into an exact number")),
        },
        ("<" | ">" | "<=" | ">=", Some(Value::Time(other))) => Ok(Value::Bool(match name {
            "<" => time < other,
            ">" => time > other,
            "<=" => time <= other,
            _ => time >= other,
        })),
        _ => return None,
    })
}
