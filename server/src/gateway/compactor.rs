//! Compactions that clients ask for. They run one after the other on a thread of their own: as in HBase, the call only
//! asks.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, JoinHandle};
use std::time::Instant;

use crossbeam_channel::{Receiver, Sender, bounded};
use hjall_engine::name::TableName;
use hjall_engine::store::CompactionControl;
use hjall_engine::{Engine, ErrorKind};

/// Tables that may wait. Further requests are dropped with a warning.
const WAITING_MAX: usize = 1024;

/// How thorough a compaction is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Depth {
    /// Merges the files that the store finds worth merging.
    Minor,
    /// Rewrites everything, and drops all that no read can see.
    Major,
}

/// Runs compactions until it is dropped, which stops a running one.
pub struct Compactor {
    queue: Arc<Queue>,
    wake: Option<Sender<()>>,
    control: Arc<CompactionControl>,
    thread: Option<JoinHandle<()>>,
}

/// The requests that wait, each table once, in the order of their names.
#[derive(Default)]
struct Queue(Mutex<BTreeMap<TableName, Depth>>);

impl Queue {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<TableName, Depth>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Compactor {
    /// Starts the thread.
    ///
    /// # Errors
    /// The operating system cannot start a thread.
    pub fn start(engine: Engine) -> io::Result<Self> {
        // One message is enough: a wake-up takes everything from the queue.
        let (wake, woken) = bounded(1);
        let queue = Arc::new(Queue::default());
        let control = Arc::new(CompactionControl::default());
        let worker = Worker { engine, queue: queue.clone(), control: control.clone() };
        let thread = Builder::new().name("hjall-compact".to_owned()).spawn(move || worker.run(&woken))?;
        Ok(Self { queue, wake: Some(wake), control, thread: Some(thread) })
    }

    /// Requests a compaction of a table and returns at once. A request that is already waiting becomes major if either
    /// of the two is.
    pub fn request(&self, table: TableName, depth: Depth) {
        let mut waiting = self.queue.lock();
        if waiting.len() >= WAITING_MAX && !waiting.contains_key(&table) {
            tracing::warn!(%table, "compaction request dropped: {WAITING_MAX} tables are waiting; request it again later");
            return;
        }
        let wanted = waiting.entry(table).or_insert(depth);
        *wanted = (*wanted).max(depth);
        drop(waiting);
        if let Some(wake) = &self.wake {
            // If it is full, a wake-up is pending already.
            let _ = wake.try_send(());
        }
    }
}

impl Drop for Compactor {
    fn drop(&mut self) {
        self.wake = None;
        self.control.stop();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// The thread's state.
struct Worker {
    engine: Engine,
    queue: Arc<Queue>,
    control: Arc<CompactionControl>,
}

impl Worker {
    fn run(self, woken: &Receiver<()>) {
        while woken.recv().is_ok() {
            loop {
                // Removed before the work, so that what is written during it can be compacted by another request.
                let next = self.queue.lock().pop_first();
                match next {
                    Some((table, depth)) if !self.control.is_stopped() => self.compact(&table, depth),
                    _ => break,
                }
            }
        }
    }

    fn compact(&self, table: &TableName, depth: Depth) {
        let (began, before) = (Instant::now(), self.control.read_bytes());
        if depth == Depth::Major {
            tracing::info!(%table, "major compaction started");
        }
        let done = self.engine.compact_with(table, depth == Depth::Major, &self.control);
        let (seconds, bytes) = (began.elapsed().as_secs_f64(), self.control.read_bytes() - before);
        match done {
            Ok(()) if depth == Depth::Major => tracing::info!(%table, seconds, bytes, "major compaction finished"),
            Ok(()) => tracing::debug!(%table, seconds, bytes, "minor compaction finished"),
            Err(error) if error.kind() == ErrorKind::TableNotFound => {}
            Err(error) if matches!(error.kind(), ErrorKind::Cancelled | ErrorKind::Closed) => {
                tracing::info!(%table, "the compaction was stopped with the server; the data is unchanged");
            }
            Err(error) => tracing::warn!(%table, %error, "a compaction failed; the data is unchanged"),
        }
    }
}
