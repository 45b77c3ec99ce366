//! Rewriting a space with other options.
//!
//! fjall fixes the options of a keyspace when it is created. To change those of a space, its pairs are copied to a
//! new keyspace, in order and in small steps, while reads and writes continue. A write of a key that has been copied
//! goes to both keyspaces, in one batch. The last step also writes a record to the catalog's space, which says that
//! the new keyspace is the space from then on. Opening a database drops every keyspace that is not the current one of
//! its space: a target that was not finished, or a keyspace that was replaced. Bulk loads use the same records.
//!
//! Snapshots that are older than the replacement continue to read the replaced keyspace, which is dropped when there
//! are none.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use fjall::{AbstractTree, Keyspace, PersistMode, Readable, UserKey};
use parking_lot::{Mutex, MutexGuard, RwLock};

use super::database::{Committed, Database, open_keyspace};
use super::failure::failed;
use super::fence::FENCE_KEY;
use super::options;
use super::space::Space;
use super::statistics::check_room;
use crate::error::{Error, ErrorKind, Result};
use crate::store::compaction_control::gave_way;
use crate::store::{CATALOG_SPACE, CompactionControl, SpaceId, SpaceOptions, corruption};

/// The keys of the records: 0xff "space", and the number of the space (8 bytes, big-endian). The value is the name of
/// the space's keyspace. A space without a record is in the keyspace that is named like its number.
const RECORD_PREFIX: &[u8] = b"\xffspace";

/// The bytes that are copied in one step. Commits wait during a step.
const STEP_BYTES: usize = 256 << 10;

/// The interval at which the copy checks whether the target has been flushed.
const WAIT_STEP: Duration = Duration::from_millis(1);

/// The rewriting of spaces.
#[derive(Default)]
pub(super) struct Rewrites {
    /// Held by the rewriting in progress.
    running: Mutex<()>,
    is_running: AtomicBool,
    /// Changed only by a thread that holds the database's lock on commits.
    current: Mutex<Option<Rewriting>>,
    has_replaced: AtomicBool,
    replaced: RwLock<Vec<Replaced>>,
}

/// A rewriting in progress.
pub(super) struct Rewriting {
    space: SpaceId,
    pub target: Space,
    /// The last key that has been copied.
    copied: Option<UserKey>,
    /// Whether the record may have been written. If its commit fails, only the next opening finds out.
    is_recorded: bool,
}

/// A keyspace that is no longer the current one of its space.
struct Replaced {
    space: SpaceId,
    /// Snapshots with smaller sequence numbers read it.
    until: u64,
    keyspace: Keyspace,
}

impl Rewriting {
    /// Whether a write of this key has to go to the target, too.
    pub fn has_copied(&self, space: SpaceId, key: &[u8]) -> bool {
        space == self.space && self.copied.as_ref().is_some_and(|copied| key <= &copied[..])
    }
}

impl Rewrites {
    /// The rewriting in progress. A commit holds the guard until it has been applied.
    pub fn current(&self) -> Option<MutexGuard<'_, Option<Rewriting>>> {
        self.is_running.load(Ordering::Acquire).then(|| self.current.lock())
    }

    /// Keeps rewritings from beginning, after it has waited for the one in progress.
    pub fn running(&self) -> MutexGuard<'_, ()> {
        self.running.lock()
    }

    /// The target of a rewriting of one of these spaces.
    pub fn target_of(&self, spaces: impl IntoIterator<Item = SpaceId>) -> Option<Space> {
        let current = self.current()?;
        let rewriting = current.as_ref()?;
        spaces.into_iter().any(|space| space == rewriting.space).then(|| rewriting.target.clone())
    }

    /// The replaced keyspace that a snapshot with this sequence number reads instead of the current one. Must be called
    /// after the current one has been looked up.
    pub fn replaced(&self, space: SpaceId, seqno: u64) -> Option<Keyspace> {
        if !self.has_replaced.load(Ordering::Acquire) {
            return None;
        }
        let replaced = self.replaced.read();
        let older = replaced.iter().filter(|replaced| replaced.space == space && seqno < replaced.until);
        older.min_by_key(|replaced| replaced.until).map(|replaced| replaced.keyspace.clone())
    }

    /// Removes the replaced keyspaces that no snapshot reads, or those of a space.
    fn take_replaced(&self, unneeded: impl Fn(SpaceId, u64) -> bool) -> Vec<Keyspace> {
        let mut replaced = self.replaced.write();
        let taken = replaced.extract_if(.., |replaced| unneeded(replaced.space, replaced.until));
        let taken = taken.map(|replaced| replaced.keyspace).collect();
        self.has_replaced.store(!replaced.is_empty(), Ordering::Release);
        taken
    }
}

