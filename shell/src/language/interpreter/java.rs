//! The part of Java that scripts of the HBase shell use: `Bytes`, dates, system time, filters.

use std::cell::RefCell;
use std::rc::Rc;

use chrono::{Datelike, Local, NaiveDate, TimeZone, Timelike, Utc};
use hjall_engine::region::to_string_binary;

use super::super::inspect::{inspected, to_text};
use super::super::value::{Java, Value};
use super::{Args, Interpreter, Outcome, Raise, filters};

const BYTES: &str = "org.apache.hadoop.hbase.util.Bytes";

/// The beginning of the name of a package.
pub fn root(name: &str) -> Option<Value> {
    matches!(name, "java" | "javax" | "org" | "com").then(|| Value::java(Java::Package(name.to_owned())))
}

/// Classes that the shell knows by their short name.
pub fn short_class(name: &str) -> Option<Value> {
    let full = match name {
        "Bytes" => BYTES,
        "Java" => return Some(Value::java(Java::Package(String::new()))),
        "JavaUtil" => return Some(Value::java(Java::Package("java.util".to_owned()))),
        _ => return None,
    };
    Some(Value::java(Java::Class(full.to_owned())))
}

/// The constant of a class that `import` names.
pub fn imported(value: &Value) -> Option<(String, Value)> {
    let full = match value {
        Value::Java(java) => match &**java {
            Java::Class(name) => name.clone(),
            _ => return None,
        },
        Value::Str(text) => String::from_utf8_lossy(&text.borrow()).into_owned(),
        _ => return None,
    };
    let short = full.rsplit('.').next()?.to_owned();
    short.starts_with(char::is_uppercase).then(|| (short, Value::java(Java::Class(full))))
}

/// `scope::Name`.
pub fn member(scope: &Value, name: &str) -> Outcome {
    let unknown = || Raise::new("NameError", format!("uninitialized constant {}::{name}", inspected(scope)));
    match scope {
        Value::Java(java) => match &**java {
            Java::Package(package) if package.is_empty() => {
                // `Java::OrgApacheHadoop::Name` has a package without dots.
                let mut dotted = String::new();
                for letter in name.chars() {
                    if letter.is_uppercase() && !dotted.is_empty() {
                        dotted.push('.');
                    }
                    dotted.extend(letter.to_lowercase());
                }
                Ok(Value::java(Java::Package(dotted)))
            }
            Java::Package(package) => Ok(Value::java(Java::Class(format!("{package}.{name}")))),
            Java::Class(class) => constant(class, name).ok_or_else(unknown),
            _ => Err(unknown()),
        },
        Value::Class(class) => match (&**class, name) {
            ("Float", "MAX") => Ok(Value::Float(f64::MAX)),
            ("Float", "MIN") => Ok(Value::Float(f64::MIN_POSITIVE)),
            ("Float", "INFINITY") => Ok(Value::Float(f64::INFINITY)),
            ("Float", "NAN") => Ok(Value::Float(f64::NAN)),
            ("Integer", "MAX") => Ok(Value::Int(i64::MAX)),
            ("Digest", "MD5") => Ok(Value::Class("Digest::MD5".into())),
            ("Math", "PI") => Ok(Value::Float(std::f64::consts::PI)),
            ("Math", "E") => Ok(Value::Float(std::f64::consts::E)),
            _ => Err(unknown()),
        },
        _ => Err(unknown()),
    }
}

fn constant(class: &str, name: &str) -> Option<Value> {
    Some(match (class.rsplit('.').next()?, name) {
        ("Long", "MAX_VALUE") => Value::Int(i64::MAX),
        ("Long", "MIN_VALUE") => Value::Int(i64::MIN),
        ("Integer", "MAX_VALUE") => Value::Int(i64::from(i32::MAX)),
        ("Integer", "MIN_VALUE") => Value::Int(i64::from(i32::MIN)),
        ("Short", "MAX_VALUE") => Value::Int(i64::from(i16::MAX)),
        ("Double", "MAX_VALUE") => Value::Float(f64::MAX),
        ("HConstants", "LATEST_TIMESTAMP") => Value::Int(i64::MAX),
        ("HConstants", "EMPTY_BYTE_ARRAY") => Value::bytes(Vec::new()),
        (_, name) if name.chars().all(|c| c.is_ascii_uppercase() || c == '_' || c.is_ascii_digit()) => {
            Value::java(Java::Constant(class.to_owned(), name.to_owned()))
        }
        _ => Value::java(Java::Class(format!("{class}${name}"))),
    })
}

