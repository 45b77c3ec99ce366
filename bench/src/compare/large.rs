//! Gets of a table that does not fit in the row cache.

use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use super::results::{Goal, Sample, Subject};
use super::{Comparison, Part, System};
use crate::Outcome;
use crate::calls::one_row::Action;
use crate::choice::Choice;
use crate::generator::Protocol;

const TABLE: &str = "large";
const CONNECTIONS: usize = 8;
const SECTION: &str = "Gets of rows that are not in the row cache";
/// How long flushes and compactions may take after a load.
const SETTLE: Duration = Duration::from_secs(600);
/// The number of absent rows.
const ABSENT: usize = 10_000_000;

/// A server, and how many gets of rows and of absent rows it has had: each row is read once, before any of them is
/// read again, so that the row cache does not help.
struct Side {
    system: System,
    gets: [Rc<Cell<usize>>; 2],
}

impl Comparison<'_> {
    /// Loads the table step by step. At each size, measures gets with the runs that the load has left, and after a
    /// major compaction.
    pub fn large(&mut self) -> Outcome<()> {
        if !self.options.has(Part::Large) {
            return Ok(());
        }
        let sides: Vec<Side> = self
            .systems()?
            .into_iter()
            .filter(|system| system.server.is_some())
            .map(|system| Side { system, gets: Default::default() })
            .collect();
        for Side { system, .. } in &sides {
            system.create_table(TABLE)?;
        }
        let mut loaded = 0;
        for &rows in &self.options.large {
            println!("loading {rows} rows");
            for Side { system, .. } in &sides {
                let figures = system.load(TABLE, loaded..rows, &self.values)?;
                println!("{}: {:.0} rows/s", system.name, figures.rows_per_second);
                system.settle(SETTLE)?;
            }
            loaded = rows;
            self.large_rounds(&sides, rows, "with the usual runs")?;
            for Side { system, .. } in &sides {
                system.compact(TABLE)?;
            }
            self.large_rounds(&sides, rows, "after a major compaction")?;
        }
        Ok(())
    }

    fn large_rounds(&mut self, sides: &[Side], rows: usize, state: &str) -> Outcome<()> {
        for round in self.rounds() {
            println!("round {round}");
            let kinds = [("getRow", 0, rows, 0), ("getRow of absent rows", rows, ABSENT, 1)];
            for (call, from, number, counter) in kinds {
                let operation = format!("{call}, {} million rows, {state}", rows as f64 / 1e6);
                let goals = vec![Goal::rate(0.5, "Redis")];
                let subject = Subject { section: SECTION, operation, connections: CONNECTIONS, unit: "calls", goals };
                for Side { system, gets } in sides {
                    let choice = |n| match system.protocol {
                        // Redis has no cache that an order could avoid.
                        Protocol::Redis => Choice::uniform_from(n, from, number),
                        _ => Choice::each(&gets[counter], from, number),
                    };
                    let group = system.one_row(Action::Get, TABLE, &self.values, CONNECTIONS, choice)?;
                    let measured = system.measure(vec![group], self.options.length())?;
                    let figures = measured.groups.first().ok_or("no figures")?;
                    let expected = if counter == 0 { 0 } else { figures.all.count() };
                    if figures.empty != expected {
                        return Err(format!("{}: {} gets found no row", system.name, figures.empty).into());
                    }
                    self.results.add(&subject, &system.name, Sample::of(figures, measured.cpu));
                }
            }
        }
        Ok(())
    }
}
