//! Compactions that clients request, and scheduled ones. They run one at a time on a separate thread. As in HBase, a
//! call only requests a compaction.

mod schedule;

use std::collections::BTreeMap;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant, SystemTime};

use chrono::Timelike;
use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, bounded};
use hjall_engine::name::TableName;
use hjall_engine::store::CompactionControl;
use hjall_engine::{Engine, ErrorKind};

pub use self::schedule::{Due, READS_EVERY, Schedule};
use crate::settings::config::CompactionSettings;

/// Tables that may wait. Further requests are dropped with a warning.
const WAITING_MAX: usize = 1024;

/// The extent of a compaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Depth {
    /// Merges new files into older ones.
    Minor,
    /// Rewrites all files, and drops all cells that no read can see.
    Major,
}

/// A thread that runs compactions until this is dropped. Dropping stops a running compaction.
pub struct Compactor {
    engine: Engine,
    queue: Arc<Queue>,
    wake: Option<Sender<()>>,
    counters: Arc<Counters>,
    /// How long a major compaction waits before it starts.
    request_delay: Duration,
    thread: Option<JoinHandle<()>>,
}

/// Counters of compactions.
#[derive(Default)]
struct Counters {
    control: Arc<CompactionControl>,
    running: AtomicBool,
    finished: AtomicU64,
    failed: AtomicU64,
}

/// Requested and scheduled compactions at one moment.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CompactionFigures {
    /// Tables that wait to be compacted.
    pub waiting: usize,
    /// Whether a compaction is running.
    pub running: bool,
    /// Tables that have been compacted.
    pub finished: u64,
    /// Compactions that failed or gave way to writes.
    pub failed: u64,
    /// Bytes that all compactions have read so far, before compression.
    pub read_bytes: u64,
}

/// A request that waits.
#[derive(Debug, Clone, Copy)]
struct Request {
    /// [`Engine::table_number`] when the compaction was requested. A request ends with its table, as in HBase, whose
    /// regions hold the requests: a later table of the same name is not compacted for it.
    table_number: u64,
    depth: Depth,
    /// When the compaction may start.
    start: Instant,
}

/// The waiting requests, at most one for each table.
#[derive(Default)]
struct Queue(Mutex<BTreeMap<TableName, Request>>);

impl Queue {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<TableName, Request>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Removes the request that may start first, if it may start now.
    fn take_due(&self) -> Option<(TableName, Request)> {
        let mut waiting = self.lock();
        let table = waiting.iter().min_by_key(|(_, request)| request.start)?.0.clone();
        let request = waiting.remove(&table)?;
        if request.start > Instant::now() {
            waiting.insert(table, request);
            return None;
        }
        Some((table, request))
    }

    /// Adds a request. One that is already waiting becomes major if either of the two is, and is replaced if it is for
    /// an earlier table of this name. Returns `false` if too many tables wait.
    fn add(&self, table: &TableName, new: Request) -> bool {
        let mut waiting = self.lock();
        if waiting.len() >= WAITING_MAX && !waiting.contains_key(table) {
            return false;
        }
        let request = waiting.entry(table.clone()).or_insert(new);
        if request.depth < new.depth || request.table_number != new.table_number {
            *request = new;
        }
        true
    }

    /// When the next request may start.
    fn next_start(&self) -> Option<Instant> {
        self.lock().values().map(|request| request.start).min()
    }
}

impl Compactor {
    /// Starts the thread.
    ///
    /// # Errors
    /// The operating system cannot start a thread.
    pub fn start(engine: Engine, settings: CompactionSettings) -> io::Result<Self> {
        // One message is enough, because a wake-up empties the queue.
        let (wake, woken) = bounded(1);
        let queue = Arc::new(Queue::default());
        let counters = Arc::new(Counters::default());
        let request_delay = settings.request_delay;
        let worker = Worker {
            engine: engine.clone(),
            queue: queue.clone(),
            counters: counters.clone(),
            throughput: settings.throughput,
            request_delay,
            schedule: Schedule::new(settings),
        };
        let thread = Builder::new().name("hjall-compact".to_owned()).spawn(move || worker.run(&woken))?;
        Ok(Self { engine, queue, wake: Some(wake), counters, request_delay, thread: Some(thread) })
    }

