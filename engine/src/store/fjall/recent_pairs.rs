//! The pairs that were written to a space since a table was last altered, disabled or flushed.
//!
//! In HBase, these are the pairs of the memstore. fjall seals and flushes its memtables at other times, so recent pairs
//! are told by their sequence numbers instead. Compactions may have set those of some pairs to zero; they have also
//! dropped what a flush would.

use std::sync::atomic::Ordering;

use bytes::Bytes;
use lsm_tree::InternalValue;

use super::database::Database;
use super::failure::failed;
use super::fence::FENCE_KEY;
use super::super_version::SuperVersion;
use crate::error::Result;
use crate::store::{Pair, SpaceId, no_such_space};

impl Database {
    /// The pairs that have been written to a space since the last call, or since it was opened, by key. `None` if more
    /// than about `bytes_max` have to be read to find them, or if not all memtables are known, which is possible while
    /// several are being flushed. No other thread may write to the space.
    ///
    /// # Errors
    /// `Stale`, `Io`, `Corrupt`.
    pub fn recent_pairs(&self, space: SpaceId, bytes_max: u64) -> Result<Option<Vec<Pair>>> {
        let space = self.space(space).ok_or_else(|| no_such_space(space))?;
        let from = space.recent_from.swap(self.inner.supervisor.seqno.get(), Ordering::AcqRel);
        match space.current() {
            Some(version) => version.pairs_from(from, bytes_max),
            None => Ok(None),
        }
    }
}

impl SuperVersion {
    /// The pairs whose sequence numbers are at least `from`, by key; `None` if more than about `bytes_max` have to be
    /// read to find them.
    ///
    /// # Errors
    /// `Io`, `Corrupt`.
    fn pairs_from(&self, from: u64, bytes_max: u64) -> Result<Option<Vec<Pair>>> {
        let memtables: Vec<_> =
            self.memtables().filter(|memtable| memtable.get_highest_seqno().is_some_and(|last| last >= from)).collect();
        let files = self.runs.iter().flat_map(|run| run.iter());
        let files: Vec<_> = files.filter(|file| file.get_highest_seqno() >= from).collect();
        let bytes =
            memtables.iter().map(|memtable| memtable.size()).chain(files.iter().map(|file| file.metadata.file_size));
        if bytes.sum::<u64>() > bytes_max {
            return Ok(None);
        }
        let mut versions = Vec::new();
        let is_recent = |version: &InternalValue| version.key.seqno >= from && version.key.user_key[..] != *FENCE_KEY;
        for memtable in memtables {
            versions.extend(memtable.iter().filter(is_recent));
        }
        for file in files {
            for version in file.iter() {
                let version = version.map_err(|error| failed("reading", fjall::Error::from(error)))?;
                versions.extend(Some(version).filter(is_recent));
            }
        }
        // By key, and then from the newest to the oldest.
        versions.sort_unstable_by(|a, b| a.key.cmp(&b.key));
        versions.dedup_by(|later, first| later.key.user_key == first.key.user_key);
        let puts = versions.into_iter().filter(|version| !version.key.is_tombstone());
        Ok(Some(puts.map(|put| (Bytes::from(put.key.user_key), Bytes::from(put.value))).collect()))
    }
}
