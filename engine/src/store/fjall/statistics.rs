//! The figures of an open database.

use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use fjall::{AbstractTree, Keyspace};

use super::backpressure::Waits;
use super::database::Database;
use super::space::Space;
use crate::error::Result;
use crate::store::{CompactionControl, SpaceFiles, Statistics};

/// The figures of a database. Only the size of the journal waits for a write of it in progress.
pub(super) fn of(database: &Database, waits: &Waits) -> Statistics {
    let inner = &database.inner;
    let spaces = database.spaces();
    // The size of a journal that failed is unknown. The other figures are still useful then.
    let journal_bytes = inner.journal_disk_space().unwrap_or(0);
    let mut all = Statistics {
        cache_bytes: inner.cache_size(),
        cache_bytes_max: inner.cache_capacity(),
        row_filter_bytes: database.filter_maker.total_bytes(),
        write_buffer_bytes: database.pressure.count(&spaces),
        write_buffer_bytes_max: database.pressure.bound_bytes,
        flushes_waiting: inner.outstanding_flushes() as u64,
        disk_bytes: journal_bytes,
        journals: inner.journal_count() as u64,
        journal_bytes,
        syncs: database.syncer().syncs.load(Ordering::Relaxed),
        compactions_running: inner.active_compactions() as u64,
        compactions: inner.compactions_completed() as u64,
        compacting: inner.time_compacting(),
        stalls: waits.begun.load(Ordering::Relaxed),
        stalled: Duration::from_nanos(waits.took_ns.load(Ordering::Relaxed)),
        stalls_given_up: waits.given_up.load(Ordering::Relaxed),
        stalled_now: waits.now.load(Ordering::Relaxed),
        failure: database.failure().map(|error| error.message().to_owned()),
        ..Statistics::default()
    };
    for Space { keyspace, .. } in &spaces {
        let reads = keyspace.metrics();
        all.spaces += 1;
        all.disk_bytes += keyspace.disk_space();
        all.files += keyspace.table_count() as u64;
        all.files_new += keyspace.l0_table_count() as u64;
        all.block_hits += reads.block_load_cached_count() as u64;
        all.block_misses += reads.block_load_io_count() as u64;
    }
    all
}

/// The files of a space.
pub(super) fn files(keyspace: &Keyspace) -> SpaceFiles {
    let mut files = SpaceFiles { bytes: keyspace.disk_space(), ..SpaceFiles::default() };
    for table in keyspace.tree.current_version().iter_tables() {
        let nanoseconds = u64::try_from(*table.metadata.created_at).unwrap_or(0);
        let written = SystemTime::UNIX_EPOCH + Duration::from_nanos(nanoseconds);
        files.oldest = files.oldest.into_iter().chain([written]).min();
        files.first_keys.push(Bytes::from(table.metadata.key_range.min().clone()));
    }
    files
}

/// More files than a flush creates.
#[cfg(unix)]
const FREE_FILES: u64 = 32;

/// The bytes of the disk of a folder: those that are free and available to this process, and all.
#[cfg(unix)]
fn disk_bytes(folder: &Path) -> Option<(u64, u64)> {
    let disk = rustix::fs::statvfs(folder).ok()?;
    Some((disk.f_bavail.saturating_mul(disk.f_frsize), disk.f_blocks.saturating_mul(disk.f_frsize)))
}

/// The bytes of the disk of a folder, which are unknown on this system.
#[cfg(not(unix))]
fn disk_bytes(_folder: &Path) -> Option<(u64, u64)> {
    None
}

/// The free bytes on the disk of a folder that are available to this process.
pub(super) fn disk_free_bytes(folder: &Path) -> Option<u64> {
    disk_bytes(folder).map(|(free, _)| free)
}

/// Fails if the disk of a folder has no room for more output of a compaction.
///
/// # Errors
/// `DiskFull`.
pub(super) fn check_room(folder: &Path, control: &CompactionControl) -> Result<()> {
    disk_bytes(folder).map_or(Ok(()), |(free, size)| control.check_room(free, size))
}

/// Whether the file system of a folder has no room for more files. Some file systems do not limit their number.
#[cfg(unix)]
pub(super) fn lacks_files(folder: &Path) -> bool {
    rustix::fs::statvfs(folder).is_ok_and(|disk| disk.f_files > 0 && disk.f_favail < FREE_FILES)
}

#[cfg(not(unix))]
pub(super) fn lacks_files(_folder: &Path) -> bool {
    false
}
