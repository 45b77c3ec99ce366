//! Scripts: behaviour as text, one step per line, with its answer below. `tests/scripts/README.md` describes the
//! format.
pub mod step;
pub mod text;

use hjall_engine::mutation::{Check, CompareOp};
use hjall_engine::request::{Get, Scan};
use hjall_engine::schema::NamespaceDescriptor;
use hjall_engine::{Result, Row};

use crate::fixture::Database;
use step::{Step, column};
use text::{escape, show_cell, value};

/// The number of results requested in one fetch of a scan, unless a script sets it.
const FETCH: usize = 3;

/// Runs steps on a database.
pub struct Runner {
    pub db: Database,
}

fn done(result: Result<()>) -> Result<Vec<String>> {
    result.map(|()| vec![])
}

fn cells(row: &Row) -> Vec<String> {
    row.cells.iter().map(show_cell).collect()
}

impl Runner {
    /// Runs a step and returns the lines of its answer. An error is the single line `! Kind: message`.
    pub fn run(&mut self, line: &str) -> Vec<String> {
        let step = Step::parse(line);
        self.answer(&step).unwrap_or_else(|e| vec![format!("! {:?}: {}", e.kind(), e.message())])
    }

    fn answer(&mut self, step: &Step<'_>) -> Result<Vec<String>> {
        let engine = self.db.engine.clone();
        let table = || engine.table(&step.table());
        match step.verb {
            "now" => self.db.clock.set(step.words[0].parse().unwrap()),
            "advance" => self.db.clock.advance(step.words[0].parse().unwrap()),
            "reopen" => self.db.reopen(),
            "create" => return done(engine.create_table(step.descriptor(), step.splits())),
            "modify" => return done(engine.modify_table(step.descriptor())),
            "drop" => return done(engine.delete_table(&step.table())),
            "truncate" => return done(engine.truncate_table(&step.table(), step.has("preserve"))),
            "enable" => return done(engine.enable_table(&step.table())),
            "disable" => return done(engine.disable_table(&step.table())),
            "add-family" => return done(engine.add_family(&step.table(), Step::family(step.words[1]))),
            "modify-family" => return done(engine.modify_family(&step.table(), Step::family(step.words[1]))),
            "delete-family" => return done(engine.delete_family(&step.table(), &text::unescape(step.words[1]))),
            "create-namespace" => return done(engine.create_namespace(NamespaceDescriptor::new(step.words[0]))),
            "delete-namespace" => return done(engine.delete_namespace(step.words[0])),
            "flush" => return done(engine.flush(&step.table())),
            "compact" => return done(engine.compact(&step.table(), step.has("major"))),
            "tables" => {
                return Ok(engine
                    .tables()
                    .iter()
                    .map(|(t, on)| format!("{}{}", t.name, if *on { "" } else { " (disabled)" }))
                    .collect());
            }
            "regions" => {
                return Ok(engine
                    .regions(&step.table())?
                    .iter()
                    .map(|r| format!("{}..{}", escape(&r.start), escape(&r.end)))
                    .collect());
            }
            "put" => return done(table().put(&step.put(step.row(), &step.words[2..]))),
            "puts" => {
                let puts: Vec<_> =
                    step.words[1..].split(|w| *w == ";").map(|w| step.put(value(w[0]).into(), &w[1..])).collect();
                let results = table().put_many(&puts);
                return Ok(results
                    .into_iter()
                    .map(|r| r.map_or_else(|e| format!("! {:?}: {}", e.kind(), e.message()), |()| "ok".to_owned()))
                    .collect());
            }
            "delete" => return done(table().delete(&step.delete(step.row(), &step.words[2..]))),
            "mutate" => return done(table().mutate_row(&step.row(), &step.mutations(&step.row(), 2))),
            "check" => return self.check(step),
            "increment" => return table().increment(&step.increment()).map(|row| cells(&row)),
            "append" => return table().append(&step.append()).map(|row| cells(&row)),
            "get" => return table().get(&self.get(step)?).map(|row| cells(&row)),
            "exists" => return table().exists(&self.get(step)?).map(|yes| vec![yes.to_string()]),
            "scan" => return self.scan(step),
            other => panic!("{other} is not a step"),
        }
        Ok(vec![])
    }

    /// `check table row f:q OP[=value] mutations…`
    fn check(&self, step: &Step<'_>) -> Result<Vec<String>> {
        let (family, qualifier) = column(step.words[2]);
        let (op, given) = match step.words[3].split_once('=') {
            Some((op, given)) => (op, Some(value(given).into())),
            None => (step.words[3], None),
        };
        let op = CompareOp::from_name(op).unwrap_or_else(|| panic!("{op} is not a comparison"));
        let check = Check { row: step.row(), family, qualifier, op, value: given };
        let table = self.db.engine.table(&step.table());
        Ok(vec![table.check_and_mutate(&check, &step.mutations(&step.row(), 4))?.to_string()])
    }

    fn get(&self, step: &Step<'_>) -> Result<Get> {
        let mut get = Get::new(step.row());
        get.columns = step.columns(2);
        get.time_range = step.time_range()?;
        get.max_versions = step.number("versions").unwrap_or(1);
        get.store_limit = step.number("limit").unwrap_or(-1);
        get.store_offset = step.number("offset").unwrap_or(0);
        get.raw = step.has("raw");
        get.filter = filter(step)?;
        Ok(get)
    }

    /// One line for each result: the row, its cells, and `…` if the row continues in the next result.
    fn scan(&self, step: &Step<'_>) -> Result<Vec<String>> {
        let scan = Scan {
            start: step.option("start").map(|s| value(s).into()).unwrap_or_default(),
            stop: step.option("stop").map(|s| value(s).into()).unwrap_or_default(),
            columns: step.columns(1),
            time_range: step.time_range()?,
            max_versions: step.number("versions").unwrap_or(1),
            batch: step.number("batch").unwrap_or(0),
            limit: step.number("limit").unwrap_or(-1),
            caching: step.number("caching").unwrap_or(0),
            reversed: step.has("reversed"),
            raw: step.has("raw"),
            filter: filter(step)?,
            ..Scan::default()
        };
        let mut scanner = self.db.engine.table(&step.table()).scan(scan)?;
        let mut lines = Vec::new();
        loop {
            let rows = scanner.next(FETCH)?;
            if rows.is_empty() {
                return Ok(lines);
            }
            let line = |row: &Row| {
                let mut words = vec![escape(&row.key)];
                words.extend(cells(row));
                words.extend(row.partial.then(|| "…".to_owned()));
                words.join(" ")
            };
            lines.extend(rows.iter().map(line));
        }
    }
}

/// `--filter=` in the filter language, with `\x20` for spaces.
fn filter(step: &Step<'_>) -> Result<Option<std::sync::Arc<hjall_engine::filter::FilterSpec>>> {
    match step.option("filter") {
        Some(text) => {
            hjall_engine::filter::FilterSpec::parse(&text::unescape(text)).map(|f| Some(std::sync::Arc::new(f)))
        }
        None => Ok(None),
    }
}
