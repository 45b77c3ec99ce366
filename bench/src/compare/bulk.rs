//! Batches of puts, compared with fjall itself.

use std::cell::Cell;
use std::rc::Rc;

use super::results::{Cpu, Goal, Ratio, Sample, Subject};
use super::small::SETTLE;
use super::{Comparison, Part, System};
use crate::Outcome;
use crate::calls::rows::{Batches, template};
use crate::generator::{Caller, Figures, Pace, Protocol};
use crate::raw_fjall::RawFjall;

const TABLE: &str = "bulk";
const ROWS: usize = 1_000;
const CONNECTIONS: [usize; 2] = [1, 4];
/// The name of the peer.
pub const RAW: &str = "raw fjall";
/// The cache of the peer. Its size does not matter for writes.
const CACHE_BYTES: u64 = 256 << 20;

impl Comparison<'_> {
    /// `mutateRows` of new rows, and the same entries in fjall.
    pub fn bulk(&mut self) -> Outcome<()> {
        if !self.options.has(Part::Bulk) {
            return Ok(());
        }
        let mut systems = self.hjalls()?;
        systems.extend(self.options.hbase.map(System::hbase));
        let folder = tempfile::tempdir()?;
        let raw = RawFjall::open(folder.path(), CACHE_BYTES)?;
        let mut rows: Vec<Rc<Cell<usize>>> = Vec::new();
        for system in &systems {
            system.create_table(TABLE)?;
            rows.push(Rc::default());
        }
        // Longer than other measurements, since flushes and compactions are a part of it.
        let length = self.options.length() * 2;
        for round in self.rounds() {
            println!("round {round}");
            for connections in CONNECTIONS {
                let goals = vec![Goal::rate(0.7, RAW), Goal::latency(Ratio::P999ToP50, 5.0, None)];
                let operation = format!("mutateRows of {ROWS} new rows");
                let subject = Subject { section: "Batches of puts", operation, connections, unit: "rows", goals };
                for (system, next) in systems.iter().zip(&rows) {
                    system.settle(SETTLE)?;
                    let callers = self.batches(system.protocol, next, connections)?;
                    let measured = system.measure(vec![system.group(Pace::Closed, 1, callers)], length)?;
                    let figures = measured.groups.first().ok_or("no figures")?;
                    self.results.add(&subject, &system.name, Sample::of_rows(figures, measured.cpu));
                }
                let figures: Figures = raw.put_batches(connections, ROWS, &self.values, length)?;
                self.results.add(&subject, RAW, Sample::of_rows(&figures, Cpu::default()));
            }
        }
        systems.iter().filter(|system| system.server.is_none()).try_for_each(|system| system.drop_table(TABLE))
    }

    fn batches(
        &self,
        protocol: Protocol,
        next: &Rc<Cell<usize>>,
        connections: usize,
    ) -> Outcome<Vec<Box<dyn Caller + '_>>> {
        let template = template(protocol, TABLE, ROWS, self.values.length())?;
        let caller = |_| -> Box<dyn Caller + '_> {
            let (template, next) = (template.clone(), Rc::clone(next));
            Box::new(Batches { protocol, template, next, end: usize::MAX, values: &self.values })
        };
        Ok((0..connections).map(caller).collect())
    }
}