/// A date as `java.util.Date` shows itself.
pub fn date_text(ms: i64) -> String {
    let Some(time) = Local.timestamp_millis_opt(ms).single() else { return ms.to_string() };
    let zone = match time.offset().local_minus_utc() {
        0 => "UTC".to_owned(),
        _ => time.format("GMT%:z").to_string(),
    };
    format!("{} {zone} {}", time.format("%a %b %d %H:%M:%S"), time.year())
}

fn raw(value: Option<&Value>) -> Vec<u8> {
    match value {
        Some(Value::Java(java)) => match &**java {
            Java::Bytes(bytes) => bytes.clone(),
            _ => Vec::new(),
        },
        Some(other) => to_text(other),
        None => Vec::new(),
    }
}

impl Interpreter<'_> {
    pub(super) fn java_method(&mut self, java: &Rc<Java>, name: &str, args: &Args) -> Option<Outcome> {
        let first = args.list.first();
        match &**java {
            Java::Package(package) => {
                if !args.list.is_empty() {
                    return None;
                }
                let full = if package.is_empty() { name.to_owned() } else { format!("{package}.{name}") };
                let is_class = name.starts_with(char::is_uppercase);
                Some(Ok(Value::java(if is_class { Java::Class(full) } else { Java::Package(full) })))
            }
            Java::Class(class) => Some(self.of_class(class, name, args)),
            Java::Bytes(bytes) => Some(match name {
                "length" | "size" => Ok(Value::Int(bytes.len() as i64)),
                "to_s" => Ok(Value::text(bytes.clone())),
                "to_a" => Ok(Value::array(
                    bytes.iter().map(|byte| Value::Int(i64::from(i8::from_be_bytes([*byte])))).collect(),
                )),
                "[]" => match first {
                    Some(Value::Int(at)) => Ok(usize::try_from(*at)
                        .ok()
                        .and_then(|at| bytes.get(at))
                        .map_or(Value::Nil, |byte| Value::Int(i64::from(i8::from_be_bytes([*byte]))))),
                    _ => return None,
                },
                _ => return None,
            }),
            Java::Date(ms) => Some(match name {
                "getTime" | "time" => Ok(Value::Int(*ms)),
                "toGMTString" => {
                    let time = Utc.timestamp_millis_opt(*ms).single();
                    Ok(Value::text(
                        time.map(|time| time.format("%-d %b %Y %H:%M:%S GMT").to_string()).unwrap_or_default(),
                    ))
                }
                "toString" | "to_s" => Ok(Value::text(date_text(*ms))),
                _ => return None,
            }),
            Java::DateFormat(pattern) => Some(match (name, first) {
                ("parse", Some(text)) => parse_date(pattern, &String::from_utf8_lossy(&to_text(text))),
                ("format", Some(date)) => match date {
                    Value::Java(java) => match &**java {
                        Java::Date(ms) => Ok(Value::text(format_date(pattern, *ms))),
                        _ => return None,
                    },
                    Value::Int(ms) => Ok(Value::text(format_date(pattern, *ms))),
                    _ => return None,
                },
                ("setTimeZone" | "setLenient", _) => Err(Raise::new(
                    "NotImplementedError",
                    format!("SimpleDateFormat.{name} is not part of this shell; set the environment variable TZ"),
                )),
                _ => return None,
            }),
            Java::Constant(class, own) => Some(match name {
                "name" | "toString" | "to_s" => Ok(Value::text(own.clone())),
                "valueOf" => Ok(Value::java(Java::Constant(
                    class.clone(),
                    first.map(|v| String::from_utf8_lossy(&to_text(v)).into_owned()).unwrap_or_default(),
                ))),
                _ => return None,
            }),
            Java::List(_, values) => Some(match (name, first) {
                ("add" | "<<" | "push", Some(value)) => {
                    values.borrow_mut().push(value.clone());
                    Ok(Value::Java(Rc::clone(java)))
                }
                ("size" | "length", _) => Ok(Value::Int(values.borrow().len() as i64)),
                ("to_a", _) => Ok(Value::array(values.borrow().clone())),
                ("each" | "map", _) => {
                    let list = Value::array(values.borrow().clone());
                    return Some(self.method(&list, name, Args { list: Vec::new(), block: args.block.clone() }));
                }
                _ => return None,
            }),
            _ => filters::method(java, name, args),
        }
    }

    fn of_class(&mut self, class: &str, name: &str, args: &Args) -> Outcome {
        let first = args.list.first();
        let short = class.rsplit('.').next().unwrap_or(class);
        if name == "name" || name == "to_s" || name == "inspect" {
            return Ok(Value::text(super::super::value::jruby_class(class)));
        }
        if class == BYTES
            && let Some(done) = bytes_method(name, args)
        {
            return done;
        }
        let number = |value: Option<&Value>| match value {
            Some(Value::Int(n)) => Ok(*n),
            _ => Err(Raise::kind(format!("{short}.{name} takes a number"))),
        };
        match (class, name) {
            ("java.util.Date", "new") => match first {
                Some(Value::Int(ms)) => Ok(Value::java(Java::Date(*ms))),
                None => Ok(Value::java(Java::Date(Utc::now().timestamp_millis()))),
                Some(_) => Err(Raise::kind("Date.new takes milliseconds since 1970")),
            },
            ("java.text.SimpleDateFormat", "new") => Ok(Value::java(Java::DateFormat(
                String::from_utf8_lossy(&first.map(to_text).unwrap_or_default()).into_owned(),
            ))),
            ("java.text.ParsePosition", "new") => {
                Ok(Value::java(Java::ParsePosition(std::cell::Cell::new(number(first)?))))
            }
            ("java.lang.System", "currentTimeMillis") => Ok(Value::Int(Utc::now().timestamp_millis())),
            ("java.lang.System", "nanoTime") => Ok(Value::Int(Utc::now().timestamp_nanos_opt().unwrap_or(0))),
            ("java.lang.Thread", "sleep") => {
                let seconds = number(first)? as f64 / 1000.0;
                self.call_function("sleep", vec![Value::Float(seconds)]).map(|_| Value::Nil)
            }
            ("java.lang.Long" | "java.lang.Integer", "parseLong" | "parseInt" | "valueOf") => {
                super::numbers::integer(first.unwrap_or(&Value::Nil), None)
            }
            ("java.lang.Long" | "java.lang.Integer", "toHexString") => Ok(Value::text(format!("{:x}", number(first)?))),
            ("java.lang.String", "new") => Ok(Value::text(raw(first))),
            ("java.util.ArrayList" | "java.util.LinkedList" | "java.util.HashSet", "new") => {
                Ok(Value::java(Java::List(class.to_owned(), RefCell::default())))
            }
            ("java.util.Arrays", "asList") => {
                Ok(Value::java(Java::List(class.to_owned(), RefCell::new(args.list.clone()))))
            }
            ("org.apache.hadoop.hbase.util.MD5Hash", "getMD5AsHex") => {
                let bytes = match first {
                    Some(Value::Java(java)) => match &**java {
                        Java::Bytes(bytes) => bytes.clone(),
                        _ => return Err(Raise::kind("getMD5AsHex takes bytes")),
                    },
                    Some(Value::Str(text)) => text.borrow().clone(),
                    _ => return Err(Raise::kind("getMD5AsHex takes bytes")),
                };
                Ok(Value::text(crate::convert::md5_hex(&bytes)))
            }
            ("java.util.UUID", "randomUUID") => {
                let mut bytes = super::numbers::random_bytes(16);
                // Version 4, variant 2.
                (bytes[6], bytes[8]) = (bytes[6] & 0x0F | 0x40, bytes[8] & 0x3F | 0x80);
                let parts = [0..4, 4..6, 6..8, 8..10, 10..16].map(|part| crate::convert::hex(&bytes[part]));
                Ok(Value::text(parts.join("-")))
            }
            (_, "valueOf") if first.is_some() => {
                let constant = first.map(|v| String::from_utf8_lossy(&to_text(v)).into_owned()).unwrap_or_default();
                Ok(Value::java(Java::Constant(class.to_owned(), constant)))
            }
            (_, "new") if class.starts_with("org.apache.hadoop.hbase.") => filters::new(class, &args.list),
            _ if name.starts_with(char::is_uppercase) && args.list.is_empty() => constant(class, name)
                .ok_or_else(|| Raise::new("NameError", format!("uninitialized constant {class}::{name}"))),
            _ => {
                let shown = if name == "new" { format!("the Java class {class}") } else { format!("{class}.{name}") };
                Err(Raise::new("NoMethodError", format!("{shown} is not part of this shell")))
            }
        }
    }
}

