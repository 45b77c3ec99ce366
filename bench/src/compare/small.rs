//! Calls on a small table, whose rows fit in the row cache.

use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use super::results::{Cpu, Goal, Ratio, Sample, Subject};
use super::{Comparison, Part, System};
use crate::Outcome;
use crate::calls::one_row::Action;
use crate::choice::Choice;
use crate::generator::Protocol;
use crate::rows::Values;

/// Rows that are written once.
pub const ONCE: &str = "once";
/// Rows that are overwritten.
pub const OVER: &str = "over";
/// Rows that are counters.
const COUNTERS: &str = "counters";
/// The numbers of connections, and the goals for gets.
const CONNECTIONS: [(usize, f64); 3] = [(1, 0.9), (8, 0.9), (50, 1.0)];
/// The goal for puts, and for gets and puts at once.
const PUTS: f64 = 0.8;
/// How long servers may take to finish background work before a measurement.
pub const SETTLE: Duration = Duration::from_secs(20);

const GETS: &str = "Gets";
const WRITES: &str = "Puts";

impl Comparison<'_> {
    /// Runs the parts that need a small table.
    pub fn small(&mut self) -> Outcome<()> {
        let parts = [Part::Get, Part::Overwritten, Part::Both, Part::Put, Part::Fsync];
        let others = [Part::Scan, Part::Isolation, Part::Spinning];
        if !parts.iter().chain(&others).any(|part| self.options.has(*part)) {
            return Ok(());
        }
        let systems = self.systems()?;
        for system in &systems {
            for table in [ONCE, OVER] {
                system.create_table(table)?;
                system.load(table, 0..self.options.rows, &self.values)?;
                self.read_twice(system, table)?;
            }
            system.create_table(COUNTERS)?;
        }
        let redis_fsync = self.options.has(Part::Fsync) && self.options.has_redis();
        let redis_fsync = redis_fsync.then(|| System::redis_fsync(&self.options.redis)).transpose()?;
        for round in self.rounds() {
            println!("round {round}");
            if self.options.has(Part::Get) {
                self.gets(&systems)?;
            }
            if self.options.has(Part::Put) {
                self.puts(&systems)?;
            }
            if self.options.has(Part::Overwritten) {
                self.overwritten(&systems)?;
            }
            if self.options.has(Part::Both) {
                self.both(&systems)?;
            }
            if self.options.has(Part::Fsync) {
                self.fsync(&systems, redis_fsync.as_ref())?;
            }
            if others.iter().any(|part| self.options.has(*part)) {
                systems.iter().try_for_each(|system| system.settle(SETTLE))?;
            }
            if self.options.has(Part::Scan) {
                self.scan(&systems)?;
            }
            if self.options.has(Part::Isolation) {
                self.isolation(&systems)?;
            }
            if self.options.has(Part::Spinning) {
                self.spinning(&systems)?;
            }
        }
        // HBase goes on running.
        systems
            .iter()
            .filter(|system| system.server.is_none())
            .try_for_each(|system| [ONCE, OVER, COUNTERS].iter().try_for_each(|table| system.drop_table(table)))
    }

    /// Reads each row of a table twice, which fills the row cache.
    fn read_twice(&self, system: &System, table: &str) -> Outcome<()> {
        let (next, rows) = (Rc::new(Cell::new(0)), self.options.rows);
        while next.get() < 2 * rows {
            let group = system.one_row(Action::Get, table, &self.values, 8, |_| Choice::each(&next, 0, rows))?;
            system.measure(vec![group], Duration::from_millis(100))?;
        }
        Ok(())
    }

    /// Gets of any row of a table.
    pub fn get(&self, system: &System, table: &str, connections: usize) -> Outcome<Sample> {
        one_row(self, system, Action::Get, table, connections, self.options.length())
    }

    fn gets(&mut self, systems: &[System]) -> Outcome<()> {
        systems.iter().try_for_each(|system| system.settle(SETTLE))?;
        for (connections, goal) in CONNECTIONS {
            let subject = subject(GETS, "getRow, rows written once, in the row cache", connections, goal);
            for system in systems {
                let sample = self.get(system, ONCE, connections)?;
                self.results.add(&subject, &system.name, sample);
            }
        }
        Ok(())
    }

    fn overwritten(&mut self, systems: &[System]) -> Outcome<()> {
        for (connections, _) in CONNECTIONS {
            let subject = subject(GETS, "getRow, right after the rows were overwritten", connections, 0.9);
            for system in systems {
                // Overwriting changes nothing for Redis.
                if system.protocol != Protocol::Redis {
                    one_row(self, system, Action::Put, OVER, 50, self.options.length().mul_f64(2.5))?;
                }
                let sample = self.get(system, OVER, connections)?;
                self.results.add(&subject, &system.name, sample);
            }
        }
        Ok(())
    }

    fn puts(&mut self, systems: &[System]) -> Outcome<()> {
        for (connections, _) in CONNECTIONS {
            for (action, operation, table) in [
                (Action::Put, "mutateRow (SYNC_WAL)", OVER),
                (Action::PutAsHappyBase, "mutateRows with one row (HappyBase's put)", OVER),
                (Action::Count, "atomicIncrement, compared with INCR", COUNTERS),
            ] {
                let subject = subject(WRITES, operation, connections, PUTS);
                for system in systems {
                    let sample = one_row(self, system, action, table, connections, self.options.length())?;
                    self.results.add(&subject, &system.name, sample);
                }
            }
        }
        Ok(())
    }

    fn both(&mut self, systems: &[System]) -> Outcome<()> {
        const EACH: usize = 25;
        let mut together = subject(GETS, "25 connections get and 25 put the same rows, together", 2 * EACH, PUTS);
        together.goals.push(Goal::latency(Ratio::P99ToP50, 5.0, None));
        let parts = ["the gets of these", "the puts of these"].map(|name| {
            let steady = Goal::latency(Ratio::P99ToP50, 5.0, None);
            Subject { goals: vec![steady], ..subject(GETS, name, EACH, PUTS) }
        });
        for system in systems {
            let (values, rows) = (&self.values, self.options.rows);
            let group = |action, seed| system.one_row(action, OVER, values, EACH, |n| Choice::uniform(n + seed, rows));
            let groups = vec![group(Action::Get, 0)?, group(Action::Put, EACH)?];
            let measured = system.measure(groups, self.options.length())?;
            let [gets, puts] = measured.groups.as_slice() else { continue };
            let mut all = gets.clone();
            all.all.add(&puts.all)?;
            all.rate += puts.rate;
            self.results.add(&together, &system.name, Sample::of(&all, measured.cpu));
            for (subject, figures) in parts.iter().zip([gets, puts]) {
                self.results.add(subject, &system.name, Sample::of(figures, Cpu::default()));
            }
        }
        Ok(())
    }

    fn fsync(&mut self, systems: &[System], redis: Option<&System>) -> Outcome<()> {
        let thrift = systems.iter().filter(|system| system.server.is_some() && system.protocol != Protocol::Redis);
        let systems: Vec<_> = thrift.chain(redis).collect();
        for (connections, _) in CONNECTIONS {
            let mut subject = subject(WRITES, "Thrift2's put with FSYNC_WAL", connections, PUTS);
            subject.goals = vec![Goal::rate(PUTS, "Redis, appendfsync always")];
            for system in &systems {
                let sample = one_row(self, system, Action::PutFsync, OVER, connections, self.options.length())?;
                self.results.add(&subject, &system.name, sample);
            }
        }
        Ok(())
    }
}

/// Runs the same call on any row of a table.
pub fn one_row(
    comparison: &Comparison<'_>,
    system: &System,
    action: Action,
    table: &str,
    connections: usize,
    length: Duration,
) -> Outcome<Sample> {
    let (values, rows): (&Values, usize) = (&comparison.values, comparison.options.rows);
    let group = system.one_row(action, table, values, connections, |n| Choice::uniform(n, rows))?;
    let measured = system.measure(vec![group], length)?;
    let figures = measured.groups.first().ok_or("no figures")?;
    if action == Action::Get && figures.empty > 0 {
        return Err(format!("{}: {} gets found no row", system.name, figures.empty).into());
    }
    Ok(Sample::of(figures, measured.cpu))
}

/// Calls compared with those of Redis.
pub fn subject(section: &'static str, operation: &str, connections: usize, goal: f64) -> Subject {
    let goals = vec![Goal::rate(goal, "Redis")];
    Subject { section, operation: operation.to_owned(), connections, unit: "calls", goals }
}
