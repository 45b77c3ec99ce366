//! Strings and symbols.

use std::rc::Rc;

use num_bigint::BigInt;

use super::super::inspect::to_text;
use super::super::value::{Text, Value};
use super::lists::{part, place};
use super::packing::{Directive, directives};
use super::{Args, Interpreter, Outcome, Raise, check_size, patterns, ranges};

/// Characters of a string: of invalid UTF-8 single bytes.
fn letters(bytes: &[u8]) -> Vec<Vec<u8>> {
    let mut out = Vec::new();
    for chunk in bytes.utf8_chunks() {
        out.extend(chunk.valid().chars().map(|letter| letter.to_string().into_bytes()));
        out.extend(chunk.invalid().iter().map(|byte| vec![*byte]));
    }
    out
}

/// Methods that work on characters. On bytes that are not UTF-8 they would replace some, so they refuse, as in Ruby.
const NEEDS_CHARACTERS: &[&str] = &[
    "upcase",
    "downcase",
    "swapcase",
    "capitalize",
    "gsub",
    "sub",
    "split",
    "tr",
    "delete",
    "squeeze",
    "count",
    "scan",
    "match",
    "match?",
    "=~",
    "ord",
];

fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn needs_text(value: Option<&Value>) -> Result<Vec<u8>, Raise> {
    match value {
        Some(Value::Str(text)) => Ok(text.borrow().clone()),
        Some(other) => Err(Raise::no_conversion(other, "String")),
        None => Err(Raise::argument("wrong number of arguments (given 0, expected 1)")),
    }
}

fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    if wanted.is_empty() {
        return Some(0);
    }
    bytes.windows(wanted.len()).position(|window| window == wanted)
}

