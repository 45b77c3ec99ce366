//! Completion of commands, functions, constants, variables, tables and families.

use std::cell::RefCell;
use std::rc::Rc;

use hjall_engine::name::TableName;
use hjall_engine::quote::is_hidden;
use rustyline::completion::{Completer, Pair};
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::validate::Validator;
use rustyline::{Context, Helper};

use crate::commands::{self, CONSTANTS, TABLE_METHODS};
use crate::language::functions;
use crate::session::Session;

/// Names that can be typed.
pub struct Names {
    session: Rc<RefCell<Session>>,
}

/// Names offered at once.
const OFFERS_MAX: usize = 1000;

impl Names {
    /// Completes with the names of a session.
    pub fn new(session: Rc<RefCell<Session>>) -> Self {
        Self { session }
    }

    fn plain(&self) -> Vec<String> {
        let mut names: Vec<String> = commands::all().map(|command| command.name.to_owned()).collect();
        names.push("desc".to_owned());
        names.extend(functions().iter().chain(CONSTANTS).map(|name| (*name).to_owned()));
        if let Ok(session) = self.session.try_borrow() {
            names.extend(session.variables());
        }
        names
    }

    fn tables(&self) -> Vec<String> {
        let Ok(mut session) = self.session.try_borrow_mut() else { return Vec::new() };
        let tables = session.context().connection.tables().unwrap_or_default();
        tables.iter().map(ToString::to_string).collect()
    }

    /// The families of a table, each with a colon.
    fn families(&self, table: &str) -> Vec<String> {
        let Ok(mut session) = self.session.try_borrow_mut() else { return Vec::new() };
        let Ok(name) = TableName::parse(table.as_bytes()) else { return Vec::new() };
        let Ok(table) = session.context().connection.describe(&name) else { return Vec::new() };
        table.families.keys().map(|family| format!("{}:", String::from_utf8_lossy(family))).collect()
    }
}

/// The strings of a line: their beginnings and ends, and the beginning of one that is open.
fn strings(line: &str) -> (Vec<&str>, Option<usize>) {
    let (mut found, mut open) = (Vec::new(), None);
    let mut letters = line.char_indices();
    while let Some((at, letter)) = letters.next() {
        match open {
            None if matches!(letter, '\'' | '"') => open = Some((at + 1, letter)),
            Some((begin, quote)) if letter == quote => {
                found.push(&line[begin..at]);
                open = None;
            }
            Some(_) if letter == '\\' => {
                letters.next();
            }
            _ => {}
        }
    }
    (found, open.map(|(begin, _)| begin))
}

impl Names {
    /// The completions of a string, by the command that it is an argument of and the strings before it.
    fn inside_quotes(&self, before: &str, closed: &[&str]) -> Vec<String> {
        let statement = before.rsplit(';').next().unwrap_or(before).trim_start();
        // An assignment precedes the command.
        let call = statement.split_once(" = ").filter(|(name, _)| !name.contains(['\'', '"', ' ']));
        let call = call.map_or(statement, |(_, call)| call).trim_start();
        let command: String = call.chars().take_while(|c| c.is_alphanumeric() || matches!(c, '_' | '.')).collect();
        let (table, command) = match command.split_once('.') {
            Some((variable, method)) => (self.table_of(variable), method),
            None => (None, &command[..]),
        };
        let is_reference = table.is_some();
        let nth = closed.len() + usize::from(is_reference);
        let has_row = ["get", "put", "delete", "deleteall", "incr", "append", "get_counter", "locate_region"];
        match (command, nth) {
            ("help", 0) => commands::all().map(|command| command.name.to_owned()).collect(),
            ("describe_namespace" | "drop_namespace" | "alter_namespace" | "list_namespace_tables", 0) => {
                self.namespaces()
            }
            ("create_namespace", _) => Vec::new(),
            (_, 0) => self.tables(),
            (command, 1) if has_row.contains(&command) => Vec::new(),
            // The value of a cell.
            ("put" | "append", 3..) => Vec::new(),
            _ => self.families(table.as_deref().or(closed.first().copied()).unwrap_or_default()),
        }
    }

    /// The table that a variable refers to.
    fn table_of(&self, variable: &str) -> Option<String> {
        self.session.try_borrow().ok()?.table_of(variable)
    }

    fn namespaces(&self) -> Vec<String> {
        let Ok(mut session) = self.session.try_borrow_mut() else { return Vec::new() };
        session.context().connection.namespace_names().unwrap_or_default()
    }

    /// Where the last word of a text begins, and what it can become.
    pub fn offers(&self, before: &str) -> (usize, Vec<String>) {
        let (closed, open) = strings(before);
        let (begin, names) = match open {
            Some(begin) => (begin, self.inside_quotes(before, &closed)),
            None => {
                let word = before
                    .rfind(|c: char| !(c.is_alphanumeric() || c == '_'))
                    .map_or(0, |place| place + before[place..].chars().next().map_or(1, char::len_utf8));
                if before[..word].ends_with('.') {
                    (word, TABLE_METHODS.iter().map(|name| (*name).to_owned()).collect())
                } else {
                    (word, self.plain())
                }
            }
        };
        let prefix = &before[begin..];
        // A name with characters that a terminal does not show has to be typed with escapes.
        let is_offered = |name: &String| name.starts_with(prefix) && !name.contains(is_hidden);
        let mut names: Vec<String> = names.into_iter().filter(is_offered).collect();
        names.sort_unstable();
        names.dedup();
        names.truncate(OFFERS_MAX);
        (begin, names)
    }
}

impl Completer for Names {
    type Candidate = Pair;

    fn complete(&self, line: &str, at: usize, _: &Context<'_>) -> rustyline::Result<(usize, Vec<Pair>)> {
        let (begin, names) = self.offers(&line[..at]);
        Ok((begin, names.into_iter().map(|name| Pair { display: name.clone(), replacement: name }).collect()))
    }
}

impl Hinter for Names {
    type Hint = String;
}

impl Highlighter for Names {}
impl Validator for Names {}
impl Helper for Names {}
