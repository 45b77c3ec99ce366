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
/// the quote that is open.
pub fn of_end(open: (usize, Option<char>)) -> String {
    match open {
        (_, Some(quote)) => format!("the quote {quote} is not closed"),
        (0, None) => "the statement is not complete: an argument is missing at its end".to_owned(),
        (_, None) => "a bracket or a block is not closed: add ), ], } or end".to_owned(),
    }
}

/// What the message about a token that does not fit lacks. Other messages about syntax lack nothing.
pub fn of_syntax(message: &str) -> Option<&'static str> {
    let unexpected = message.strip_prefix("syntax error, unexpected ")?;
    Some(match unexpected {
        "','" => "arguments need no parentheses; before one, there must be no space, as in get('t1', 'r1')",
        _ if unexpected.contains("'=>'") => {
            "options are in braces after a comma, with => before the value, as in scan 't1', {LIMIT => 5}"
        }
        _ => "arguments have commas between them, and text is put in quotes, as in get 't1', 'r1', 'f:q'",
    })
}