/// The number of the space to which the keyspace with this name belongs.
pub(super) fn space_of(keyspace: &str) -> Option<SpaceId> {
    keyspace.split('.').next()?.parse().ok()
}

/// The name of the current keyspace of each space, and the names of all others.
///
/// # Errors
/// `Corrupt`: the keyspace that a record names is missing.
pub(super) fn current_names(
    inner: &fjall::Database,
    catalog: &Keyspace,
) -> Result<(BTreeMap<SpaceId, String>, Vec<String>)> {
    let (mut current, mut others) = (BTreeMap::new(), Vec::new());
    let names: Vec<String> = inner.list_keyspace_names().iter().map(|name| name.to_string()).collect();
    for name in &names {
        let Some(space) = space_of(name) else {
            return Err(corrupt(format!("the data contains \"{name}\", which is not a space of hjall")));
        };
        let record = catalog.get(record_key(space)).map_err(|error| failed("reading the record of a space", error))?;
        let is_recorded = record.is_some();
        let wanted = match record {
            Some(record) => String::from_utf8_lossy(&record).into_owned(),
            None => space.to_string(),
        };
        if !names.contains(&wanted) {
            if !is_recorded {
                // The space was dropped during a bulk load into it, and then the process ended. The keyspace is not
                // removed, because that cannot be told from the loss of its record.
                tracing::warn!("keyspace {name} is not used: there is no space {space}");
                continue;
            }
            return Err(corrupt(format!("the files of space {space} (keyspace {wanted}) are missing")));
        }
        if *name == wanted {
            current.insert(space, wanted);
        } else {
            others.push(name.clone());
        }
    }
    Ok((current, others))
}

fn corrupt(what: String) -> Error {
    Error::new(ErrorKind::Corrupt, format!("{what}; restore the data folder from a backup"))
}

pub(super) fn record_key(space: SpaceId) -> Vec<u8> {
    [RECORD_PREFIX, &space.to_be_bytes()].concat()
}

/// Whether a keyspace was created with these options.
fn has_options(keyspace: &Keyspace, wanted: &SpaceOptions) -> bool {
    let (is, wanted) = (keyspace.tree.tree_config(), options::keyspace(wanted));
    is.data_block_compression_policy == wanted.data_block_compression_policy
        && is.data_block_size_policy == wanted.data_block_size_policy
        && is.filter_policy == wanted.filter_policy
}

impl Database {
    /// Rewrites a space with these options, unless it already has them.
    ///
    /// # Errors
    /// `Cancelled`: it was stopped through `control`. `Busy`: the database is being closed or reopened. `Stale`: the
    /// space does not exist, or was dropped. The space keeps its options after these. `Io`, `DiskFull`: it may have
    /// either.
    pub fn change_options(
        &self,
        space: SpaceId,
        options: &SpaceOptions,
        control: &Arc<CompactionControl>,
    ) -> Result<()> {
        let _running = self.rewrites.running.lock();
        let _call = self.begin_long_call()?;
        if has_options(&self.keyspace(space)?, options) {
            return Ok(());
        }
        self.register(control);
        let target = self.create_target(space, options)?;
        {
            let _committing = self.committing.lock();
            let seqno = self.inner.supervisor.snapshot_tracker.get();
            let target = Space::new(target.clone(), &self.flushed, seqno);
            let rewriting = Rewriting { space, target, copied: None, is_recorded: false };
            *self.rewrites.current.lock() = Some(rewriting);
            self.rewrites.is_running.store(true, Ordering::Release);
        }
        let copied = self.copy_all(control);
        let is_recorded = {
            let _committing = self.committing.lock();
            let rewriting = self.rewrites.current.lock().take();
            self.rewrites.is_running.store(false, Ordering::Release);
            rewriting.is_some_and(|rewriting| rewriting.is_recorded)
        };
        if copied.is_err() {
            // If it is not dropped here, the next opening drops it, unless the record is there.
            if !is_recorded {
                let _ = self.drop_keyspace(target);
            }
            return copied;
        }
        self.release_replaced_files()?;
        self.drop_replaced()
    }

