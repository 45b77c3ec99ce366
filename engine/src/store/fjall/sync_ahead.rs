//! Syncing of the files of a compaction or an ingestion while they are being written.
//!
//! fjall syncs a file when it is complete. The last file of a compaction is completed under the lock of the tree's list
//! of files, for which all reads and writes of the space wait, and that of an ingestion while all commits wait. A file
//! has up to 64 MiB, whose sync takes a tenth of a second and more. A file that has been synced in pieces before has
//! little left to sync then.

use std::collections::BTreeSet;
use std::fs::File;
use std::path::PathBuf;

use fjall::{AbstractTree, AnyTree};

use crate::store::file_names::FILES_FOLDER;

/// The files are synced each time that this number of bytes has been read for them.
const STEP_BYTES: usize = 8 << 20;

/// Syncs the files that are created after it was.
pub(super) struct SyncAhead {
    tree: AnyTree,
    folder: PathBuf,
    /// Files with smaller numbers existed before.
    first: u64,
    unsynced_bytes: usize,
}

impl SyncAhead {
    pub fn new(tree: &AnyTree) -> Self {
        let folder = tree.tree_config().path.join(FILES_FOLDER);
        Self { tree: tree.clone(), folder, first: tree.next_table_id(), unsynced_bytes: 0 }
    }

    /// Counts bytes, and syncs the files if there are enough.
    pub fn wrote(&mut self, bytes: usize) {
        self.unsynced_bytes += bytes;
        if self.unsynced_bytes >= STEP_BYTES {
            self.sync();
        }
    }

    /// Syncs what has been written to the files that are not in the list yet. Must not be called under a lock of the
    /// tree.
    pub fn sync(&mut self) {
        self.unsynced_bytes = 0;
        let listed: BTreeSet<u64> = self.tree.current_version().iter_tables().map(|table| table.id()).collect();
        for number in (self.first..self.tree.next_table_id()).filter(|number| !listed.contains(number)) {
            // Files of other compactions may disappear. An error is also reported to fjall, when it syncs the file.
            if let Ok(file) = File::open(self.folder.join(number.to_string())) {
                let _ = file.sync_data();
            }
        }
    }
}