impl Interpreter<'_> {
    pub(super) fn symbol_method(&mut self, name_bytes: &Rc<[u8]>, name: &str, args: &Args) -> Option<Outcome> {
        match name {
            "to_sym" => Some(Ok(Value::Symbol(Rc::clone(name_bytes)))),
            "to_proc" => {
                let method = lossy(name_bytes);
                Some(Ok(Value::Proc(Rc::new(super::super::value::Proc::Method(method)))))
            }
            "to_s" | "id2name" | "name" => Some(Ok(Value::text(name_bytes.to_vec()))),
            "length" | "size" | "upcase" | "downcase" | "capitalize" | "succ" | "empty?" => {
                let text = Value::text(name_bytes.to_vec());
                let answer = self.method(&text, name, Args { list: args.list.clone(), block: None });
                Some(answer.map(|answer| match answer {
                    Value::Str(text) => Value::symbol(&*text.borrow()),
                    other => other,
                }))
            }
            _ => None,
        }
    }

    pub(super) fn string_method(&mut self, text: &Text, name: &str, args: &Args) -> Option<Outcome> {
        let bytes = text.borrow().clone();
        let whole = || Value::Str(Rc::clone(text));
        let first = args.list.first();
        let string = |text: String| Ok(Value::text(text));
        if NEEDS_CHARACTERS.contains(&name.trim_end_matches('!')) && std::str::from_utf8(&bytes).is_err() {
            let message = format!("invalid byte sequence in UTF-8: {name} needs text; use bytes, unpack or byteslice");
            return Some(Err(Raise::argument(message)));
        }
        if let Some(done) = self.searching(&bytes, name, args) {
            return Some(done);
        }
        if let Some(plain) = name.strip_suffix('!')
            && matches!(
                plain,
                "upcase"
                    | "downcase"
                    | "capitalize"
                    | "strip"
                    | "chomp"
                    | "reverse"
                    | "gsub"
                    | "sub"
                    | "squeeze"
                    | "chop"
            )
        {
            let changed = self.method(&whole(), plain, Args { list: args.list.clone(), block: args.block.clone() });
            return Some(changed.map(|changed| {
                let new = to_text(&changed);
                *text.borrow_mut() = new;
                whole()
            }));
        }
        Some(match name {
            "+" => needs_text(first).and_then(|other| {
                check_size(bytes.len() + other.len())?;
                Ok(Value::text([bytes, other].concat()))
            }),
            "*" => match first {
                Some(Value::Int(n @ 0..)) => {
                    let times = *n as usize;
                    check_size(bytes.len().saturating_mul(times)).map(|()| Value::text(bytes.repeat(times)))
                }
                Some(Value::Int(_)) => Err(Raise::argument("negative argument")),
                Some(other) => Err(Raise::no_conversion(other, "Integer")),
                None => Err(Raise::argument("wrong number of arguments (given 0, expected 1)")),
            },
            "%" => match first {
                Some(Value::Array(list)) => super::format::format(&bytes, &list.0.borrow()).map(Value::text),
                Some(value) => super::format::format(&bytes, std::slice::from_ref(value)).map(Value::text),
                None => Err(Raise::argument("wrong number of arguments (given 0, expected 1)")),
            },
            "<<" | "concat" => {
                let more = match first {
                    Some(Value::Int(code)) => {
                        char::from_u32(*code as u32).map(|letter| letter.to_string().into_bytes()).unwrap_or_default()
                    }
                    other => match needs_text(other) {
                        Ok(more) => more,
                        Err(error) => return Some(Err(error)),
                    },
                };
                if let Err(error) = check_size(bytes.len() + more.len()) {
                    return Some(Err(error));
                }
                text.borrow_mut().extend(more);
                Ok(whole())
            }
            "<" | ">" | "<=" | ">=" => match first {
                Some(Value::Str(other)) => {
                    let order = bytes.cmp(&other.borrow());
                    Ok(Value::Bool(match name {
                        "<" => order.is_lt(),
                        ">" => order.is_gt(),
                        "<=" => order.is_le(),
                        _ => order.is_ge(),
                    }))
                }
                Some(other) => Err(super::numbers::incomparable(&whole(), other)),
                None => Err(Raise::argument("wrong number of arguments (given 0, expected 1)")),
            },
            "length" | "size" => {
                let count: usize =
                    bytes.utf8_chunks().map(|chunk| chunk.valid().chars().count() + chunk.invalid().len()).sum();
                Ok(Value::Int(count as i64))
            }
            "bytesize" => Ok(Value::Int(bytes.len() as i64)),
            "empty?" => Ok(Value::Bool(bytes.is_empty())),
            "upcase" => string(lossy(&bytes).to_uppercase()),
            "downcase" => string(lossy(&bytes).to_lowercase()),
            "swapcase" => string(
                lossy(&bytes)
                    .chars()
                    .map(|c| if c.is_uppercase() { c.to_lowercase().to_string() } else { c.to_uppercase().to_string() })
                    .collect(),
            ),
            "capitalize" => {
                let lower = lossy(&bytes).to_lowercase();
                let mut letters = lower.chars();
                string(letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default())
            }
            "strip" => Ok(Value::text(bytes.trim_ascii())),
            "lstrip" => Ok(Value::text(bytes.trim_ascii_start())),
            "rstrip" => Ok(Value::text(bytes.trim_ascii_end())),
            "chomp" => {
                let cut = match first {
                    Some(suffix) => bytes.strip_suffix(&to_text(suffix)[..]).unwrap_or(&bytes),
                    None => bytes.strip_suffix(b"\r\n").or(bytes.strip_suffix(b"\n")).unwrap_or(&bytes),
                };
                Ok(Value::text(cut))
            }
            "chop" => Ok(Value::text(letters(&bytes).split_last().map(|(_, rest)| rest.concat()).unwrap_or_default())),
            "chr" => Ok(Value::text(letters(&bytes).into_iter().next().unwrap_or_default())),
            "reverse" => Ok(Value::text(letters(&bytes).into_iter().rev().collect::<Vec<_>>().concat())),
            "succ" | "next" => Ok(Value::text(ranges::successor(&bytes))),
            "ord" => match lossy(&bytes).chars().next() {
                Some(letter) => Ok(Value::Int(i64::from(u32::from(letter)))),
                None => Err(Raise::argument("empty string")),
            },
            "bytes" => Ok(Value::array(bytes.iter().map(|byte| Value::Int(i64::from(*byte))).collect())),
            "chars" | "each_char" => {
                let list = Value::array(letters(&bytes).into_iter().map(Value::text).collect());
                if args.block.is_some() {
                    return Some(
                        self.method(&list, "each", Args { list: Vec::new(), block: args.block.clone() })
                            .map(|_| whole()),
                    );
                }
                Ok(list)
            }
            "lines" | "each_line" => {
                let list = Value::array(bytes.split_inclusive(|byte| *byte == b'\n').map(Value::text).collect());
                if args.block.is_some() {
                    return Some(
                        self.method(&list, "each", Args { list: Vec::new(), block: args.block.clone() })
                            .map(|_| whole()),
                    );
                }
                Ok(list)
            }
            "each_byte" => {
                let list = Value::array(bytes.iter().map(|byte| Value::Int(i64::from(*byte))).collect());
                return Some(
                    self.method(&list, "each", Args { list: Vec::new(), block: args.block.clone() }).map(|_| whole()),
                );
            }
            "to_s" | "to_str" => Ok(whole()),
            "to_sym" | "intern" => Ok(Value::symbol(&bytes)),
            "to_i" => Ok(to_integer(&lossy(&bytes), first)),
            "to_f" => {
                let text = lossy(&bytes);
                let text = text.trim();
                let end =
                    (0..=text.len()).rev().find(|end| text.get(..*end).is_some_and(|part| part.parse::<f64>().is_ok()));
                Ok(Value::Float(
                    end.and_then(|end| text[..end].parse().ok()).filter(|n: &f64| n.is_finite()).unwrap_or(0.0),
                ))
            }
            "hex" => Ok(to_integer(lossy(&bytes).trim_start_matches("0x"), Some(&Value::Int(16)))),
            "to_java_bytes" => Ok(Value::bytes(bytes)),
            "ljust" | "rjust" | "center" => {
                let (Some(Value::Int(width)), fill) = (first, args.list.get(1).map_or(vec![b' '], to_text)) else {
                    return Some(Err(Raise::argument(format!("{name} takes a width"))));
                };
                let length = letters(&bytes).len();
                let missing = usize::try_from(*width).unwrap_or(0).saturating_sub(length);
                if let Err(error) = check_size(missing) {
                    return Some(Err(error));
                }
                if fill.is_empty() {
                    return Some(Err(Raise::argument("zero width padding")));
                }
                let padding = |count: usize| fill.iter().copied().cycle().take(count).collect::<Vec<u8>>();
                let (left, right) = match name {
                    "ljust" => (0, missing),
                    "rjust" => (missing, 0),
                    _ => (missing / 2, missing - missing / 2),
                };
                Ok(Value::text([padding(left), bytes, padding(right)].concat()))
            }
            "[]" | "slice" | "byteslice" => {
                let letters =
                    if name == "byteslice" { bytes.iter().map(|byte| vec![*byte]).collect() } else { letters(&bytes) };
                match (first, part(&args.list, letters.len())) {
                    (Some(Value::Int(index)), None) => Ok(place(*index, letters.len())
                        .and_then(|at| letters.get(at).cloned())
                        .map_or(Value::Nil, Value::text)),
                    (_, Some(Some((begin, end)))) => Ok(Value::text(letters[begin..end].concat())),
                    (_, Some(None)) => Ok(Value::Nil),
                    (Some(Value::Str(wanted)), None) => {
                        Ok(find(&bytes, &wanted.borrow()).map_or(Value::Nil, |_| Value::text(wanted.borrow().clone())))
                    }
                    (Some(other), None) => Err(Raise::no_conversion(other, "Integer")),
                    (None, None) => Err(Raise::argument("wrong number of arguments (given 0, expected 1..2)")),
                }
            }
            "start_with?" => Ok(Value::Bool(args.list.iter().any(|prefix| bytes.starts_with(&to_text(prefix))))),
            "end_with?" => Ok(Value::Bool(args.list.iter().any(|suffix| bytes.ends_with(&to_text(suffix))))),
            "delete_prefix" => {
                Ok(Value::text(bytes.strip_prefix(&first.map(to_text).unwrap_or_default()[..]).unwrap_or(&bytes)))
            }
            "delete_suffix" => {
                Ok(Value::text(bytes.strip_suffix(&first.map(to_text).unwrap_or_default()[..]).unwrap_or(&bytes)))
            }
            "insert" | "replace" | "prepend" | "clear" => {
                let new = match (name, first) {
                    ("insert", Some(Value::Int(at))) => {
                        let at = place(*at, bytes.len() + 1).unwrap_or(0).min(bytes.len());
                        [&bytes[..at], &args.list.get(1).map(to_text).unwrap_or_default(), &bytes[at..]].concat()
                    }
                    ("prepend", Some(other)) => [to_text(other), bytes].concat(),
                    ("replace", Some(other)) => to_text(other),
                    ("clear", _) => Vec::new(),
                    _ => return Some(Err(Raise::argument(format!("wrong arguments of {name}")))),
                };
                *text.borrow_mut() = new;
                Ok(whole())
            }
            "tr" | "delete" | "squeeze" | "count" => Ok(translated(&bytes, name, args)),
            "upto" => {
                let span = super::super::value::Span {
                    begin: whole(),
                    end: first.cloned().unwrap_or(Value::Nil),
                    exclusive: false,
                };
                return Some(self.method(
                    &Value::Range(Rc::new(span)),
                    "each",
                    Args { list: Vec::new(), block: args.block.clone() },
                ));
            }
            "unpack" | "unpack1" => unpack(&bytes, &first.map(to_text).unwrap_or_default()).map(|list| {
                if name == "unpack1" { list.into_iter().next().unwrap_or(Value::Nil) } else { Value::array(list) }
            }),
            "valid_encoding?" => Ok(Value::Bool(std::str::from_utf8(&bytes).is_ok())),
            "ascii_only?" => Ok(Value::Bool(bytes.is_ascii())),
            "force_encoding" | "b" | "to_java_string" => Ok(whole()),
            "encode" => match first.map(|name| lossy(&to_text(name))) {
                Some(name) if !name.eq_ignore_ascii_case("utf-8") => {
                    let message = format!("the encoding {name} is not part of this shell: strings are bytes");
                    Err(Raise::new("NotImplementedError", message))
                }
                _ => Ok(whole()),
            },
            "scrub" => string(lossy(&bytes)),
            "encoding" => Ok(Value::text("UTF-8")),
            "dup" | "clone" | "+@" | "-@" => Ok(Value::text(bytes)),
            "sum" => Ok(Value::Int(bytes.iter().map(|byte| i64::from(*byte)).sum())),
            _ => return None,
        })
    }

    /// Methods that search the text for a string or a pattern.
    fn searching(&mut self, bytes: &[u8], name: &str, args: &Args) -> Option<Outcome> {
        let first = args.list.first();
        Some(match (name, first) {
            ("=~", Some(Value::Regex(pattern))) => patterns::position(pattern, &lossy(bytes)),
            ("match", Some(Value::Regex(pattern))) => patterns::groups(pattern, &lossy(bytes)),
            ("match?", Some(Value::Regex(pattern))) => {
                patterns::is_match(pattern, &Value::text(bytes)).map(Value::Bool)
            }
            ("[]" | "slice", Some(Value::Regex(pattern))) => {
                patterns::groups(pattern, &lossy(bytes)).map(|groups| match groups {
                    Value::Array(groups) => {
                        let at = match args.list.get(1) {
                            Some(Value::Int(n)) => usize::try_from(*n).unwrap_or(0),
                            _ => 0,
                        };
                        groups.0.borrow().get(at).cloned().unwrap_or(Value::Nil)
                    }
                    other => other,
                })
            }
            ("scan", Some(pattern)) => patterns::scan(pattern, &lossy(bytes)),
            ("gsub" | "sub", Some(pattern)) => self.replaced(bytes, pattern, name == "gsub", args),
            ("split", _) => patterns::split(first, args.list.get(1), bytes),
            ("include?", _) => needs_text(first).map(|wanted| Value::Bool(find(bytes, &wanted).is_some())),
            ("index", Some(Value::Str(wanted))) => {
                Ok(find(bytes, &wanted.borrow()).map_or(Value::Nil, |at| Value::Int(at as i64)))
            }
            ("rindex", Some(Value::Str(wanted))) => {
                let wanted = wanted.borrow();
                let found =
                    (0..=bytes.len().saturating_sub(wanted.len())).rev().find(|at| bytes[*at..].starts_with(&wanted));
                Ok(found.map_or(Value::Nil, |at| Value::Int(at as i64)))
            }
            ("partition", Some(Value::Str(wanted))) => {
                let wanted = wanted.borrow();
                let parts = match find(bytes, &wanted) {
                    Some(at) => [&bytes[..at], &wanted, &bytes[at + wanted.len()..]],
                    None => [bytes, b"", b""],
                };
                Ok(Value::array(parts.into_iter().map(Value::text).collect()))
            }
            _ => return None,
        })
    }

    fn replaced(&mut self, bytes: &[u8], pattern: &Value, all: bool, args: &Args) -> Outcome {
        let text = lossy(bytes);
        let found = patterns::matches(pattern, &text, if all { usize::MAX } else { 1 })?;
        let (mut out, mut at) = (Vec::new(), 0);
        for one in found {
            let (begin, end) = one.span;
            out.extend_from_slice(&text.as_bytes()[at..begin]);
            let whole = Value::text(&text.as_bytes()[begin..end]);
            match (args.list.get(1), &args.block) {
                (Some(Value::Hash(table)), _) => {
                    out.extend(table.get(&whole).map(|value| to_text(&value)).unwrap_or_default())
                }
                (Some(replacement), _) => out.extend(one.expand(&to_text(replacement))),
                (None, Some(block)) => {
                    let value = self.call_proc(block, vec![whole])?;
                    out.extend(to_text(&value));
                }
                (None, None) => return Err(Raise::argument("wrong number of arguments (given 1, expected 2)")),
            }
            at = end;
            check_size(out.len())?;
        }
        out.extend_from_slice(&text.as_bytes()[at..]);
        Ok(Value::text(out))
    }
}

