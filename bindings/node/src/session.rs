//! The state that the calls of one database share, on any thread.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use hjall_engine::clock::ManualClock;
use hjall_engine::{Engine, Error, ErrorKind, Result, Table};
use parking_lot::{Mutex, RwLock};

use crate::columns::Columns;
use crate::compacting::Compacting;
use crate::completions::Completions;
use crate::copying::Copying;
use crate::lanes::Lanes;
use crate::loads::Loads;
use crate::origin::Origin;
use crate::read_pace::ReadPace;
use crate::request::Request;
use crate::scanners::Scanners;
use crate::serve::Servers;
use crate::tables::Tables;
use crate::vocabulary::Operation;

/// A database that one event loop has opened.
pub struct Session {
    engine: RwLock<Option<Engine>>,
    /// Set once the database is being closed: no further calls are accepted.
    closing: AtomicBool,
    clock: Mutex<Option<Arc<ManualClock>>>,
    pub tables: Tables,
    pub columns: Columns,
    pub scanners: Scanners,
    pub pace: ReadPace,
    pub loads: Loads,
    pub servers: Servers,
    pub lanes: Lanes,
    pub completions: Completions,
    pub copying: Copying,
    pub compacting: Compacting,
    /// Numbers of calls that were cancelled and have not been answered yet.
    cancelled: Mutex<HashSet<u32>>,
    /// Their number, so that no lock is needed in the usual case of none.
    cancelled_count: AtomicUsize,
}

/// The error of a call on a closed database.
pub fn closed_error() -> Error {
    Error::new(ErrorKind::Closed, "the database has been closed: open it again to use it")
}

impl Session {
    /// Creates a session without a database; [`Session::open`] follows.
    pub fn new(completions: Completions) -> Self {
        Self {
            engine: RwLock::default(),
            closing: AtomicBool::new(false),
            clock: Mutex::default(),
            tables: Tables::default(),
            columns: Columns::default(),
            scanners: Scanners::default(),
            pace: ReadPace::default(),
            loads: Loads::default(),
            servers: Servers::default(),
            lanes: Lanes::new(),
            completions,
            copying: Copying::default(),
            compacting: Compacting::default(),
            cancelled: Mutex::default(),
            cancelled_count: AtomicUsize::new(0),
        }
    }

    /// Sets the clock that the database will be opened with.
    pub fn set_clock(&self, clock: Arc<ManualClock>) {
        *self.clock.lock() = Some(clock);
    }

    /// The clock to open the database with; `None` for the system's.
    pub fn clock(&self) -> Option<Arc<ManualClock>> {
        self.clock.lock().clone()
    }

    /// The engine, while the database is open.
    ///
    /// # Errors
    /// `Closed`.
    pub fn engine(&self) -> Result<Engine> {
        self.engine.read().clone().ok_or_else(closed_error)
    }

    /// Reads the table at the beginning of a request.
    ///
    /// # Errors
    /// `Closed`; `InvalidArgument` for an illegal name.
    pub fn table(&self, from: &mut Request) -> Result<Arc<Table>> {
        let engine = self.engine.read();
        self.tables.read(engine.as_ref().ok_or_else(closed_error)?, from)
    }

    /// Opens the database.
    ///
    /// # Errors
    /// Those of `open`.
    pub fn open(&self, open: impl FnOnce() -> Result<Engine>) -> Result<()> {
        let engine = open()?;
        *self.engine.write() = Some(engine);
        Ok(())
    }

    /// Whether the database is open.
    pub fn is_open(&self) -> bool {
        self.engine.read().is_some()
    }

    /// Refuses all calls from here on, except the one that closes the database.
    pub fn begin_closing(&self) {
        self.closing.store(true, Ordering::SeqCst);
    }

    /// Whether a call may begin.
    pub fn accepts(&self, operation: Option<Operation>) -> bool {
        !self.closing.load(Ordering::SeqCst) || operation == Some(Operation::Close)
    }

    /// Waits for pending calls, then closes the database. Idempotent.
    ///
    /// # Errors
    /// `Io` if something could not be written.
    pub fn close(&self, origin: Origin) -> Result<()> {
        self.begin_closing();
        self.servers.stop_all();
        // Closing in a lane is itself a job, for which it must not wait.
        let own_jobs = usize::from(origin == Origin::Lane);
        self.lanes.wait_idle(own_jobs, None);
        // A call that was pending may have started one.
        self.servers.stop_all();
        self.scanners.clear();
        self.loads.clear();
        self.close_engine()
    }

    /// Closes the database without waiting for its calls.
    ///
    /// # Errors
    /// `Io` if something could not be written.
    pub fn close_engine(&self) -> Result<()> {
        self.tables.clear();
        let engine = self.engine.write().take();
        engine.map_or(Ok(()), |engine| engine.close())
    }

    /// Notes that the answer to a call is no longer wanted: if the call has not begun, it does not begin.
    pub fn cancel(&self, call: u32) {
        if self.cancelled.lock().insert(call) {
            self.cancelled_count.fetch_add(1, Ordering::Release);
        }
    }

    /// Whether a call was cancelled; forgets that it was, since its number will be used again.
    pub fn take_cancelled(&self, call: u32) -> bool {
        if self.cancelled_count.load(Ordering::Acquire) == 0 {
            return false;
        }
        let was_cancelled = self.cancelled.lock().remove(&call);
        if was_cancelled {
            self.cancelled_count.fetch_sub(1, Ordering::Release);
        }
        was_cancelled
    }
}
