//! Flushes and compactions that callers request, and the end of these and of bulk loads when a database is closed or
//! reopened.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use fjall::{AbstractTree, Keyspace};

use super::database::Database;
use super::failure::failed;
use super::load::LoadQueue;
use super::read_merge;
use super::requested_compaction::{self, Ended};
use super::space::Space;
use crate::error::{Error, ErrorKind, Result};
use crate::store::compaction_control::gave_way;
use crate::store::{CATALOG_SPACE, CompactionControl, SpaceId, no_such_space};

/// How often a compaction tries to begin behind a fence, while other flushes add files.
const FENCES_MAX: usize = 10;

/// The time between two looks whether the filters of a space are still paused.
pub(super) const PAUSE_STEP: Duration = Duration::from_millis(1);

/// The size of the files that a major compaction writes, in bytes: fjall's.
const MAJOR_FILE_BYTES: u64 = 64_000_000;

/// The longest duration of a flush of one space.
const FLUSH_MAX: Duration = Duration::from_secs(600);

/// A flush or a requested compaction in progress.
pub(super) struct LongCall<'a>(&'a AtomicUsize);

impl Drop for LongCall<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

impl Database {
    /// Flushes a space. Returns when that is done.
    pub fn flush(&self, keyspace: &Keyspace) -> Result<()> {
        let _call = self.begin_long_call()?;
        self.write_out(keyspace)?;
        self.follow_changes();
        Ok(())
    }

    fn write_out(&self, keyspace: &Keyspace) -> Result<()> {
        self.seal(keyspace)?;
        self.wait_for_files(keyspace)
    }

    fn seal(&self, keyspace: &Keyspace) -> Result<()> {
        self.check_writable()?;
        // Four sealed memtables would make commits wait inside fjall, even if they were sealed by calls of this
        // function.
        self.wait_for_files(keyspace)?;
        self.pressure.seal(keyspace).map_err(|error| failed("flushing memory to files", error))
    }

    /// Flushes a space, and adds a fence to its files, unless one is the newest pair already.
    fn write_out_with_fence(&self, keyspace: &Keyspace) -> Result<()> {
        self.wait_for_files(keyspace)?;
        {
            let _committing = self.committing.lock();
            self.check_writable()?;
            let tree = &keyspace.tree;
            let in_files = tree.active_memtable().size() == 0 && tree.sealed_memtable_count() == 0;
            if in_files && self.fences.stands(keyspace.name()) {
                return Ok(());
            }
            self.fences.insert(keyspace);
            let sealed = self.pressure.seal_as_it_is(keyspace);
            sealed.map_err(|error| failed("flushing memory to files", error))?;
        }
        self.wait_for_files(keyspace)
    }

    fn wait_for_files(&self, keyspace: &Keyspace) -> Result<()> {
        let began = Instant::now();
        let mut rounds = 0_u32;
        while keyspace.tree.sealed_memtable_count() > 0 {
            std::thread::sleep(Duration::from_micros(500));
            rounds += 1;
            // If the worker has failed, no memtable is flushed any more.
            if rounds.is_multiple_of(20) {
                self.check_writable()?;
            }
            if began.elapsed() > FLUSH_MAX {
                return Err(Error::new(
                    ErrorKind::Io,
                    format!("flushing memory to files took more than {} s; check the disk", FLUSH_MAX.as_secs()),
                ));
            }
        }
        Ok(())
    }

    /// Flushes all spaces. Returns when that is done.
    pub fn flush_all(&self) -> Result<()> {
        let spaces = self.spaces();
        for space in &spaces {
            self.seal(&space.keyspace)?;
        }
        spaces.iter().try_for_each(|space| self.wait_for_files(&space.keyspace))?;
        self.follow_changes();
        Ok(())
    }

    /// Compacts a space: all of its files (`major`), or those that make reads slow.
    pub fn compact(&self, number: SpaceId, major: bool, control: &Arc<CompactionControl>) -> Result<()> {
        let space = self.space(number).ok_or_else(|| no_such_space(number))?;
        let call = self.begin_long_call()?;
        let compacted = self.compact_within(number, &space, major, control);
        drop(call);
        if compacted.is_err() {
            self.remove_unregistered_files_of(&space);
        }
        compacted
    }

