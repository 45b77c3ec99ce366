//! Assigns cores to the load generator and to the servers it starts.

use crate::Outcome;

/// The cores that this process may use, and how they are divided between server and generator.
pub struct Cores {
    all: Vec<usize>,
}

impl Cores {
    /// The cores of this process.
    pub fn mine() -> Outcome<Self> {
        Ok(Self { all: affinity::get()? })
    }

    /// Runs `start` on the server's half of the cores. Afterwards, this thread and the threads it starts run on
    /// the other half.
    pub fn apart<T>(&self, start: impl FnOnce() -> Outcome<T>) -> Outcome<T> {
        let (server, generator) = self.all.split_at(self.all.len() / 2);
        if server.is_empty() {
            return Err("there is only one core, so nothing can be pinned".into());
        }
        affinity::set(server)?;
        let started = start();
        affinity::set(generator)?;
        started
    }

    /// Lets all threads run on all cores again.
    pub fn together(&self) -> Outcome<()> {
        affinity::set(&self.all)
    }

    /// Describes how the cores are divided.
    pub fn halves(&self) -> String {
        let (server, generator) = self.all.split_at(self.all.len() / 2);
        format!("server on {server:?}, generator on {generator:?}")
    }
}

/// Raises the limit on open files as far as the system allows.
#[cfg(unix)]
pub fn open_many_files() -> Outcome<()> {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

    let limit = getrlimit(Resource::Nofile);
    Ok(setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit })?)
}

/// Windows has no limit on open files that a process could raise.
#[cfg(not(unix))]
pub fn open_many_files() -> Outcome<()> {
    Ok(())
}

/// The cores that this thread and the threads it starts may use.
#[cfg(target_os = "linux")]
mod affinity {
    use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

    use crate::Outcome;

    pub fn get() -> Outcome<Vec<usize>> {
        let set = sched_getaffinity(None)?;
        Ok((0..CpuSet::MAX_CPU).filter(|core| set.is_set(*core)).collect())
    }

    pub fn set(cores: &[usize]) -> Outcome<()> {
        let mut set = CpuSet::new();
        cores.iter().for_each(|core| set.set(*core));
        Ok(sched_setaffinity(None, &set)?)
    }
}

/// Other systems are not supported: macOS, for example, does not assign threads to cores.
#[cfg(not(target_os = "linux"))]
mod affinity {
    use crate::Outcome;

    const UNSUPPORTED: &str = "this measurement assigns programs to cores, which it can only do on Linux; run it there";

    pub fn get() -> Outcome<Vec<usize>> {
        Err(UNSUPPORTED.into())
    }

    pub fn set(_cores: &[usize]) -> Outcome<()> {
        Err(UNSUPPORTED.into())
    }
}
