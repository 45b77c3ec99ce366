//! A database as its calls see it, on whatever thread they run.

use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread::Builder;
use std::time::Duration;

use bytes::Bytes;
use hjall_engine::clock::ManualClock;
use hjall_engine::{Engine, Error, ErrorKind, Result, Table};
use parking_lot::{Mutex, RwLock};

use crate::answer::Answer;
use crate::columns::Columns;
use crate::completions::Completions;
use crate::lanes::{LaneKind, Lanes};
use crate::operation;
use crate::request::Request;
use crate::scanners::Scanners;
use crate::serve::Servers;
use crate::tables::Tables;

/// A process that ends waits no longer than so for calls under way: what was acknowledged is safe without.
const PARTING: Duration = Duration::from_secs(2);

/// One opening of a database by one event loop.
pub struct State {
    engine: RwLock<Option<Engine>>,
    /// No further calls are taken.
    closing: AtomicBool,
    clock: Mutex<Option<Arc<ManualClock>>>,
    pub tables: Tables,
    pub columns: Columns,
    pub scanners: Scanners,
    pub servers: Servers,
    pub lanes: Lanes,
    pub completions: Completions,
    /// Calls that nobody waits for any more, and how many.
    cancelled: Mutex<HashSet<u32>>,
    cancelled_count: AtomicUsize,
}

fn closed() -> Error {
    Error::new(ErrorKind::Closed, "the database has been closed: open it again to use it")
}

impl State {
    /// Not open yet.
    pub fn new(completions: Completions) -> Self {
        Self {
            engine: RwLock::default(),
            closing: AtomicBool::new(false),
            clock: Mutex::default(),
            tables: Tables::default(),
            columns: Columns::default(),
            scanners: Scanners::default(),
            servers: Servers::default(),
            lanes: Lanes::new(),
            completions,
            cancelled: Mutex::default(),
            cancelled_count: AtomicUsize::new(0),
        }
    }

    /// The clock that the database is to be opened with.
    pub fn set_clock(&self, clock: Arc<ManualClock>) {
        *self.clock.lock() = Some(clock);
    }

    /// That clock.
    pub fn clock(&self) -> Option<Arc<ManualClock>> {
        self.clock.lock().clone()
    }

    /// The engine, while the database is open.
    ///
    /// # Errors
    /// `Closed`.
    pub fn engine(&self) -> Result<Engine> {
        self.engine.read().clone().ok_or_else(closed)
    }

    /// The table that a request begins with.
    ///
    /// # Errors
    /// `Closed`, `InvalidArgument` for an illegal name.
    pub fn table(&self, from: &mut Request) -> Result<Arc<Table>> {
        let engine = self.engine.read();
        self.tables.read(engine.as_ref().ok_or_else(closed)?, from)
    }

    /// Opens it, once.
    ///
    /// # Errors
    /// Those of opening.
    pub fn open(&self, open: impl FnOnce() -> Result<Engine>) -> Result<()> {
        let engine = open()?;
        *self.engine.write() = Some(engine);
        Ok(())
    }

    /// From here on no call begins but that which closes.
    pub fn begin_closing(&self) {
        self.closing.store(true, Ordering::SeqCst);
    }

    /// Lets calls under way end, then closes. Idempotent.
    ///
    /// # Errors
    /// `Io` if something could not be written.
    pub fn close(&self, in_lane: bool) -> Result<()> {
        self.begin_closing();
        self.servers.stop_all();
        self.lanes.wait_quiet(usize::from(in_lane), None);
        self.scanners.clear();
        self.tables.clear();
        let engine = self.engine.write().take();
        engine.map_or(Ok(()), |engine| engine.close())
    }

    /// The event loop ends: closes if that is quick. What does not answer any more is left to the end of the process.
    pub fn part(self: &Arc<Self>) {
        self.begin_closing();
        self.scanners.clear();
        self.lanes.stop();
        if self.engine.read().is_none() {
            return;
        }
        let (done, parted) = mpsc::channel();
        let state = Arc::clone(self);
        let closing = Builder::new().name("hjall-part".to_owned()).spawn(move || {
            state.servers.stop_all();
            if state.lanes.wait_quiet(0, Some(PARTING)) {
                state.tables.clear();
                let engine = state.engine.write().take();
                let _ = engine.map(|engine| engine.close());
            }
            let _ = done.send(());
        });
        if closing.is_ok() {
            let _ = parted.recv_timeout(PARTING);
        }
    }

    /// Nobody waits for a call any more: it need not begin.
    pub fn cancel(&self, number: u32) {
        if self.cancelled.lock().insert(number) {
            self.cancelled_count.fetch_add(1, Ordering::Release);
        }
    }

    /// Whether a call need not begin, or its answer is for nobody; forgets it.
    fn was_cancelled(&self, number: u32) -> bool {
        if self.cancelled_count.load(Ordering::Acquire) == 0 {
            return false;
        }
        let was = self.cancelled.lock().remove(&number);
        if was {
            self.cancelled_count.fetch_sub(1, Ordering::Release);
        }
        was
    }

    /// Carries out a request; a panic is an answer too.
    pub fn answer(&self, request: Bytes, memory: Vec<u8>, in_lane: bool) -> Vec<u8> {
        let run = || {
            let mut answer = Answer::new(memory, &self.columns);
            let mut request = Request::new(request);
            let result = operation::run(self, &mut request, &mut answer, in_lane);
            answer.finish(result)
        };
        catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|_| {
            let error = Error::new(ErrorKind::Io, "the call failed inside hjall (a panic); the database goes on");
            Answer::new(Vec::new(), &self.columns).finish(Err(error))
        })
    }

    fn refused(&self, error: Error) -> Vec<u8> {
        Answer::new(Vec::new(), &self.columns).finish(Err(error))
    }

    /// Whether a call may begin.
    pub fn takes(&self, operation: u8) -> bool {
        !self.closing.load(Ordering::SeqCst) || operation::closes(operation)
    }

    /// The answer to a call that came too late.
    pub fn too_late(&self) -> Vec<u8> {
        self.refused(closed())
    }

    /// Carries out calls of one lane, one after the other, on its threads.
    pub fn submit(self: &Arc<Self>, lane: LaneKind, calls: Vec<(u32, Bytes)>) {
        let numbers: Vec<u32> = calls.iter().map(|(number, _)| *number).collect();
        let state = Arc::clone(self);
        let job = Box::new(move || {
            let mut answers = Vec::with_capacity(calls.len());
            for (number, request) in calls {
                let answer = if state.was_cancelled(number) {
                    state.refused(Error::new(ErrorKind::Cancelled, "nobody waits for the call any more"))
                } else {
                    let answer = state.answer(request, Vec::new(), lane == LaneKind::Admin);
                    state.was_cancelled(number);
                    answer
                };
                answers.push((number, answer));
            }
            state.completions.push_all(answers);
        });
        if self.lanes.run(lane, job).is_err() {
            self.completions.push_all(numbers.into_iter().map(|number| (number, self.too_late())));
        }
    }
}