    /// Compacts a space within a long call.
    fn compact_within(
        &self,
        number: SpaceId,
        space: &Space,
        major: bool,
        control: &Arc<CompactionControl>,
    ) -> Result<()> {
        self.register(control);
        space.run_reads.reset();
        let keyspace = &space.keyspace;
        let mut unfenced = 0;
        while unfenced < FENCES_MAX {
            self.wait_for_filters(number, control)?;
            // A compaction reads files only. To cover every pair, the memtables have to be flushed first.
            self.write_out_with_fence(keyspace)?;
            self.view();
            if self.give_way.is_asked() {
                return Err(gave_way());
            }
            let watermark = self.inner.supervisor.snapshot_tracker.get_seqno_safe_to_gc();
            let ended = requested_compaction::run(keyspace, major, control, watermark, || {
                if major {
                    requested_compaction::step(|| Ok(keyspace.tree.major_compact(MAJOR_FILE_BYTES, watermark)?))
                } else {
                    read_merge::merge(keyspace, |strategy| {
                        requested_compaction::step(|| Ok(keyspace.tree.compact(strategy, watermark)?))
                    })
                }
            });
            if matches!(ended, Ok(Ended::Complete)) && major {
                self.release_replaced_files()?;
                return self.drop_replaced();
            }
            self.follow_changes();
            self.view();
            match ended? {
                Ended::Complete => return Ok(()),
                Ended::Unfenced => unfenced += 1,
                Ended::Paused => {}
            }
        }
        Err(requested_compaction::too_many_writes())
    }

    /// Waits while the filters of a space are paused: a compaction would keep what it is to drop.
    fn wait_for_filters(&self, space: SpaceId, control: &CompactionControl) -> Result<()> {
        while self.filters.gates.are_paused(space) {
            if self.give_way.is_asked() {
                return Err(gave_way());
            }
            control.advance(0, Instant::now())?;
            std::thread::sleep(PAUSE_STEP);
        }
        Ok(())
    }

    /// Registers the control of a long call, so that [`Self::end_long_calls`] can end it.
    pub(super) fn register(&self, control: &Arc<CompactionControl>) {
        let mut controls = self.controls.lock();
        controls.retain(|control| control.strong_count() > 0);
        control.begin();
        controls.push(Arc::downgrade(control));
    }

    /// Makes fjall remove the files that compactions have replaced, unless a snapshot still uses them. fjall does that
    /// when it seals a memtable with new writes, which may otherwise not happen for days.
    pub(super) fn release_replaced_files(&self) -> Result<()> {
        self.follow_changes();
        self.rewrite_mark()?;
        let catalog = self.keyspace(CATALOG_SPACE)?;
        self.pressure.seal(&catalog).map_err(|error| failed("flushing memory to files", error))?;
        self.replaced_files.remove_unused();
        Ok(())
    }

    /// Registers a bulk load, so that [`Self::end_long_calls`] can end it. The caller has begun a long call.
    pub(super) fn register_load(&self, queue: &Arc<LoadQueue>) {
        let mut loads = self.loads.lock();
        loads.retain(|load| load.strong_count() > 0);
        loads.push(Arc::downgrade(queue));
    }

    /// Whether there are long calls or bulk loads. New ones may begin at any time.
    pub(super) fn has_long_calls(&self) -> bool {
        self.long_calls.load(Ordering::Acquire) > 0 || self.loads.lock().iter().any(|load| load.strong_count() > 0)
    }

    /// Aborts bulk loads and requested compactions, and waits until none of them and no flush is in progress. New ones
    /// fail.
    pub fn end_long_calls(&self) {
        self.give_way.requested();
        for control in self.controls.lock().iter().filter_map(Weak::upgrade) {
            control.give_way();
        }
        while self.long_calls.load(Ordering::Acquire) > 0 {
            std::thread::sleep(Duration::from_micros(200));
        }
        let loads: Vec<_> = self.loads.lock().drain(..).filter_map(|load| load.upgrade()).collect();
        loads.iter().for_each(|load| load.stop());
        loads.iter().for_each(|load| load.wait_until_ended());
    }

    /// Aborts fjall's own compactions too. Must be used only if the database accepts no more writes, because fjall
    /// refuses all writes after a failed compaction.
    pub fn end_all_compactions(&self) {
        self.give_way.all();
    }

    pub(super) fn begin_long_call(&self) -> Result<LongCall<'_>> {
        self.long_calls.fetch_add(1, Ordering::AcqRel);
        let call = LongCall(&self.long_calls);
        if self.give_way.is_asked() { Err(gave_way()) } else { Ok(call) }
    }
}
