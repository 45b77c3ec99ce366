//! What messages about syntax and about numbers of arguments lack.

use crate::commands::Command;

/// The remedy for a number of arguments that a command does not take. `of_table`: it was called as a method of a table.
pub fn of_count(command: &Command, of_table: bool) -> String {
    let name = command.name;
    let example = command.examples.first().copied().unwrap_or(name);
    let example = match example.strip_prefix(&format!("{name} 't1'")) {
        Some(rest) if of_table => format!("t.{name}{}", rest.strip_prefix(',').unwrap_or(rest)),
        _ => example.to_owned(),
    };
    match command.most {
        0 => format!("{name} takes no arguments"),
        1 => format!("write {name} as in {example}; help '{name}' shows more"),
        _ => format!("write {name} as in {example}, with commas between the arguments; help '{name}' shows more"),
    }
}

/// The remedy for a statement that ends too early. `open` is what it lacks: the number of open blocks and brackets, and
/// the quote that is open, which begins in this line.
pub fn of_end(open: (usize, Option<char>), line: u32) -> String {
    match open {
        (_, Some(quote)) => format!("the quote {quote} that begins in line {line} is not closed"),
        (0, None) => "the statement is not complete: an argument is missing at its end".to_owned(),
        (_, None) => "a bracket or a block is not closed: add ), ], } or end".to_owned(),
    }
}

/// The remedy for a statement in which a text goes on in the next line, which is more often a quote that is missing.
pub fn of_long_text(line: u32) -> String {
    format!("a quote that begins in line {line} goes on in the next line: is the one that closes it missing?")
}

/// What the message about a token that does not fit lacks. Other messages about syntax lack nothing.
pub fn of_syntax(message: &str, source: &[u8]) -> Option<&'static str> {
    let unexpected = message.strip_prefix("syntax error, unexpected ")?;
    Some(match unexpected {
        _ if has_filter_in_single_quotes(source) => {
            "the text of a filter has single quotes inside, so put it in double quotes, as in FILTER => \"PrefixFilter('a')\""
        }
        "','" => "arguments need no parentheses; before one, there must be no space, as in get('t1', 'r1')",
        _ if unexpected.contains("'=>'") => {
            "options are in braces after a comma, with => before the value, as in scan 't1', {LIMIT => 5}"
        }
        _ => "arguments have commas between them, and text is put in quotes, as in get 't1', 'r1', 'f:q'",
    })
}

/// Whether a filter with an argument in single quotes is itself in single quotes: `FILTER => 'PrefixFilter('a')'`.
fn has_filter_in_single_quotes(source: &[u8]) -> bool {
    let source = String::from_utf8_lossy(source);
    source.split("FILTER").skip(1).any(|rest| {
        let value = rest.trim_start().strip_prefix("=>").map(str::trim_start);
        let text = value.and_then(|value| value.strip_prefix('\'')).and_then(|value| value.split('\'').next());
        text.is_some_and(|text| text.contains('(') && !text.contains(')'))
    })
}