/// Functions of HBase's class `Bytes`.
fn bytes_method(name: &str, args: &Args) -> Option<Outcome> {
    let first = args.list.first();
    let bytes = || raw(first);
    Some(match name {
        "toBytes" => Ok(Value::bytes(match first {
            Some(Value::Int(n)) => n.to_be_bytes().to_vec(),
            Some(Value::Float(n)) => n.to_be_bytes().to_vec(),
            Some(Value::Bool(flag)) => vec![if *flag { 0xFF } else { 0 }],
            _ => bytes(),
        })),
        "toBytesBinary" => Ok(Value::bytes(from_binary(&String::from_utf8_lossy(&bytes())))),
        "toStringBinary" => Ok(Value::text(to_string_binary(&bytes()))),
        "fromHex" => {
            let digits: Vec<_> = bytes().iter().filter_map(|byte| char::from(*byte).to_digit(16)).collect();
            Ok(Value::bytes(digits.chunks_exact(2).map(|pair| (pair[0] * 16 + pair[1]) as u8).collect::<Vec<_>>()))
        }
        "add" => Ok(Value::bytes(args.list.iter().flat_map(|value| raw(Some(value))).collect::<Vec<_>>())),
        "equals" => Ok(Value::Bool(bytes() == raw(args.list.get(1)))),
        "compareTo" => Ok(Value::Int(bytes().cmp(&raw(args.list.get(1))) as i64)),
        "len" => Ok(Value::Int(bytes().len() as i64)),
        _ => crate::convert::convert(name, &bytes())?
            .map(|answer| match answer {
                crate::convert::Converted::Text(text) => Value::text(text),
                crate::convert::Converted::Int(n) => Value::Int(n),
                crate::convert::Converted::Float(n) => Value::Float(n),
                crate::convert::Converted::Bool(flag) => Value::Bool(flag),
            })
            .map_err(Raise::argument),
    })
}

