//! Regular expressions.

use std::rc::Rc;

use fancy_regex::RegexBuilder;

use super::super::inspect::to_text;
use super::super::value::{Pattern, Value};
use super::{Args, Outcome, Raise};

/// Steps of backtracking that one search may take.
const BACKTRACKS_MAX: usize = 1_000_000;

/// A match: where it is, and its groups.
pub struct Match {
    /// Begin and end, in bytes.
    pub span: (usize, usize),
    groups: Vec<Option<String>>,
}

impl Match {
    /// A replacement with `\1` and `\0` filled in.
    pub fn expand(&self, replacement: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        let mut bytes = replacement.iter().copied();
        while let Some(byte) = bytes.next() {
            match (byte, byte == b'\\') {
                (_, true) => match bytes.next() {
                    Some(digit @ b'0'..=b'9') => {
                        out.extend(
                            self.groups
                                .get(usize::from(digit - b'0'))
                                .and_then(Clone::clone)
                                .unwrap_or_default()
                                .into_bytes(),
                        );
                    }
                    Some(b'\\') | None => out.push(b'\\'),
                    Some(other) => out.extend([b'\\', other]),
                },
                _ => out.push(byte),
            }
        }
        out
    }
}

/// Compiles a pattern.
pub fn compile(source: &str, flags: &str) -> Outcome {
    let inline: String = [('i', 'i'), ('x', 'x'), ('m', 's')]
        .iter()
        .filter(|(ruby, _)| flags.contains(*ruby))
        .map(|(_, own)| *own)
        .collect();
    let translated = format!("(?m{inline}){}", translated(source));
    let regex = RegexBuilder::new(&translated)
        .backtrack_limit(BACKTRACKS_MAX)
        .delegate_size_limit(4 << 20)
        .build()
        .map_err(|error| Raise::new("RegexpError", format!("{error}: /{source}/")))?;
    Ok(Value::Regex(Rc::new(Pattern { source: source.to_owned(), flags: flags.to_owned(), regex })))
}

/// A pattern of Ruby for fancy-regex, in which `\Z` and `\h` have another meaning.
fn translated(source: &str) -> String {
    let mut out = String::with_capacity(source.len());
    let mut letters = source.chars();
    while let Some(letter) = letters.next() {
        let escaped = if letter == '\\' { letters.next() } else { None };
        match escaped {
            None => out.push(letter),
            Some('Z') => out.push_str(r"(?=\n?\z)"),
            Some('h') => out.push_str("[0-9a-fA-F]"),
            Some(escaped) => out.extend([letter, escaped]),
        }
    }
    out
}

fn failed(error: &fancy_regex::Error) -> Raise {
    Raise::new("RegexpError", format!("the search was given up: {error}"))
}

/// The matches of a pattern or a string.
pub fn matches(pattern: &Value, text: &str, most: usize) -> Result<Vec<Match>, Raise> {
    let mut out = Vec::new();
    match pattern {
        Value::Regex(pattern) => {
            for found in pattern.regex.captures_iter(text).take(most) {
                let found = found.map_err(|error| failed(&error))?;
                let groups = found.iter().map(|group| group.map(|group| group.as_str().to_owned())).collect();
                let span = found.get(0).map_or((0, 0), |whole| (whole.start(), whole.end()));
                out.push(Match { span, groups });
            }
        }
        other => {
            let wanted = String::from_utf8_lossy(&to_text(other)).into_owned();
            for (at, found) in text.match_indices(&wanted).take(most) {
                out.push(Match { span: (at, at + found.len()), groups: vec![Some(found.to_owned())] });
            }
        }
    }
    Ok(out)
}

/// Whether a text contains a match.
pub fn is_match(pattern: &Pattern, value: &Value) -> Result<bool, Raise> {
    pattern.regex.is_match(&*String::from_utf8_lossy(&to_text(value))).map_err(|error| failed(&error))
}