/// `String#to_i`: the digits at the beginning.
fn to_integer(text: &str, base: Option<&Value>) -> Value {
    let radix = match base {
        Some(Value::Int(n @ 2..=36)) => *n as u32,
        _ => 10,
    };
    let text = text.trim();
    let (sign, digits) = match text.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", text.strip_prefix('+').unwrap_or(text)),
    };
    let digits: String = digits.chars().filter(|c| *c != '_').take_while(|c| c.is_digit(radix)).take(10_000).collect();
    BigInt::parse_bytes(format!("{sign}{digits}").as_bytes(), radix).map_or(Value::Int(0), Value::int)
}

/// The characters of a set such as `a-z0` or `^a-z`, and whether it is negated.
fn character_set(set: &[u8]) -> (bool, Vec<char>) {
    let text = lossy(set);
    let (negated, text) = match text.strip_prefix('^') {
        Some(rest) if !rest.is_empty() => (true, rest.to_owned()),
        _ => (false, text),
    };
    let letters: Vec<char> = text.chars().collect();
    let (mut out, mut at) = (Vec::new(), 0);
    while let Some(&letter) = letters.get(at) {
        match (letters.get(at + 1), letters.get(at + 2)) {
            (Some('-'), Some(&end)) if letter <= end && u32::from(end) - u32::from(letter) < 0x1_0000 => {
                out.extend(letter..=end);
                at += 3;
            }
            _ => {
                out.push(letter);
                at += 1;
            }
        }
    }
    (negated, out)
}