/// HBase's `Bytes.toBytesBinary`: `\xHH` is a byte, of any other character the low byte.
pub fn from_binary(text: &str) -> Vec<u8> {
    let units: Vec<u16> = text.encode_utf16().collect();
    let hex = |at: usize| units.get(at).and_then(|unit| char::from_u32(u32::from(*unit))).and_then(|c| c.to_digit(16));
    let (mut out, mut at) = (Vec::with_capacity(units.len()), 0);
    while let Some(&unit) = units.get(at) {
        if unit == u16::from(b'\\')
            && units.get(at + 1) == Some(&u16::from(b'x'))
            && let (Some(high), Some(low)) = (hex(at + 2), hex(at + 3))
        {
            out.push((high * 16 + low) as u8);
            at += 4;
            continue;
        }
        out.push((unit & 0xFF) as u8);
        at += 1;
    }
    out
}

/// The letters of a date pattern, in runs; everything else is literal.
fn runs(pattern: &str) -> Vec<(char, usize)> {
    let mut out: Vec<(char, usize)> = Vec::new();
    for letter in pattern.chars() {
        match out.last_mut() {
            Some((last, count)) if *last == letter && letter.is_ascii_alphabetic() => *count += 1,
            _ => out.push((letter, 1)),
        }
    }
    out
}

