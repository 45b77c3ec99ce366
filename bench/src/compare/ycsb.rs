//! YCSB's workloads A to F, in a closed loop, and A at half the load in an open loop.

use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use super::results::{Cpu, Goal, Ratio, Sample, Subject};
use super::small::SETTLE;
use super::{Comparison, Part, System};
use crate::Outcome;
use crate::calls::ycsb::{Calls, Load, Operation, Requests, Session, State, Workload};
use crate::choice::Choice;
use crate::generator::{Caller, Figures, Pace, Protocol, run};
use crate::rows::Values;

const TABLE: &str = "usertable";
const CONNECTIONS: usize = 50;
const SECTION: &str = "YCSB";
/// YCSB's length of a column.
const VALUE_BYTES: usize = 100;
/// Longer than any load.
const LOAD: Duration = Duration::from_secs(3600);

/// A server with its records.
struct Side {
    system: System,
    calls: Rc<Calls>,
    records: Rc<Cell<usize>>,
}

impl Comparison<'_> {
    /// Loads the records, then runs all workloads in each round.
    pub fn ycsb(&mut self) -> Outcome<()> {
        if !self.options.has(Part::Ycsb) {
            return Ok(());
        }
        let values = Values::new(VALUE_BYTES);
        let mut sides = Vec::new();
        for system in self.systems()? {
            system.create_table(TABLE)?;
            let calls = Rc::new(Calls::new(system.protocol, TABLE, VALUE_BYTES)?);
            let records = Rc::new(Cell::new(0));
            let caller = |_| -> Box<dyn Caller + '_> {
                let (calls, records) = (Rc::clone(&calls), Rc::clone(&records));
                Box::new(Load { calls, records, end: self.options.records, values: &values })
            };
            let group = system.group(Pace::Closed, 1, (0..CONNECTIONS).map(caller).collect());
            run(vec![group], LOAD)?;
            system.settle(SETTLE)?;
            sides.push(Side { system, calls, records });
        }
        for round in self.rounds() {
            println!("round {round}");
            for workload in Workload::ALL {
                for side in &sides {
                    // Redis has no scans of hashes.
                    if side.system.protocol == Protocol::Redis && workload.mix[0].0 == Operation::Scan {
                        continue;
                    }
                    self.workload(side, workload, &values)?;
                }
            }
        }
        let elsewhere = sides.iter().filter(|side| side.system.server.is_none());
        elsewhere.map(|side| &side.system).try_for_each(|system| system.drop_table(TABLE))
    }

    fn workload(&mut self, side: &Side, workload: Workload, values: &Values) -> Outcome<()> {
        let name = workload.name;
        let mix = workload.mix.iter().filter(|(_, share)| *share > 0);
        let told = mix.map(|(operation, share)| format!("{share} % {}", plural(*operation))).collect::<Vec<_>>();
        let subject = |operation: String, goals| Subject {
            section: SECTION,
            operation,
            connections: CONNECTIONS,
            unit: "operations",
            goals,
        };
        let length = self.options.length();
        let (figures, cpu) = self.session(side, workload, values, Pace::Closed, length)?;
        let whole = subject(format!("{name}: {}", told.join(", ")), vec![Goal::rate(0.8, "Redis")]);
        self.results.add(&whole, &side.system.name, Sample::of(&figures, cpu));
        self.kinds(&side.system, workload, &figures, |operation| subject(format!("{name}: {operation}"), Vec::new()));
        if name == 'A' {
            let pace = Pace::Open(figures.rate / 2.0);
            let (figures, _) = self.session(side, workload, values, pace, length * 2)?;
            if figures.unanswered > 0 {
                println!("{}: {} operations were not answered in time", side.system.name, figures.unanswered);
            }
            let steady = Goal::latency(Ratio::P999ToP50, 5.0, None);
            self.kinds(&side.system, workload, &figures, |operation| {
                let goals = if operation == "reads" { vec![steady] } else { Vec::new() };
                subject(format!("A at half load, open loop: {operation}"), goals)
            });
        }
        Ok(())
    }

    /// Adds the latencies of each kind of operation.
    fn kinds(&mut self, system: &System, workload: Workload, all: &Figures, subject: impl Fn(&str) -> Subject) {
        let count = all.all.count().max(1) as f64;
        for ((operation, share), latencies) in workload.mix.iter().zip(&all.kinds) {
            if *share > 0 {
                let rate = all.rate * latencies.count() as f64 / count;
                let figures = Figures { rate, all: latencies.clone(), ..all.clone() };
                self.results.add(&subject(plural(*operation)), &system.name, Sample::of(&figures, Cpu::default()));
            }
        }
    }

    fn session(
        &self,
        side: &Side,
        workload: Workload,
        values: &Values,
        pace: Pace,
        length: Duration,
    ) -> Outcome<(Figures, Cpu)> {
        let mut callers: Vec<Box<dyn Caller + '_>> = Vec::new();
        for n in 0..CONNECTIONS {
            let records = Rc::clone(&side.records);
            let choice = match workload.requests {
                Requests::Zipfian => Choice::zipfian(n, records.get())?,
                Requests::Latest => Choice::latest(n, Rc::clone(&records)),
            };
            let (calls, state) = (Rc::clone(&side.calls), State::default());
            callers.push(Box::new(Session { calls, workload, choice, records, values, state }));
        }
        let group = side.system.group(pace, workload.mix.len(), callers);
        let mut measured = side.system.measure(vec![group], length)?;
        Ok((measured.groups.pop().ok_or("no figures")?, measured.cpu))
    }
}

fn plural(operation: Operation) -> &'static str {
    match operation {
        Operation::Read => "reads",
        Operation::Update => "updates",
        Operation::Insert => "inserts",
        Operation::Scan => "scans",
        Operation::ReadModifyWrite => "read-modify-writes",
    }
}
