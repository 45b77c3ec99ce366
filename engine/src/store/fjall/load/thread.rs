//! The thread of a bulk load, which writes its files.

use std::sync::{Arc, Weak};
use std::time::Duration;

use bytes::Bytes;
use fjall::{AbstractTree, Keyspace};

use super::ingestion::{Ingestion, LOADING};
use super::queue::{LoadQueue, Step, interrupted};
use crate::error::{Error, ErrorKind, Result};
use crate::store::active_transaction::{KEY_BYTES_MAX, RESERVED_KEY};
use crate::store::fjall::database::Database;
use crate::store::fjall::failure::failed;
use crate::store::fjall::requested_compaction::IngestionInProgress;
use crate::store::fjall::sync_ahead::SyncAhead;
use crate::store::{JournalSync, SpaceId, no_such_space};

/// The thread checks whether it has been stopped each time it has written this number of pairs.
const CHECK_INTERVAL: u64 = 1024;

/// The interval at which the load checks whether the rewriting of one of its spaces has ended.
const WAIT_STEP: Duration = Duration::from_millis(1);

/// A space of a load.
pub(super) struct Part {
    pub space: SpaceId,
    /// The keyspace to whose files the pairs are written.
    pub staging: Keyspace,
    pub pairs: u64,
    /// The bytes of keys and values.
    pub bytes: u64,
    /// Whether the staging keyspace has become the current one of the space.
    pub is_current: bool,
    /// Whether it has, or may have, become the current one, or the next opening may have to copy it.
    pub is_kept: bool,
}

impl Part {
    pub fn new(space: SpaceId, staging: Keyspace) -> Self {
        Self { space, staging, pairs: 0, bytes: 0, is_current: false, is_kept: false }
    }
}

/// An ingestion into the current keyspace of a space, not completed.
pub(super) struct Copied<'a> {
    /// The index of the part.
    pub part: usize,
    pub keyspace: &'a Keyspace,
    pub ingestion: Ingestion<'a>,
    /// Dropped after the ingestion.
    _in_progress: IngestionInProgress,
}

/// Runs a load until it has been committed, has failed, or is stopped.
pub(super) fn run(queue: &Arc<LoadQueue>, database: &Weak<Database>, parts: Vec<Part>) {
    let _ending = Ending(queue);
    // Dropped before the end is told.
    let mut parts = parts;
    if let Err(error) = load(queue, database, &mut parts) {
        queue.fail(error);
    }
    if let Some(database) = database.upgrade() {
        drop_staging(&database, parts);
    }
}

/// Tells the queue that the thread has ended, also after a panic: the caller of the load and the closing of the
/// database wait for that.
struct Ending<'a>(&'a LoadQueue);

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.fail(Error::new(
                ErrorKind::Io,
                "the thread of the bulk load panicked, and the log has the reason; this is a defect of hjall, please \
                 report it. Check whether the load was stored before you repeat it",
            ));
        }
        self.0.end();
    }
}

/// Drops the staging keyspaces that are not needed any more. The next opening drops those that cannot be dropped
/// now.
pub(super) fn drop_staging(database: &Database, parts: Vec<Part>) {
    for part in parts.into_iter().filter(|part| !part.is_kept) {
        if let Err(error) = database.drop_keyspace(part.staging) {
            tracing::debug!(%error, "a keyspace of a bulk load was not dropped yet");
        }
    }
}

fn load(queue: &LoadQueue, database: &Weak<Database>, parts: &mut [Part]) -> Result<()> {
    write(queue, parts)?;
    loop {
        let targets = targets(queue, database, parts)?;
        let copied = {
            let database = database.upgrade().ok_or_else(interrupted)?;
            copy_all(queue, &database, parts, &targets)?
        };
        queue.answer(true);
        match queue.next()? {
            Step::Commit => {}
            Step::Add(_) | Step::Prepare => return Err(out_of_order()),
        }
        let database = database.upgrade().ok_or_else(interrupted)?;
        let committed = database.commit_load(parts, copied)?;
        if committed {
            // Before the staging keyspaces are dropped: the record of the ingestions must not come back without them.
            JournalSync::wait(&**database.syncer())?;
            parts.iter_mut().for_each(|part| part.is_kept = part.is_current);
            queue.answer(true);
            if parts.iter().any(|part| part.is_current) {
                let _ = database.drop_replaced();
            }
            return Ok(());
        }
        queue.answer(false);
        match queue.next()? {
            Step::Prepare => {}
            Step::Add(_) | Step::Commit => return Err(out_of_order()),
        }
    }
}

fn out_of_order() -> Error {
    Error::invalid("the steps of a bulk load are adding pairs, preparing and committing, in this order")
}

