//! Which cores the generator and what it starts run on.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

use crate::Outcome;

/// The cores that this process may use, and how they are divided between server and generator.
pub struct Cores {
    all: Vec<usize>,
}

impl Cores {
    /// Those of this process.
    pub fn mine() -> Outcome<Self> {
        let set = sched_getaffinity(None)?;
        Ok(Self { all: (0..CpuSet::MAX_CPU).filter(|core| set.is_set(*core)).collect() })
    }

    /// Runs what starts a server, on its half of the cores; from then on this thread and those it starts run on the other half.
    pub fn apart<T>(&self, start: impl FnOnce() -> Outcome<T>) -> Outcome<T> {
        let (server, generator) = self.all.split_at(self.all.len() / 2);
        if server.is_empty() {
            return Err("there is only one core: nothing to pin".into());
        }
        pin(server)?;
        let started = start();
        pin(generator)?;
        started
    }

    /// Everything runs everywhere again.
    pub fn together(&self) -> Outcome<()> {
        pin(&self.all)
    }

    /// How the cores are divided, in words.
    pub fn halves(&self) -> String {
        let (server, generator) = self.all.split_at(self.all.len() / 2);
        format!("server on {server:?}, generator on {generator:?}")
    }
}

fn pin(cores: &[usize]) -> Outcome<()> {
    let mut set = CpuSet::new();
    cores.iter().for_each(|core| set.set(*core));
    Ok(sched_setaffinity(None, &set)?)
}

/// Opens as many files at once as the system lets this process.
pub fn open_many_files() -> Outcome<()> {
    let limit = getrlimit(Resource::Nofile);
    Ok(setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit })?)
}
