//! The servers that a comparison measures, and their connections.

use std::cell::Cell;
use std::net::SocketAddr;
use std::path::Path;
use std::rc::Rc;
use std::time::{Duration, Instant};

use hjall_idl::hbase1::{MajorCompactArgs, MajorCompactResult};
use tempfile::TempDir;

use super::results::Cpu;
use crate::Outcome;
use crate::calls::one_row::{self, Action, OneRow};
use crate::calls::rows::{self, Batches};
use crate::choice::Choice;
use crate::generator::{Caller, Figures, Group, Pace, Protocol, run};
use crate::process::{Server, Usage};
use crate::rows::Values;
use crate::thrift1::{Client, message};

/// Rows of one `mutateRows` of a load.
const LOADED_AT_ONCE: usize = 1_000;
/// Connections of a load.
const LOADERS: usize = 4;
/// A server that uses less than this share of a core is idle.
const IDLE_SHARE: f64 = 0.05;
/// The time in which a requested compaction begins: hjall's default of `compaction.request_delay`, and some more.
const COMPACTION_BEGINS: Duration = Duration::from_secs(15);

/// A server.
pub struct System {
    /// Its name in tables.
    pub name: String,
    pub protocol: Protocol,
    pub address: SocketAddr,
    /// `None` for a server that runs elsewhere.
    pub server: Option<Server>,
    /// The data folder, which is deleted with the system.
    folder: Option<TempDir>,
}

/// The figures of one measurement, and what the server has used for it.
#[derive(Clone)]
pub struct Measured {
    /// The figures of each group.
    pub groups: Vec<Figures>,
    /// Processor time per operation.
    pub cpu: Cpu,
}

impl System {
    /// Starts hjall in an empty folder.
    pub fn hjall(name: &str, binary: &Path, protocol: Protocol) -> Outcome<Self> {
        let folder = tempfile::tempdir()?;
        let server = Server::hjall(binary, folder.path())?;
        let address = server.address;
        Ok(Self { name: name.to_owned(), protocol, address, server: Some(server), folder: Some(folder) })
    }

    /// Starts hjall in a folder that the caller owns.
    pub fn hjall_in(binary: &Path, folder: &Path, settings: &[String]) -> Outcome<Self> {
        let server = Server::hjall_with(binary, folder, settings)?;
        let address = server.address;
        let name = "hjall".to_owned();
        Ok(Self { name, protocol: Protocol::Thrift, address, server: Some(server), folder: None })
    }

    /// Stops the server, runs `work` on its data folder, and starts it again.
    pub fn stopped<T>(&mut self, binary: &Path, work: impl FnOnce(&Path) -> Outcome<T>) -> Outcome<T> {
        self.stop()?;
        let folder = self.folder.as_ref().ok_or("the server has no folder of its own")?.path();
        let result = work(folder)?;
        let server = Server::hjall(binary, folder)?;
        self.address = server.address;
        self.server = Some(server);
        Ok(result)
    }

    /// Stops the server.
    pub fn stop(&mut self) -> Outcome<()> {
        self.server.take().map_or(Ok(()), Server::stop)
    }

    /// Resident memory of the server, in MiB.
    pub fn resident_mib(&self) -> Outcome<f64> {
        Ok(self.server.as_ref().map_or(Ok(0), Server::resident_kib)? as f64 / 1024.0)
    }

    /// Starts Redis without persistence.
    pub fn redis(binary: &Path) -> Outcome<Self> {
        let server = Server::redis(binary)?;
        let address = server.address;
        let name = "Redis".to_owned();
        Ok(Self { name, protocol: Protocol::Redis, address, server: Some(server), folder: None })
    }

