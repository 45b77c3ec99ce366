//! Assigns cores to the load generator and to the servers it starts.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

use crate::Outcome;

/// The cores that this process may use, and how they are divided between server and generator.
pub struct Cores {
    all: Vec<usize>,
}

impl Cores {
    /// The cores of this process.
    pub fn mine() -> Outcome<Self> {
        let set = sched_getaffinity(None)?;
        Ok(Self { all: (0..CpuSet::MAX_CPU).filter(|core| set.is_set(*core)).collect() })
    }

    /// Runs `start` on the server's half of the cores. Afterwards, this thread and the threads it starts run on
    /// the other half.
    pub fn apart<T>(&self, start: impl FnOnce() -> Outcome<T>) -> Outcome<T> {
        let (server, generator) = self.all.split_at(self.all.len() / 2);
        if server.is_empty() {
            return Err("there is only one core, so nothing can be pinned".into());
        }
        pin(server)?;
        let started = start();
        pin(generator)?;
        started
    }

    /// Lets all threads run on all cores again.
    pub fn together(&self) -> Outcome<()> {
        pin(&self.all)
    }

    /// Describes how the cores are divided.
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

/// Raises the limit on open files as far as the system allows.
pub fn open_many_files() -> Outcome<()> {
    let limit = getrlimit(Resource::Nofile);
    Ok(setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit })?)
}