fn parse_date(pattern: &str, text: &str) -> Outcome {
    let failed = || Raise::new("Java::JavaText::ParseException", format!("Unparseable date: \"{text}\""));
    let mut rest = text;
    let (mut year, mut month, mut day, mut hour, mut minute, mut second, mut millisecond) = (1970, 1, 1, 0, 0, 0, 0);
    let (mut afternoon, mut utc) = (None, false);
    for (letter, count) in runs(pattern) {
        if letter == '\'' {
            continue;
        }
        if !letter.is_ascii_alphabetic() {
            rest = rest.strip_prefix(letter).ok_or_else(failed)?;
            continue;
        }
        if letter == 'M' && count >= 3 {
            const MONTHS: [&str; 12] =
                ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
            let name = rest.get(..3).ok_or_else(failed)?.to_lowercase();
            month = 1 + MONTHS.iter().position(|known| *known == name).ok_or_else(failed)? as u32;
            rest = rest.trim_start_matches(char::is_alphabetic);
            continue;
        }
        if matches!(letter, 'E' | 'a' | 'z') {
            let word: String = rest.chars().take_while(|c| c.is_alphabetic()).collect();
            rest = &rest[word.len()..];
            match letter {
                'a' => afternoon = Some(word.eq_ignore_ascii_case("pm")),
                'z' => utc = matches!(&word[..], "UTC" | "GMT"),
                _ => {}
            }
            continue;
        }
        let digits: String = rest
            .chars()
            .take_while(char::is_ascii_digit)
            .take(if letter == 'y' || letter == 'S' { 9 } else { 2.max(count) })
            .collect();
        let number: u32 = digits.parse().map_err(|_| failed())?;
        rest = &rest[digits.len()..];
        match letter {
            'y' if count <= 2 && digits.len() == 2 => {
                // Two digits: within 80 years before and 20 after now.
                let now = Local::now().year();
                year = now - now % 100 + number as i32;
                if year > now + 20 {
                    year -= 100;
                } else if year <= now - 80 {
                    year += 100;
                }
            }
            'y' => year = number as i32,
            'M' => month = number,
            'd' => day = number,
            'H' | 'k' => hour = number,
            'h' | 'K' => hour = number % 12,
            'm' => minute = number,
            's' => second = number,
            'S' => millisecond = number,
            other => {
                let message = format!("the letter {other} of a date pattern is not part of this shell");
                return Err(Raise::new("NotImplementedError", message));
            }
        }
    }
    if afternoon == Some(true) {
        hour += 12;
    }
    let time = NaiveDate::from_ymd_opt(year, month, day)
        .and_then(|date| date.and_hms_milli_opt(hour, minute, second, millisecond))
        .ok_or_else(failed)?;
    let ms = if utc {
        time.and_utc().timestamp_millis()
    } else {
        Local.from_local_datetime(&time).earliest().ok_or_else(failed)?.timestamp_millis()
    };
    Ok(Value::java(Java::Date(ms)))
}

fn format_date(pattern: &str, ms: i64) -> String {
    let Some(time) = Local.timestamp_millis_opt(ms).single() else { return ms.to_string() };
    let mut out = String::new();
    for (letter, count) in runs(pattern) {
        let number = |n: u32| format!("{n:0>count$}");
        match letter {
            'y' if count <= 2 => out.push_str(&format!("{:02}", time.year().rem_euclid(100))),
            'y' => out.push_str(&format!("{:0>count$}", time.year())),
            'M' if count >= 4 => out.push_str(&time.format("%B").to_string()),
            'M' if count == 3 => out.push_str(&time.format("%b").to_string()),
            'M' => out.push_str(&number(time.month())),
            'd' => out.push_str(&number(time.day())),
            'H' => out.push_str(&number(time.hour())),
            'h' => out.push_str(&number(time.hour12().1)),
            'm' => out.push_str(&number(time.minute())),
            's' => out.push_str(&number(time.second())),
            'S' => out.push_str(&number(time.timestamp_subsec_millis())),
            'a' => out.push_str(if time.hour() >= 12 { "PM" } else { "AM" }),
            'E' => out.push_str(&time.format(if count > 3 { "%A" } else { "%a" }).to_string()),
            'z' => out.push_str(if time.offset().local_minus_utc() == 0 { "UTC" } else { "GMT" }),
            'Z' => out.push_str(&time.format("%z").to_string()),
            '\'' => {}
            other => out.push(other),
        }
    }
    out
}