    /// Starts Redis with `appendfsync always`.
    pub fn redis_fsync(binary: &Path) -> Outcome<Self> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().to_str().ok_or("the temporary folder has no name in Unicode")?;
        let options = ["--appendonly", "yes", "--appendfsync", "always", "--dir", path];
        let server = Server::redis_with(binary, &options)?;
        let address = server.address;
        let name = "Redis, appendfsync always".to_owned();
        Ok(Self { name, protocol: Protocol::Redis, address, server: Some(server), folder: Some(folder) })
    }

    /// A Thrift server of HBase, whose protocol has no frames by default.
    pub fn hbase(address: SocketAddr) -> Self {
        Self { name: "HBase".to_owned(), protocol: Protocol::Thrift, address, server: None, folder: None }
    }

    /// Creates a table with the family `f`, except in Redis.
    pub fn create_table(&self, table: &str) -> Outcome<()> {
        if self.protocol == Protocol::Redis {
            return Ok(());
        }
        Client::connect(self.address)?.create_table(table, &["f".to_owned()])
    }

    /// Disables and deletes a table.
    pub fn drop_table(&self, table: &str) -> Outcome<()> {
        Client::connect(self.address)?.drop_table(table)
    }

    /// Puts rows of one column.
    pub fn load(&self, table: &str, rows: std::ops::Range<usize>, values: &Values) -> Outcome<Figures> {
        let template = rows::template(self.protocol, table, LOADED_AT_ONCE.min(rows.len().max(1)), values.length())?;
        let next = Rc::new(Cell::new(rows.start));
        let caller = |_| -> Box<dyn Caller + '_> {
            let (protocol, template, next) = (self.protocol, template.clone(), Rc::clone(&next));
            Box::new(Batches { protocol, template, next, end: rows.end, values })
        };
        let group = self.group(Pace::Closed, 1, (0..LOADERS).map(caller).collect());
        // The connections stop by themselves.
        run(vec![group], Duration::from_secs(3600))?.pop().ok_or_else(|| "no figures".into())
    }

    /// Compacts a table completely, and waits until the server is idle.
    pub fn compact(&self, table: &str) -> Outcome<()> {
        if self.protocol == Protocol::Redis {
            return Ok(());
        }
        let call = message("majorCompact", &MajorCompactArgs::new(table.as_bytes().to_vec()))?;
        let done: MajorCompactResult = Client::connect(self.address)?.call(&call)?;
        if let Some(error) = done.io {
            return Err(format!("majorCompact: {error:?}").into());
        }
        // A requested compaction begins only after `compaction.request_delay`.
        self.wait_for(COMPACTION_BEGINS, |share| share > IDLE_SHARE)?;
        self.settle(Duration::from_secs(900))
    }

    /// Waits until the server uses hardly any processor time, for example because its compactions have ended. Gives up
    /// after the given time.
    pub fn settle(&self, limit: Duration) -> Outcome<()> {
        self.wait_for(limit, |share| share <= IDLE_SHARE)
    }

    /// Waits until the share of a core that the server uses is as wanted, three times in a row. Gives up after the
    /// given time.
    fn wait_for(&self, limit: Duration, is_wanted: impl Fn(f64) -> bool) -> Outcome<()> {
        let Some(server) = &self.server else { return Ok(()) };
        let begin = Instant::now();
        let mut in_a_row = 0;
        while in_a_row < 3 && begin.elapsed() < limit {
            let (before, began) = (server.usage()?, Instant::now());
            std::thread::sleep(Duration::from_millis(200));
            let share = server.usage()?.since(before).seconds / began.elapsed().as_secs_f64();
            in_a_row = if is_wanted(share) { in_a_row + 1 } else { 0 };
        }
        Ok(())
    }

    /// Connections to this system.
    pub fn group<'a>(&self, pace: Pace, kinds: usize, callers: Vec<Box<dyn Caller + 'a>>) -> Group<'a> {
        Group { address: self.address, protocol: self.protocol, pace, kinds, callers }
    }

    /// Connections that each make the same call for the rows of a choice.
    pub fn one_row<'a>(
        &self,
        action: Action,
        table: &str,
        values: &'a Values,
        connections: usize,
        mut choice: impl FnMut(usize) -> Choice,
    ) -> Outcome<Group<'a>> {
        let template = one_row::template(self.protocol, action, table, values.length())?;
        let caller = |n| -> Box<dyn Caller + 'a> {
            let (protocol, template) = (self.protocol, template.clone());
            Box::new(OneRow { protocol, template, choice: choice(n), values })
        };
        let callers = (0..connections).map(caller).collect();
        Ok(self.group(Pace::Closed, 1, callers))
    }

    /// Runs groups of connections to this system.
    pub fn measure(&self, groups: Vec<Group<'_>>, length: Duration) -> Outcome<Measured> {
        let before = self.usage()?;
        let own_before = own_seconds();
        let begin = Instant::now();
        let groups = run(groups, length)?;
        let own = own_seconds() - own_before;
        let operations: f64 = groups.iter().map(|figures| figures.rate).sum::<f64>() * begin.elapsed().as_secs_f64();
        let used = self.usage()?.since(before);
        let each = |seconds: f64| seconds * 1e6 / operations.max(1.0);
        Ok(Measured { groups, cpu: Cpu { server_us: each(used.seconds), generator_us: each(own) } })
    }

    fn usage(&self) -> Outcome<Usage> {
        self.server.as_ref().map_or(Ok(Usage { seconds: 0.0, switches: 0 }), Server::usage)
    }
}

/// Processor time of this thread, in seconds; 0 where it is not known.
#[cfg(target_os = "linux")]
fn own_seconds() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// Processor time of this thread, in seconds; 0 where it is not known.
#[cfg(not(target_os = "linux"))]
fn own_seconds() -> f64 {
    0.0
}