    /// The metrics of compactions.
    pub fn figures(&self) -> CompactionFigures {
        CompactionFigures {
            waiting: self.queue.lock().len(),
            running: self.counters.running.load(Ordering::Relaxed),
            finished: self.counters.finished.load(Ordering::Relaxed),
            failed: self.counters.failed.load(Ordering::Relaxed),
            read_bytes: self.counters.control.read_bytes(),
        }
    }

    /// Stops the running compaction. No other one is started.
    pub fn stop(&self) {
        self.counters.control.stop();
    }

    /// Requests a compaction of a table and returns at once. A minor one starts as soon as no other is running, a major
    /// one after [`CompactionSettings::request_delay`]. A request that is already waiting becomes major if either of
    /// the two is. If much of the table is garbage after a minor one, a major one follows after that delay. A request
    /// ends with its table, when that is dropped or truncated.
    pub fn request(&self, table: &TableName, depth: Depth) {
        let Ok(table_number) = self.engine.table_number(table) else { return };
        let delay = if depth == Depth::Major { self.request_delay } else { Duration::ZERO };
        if !self.queue.add(table, Request { table_number, depth, start: Instant::now() + delay }) {
            tracing::warn!(%table, "compaction request dropped: {WAITING_MAX} tables are waiting; request it again later");
            return;
        }
        if let Some(wake) = &self.wake {
            // If it is full, a wake-up is pending already.
            let _ = wake.try_send(());
        }
    }
}

