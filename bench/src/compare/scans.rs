//! Scans, and gets during scans.

use super::results::{Cpu, Goal, Ratio, Sample, Subject};
use super::small::ONCE;
use super::{Comparison, System};
use crate::Outcome;
use crate::calls::one_row::Action;
use crate::calls::scan::Scanner;
use crate::choice::Choice;
use crate::generator::{Caller, Figures, Group, Pace, Protocol};
use crate::rows::row_at;

/// Rows of one `scannerGetList`.
const ROWS: i32 = 1_000;
/// The numbers of scanners, and the goals: multiples of HBase's rate.
const SCANNERS: [(usize, f64); 2] = [(1, 6.0), (4, 4.0)];
const GETTERS: usize = 8;
const BESIDE: usize = 8;

impl Comparison<'_> {
    /// Scanners of a table, which they read again and again.
    pub fn scan(&mut self, systems: &[System]) -> Outcome<()> {
        for (scanners, goal) in SCANNERS {
            let goals = vec![Goal::rate(goal, "HBase")];
            let operation = format!("scanners, {ROWS} rows a call");
            let subject = Subject { section: "Scans", operation, connections: scanners, unit: "rows", goals };
            for system in systems.iter().filter(|system| system.protocol != Protocol::Redis) {
                let measured = system.measure(vec![group(system, scanners)?], self.options.length())?;
                let figures = measured.groups.first().ok_or("no figures")?;
                let sample = Sample::of_rows(figures, measured.cpu);
                self.results.add(&subject, &system.name, sample);
            }
        }
        Ok(())
    }

    /// Gets alone, and gets while scanners run.
    pub fn isolation(&mut self, systems: &[System]) -> Outcome<()> {
        let subject = |operation: &str, goals| {
            let operation = operation.to_owned();
            Subject { section: "Gets during scans", operation, connections: GETTERS, unit: "calls", goals }
        };
        let gets =
            subject("getRow while 8 connections scan", vec![Goal::latency(Ratio::P99, 1.5, Some("hjall, idle"))]);
        let scans = Subject { unit: "rows", ..subject("8 scanners while 8 connections get", Vec::new()) };
        for system in systems.iter().filter(|system| system.protocol != Protocol::Redis && system.server.is_some()) {
            let alone = self.get(system, ONCE, GETTERS)?;
            let (busy, scanned) = self.gets_and_scans(system)?;
            let scanners = Sample::of_rows(&scanned, Cpu::default());
            self.results.add(&gets, &system.name, Sample::of(&busy, Cpu::default()));
            self.results.add(&gets, &format!("{}, idle", system.name), alone);
            self.results.add(&scans, &system.name, scanners);
        }
        Ok(())
    }

    /// Gets and scanners at once. The scanners have a thread of their own, since long replies would delay the gets.
    fn gets_and_scans(&self, system: &System) -> Outcome<(Figures, Figures)> {
        let (rows, length) = (self.options.rows, self.options.length());
        let gets = system.one_row(Action::Get, ONCE, &self.values, GETTERS, |n| Choice::uniform(n, rows))?;
        let (address, protocol) = (system.address, system.protocol);
        let (gets, scans) = std::thread::scope(|scope| {
            let scans = scope.spawn(move || {
                let measured = scanners(protocol, BESIDE).and_then(|callers| {
                    crate::generator::run(
                        vec![Group { address, protocol, pace: Pace::Closed, kinds: 1, callers }],
                        length,
                    )
                });
                measured.map_err(|error| error.to_string())
            });
            (crate::generator::run(vec![gets], length), scans.join())
        });
        let scans = scans.map_err(|_| "the scanners panicked")??;
        let first = |figures: Vec<Figures>| figures.into_iter().next().ok_or("no figures");
        Ok((first(gets?)?, first(scans)?))
    }
}

fn group(system: &System, number: usize) -> Outcome<Group<'static>> {
    Ok(system.group(Pace::Closed, 1, scanners(system.protocol, number)?))
}

/// Scanners that begin at different rows.
fn scanners(protocol: Protocol, number: usize) -> Outcome<Vec<Box<dyn Caller>>> {
    let one =
        |n| Ok(Box::new(Scanner::new(protocol, ONCE, ROWS, &row_at(n as f64 / number as f64))?) as Box<dyn Caller>);
    (0..number).map(one).collect()
}