    pub(super) fn create_target(&self, space: SpaceId, options: &SpaceOptions) -> Result<Keyspace> {
        let mut creating = self.creating.lock();
        self.prepare_index(&mut creating)?;
        let names = (1_u32..).map(|n| format!("{space}.{n}"));
        let name = names.into_iter().find(|name| !self.inner.keyspace_exists(name)).unwrap_or_default();
        let target = open_keyspace(&self.inner, &name, options)?;
        corruption::mark_space(target.path(), space)?;
        corruption::sync_spaces(&self.path)?;
        self.fences.add(&target);
        Ok(target)
    }

    fn copy_all(&self, control: &Arc<CompactionControl>) -> Result<()> {
        let mut since = Instant::now();
        control.advance(0, since)?;
        loop {
            if self.give_way.is_asked() {
                return Err(gave_way());
            }
            if !self.target_has_room() {
                if let Some(error) = self.failure() {
                    return Err(error.again());
                }
                control.advance(0, Instant::now())?;
                std::thread::sleep(WAIT_STEP);
                continue;
            }
            match self.copy_step()? {
                None => return Ok(()),
                Some(bytes) => {
                    control.advance(bytes, since)?;
                    check_room(&self.path, control)?;
                }
            }
            since = Instant::now();
        }
    }

    /// Whether the target can take the pairs of a step. fjall must not wait inside a commit.
    fn target_has_room(&self) -> bool {
        let current = self.rewrites.current.lock();
        current.as_ref().is_none_or(|rewriting| !rewriting.target.is_crowded(STEP_BYTES as u64))
    }

    /// Copies the next pairs to the target. Returns their bytes; `None` after the last step.
    fn copy_step(&self) -> Result<Option<u64>> {
        let _committing = self.committing.lock();
        let mut current = self.rewrites.current.lock();
        let Some(rewriting) = &mut *current else { return Ok(None) };
        let Rewriting { space, target, copied, is_recorded } = rewriting;
        let source = self.keyspace(*space)?;
        let mut batch = self.inner.batch().durability(Some(PersistMode::Buffer));
        let from = Bound::Excluded(copied.as_ref().map_or(FENCE_KEY, |copied| &copied[..]));
        let (mut bytes, mut last, mut is_last_step) = (0, None, true);
        // No commit is being applied, so this snapshot has complete commits only.
        for item in self.inner.snapshot().range::<&[u8], _>(&source, (from, Bound::Unbounded)) {
            let (key, value) = item.into_inner().map_err(|error| failed("rewriting a space", error))?;
            bytes += key.len() + value.len();
            last = Some(key.clone());
            batch.insert(&target.keyspace, key, value);
            if bytes >= STEP_BYTES {
                is_last_step = false;
                break;
            }
        }
        if is_last_step {
            let name = target.keyspace.name().as_bytes().to_vec();
            batch.insert(&self.keyspace(CATALOG_SPACE)?, record_key(*space), name);
            *is_recorded = true;
        }
        let committed = batch.commit();
        target.committed(self.inner.supervisor.snapshot_tracker.get(), &self.replaced_files);
        let until = self.renew_view().seqno();
        match self.outcome(committed)? {
            Committed::Refused(error) => return Err(error),
            Committed::Whole(_) | Committed::Crowded | Committed::Occupied => {}
        }
        if !is_last_step {
            *copied = last;
            return Ok(Some(bytes as u64));
        }
        self.replace_keyspace(*space, target.clone(), until)?;
        *current = None;
        Ok(None)
    }

