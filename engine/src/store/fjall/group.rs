//! Transactions that are committed as one batch of fjall's journal.

use std::sync::{Arc, Weak};

use bytes::Bytes;

use super::cursor::Seen;
use super::database::{Database, Patience, bytes_of};
use super::store::{AssignedTime, Attempt, Done, FjallStore};
use crate::durability::Durability;
use crate::error::{ErrorKind, Result};
use crate::store::active_transaction::{ActiveTransaction, Write, WriteSet};
use crate::store::row_locks::KeptRows;
use crate::store::{GroupOutcome, Staged, Transaction, TransactionGroup};

/// The transactions of one thread that have been run and have not been committed.
pub(super) struct FjallGroup {
    store: Arc<FjallStore>,
    /// The rows that the transactions have locked.
    rows: KeptRows,
    /// The database that the bodies of the transactions have read; `None` without transactions.
    seen: Option<Weak<Database>>,
    writes: Vec<Write>,
    /// An empty vector for the writes of the next transaction. It is reused after a commit, like the other vectors.
    spare: Vec<Write>,
    bytes: u64,
    /// The newest time that the transactions have assigned.
    assigned: Option<AssignedTime>,
    /// Whether any of the transactions has to be synced.
    is_synced: bool,
    patience: Patience,
}

impl FjallGroup {
    /// An empty group.
    pub fn new(store: Arc<FjallStore>) -> Self {
        Self {
            store,
            rows: KeptRows::default(),
            seen: None,
            writes: Vec::new(),
            spare: Vec::new(),
            bytes: 0,
            assigned: None,
            is_synced: false,
            patience: Patience::Unlimited,
        }
    }

    /// Commits all transactions. Their rows must be unlocked afterwards. `None` if nothing was written.
    fn write(&mut self) -> std::result::Result<Option<Done>, GroupOutcome> {
        let Some(seen) = self.seen.take() else { return Ok(None) };
        let assigned = self.assigned;
        // No key occurs twice, because the transactions have different rows.
        if self.writes.windows(2).any(|pair| pair[0].space != pair[1].space) {
            self.writes.sort_by_key(|write| write.space);
        }
        match self.store.commit(&seen, &mut self.writes, || assigned, self.patience) {
            Ok(Attempt::Done(done)) => Ok(Some(done)),
            Ok(Attempt::Unneeded) => Ok(None),
            Ok(Attempt::Failed(error)) if matches!(error.kind(), ErrorKind::Io | ErrorKind::DiskFull) => {
                Err(GroupOutcome::Failed(error))
            }
            // The error occurred before the commit, or belongs to one of the transactions. Each finds its own error
            // when it is run again.
            Err(_)
            | Ok(
                Attempt::Failed(_)
                | Attempt::Reopened
                | Attempt::Occupied
                | Attempt::Crowded { .. }
                | Attempt::Refused(_),
            ) => Err(GroupOutcome::NotWritten),
        }
    }
}

impl TransactionGroup for FjallGroup {
    fn stage(
        &mut self,
        rows: &[Bytes],
        durability: Durability,
        body: &mut dyn FnMut(&mut dyn Transaction) -> Result<()>,
    ) -> Result<Staged> {
        let store = &*self.store;
        let is_synced = store.effective(durability)? == Durability::FsyncWal;
        let database = match self.patience {
            Patience::Unlimited => store.holder.database()?,
            Patience::Short => {
                // Looked up once for the group. The commit looks it up again.
                let admits = |database: &Arc<Database>| self.seen.is_some() || database.commits_at_once();
                match store.holder.ready().filter(admits) {
                    Some(database) => database,
                    None => return Ok(Staged::Refused),
                }
            }
        };
        let Some(mut held) = store.rows.try_lock_all(rows, &store.time) else { return Ok(Staged::Refused) };
        let is_other = |seen: &Weak<Database>| !std::ptr::eq(seen.as_ptr(), Arc::as_ptr(&database));
        if self.seen.as_ref().is_some_and(is_other) {
            return Ok(Staged::Refused);
        }
        let seen = Seen::now(&database);
        // A handle must not be held while the body runs, because reopening waits for it.
        drop(database);
        let times = held.times();
        let open = || seen.clone().into_snapshot();
        let spare = std::mem::take(&mut self.spare);
        let mut active = ActiveTransaction::with_buffer(&open, times, &store.sequence, spare);
        body(&mut active)?;
        let WriteSet { mut writes, newest } = active.finish()?;
        if writes.is_empty() && newest.is_none() {
            return Ok(Staged::Unneeded);
        }
        if let Some(newest) = newest {
            let newest_ms = held.assign(newest);
            let all = self.assigned.get_or_insert(AssignedTime { newest_ms, clock_ms: times.clock_ms });
            all.newest_ms = all.newest_ms.max(newest_ms);
            all.clock_ms = all.clock_ms.max(times.clock_ms);
        }
        held.keep(&mut self.rows);
        self.seen = Some(seen.database);
        self.is_synced |= is_synced;
        self.bytes += bytes_of(&writes);
        self.writes.append(&mut writes);
        self.spare = writes;
        Ok(Staged::Added { is_synced })
    }

    fn never_wait(&mut self) {
        self.patience = Patience::Short;
    }

    fn bytes(&self) -> u64 {
        self.bytes
    }

    fn commit(&mut self) -> GroupOutcome {
        let (written, is_synced) = (self.write(), self.is_synced);
        self.discard();
        match written {
            Err(outcome) => outcome,
            Ok(None) => GroupOutcome::Committed,
            Ok(Some(Done { syncer, bytes, wait })) => {
                // The rows have been unlocked. A group that never waits commits nothing for which it would have to.
                if self.patience == Patience::Unlimited {
                    self.store.keep_pace(wait);
                }
                if is_synced {
                    // Other writes of the rows can share this sync.
                    return GroupOutcome::Written(syncer);
                }
                syncer.wrote(bytes);
                GroupOutcome::Committed
            }
        }
    }

    fn discard(&mut self) {
        (self.seen, self.assigned, self.bytes, self.is_synced) = (None, None, 0, false);
        self.writes.clear();
        self.store.rows.unlock(&mut self.rows, &self.store.time);
    }
}

impl Drop for FjallGroup {
    fn drop(&mut self) {
        self.discard();
    }
}