fn translated(bytes: &[u8], name: &str, args: &Args) -> Value {
    let text = lossy(bytes);
    let (negated, set) = character_set(&args.list.first().map(to_text).unwrap_or_default());
    let (_, target) = character_set(&args.list.get(1).map(to_text).unwrap_or_default());
    let within = |letter: char| set.contains(&letter) != negated;
    match name {
        "count" => Value::Int(text.chars().filter(|letter| within(*letter)).count() as i64),
        "delete" => Value::text(text.chars().filter(|letter| !within(*letter)).collect::<String>()),
        "squeeze" => {
            let mut out = String::new();
            for letter in text.chars() {
                if !(out.ends_with(letter) && (set.is_empty() || within(letter))) {
                    out.push(letter);
                }
            }
            Value::text(out)
        }
        _ => {
            let mapped = text.chars().filter_map(|letter| {
                if !within(letter) {
                    return Some(letter);
                }
                let at = if negated { usize::MAX } else { set.iter().position(|other| *other == letter).unwrap_or(0) };
                target.get(at).or(target.last()).copied()
            });
            Value::text(mapped.collect::<String>())
        }
    }
}

/// `String#unpack` for the formats that read keys and values.
fn unpack(bytes: &[u8], format: &[u8]) -> Result<Vec<Value>, Raise> {
    let (mut out, mut rest) = (Vec::new(), bytes);
    for directive in directives(format) {
        let Directive { code, big_endian, count } = directive;
        if matches!(code, b'H' | b'a' | b'A') {
            let limit = directive.limit();
            let wanted = if code == b'H' { limit.div_ceil(2) } else { limit };
            let (text, left) = rest.split_at(wanted.min(rest.len()));
            rest = left;
            out.push(match code {
                b'H' => Value::text(crate::convert::hex(text)),
                b'A' => Value::text(text.trim_ascii_end()),
                _ => Value::text(text),
            });
            continue;
        }
        let (size, signed) = match code {
            b'C' => (1, false),
            b'c' => (1, true),
            b'n' | b'S' => (2, false),
            b's' => (2, true),
            b'N' | b'L' => (4, false),
            b'l' => (4, true),
            b'Q' => (8, false),
            b'q' => (8, true),
            _ => {
                let message = format!("the format {} of unpack is not part of this shell", char::from(code));
                return Err(Raise::new("NotImplementedError", message));
            }
        };
        for _ in 0..directive.limit() {
            let Some((number, left)) = rest.split_at_checked(size) else {
                if count.is_some() {
                    out.push(Value::Nil);
                }
                break;
            };
            rest = left;
            let mut number = number.to_vec();
            if !big_endian {
                number.reverse();
            }
            let number = if signed {
                BigInt::from_signed_bytes_be(&number)
            } else {
                BigInt::from_bytes_be(num_bigint::Sign::Plus, &number)
            };
            out.push(Value::int(number));
        }
    }
    Ok(out)
}
