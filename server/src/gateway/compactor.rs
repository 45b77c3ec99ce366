//! Compactions that clients ask for: they run one after the other on a thread of their own, since the call only asks, as in HBase.

use std::collections::HashSet;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::Builder;

use crossbeam_channel::{Sender, bounded};
use hjall_engine::name::TableName;
use hjall_engine::{Engine, ErrorKind};

/// So many tables may wait; a request beyond that is forgotten, for a later one finds the same work.
const WAITING_MAX: usize = 1024;

/// Takes requests until it is dropped; one that runs then is finished or ends with the engine.
pub struct Compactor {
    requests: Sender<TableName>,
    /// What is in the queue, so that asking again adds nothing.
    waiting: Arc<Mutex<HashSet<TableName>>>,
}

impl Compactor {
    /// Starts the thread.
    ///
    /// # Errors
    /// The operating system gives no thread.
    pub fn start(engine: Engine) -> io::Result<Self> {
        let (requests, queue) = bounded::<TableName>(WAITING_MAX);
        let waiting = Arc::new(Mutex::new(HashSet::new()));
        let names = waiting.clone();
        Builder::new().name("hjall-compact".to_owned()).spawn(move || {
            for table in queue {
                // Before the work, so that what is written during it can be asked for again.
                names.lock().unwrap_or_else(PoisonError::into_inner).remove(&table);
                match engine.compact(&table, false) {
                    Ok(()) => tracing::debug!(%table, "compacted"),
                    Err(e) if e.kind() == ErrorKind::TableNotFound || e.kind() == ErrorKind::Closed => {}
                    Err(e) => tracing::warn!(%table, error = %e, "a compaction failed; the data stays as it was"),
                }
            }
        })?;
        Ok(Self { requests, waiting })
    }

    /// Asks for a table to be compacted, and does not wait for it.
    pub fn request(&self, table: TableName) {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        if waiting.insert(table.clone())
            && let Err(refused) = self.requests.try_send(table)
        {
            waiting.remove(&refused.into_inner());
            tracing::warn!("more than {WAITING_MAX} tables wait to be compacted: a request was dropped");
        }
    }
}