/// Where the first match begins, in characters.
pub fn position(pattern: &Rc<Pattern>, text: &str) -> Outcome {
    let found = matches(&Value::Regex(Rc::clone(pattern)), text, 1)?;
    Ok(found.first().map_or(Value::Nil, |one| Value::Int(text[..one.span.0].chars().count() as i64)))
}

/// The groups of the first match.
pub fn groups(pattern: &Rc<Pattern>, text: &str) -> Outcome {
    let found = matches(&Value::Regex(Rc::clone(pattern)), text, 1)?;
    let Some(one) = found.into_iter().next() else { return Ok(Value::Nil) };
    Ok(Value::array(one.groups.into_iter().map(|group| group.map_or(Value::Nil, Value::text)).collect()))
}

/// All matches: their groups, or the whole if there are none.
pub fn scan(pattern: &Value, text: &str) -> Outcome {
    let found = matches(pattern, text, usize::MAX)?;
    let group = |group: Option<String>| group.map_or(Value::Nil, Value::text);
    Ok(Value::array(
        found
            .into_iter()
            .map(|one| {
                let mut groups = one.groups.into_iter();
                let whole = groups.next().flatten();
                if groups.len() == 0 { group(whole) } else { Value::array(groups.map(group).collect()) }
            })
            .collect(),
    ))
}

/// `String#split`.
pub fn split(separator: Option<&Value>, limit: Option<&Value>, bytes: &[u8]) -> Outcome {
    let text = String::from_utf8_lossy(bytes).into_owned();
    let limit = match limit {
        Some(Value::Int(n)) => *n,
        _ => 0,
    };
    let awk = match separator {
        None | Some(Value::Nil) => true,
        Some(Value::Str(separator)) => *separator.borrow() == b" ",
        _ => false,
    };
    let mut parts: Vec<String> = Vec::new();
    if awk {
        if limit > 0 {
            let mut rest = text.trim_start();
            while !rest.is_empty() && (parts.len() as i64) < limit - 1 {
                let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
                parts.push(rest[..end].to_owned());
                rest = rest[end..].trim_start();
            }
            if !rest.is_empty() {
                parts.push(rest.to_owned());
            }
        } else {
            parts.extend(text.split_whitespace().map(str::to_owned));
        }
        return Ok(Value::array(parts.into_iter().map(Value::text).collect()));
    }
    let empty = matches!(separator, Some(Value::Str(separator)) if separator.borrow().is_empty());
    if empty {
        return Ok(Value::array(text.chars().map(|letter| Value::text(letter.to_string())).collect()));
    }
    let mut at = 0;
    for one in matches(separator.unwrap_or(&Value::Nil), &text, usize::MAX)? {
        if limit > 0 && parts.len() as i64 >= limit - 1 {
            break;
        }
        if one.span.1 == one.span.0 && (one.span.0 == 0 || one.span.0 >= text.len()) {
            continue;
        }
        parts.push(text[at..one.span.0].to_owned());
        at = one.span.1;
    }
    parts.push(text[at..].to_owned());
    if limit == 0 {
        while parts.last().is_some_and(String::is_empty) {
            parts.pop();
        }
    }
    Ok(Value::array(parts.into_iter().map(Value::text).collect()))
}

/// Methods of a regular expression.
pub fn method(pattern: &Rc<Pattern>, name: &str, args: &Args) -> Option<Outcome> {
    let text = args.list.first().map(to_text).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let is_nil = args.list.first().is_none_or(Value::is_nil);
    Some(match name {
        "=~" | "match" if is_nil => Ok(Value::Nil),
        "=~" => position(pattern, &text),
        "match" => groups(pattern, &text),
        "match?" => Ok(Value::Bool(!is_nil && pattern.regex.is_match(&*text).unwrap_or(false))),
        "source" => Ok(Value::text(pattern.source.clone())),
        _ => return None,
    })
}
