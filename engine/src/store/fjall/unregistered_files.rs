//! Removal of files that are in no list of files: those that failed or aborted flushes and compactions have left.
//!
//! fjall removes them only when it opens the database. On a full disk, they may be what keeps it full: then the
//! database could not be opened again, and would refuse all writes.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use fjall::AbstractTree;

use super::database::{Database, is_list_current};
use super::space::Space;
use super::super_version::RunFiles;
use crate::store::file_names::FILES_FOLDER;

/// How long aborted compactions may take to end. They end at the next pair that they read.
const END_MAX: Duration = Duration::from_secs(10);

/// How long the removal of a space's files is tried while other calls may be writing files.
const RETRY_MAX: Duration = Duration::from_secs(1);

impl Database {
    /// Removes files of all spaces that are in no list of files and that no read uses. The caller has ended all
    /// compactions and long calls, and no new ones may begin.
    pub(super) fn remove_unregistered_files(&self) {
        self.log_removed(self.unregistered_files(|space| self.runs_in_use(space)).remove());
    }

    /// Removes such files of a space, such as those of a requested compaction that has failed. Waits for fjall's
    /// compactions, and does nothing if they last long or while other calls may be writing files.
    pub(super) fn remove_unregistered_files_of(&self, space: &Space) {
        let began = Instant::now();
        loop {
            // They are not ended for this, and may last. Closing must not wait for them here.
            self.wait_for_compactions(|| self.give_way.is_asked());
            // What is in no list and not known to be in use has not been replaced either.
            self.follow_changes();
            if let Some(left) = self.unregistered_files_of(space, |space| self.runs_in_use(space)) {
                return self.log_removed(UnregisteredFiles(left).remove());
            }
            // Another compaction or a flush may have begun meanwhile, which is often short.
            if began.elapsed() > RETRY_MAX || self.give_way.is_asked() {
                return;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// The runs of a space that reads use, or `None` if they are not known.
    fn runs_in_use(&self, space: &Space) -> Option<Vec<RunFiles>> {
        let newest = space.super_version(u64::MAX)?;
        let replaced = self.replaced_files.in_use(&space.keyspace.tree);
        Some(newest.runs.iter().cloned().chain(replaced).collect())
    }

    fn log_removed(&self, files: usize) {
        if files > 0 {
            tracing::info!(folder = %self.folder().display(), files, "incomplete files were removed");
        }
    }

    /// The files of all spaces that are not needed when the database is opened again: those that
    /// [`Self::remove_unregistered_files`] removes, and replaced ones. fjall usually removes replaced files when it is
    /// closed, but not always.
    pub(super) fn files_left_at_the_end(&self) -> UnregisteredFiles {
        self.unregistered_files(|_| Some(Vec::new()))
    }

    /// `kept` returns the runs of a space that must be kept, or `None` if all of its files must be.
    fn unregistered_files(&self, kept: impl Fn(&Space) -> Option<Vec<RunFiles>>) -> UnregisteredFiles {
        if !self.wait_for_compactions(|| false) {
            return UnregisteredFiles(Vec::new());
        }
        // Afterwards, because a compaction that has read its last pair replaces files although it was to be aborted.
        self.follow_changes();
        let spaces = self.spaces();
        UnregisteredFiles(
            spaces.iter().filter_map(|space| self.unregistered_files_of(space, &kept)).flatten().collect(),
        )
    }

    /// Waits until fjall runs no compactions, or until `stops`. Returns whether there are none.
    fn wait_for_compactions(&self, stops: impl Fn() -> bool) -> bool {
        let began = Instant::now();
        loop {
            if self.inner.active_compactions() == 0 {
                return true;
            }
            if began.elapsed() > END_MAX || stops() {
                return false;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    fn unregistered_files_of(
        &self,
        space: &Space,
        kept: impl Fn(&Space) -> Option<Vec<RunFiles>>,
    ) -> Option<Vec<PathBuf>> {
        let keyspace = &space.keyspace;
        let tree = &keyspace.tree;
        // A flush adds its files to the list under this lock.
        let _flushing = tree.get_flush_lock();
        let next = tree.next_table_id();
        // A compaction, long call or bulk load that has files with smaller numbers began before, and has ended if none
        // is in progress now. If a flush or compaction failed after it had written its list, the next opening uses that
        // list.
        if self.inner.active_compactions() > 0 || self.has_long_calls() || !is_list_current(keyspace) {
            return None;
        }
        let in_runs = kept(space)?;
        let mut registered: BTreeSet<u64> = tree.current_version().iter_tables().map(|table| table.id()).collect();
        registered.extend(in_runs.iter().flat_map(|run| run.iter()).map(|table| table.id()));
        let entries = fs::read_dir(keyspace.path().join(FILES_FOLDER)).into_iter().flatten().flatten();
        let number = |entry: &fs::DirEntry| entry.file_name().to_str()?.parse::<u64>().ok();
        let is_left = |number: u64| number < next && !registered.contains(&number);
        Some(entries.filter(|entry| number(entry).is_some_and(is_left)).map(|entry| entry.path()).collect())
    }
}

/// Files that are in no list of files.
pub(super) struct UnregisteredFiles(Vec<PathBuf>);

impl UnregisteredFiles {
    /// Removes those that still exist. Returns their number.
    pub fn remove(self) -> usize {
        let mut removed = 0;
        for file in self.0 {
            match fs::remove_file(&file) {
                Ok(()) => removed += 1,
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => {
                    tracing::warn!(file = %file.display(), %error, "a file that is not in use was not removed")
                }
            }
        }
        removed
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use bytes::Bytes;
    use tempfile::TempDir;

    use super::*;
    use crate::error::ErrorKind;
    use crate::store::Order;
    use crate::store::active_transaction::Write;
    use crate::store::fjall::cursor::Seen;
    use crate::store::fjall::database::Patience;
    use crate::store::fjall::test_database::{SPACE, open};

    #[test]
    fn the_files_of_a_compaction_that_fails_are_removed() {
        let folder = TempDir::new().unwrap();
        let (_holder, database, keyspace) = open(&folder);
        let files = || {
            let entries = fs::read_dir(keyspace.path().join(FILES_FOLDER)).unwrap();
            entries.map(|entry| entry.unwrap().path()).collect::<BTreeSet<_>>()
        };
        for round in 0..2 {
            let value = |n: u32| Some(Bytes::from(format!("{}", u64::from(n * 3 + round).pow(3)).repeat(10)));
            let write = |n| Write { space: SPACE, key: Bytes::from(format!("a{n:05}")), value: value(n) };
            database.commit(&mut (0..3000).map(write).collect(), 1, Patience::Unlimited).unwrap();
            database.flush(&keyspace).unwrap();
        }
        let damaged = files().pop_first().unwrap();
        let mut content = fs::read(&damaged).unwrap();
        let middle = content.len() / 2;
        content[middle] ^= 1;
        fs::write(&damaged, content).unwrap();
        let registered = || {
            let number = |table: &lsm_tree::Table| keyspace.path().join(FILES_FOLDER).join(table.id().to_string());
            keyspace.tree.current_version().iter_tables().map(number).collect::<BTreeSet<_>>()
        };
        for _ in 0..2 {
            let error = database.compact(SPACE, true, &Arc::default()).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Corrupt, "{error}");
            assert_eq!(files(), registered());
        }
    }

    #[test]
    fn only_files_in_no_list_and_without_readers_are_removed() {
        let folder = TempDir::new().unwrap();
        let (_holder, database, keyspace) = open(&folder);
        for n in 0..3 {
            let (key, value) = (Bytes::from_static(b"a"), Some(Bytes::from(n.to_string())));
            database.commit(&mut vec![Write { space: SPACE, key, value }], 1, Patience::Unlimited).unwrap();
            database.flush(&keyspace).unwrap();
        }
        let files = || {
            let entries = fs::read_dir(keyspace.path().join(FILES_FOLDER)).unwrap();
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect::<BTreeSet<_>>()
        };
        let mut cursor = Arc::new(Seen::now(&database)).scan(SPACE, b"a", b"b", Order::Ascending).unwrap();
        keyspace.major_compact().unwrap();
        let expected = files();
        assert_eq!(expected.len(), 4, "the cursor keeps three of them");
        let left = keyspace.tree.get_next_table_id();
        let foreign = keyspace.tree.next_table_id() + 9;
        for number in [left, foreign] {
            fs::write(keyspace.path().join(FILES_FOLDER).join(number.to_string()), b"incomplete").unwrap();
        }
        database.end_all_compactions();
        database.end_long_calls();
        database.remove_unregistered_files();
        let mut found = files();
        assert!(found.remove(&foreign.to_string()), "its number has not been assigned yet");
        assert_eq!(found, expected);
        assert_eq!(cursor.next().unwrap().map(|(_, value)| value), Some(Bytes::from_static(b"2")));
    }
}
