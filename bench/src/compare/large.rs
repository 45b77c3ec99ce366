//! Gets of a table that does not fit in the row cache.

use std::cell::Cell;
use std::path::Path;
use std::rc::Rc;
use std::time::{Duration, Instant};

use hjall_engine::Engine;
use hjall_engine::name::TableName;
use hjall_engine::request::Get;

use super::bulk::RAW;
use super::results::{Cpu, Goal, Ratio, Sample, Subject};
use super::{Comparison, Part, System};
use crate::Outcome;
use crate::calls::one_row::Action;
use crate::choice::Choice;
use crate::generator::{Figures, Latencies, Protocol};
use crate::raw_fjall::RawFjall;
use crate::rows::row;

const TABLE: &str = "large";
const CONNECTIONS: usize = 8;
const SECTION: &str = "Gets of rows that are not in the row cache";
const ENGINE: &str = "Gets without a server";
/// Rows of a batch that loads fjall.
const BATCH: usize = 1_000;
/// The block cache of fjall, which the largest table of the defaults fits in, as it does in the engine's.
const CACHE_BYTES: u64 = 2 << 30;
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
        let mut sides: Vec<Side> = self
            .systems()?
            .into_iter()
            .filter(|system| system.server.is_some())
            .map(|system| Side { system, gets: Default::default() })
            .collect();
        for Side { system, .. } in &sides {
            system.create_table(TABLE)?;
        }
        let folder = tempfile::tempdir()?;
        let raw = RawFjall::open(folder.path(), CACHE_BYTES)?;
        let mut loaded = 0;
        for &rows in &self.options.large {
            println!("loading {rows} rows");
            for Side { system, .. } in &sides {
                let figures = system.load(TABLE, loaded..rows, &self.values)?;
                println!("{}: {:.0} rows/s", system.name, figures.rows_per_second);
                system.settle(SETTLE)?;
            }
            for first in (loaded..rows).step_by(BATCH) {
                raw.put(first..rows.min(first + BATCH), &self.values, 1)?;
            }
            loaded = rows;
            for state in ["with the usual runs", "after a major compaction"] {
                if state == "after a major compaction" {
                    sides.iter().try_for_each(|side| side.system.compact(TABLE))?;
                    raw.compact()?;
                }
                self.large_rounds(&sides, rows, state)?;
                let side = sides.first_mut().ok_or("no server")?;
                let (hjall, gets) = (self.hjall, side.gets.clone());
                side.system.stopped(hjall, |folder| self.engine_rounds(folder, &raw, &gets, rows, state))?;
            }
        }
        Ok(())
    }

    /// Gets of one thread by the engine in this process, on the folder of the server, and by fjall.
    fn engine_rounds(
        &mut self,
        folder: &Path,
        raw: &RawFjall,
        gets: &[Rc<Cell<usize>>; 2],
        rows: usize,
        state: &str,
    ) -> Outcome<()> {
        let engine = Engine::open(folder, hjall_engine::Options::default())?;
        let table = engine.table(&TableName::parse(TABLE.as_bytes())?);
        let most = if state == "with the usual runs" { 10.0 } else { 5.0 };
        for _ in self.rounds() {
            let kinds = [("get", 0, rows, 0, most), ("get of absent rows", rows, ABSENT, 1, 3.0)];
            for (call, from, number, counter, most) in kinds {
                let operation = format!("{call}, {} million rows, {state}", rows as f64 / 1e6);
                let goals = vec![Goal::latency(Ratio::P50, most, None)];
                let subject = Subject { section: ENGINE, operation, connections: 1, unit: "gets", goals };
                let cells = usize::from(counter == 0);
                let mut choice = Choice::each(&gets[counter], from, number);
                let figures = self.timed(cells, &mut choice, |row| Ok(table.get(&Get::new(row))?.cells.len()))?;
                self.results.add(&subject, "engine", figures);
                let figures = self.timed(cells, &mut choice, |row| raw.get(&row))?;
                self.results.add(&subject, RAW, figures);
            }
        }
        engine.close()?;
        Ok(())
    }

    /// Calls `get` with the names of rows for the time of one measurement. Fails unless it returns this number of
    /// cells.
    fn timed(&self, cells: usize, choice: &mut Choice, get: impl Fn(Vec<u8>) -> Outcome<usize>) -> Outcome<Sample> {
        let mut latencies = Latencies::new()?;
        let begin = Instant::now();
        let mut now = begin;
        while now < begin + self.options.length() {
            let row = row(choice.next());
            let began = Instant::now();
            let found = get(row)?;
            now = Instant::now();
            latencies.record(now - began);
            if found != cells {
                return Err(format!("a get found {found} cells, expected {cells}").into());
            }
        }
        Ok(Sample::of(&Figures::counted(latencies, 1, now - begin), Cpu::default()))
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
