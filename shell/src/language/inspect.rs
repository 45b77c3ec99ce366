//! Values as text: what `puts` prints, and what the shell shows after `=>`.

use std::rc::Rc;

use super::value::{Java, Value};
use crate::convert::float;

/// The longest text of a value, in bytes: arrays that contain others several times are short in memory and long here.
const BYTES_MAX: usize = 64 << 20;
/// How deep nested values are shown.
const DEPTH_MAX: usize = 50;

/// The text of a value, as `to_s` and `#{…}` have it.
pub fn to_text(value: &Value) -> Vec<u8> {
    match value {
        Value::Nil => Vec::new(),
        Value::Str(text) => text.borrow().clone(),
        Value::Symbol(name) => name.to_vec(),
        Value::Exception(exception) => exception.message.clone().into_bytes(),
        Value::Range(range) => {
            let mut out = to_text(&range.begin);
            out.extend_from_slice(if range.exclusive { b"..." } else { b".." });
            out.extend(to_text(&range.end));
            out
        }
        Value::Java(java) => match &**java {
            Java::Date(ms) => super::interpreter::date_text(*ms).into_bytes(),
            Java::Constant(_, name) => name.clone().into_bytes(),
            Java::Class(name) => format!("class {name}").into_bytes(),
            _ => inspect(value),
        },
        Value::Regex(pattern) => format!("(?{}-mix:{})", pattern.flags, pattern.source).into_bytes(),
        other => inspect(other),
    }
}

/// The text of a value as it is written in the language.
pub fn inspect(value: &Value) -> Vec<u8> {
    let mut out = Vec::new();
    write(value, &mut out, &mut Vec::new());
    out
}

/// [`inspect`] as text.
pub fn inspected(value: &Value) -> String {
    String::from_utf8_lossy(&inspect(value)).into_owned()
}

/// Writes a value that is inside `parents`, the addresses of arrays, hashes and other containers. A container inside
/// itself is written as `[...]` or `{...}`.
fn write(value: &Value, out: &mut Vec<u8>, parents: &mut Vec<usize>) {
    if parents.len() > DEPTH_MAX || out.len() > BYTES_MAX {
        out.extend_from_slice(b"...");
        return;
    }
    match value {
        Value::Nil => out.extend_from_slice(b"nil"),
        Value::Bool(flag) => out.extend_from_slice(if *flag { b"true" } else { b"false" }),
        Value::Int(n) => out.extend_from_slice(n.to_string().as_bytes()),
        Value::Big(n) => out.extend_from_slice(n.to_string().as_bytes()),
        Value::Float(n) => out.extend_from_slice(float(*n).as_bytes()),
        Value::Str(text) => quoted(&text.borrow(), out),
        Value::Symbol(name) => {
            out.push(b':');
            let plain = name.iter().enumerate().all(|(at, byte)| {
                super::lexer::is_name_byte(*byte) && !(at == 0 && byte.is_ascii_digit())
                    || at + 1 == name.len() && at > 0 && matches!(byte, b'?' | b'!' | b'=')
            });
            let operator =
                super::token::OPERATORS.iter().any(|op| op.as_bytes() == &**name) || matches!(&**name, b"[]" | b"[]=");
            if (plain && !name.is_empty()) || operator {
                out.extend_from_slice(name);
            } else {
                quoted(name, out);
            }
        }
        Value::Array(list) => {
            let address = Rc::as_ptr(list).addr();
            let (false, Ok(list)) = (parents.contains(&address), list.0.try_borrow()) else {
                return out.extend_from_slice(b"[...]");
            };
            parents.push(address);
            write_list(&list, out, parents);
            parents.pop();
        }
        Value::Hash(table) => {
            let address = Rc::as_ptr(table).addr();
            if parents.contains(&address) {
                return out.extend_from_slice(b"{...}");
            }
            parents.push(address);
            out.push(b'{');
            for (at, (key, value)) in table.pairs().iter().enumerate() {
                if at > 0 {
                    out.extend_from_slice(b", ");
                }
                write(key, out, parents);
                out.extend_from_slice(b"=>");
                write(value, out, parents);
                if out.len() > BYTES_MAX {
                    break;
                }
            }
            out.push(b'}');
            parents.pop();
        }
        Value::Range(range) => {
            if !range.begin.is_nil() {
                write(&range.begin, out, parents);
            }
            out.extend_from_slice(if range.exclusive { b"..." } else { b".." });
            if !range.end.is_nil() {
                write(&range.end, out, parents);
            }
        }
        Value::Proc(proc) => out.extend_from_slice(match **proc {
            super::value::Proc::Code { lambda: true, .. } => b"#<Proc (lambda)>",
            _ => b"#<Proc>",
        }),
        Value::Regex(pattern) => out.extend_from_slice(format!("/{}/{}", pattern.source, pattern.flags).as_bytes()),
        Value::Time(time) => out.extend_from_slice(time_text(time).as_bytes()),
        Value::Exception(exception) => {
            out.extend_from_slice(format!("#<{}: {}>", exception.class, exception.message).as_bytes());
        }
        Value::Class(name) => out.extend_from_slice(name.as_bytes()),
        Value::TableRef(name) => out.extend_from_slice(format!("Hbase::Table - {name}").as_bytes()),
        Value::Java(java) => match &**java {
            Java::Bytes(bytes) => {
                let list: Vec<_> = bytes.iter().map(|byte| i8::from_be_bytes([*byte]).to_string()).collect();
                out.extend_from_slice(format!("#<Java::byte[{}]: [{}]>", bytes.len(), list.join(", ")).as_bytes());
            }
            Java::Package(name) | Java::Class(name) => {
                out.extend_from_slice(super::value::jruby_class(name).as_bytes())
            }
            Java::List(_, values) => {
                out.extend_from_slice(format!("#<{}: ", java.class_name()).as_bytes());
                let address = Rc::as_ptr(java).addr();
                if parents.contains(&address) {
                    out.extend_from_slice(b"[...]");
                } else {
                    parents.push(address);
                    write_list(&values.borrow(), out, parents);
                    parents.pop();
                }
                out.push(b'>');
            }
            other => out.extend_from_slice(
                format!("#<{}:0x{:x}>", other.class_name(), std::ptr::from_ref(other) as usize & 0xFFFF_FFFF)
                    .as_bytes(),
            ),
        },
    }
}