    /// Makes a keyspace the current one of its space for snapshots with at least the sequence number `until`. The
    /// caller must hold `committing`.
    pub(super) fn replace_keyspace(&self, space: SpaceId, new: Space, until: u64) -> Result<()> {
        let keyspace = self.keyspace(space)?;
        // Before the new keyspace can be found, so that a reader with an older snapshot cannot read it.
        self.rewrites.replaced.write().push(Replaced { space, until, keyspace });
        self.rewrites.has_replaced.store(true, Ordering::Release);
        // What has been copied to it may have been written long ago.
        new.recent_from.store(self.inner.supervisor.seqno.get(), Ordering::Release);
        self.spaces.write().insert(space, new);
        // Until now, nothing has followed its flushes and compactions.
        self.changes.expect();
        Ok(())
    }

    /// Drops the replaced keyspaces that no snapshot reads any more.
    pub fn drop_replaced(&self) -> Result<()> {
        if !self.rewrites.has_replaced.load(Ordering::Acquire) {
            return Ok(());
        }
        // The records have to be durable first.
        self.sync()?;
        let safe = self.inner.supervisor.snapshot_tracker.get_seqno_safe_to_gc();
        self.drop_all(self.rewrites.take_replaced(|_, until| until <= safe))
    }

    /// Drops the replaced keyspaces of a space that is being dropped.
    pub fn drop_replaced_of(&self, space: SpaceId) -> Result<()> {
        self.drop_all(self.rewrites.take_replaced(|of, _| of == space))
    }

    fn drop_all(&self, keyspaces: Vec<Keyspace>) -> Result<()> {
        keyspaces.into_iter().try_for_each(|keyspace| self.drop_keyspace(keyspace))
    }

    /// Drops a keyspace that is not the current one of a space.
    pub(super) fn drop_keyspace(&self, keyspace: Keyspace) -> Result<()> {
        let mut creating = self.creating.lock();
        self.prepare_index(&mut creating)?;
        self.fences.remove(&keyspace);
        self.dead_versions.forget(keyspace.name());
        self.forget_changes(&keyspace);
        corruption::unmark_space(keyspace.path())?;
        self.inner.delete_keyspace(keyspace).map_err(|error| failed("dropping a replaced keyspace", error))
    }

    /// Removes the record of a space that has been dropped, together with its keyspaces.
    pub(super) fn remove_record(&self, space: SpaceId) -> Result<()> {
        let _committing = self.committing.lock();
        let (catalog, key) = (self.keyspace(CATALOG_SPACE)?, record_key(space));
        let is_recorded = catalog.contains_key(&key).map_err(|error| failed("reading the record of a space", error))?;
        if !is_recorded {
            return Ok(());
        }
        let mut batch = self.inner.batch().durability(Some(PersistMode::Buffer));
        batch.remove(&catalog, key);
        let removed = self.outcome(batch.commit());
        self.renew_view();
        match removed? {
            Committed::Refused(error) => Err(error),
            Committed::Whole(_) | Committed::Crowded | Committed::Occupied => Ok(()),
        }
    }

    /// Drops keyspaces that an opening has found and that are not the current ones of their spaces.
    pub fn drop_others(&self, names: &[String]) -> Result<()> {
        for name in names {
            self.drop_keyspace(open_keyspace(&self.inner, name, &SpaceOptions::default())?)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use super::*;
    use crate::store::fjall::test_database::{SPACE, open};

    #[test]
    fn the_record_of_a_space_is_removed_with_it() {
        let folder = TempDir::new().unwrap();
        let (_holder, database, _) = open(&folder);
        let is_recorded = || database.keyspace(CATALOG_SPACE).unwrap().contains_key(record_key(SPACE)).unwrap();
        let compressed = SpaceOptions { compress: true, ..SpaceOptions::default() };
        database.change_options(SPACE, &compressed, &Arc::new(CompactionControl::default())).unwrap();
        assert!(is_recorded());
        database.remove(SPACE).unwrap();
        assert!(!is_recorded());
    }
}