/// Writes all pairs to the staging keyspaces.
fn write(queue: &LoadQueue, parts: &mut [Part]) -> Result<()> {
    let mut writers = Vec::with_capacity(parts.len());
    for part in &*parts {
        writers.push(Writer::new(part)?);
    }
    loop {
        match queue.next()? {
            Step::Prepare => break,
            Step::Commit => return Err(out_of_order()),
            Step::Add(pairs) => {
                let mut last = 0;
                for (n, (space, key, value)) in (0_u64..).zip(pairs) {
                    if n % CHECK_INTERVAL == CHECK_INTERVAL - 1 {
                        queue.check()?;
                    }
                    if writers.get(last).is_none_or(|writer| writer.space != space) {
                        last = writers.iter().position(|w| w.space == space).ok_or_else(|| no_such_space(space))?;
                    }
                    if let Some(writer) = writers.get_mut(last) {
                        writer.write(key, value)?;
                    }
                }
            }
        }
    }
    let mut written = Vec::with_capacity(writers.len());
    for writer in writers {
        queue.check()?;
        written.push((writer.pairs, writer.bytes));
        writer.ingestion.complete()?;
    }
    for (part, (pairs, bytes)) in parts.iter_mut().zip(written) {
        (part.pairs, part.bytes) = (pairs, bytes);
    }
    Ok(())
}

/// Writes the pairs of one space.
struct Writer<'a> {
    space: SpaceId,
    ingestion: Ingestion<'a>,
    last: Bytes,
    pairs: u64,
    bytes: u64,
}

impl<'a> Writer<'a> {
    fn new(part: &'a Part) -> Result<Self> {
        let ingestion = Ingestion::begin(&part.staging)?;
        Ok(Self { space: part.space, ingestion, last: Bytes::new(), pairs: 0, bytes: 0 })
    }

    fn write(&mut self, key: Bytes, value: Bytes) -> Result<()> {
        // fjall panics if keys are not in order.
        if key <= self.last || key.len() > KEY_BYTES_MAX || key == RESERVED_KEY || value.is_empty() {
            return Err(Error::invalid(format!(
                "the keys of a bulk load must ascend, have 1 to {KEY_BYTES_MAX} bytes and values, and not be the \
                 reserved one"
            )));
        }
        self.pairs += 1;
        self.bytes += (key.len() + value.len()) as u64;
        self.last = key.clone();
        self.ingestion.write(key, value)
    }
}

/// The current keyspaces of the spaces that have pairs already, with the indexes of their parts. Waits until none of
/// the spaces is being rewritten.
fn targets(queue: &LoadQueue, database: &Weak<Database>, parts: &[Part]) -> Result<Vec<(usize, Keyspace)>> {
    loop {
        {
            let database = database.upgrade().ok_or_else(interrupted)?;
            if database.rewrites.target_of(parts.iter().map(|part| part.space)).is_none() {
                let mut targets = Vec::new();
                for (n, part) in parts.iter().enumerate().filter(|(_, part)| part.pairs > 0) {
                    let keyspace = database.keyspace(part.space)?;
                    if !is_empty(&keyspace) {
                        targets.push((n, keyspace));
                    }
                }
                return Ok(targets);
            }
        }
        queue.check()?;
        std::thread::sleep(WAIT_STEP);
    }
}

/// Whether a keyspace has never had a pair, or was compacted to nothing.
pub(super) fn is_empty(keyspace: &Keyspace) -> bool {
    let tree = &keyspace.tree;
    tree.sealed_memtable_count() == 0 && tree.active_memtable().size() == 0 && tree.table_count() == 0
}

/// Begins ingestions into these keyspaces, and copies the pairs to them.
fn copy_all<'a>(
    queue: &LoadQueue,
    database: &Database,
    parts: &[Part],
    targets: &'a [(usize, Keyspace)],
) -> Result<Vec<Copied<'a>>> {
    let mut copied = Vec::with_capacity(targets.len());
    for (n, keyspace) in targets {
        let Some(part) = parts.get(*n) else { continue };
        let in_progress = IngestionInProgress::in_keyspace(keyspace);
        let ingestion = copy(&part.staging, keyspace, || queue.check())?;
        copied.push(Copied { part: *n, keyspace, ingestion, _in_progress: in_progress });
        // The commit flushes what is in memory, while other commits wait.
        database.flush(keyspace)?;
    }
    Ok(copied)
}

/// An ingestion into a keyspace of all pairs of another one.
pub(super) fn copy<'a>(
    from: &Keyspace,
    to: &'a Keyspace,
    mut check: impl FnMut() -> Result<()>,
) -> Result<Ingestion<'a>> {
    let mut files = SyncAhead::new(&to.tree);
    let mut ingestion = Ingestion::begin(to)?;
    for (n, item) in (0_u64..).zip(from.iter()) {
        if n % CHECK_INTERVAL == CHECK_INTERVAL - 1 {
            check()?;
        }
        let (key, value) = item.into_inner().map_err(|error| failed(LOADING, error))?;
        files.wrote(key.len() + value.len());
        ingestion.write(key.into(), value.into())?;
    }
    files.sync();
    Ok(ingestion)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_ends_the_load() {
        let queue = Arc::new(LoadQueue::default());
        let queue_of_thread = Arc::clone(&queue);
        let thread = std::thread::spawn(move || {
            let _ending = Ending(&queue_of_thread);
            let _ = queue_of_thread.next();
            panic!("intended by the test");
        });
        let error = queue.call(Step::Prepare).unwrap_err();
        assert!(error.to_string().contains("the thread of the bulk load panicked"), "{error}");
        queue.wait_until_ended();
        assert!(queue.add(Vec::new()).is_err() && thread.join().is_err());
    }
}