fn write_list(list: &[Value], out: &mut Vec<u8>, parents: &mut Vec<usize>) {
    out.push(b'[');
    for (at, value) in list.iter().enumerate() {
        if at > 0 {
            out.extend_from_slice(b", ");
        }
        write(value, out, parents);
        if out.len() > BYTES_MAX {
            break;
        }
    }
    out.push(b']');
}

/// A time as `to_s` shows it.
pub fn time_text(time: &chrono::DateTime<chrono::FixedOffset>) -> String {
    let zone = if is_utc(time) { "UTC".to_owned() } else { time.format("%z").to_string() };
    format!("{} {zone}", time.format("%Y-%m-%d %H:%M:%S"))
}

/// Times in UTC are marked by an offset that no zone has.
pub fn is_utc(time: &chrono::DateTime<chrono::FixedOffset>) -> bool {
    time.offset().local_minus_utc() == 0
}

/// A string in double quotes. Control characters and invalid UTF-8 are escaped.
fn quoted(bytes: &[u8], out: &mut Vec<u8>) {
    out.push(b'"');
    for chunk in bytes.utf8_chunks() {
        let mut letters = chunk.valid().chars().peekable();
        while let Some(letter) = letters.next() {
            match letter {
                '"' => out.extend_from_slice(b"\\\""),
                '\\' => out.extend_from_slice(b"\\\\"),
                '\n' => out.extend_from_slice(b"\\n"),
                '\t' => out.extend_from_slice(b"\\t"),
                '\r' => out.extend_from_slice(b"\\r"),
                '\u{1B}' => out.extend_from_slice(b"\\e"),
                '\u{7}' => out.extend_from_slice(b"\\a"),
                '\u{8}' => out.extend_from_slice(b"\\b"),
                '\u{B}' => out.extend_from_slice(b"\\v"),
                '\u{C}' => out.extend_from_slice(b"\\f"),
                '#' if matches!(letters.peek(), Some('{' | '$' | '@')) => out.extend_from_slice(b"\\#"),
                letter if letter.is_control() => {
                    let code = u32::from(letter);
                    let text = format!("\\u{code:04X}");
                    out.extend_from_slice(text.as_bytes());
                }
                letter => out.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes()),
            }
        }
        for byte in chunk.invalid() {
            out.extend_from_slice(format!("\\x{byte:02X}").as_bytes());
        }
    }
    out.push(b'"');
}