impl Drop for Compactor {
    fn drop(&mut self) {
        self.wake = None;
        self.stop();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// The thread's state.
struct Worker {
    engine: Engine,
    queue: Arc<Queue>,
    counters: Arc<Counters>,
    throughput: Option<u64>,
    request_delay: Duration,
    schedule: Schedule,
}

impl Worker {
    fn run(mut self, woken: &Receiver<()>) {
        let every = self.schedule.check_every();
        let mut next_check = every.map(|every| Instant::now() + every);
        let mut next_check_of_reads = Instant::now() + READS_EVERY;
        loop {
            let others = [next_check, self.queue.next_start()].into_iter().flatten();
            let next = others.fold(next_check_of_reads, Instant::min);
            match woken.recv_timeout(next.saturating_duration_since(Instant::now())) {
                Ok(()) | Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
            self.compact_requested();
            if next_check.is_some_and(|at| at <= Instant::now()) {
                self.compact_scheduled();
                next_check = every.map(|every| Instant::now() + every);
            }
            if next_check_of_reads <= Instant::now() {
                self.merge_for_reads();
                self.compact_for_reads();
                next_check_of_reads = Instant::now() + READS_EVERY;
            }
        }
    }

    fn is_stopped(&self) -> bool {
        self.counters.control.is_stopped()
    }

    fn compact_requested(&self) {
        while !self.is_stopped() {
            // Removed before the work, so that what is written during it can be compacted by another request.
            let Some((table, request)) = self.queue.take_due() else { return };
            if self.engine.table_number(&table).ok() != Some(request.table_number) {
                continue;
            }
            self.compact(&table, request.depth, self.throughput, "requested");
            if request.depth == Depth::Minor {
                self.follow_up(&table, request);
            }
        }
    }

    /// Requests a major compaction if a minor one has left much garbage, such as delete markers. HBase makes a minor
    /// compaction of all files a major one, which has the same effect on them.
    fn follow_up(&self, table: &TableName, request: Request) {
        match self.schedule.has_much_garbage(&self.engine, table) {
            Ok(true) => {
                // If too many tables wait, the schedule finds the garbage later.
                let start = Instant::now() + self.request_delay;
                self.queue.add(table, Request { depth: Depth::Major, start, ..request });
            }
            Ok(false) => {}
            Err(error) if matches!(error.kind(), ErrorKind::TableNotFound | ErrorKind::Closed) => {}
            Err(error) => {
                tracing::warn!(%table, %error, "cannot determine whether the table needs a major compaction");
            }
        }
    }

    fn compact_scheduled(&mut self) {
        for (table, enabled) in self.engine.tables() {
            if self.is_stopped() || !self.schedule.may_start(chrono::Local::now().hour()) {
                return;
            }
            if !enabled || table.name.is_system() {
                continue;
            }
            match self.schedule.due(&self.engine, &table.name, SystemTime::now()) {
                Ok(None) => {}
                Ok(Some(due)) => {
                    let reason = match due {
                        Due::Age(age) => format!("its oldest file is {} h old", age.as_secs() / 3600),
                        Due::Garbage(share) => format!("about {:.0} % of it can be dropped", share * 100.0),
                    };
                    // During off-peak hours compactions run at full speed.
                    let throughput = self.throughput.filter(|_| !self.schedule.has_off_peak());
                    self.compact(&table.name, Depth::Major, throughput, &reason);
                }
                Err(error) if matches!(error.kind(), ErrorKind::TableNotFound | ErrorKind::Closed) => {}
                Err(error) => {
                    tracing::warn!(table = %table.name, %error, "cannot determine whether the table needs a major compaction");
                }
            }
            self.compact_requested();
        }
    }

    /// Merges the new files of tables that are read, for instance after a load. At all hours, since fjall's own minor
    /// compactions are not restricted to some hours either.
    fn merge_for_reads(&self) {
        for table in self.engine.tables_to_merge() {
            if self.is_stopped() {
                return;
            }
            self.compact(&table, Depth::Minor, self.throughput, "reads search many files");
        }
    }

    fn compact_for_reads(&self) {
        if !self.schedule.may_start(chrono::Local::now().hour()) {
            return;
        }
        for (table, read_bytes) in self.schedule.due_by_reads(&self.engine) {
            if self.is_stopped() {
                return;
            }
            let reason = format!("reads have stepped over {read_bytes} bytes of deleted and expired data");
            self.compact(&table, Depth::Major, self.throughput, &reason);
        }
    }

    fn compact(&self, table: &TableName, depth: Depth, throughput: Option<u64>, reason: &str) {
        let control = &self.counters.control;
        let (began, before) = (Instant::now(), control.read_bytes());
        if depth == Depth::Major {
            let file_bytes = self.engine.table_files(table).map_or(0, |files| files.bytes);
            tracing::info!(%table, reason, file_bytes, "major compaction started");
        }
        control.set_pace(throughput);
        self.counters.running.store(true, Ordering::Relaxed);
        let done = self.engine.compact_with(table, depth == Depth::Major, control);
        self.counters.running.store(false, Ordering::Relaxed);
        let (seconds, read_bytes) = (began.elapsed().as_secs_f64(), control.read_bytes() - before);
        match done {
            Ok(()) => {
                self.counters.finished.fetch_add(1, Ordering::Relaxed);
                if depth == Depth::Major {
                    let file_bytes = self.engine.table_files(table).map_or(0, |files| files.bytes);
                    tracing::info!(%table, seconds, read_bytes, file_bytes, "major compaction finished");
                } else {
                    tracing::debug!(%table, seconds, read_bytes, "minor compaction finished");
                }
            }
            Err(error) if error.kind() == ErrorKind::TableNotFound => {}
            Err(error) if matches!(error.kind(), ErrorKind::Cancelled | ErrorKind::Closed) => {
                tracing::info!(%table, "the compaction was stopped with the server; the data is unchanged");
            }
            Err(error) => {
                self.counters.failed.fetch_add(1, Ordering::Relaxed);
                tracing::warn!(%table, %error, "a compaction failed; the data is unchanged");
            }
        }
    }
}
