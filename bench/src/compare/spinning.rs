//! Gets and puts while other programs use all processors.

use std::process::{Child, Command, Stdio};

use super::small::{ONCE, OVER, one_row, subject};
use super::{Comparison, System};
use crate::Outcome;
use crate::calls::one_row::Action;

const PROGRAMS: usize = 8;
const CONNECTIONS: usize = 8;

/// Programs that spin until this is dropped.
struct Spinning(Vec<Child>);

impl Spinning {
    fn start() -> Outcome<Self> {
        let mut all = Self(Vec::new());
        for _ in 0..PROGRAMS {
            let program = std::env::current_exe()?;
            all.0.push(Command::new(program).arg("spin").stdin(Stdio::piped()).spawn()?);
        }
        Ok(all)
    }
}

impl Drop for Spinning {
    fn drop(&mut self) {
        for child in &mut self.0 {
            // An error means that the process has already exited.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Uses a processor until the process is killed, or its standard input ends because the parent has.
pub fn spin() -> Outcome<()> {
    std::thread::spawn(|| {
        loop {
            std::hint::black_box(());
        }
    });
    std::io::copy(&mut std::io::stdin(), &mut std::io::sink())?;
    Ok(())
}

impl Comparison<'_> {
    /// Gets and puts while eight programs spin.
    pub fn spinning(&mut self, systems: &[System]) -> Outcome<()> {
        let spinning = Spinning::start()?;
        for (action, table, name, goal) in [
            (Action::Get, ONCE, "getRow while 8 processes spin", 0.9),
            (Action::Put, OVER, "mutateRow while 8 processes spin", 0.8),
        ] {
            let subject = subject("While other programs run", name, CONNECTIONS, goal);
            for system in systems.iter().filter(|system| system.server.is_some()) {
                let sample = one_row(self, system, action, table, CONNECTIONS, self.options.length())?;
                self.results.add(&subject, &system.name, sample);
            }
        }
        drop(spinning);
        Ok(())
    }
}
