//! Back-pressure: writes wait before they take rows, not while they hold them.
//!
//! fjall makes a commit wait inside, without bound and with the write already visible, when a space has four memtables to be written out or
//! twenty runs in its first level. Here a space that comes near that is remembered, and the next writes wait for it, with a bound.
//! The memory of all spaces together, which fjall does not bound, is looked at after every so many bytes; the largest are written out.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use fjall::{AbstractTree, Database, Keyspace};
use parking_lot::Mutex;

use super::failure::refuses_writes;
use crate::error::{Error, ErrorKind, Result};

/// How long a write waits for the disk to catch up.
const WAIT_MAX: Duration = Duration::from_secs(30);

const WAIT_STEP: Duration = Duration::from_millis(2);

/// fjall itself stops at 4.
const SEALED_MAX: usize = 3;

/// fjall itself slows down at 20 and stops at 30.
const FIRST_LEVEL_RUNS_MAX: usize = 18;

/// The spaces that have too much to be written out or compacted.
pub(super) struct Pressure {
    pub bound_bytes: u64,
    /// Whether `pressed` has any: all that a write looks at in ordinary times.
    any: AtomicBool,
    pressed: Mutex<Vec<Keyspace>>,
    /// Bytes that fjall still counts though their spaces are gone.
    dropped_bytes: AtomicU64,
    /// Bytes written since the memory of all spaces was last looked at.
    unwatched_bytes: AtomicU64,
    sealing: Mutex<()>,
    pub waits: Waits,
}

/// How often and how long writes waited for the disk.
#[derive(Default)]
pub(super) struct Waits {
    pub begun: AtomicU64,
    pub now: AtomicU64,
    pub given_up: AtomicU64,
    pub took_ns: AtomicU64,
}

/// One write's wait, counted at its end however it ends.
struct Wait<'a> {
    waits: &'a Waits,
    began: Instant,
}

impl Waits {
    fn begin(&self) -> Wait<'_> {
        self.begun.fetch_add(1, Ordering::Relaxed);
        self.now.fetch_add(1, Ordering::Relaxed);
        Wait { waits: self, began: Instant::now() }
    }
}

impl Drop for Wait<'_> {
    fn drop(&mut self) {
        let took_ns = u64::try_from(self.began.elapsed().as_nanos()).unwrap_or(u64::MAX);
        self.waits.took_ns.fetch_add(took_ns, Ordering::Relaxed);
        self.waits.now.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Pressure {
    /// With this bound over all memtables.
    pub fn new(bound_bytes: u64) -> Self {
        Self {
            bound_bytes,
            any: AtomicBool::new(false),
            pressed: Mutex::new(Vec::new()),
            dropped_bytes: AtomicU64::new(0),
            unwatched_bytes: AtomicU64::new(0),
            sealing: Mutex::new(()),
            waits: Waits::default(),
        }
    }

    /// Takes note of a commit that wrote `bytes` to the spaces `touched`; `all` lists every space.
    pub fn wrote(&self, database: &Database, touched: &[Keyspace], bytes: u64, all: impl FnOnce() -> Vec<Keyspace>) {
        for keyspace in touched {
            if is_pressed(keyspace) {
                let mut pressed = self.pressed.lock();
                if !pressed.contains(keyspace) {
                    pressed.push(keyspace.clone());
                }
                self.any.store(true, Ordering::Release);
            }
        }
        if self.unwatched_bytes.fetch_add(bytes, Ordering::AcqRel) + bytes >= self.bound_bytes / 32 {
            self.write_largest(database, all);
        }
    }

    /// Waits until no space is under pressure; `Busy` if that takes too long.
    pub fn ease(&self, database: &Database) -> Result<()> {
        if self.is_eased(database) {
            return Ok(());
        }
        let wait = self.waits.begin();
        loop {
            std::thread::sleep(WAIT_STEP);
            // A database that refuses writes will not ease: let the commit find out.
            if self.is_eased(database) || refuses_writes(database) {
                return Ok(());
            }
            if wait.began.elapsed() > WAIT_MAX {
                self.waits.given_up.fetch_add(1, Ordering::Relaxed);
                return Err(Error::new(
                    ErrorKind::Busy,
                    format!("the disk has not caught up with writing for {} s; try again later", WAIT_MAX.as_secs()),
                ));
            }
        }
    }

    fn is_eased(&self, database: &Database) -> bool {
        if self.any.load(Ordering::Acquire) {
            let mut pressed = self.pressed.lock();
            pressed.retain(is_pressed);
            self.any.store(!pressed.is_empty(), Ordering::Release);
        }
        !self.any.load(Ordering::Acquire) && self.unwritten_bytes(database) <= self.bound_bytes.saturating_mul(2)
    }

    /// What is in memory and not yet in files, sealed or not. fjall counts it, but goes on counting what was dropped.
    pub fn unwritten_bytes(&self, database: &Database) -> u64 {
        database.write_buffer_size().saturating_sub(self.dropped_bytes.load(Ordering::Acquire))
    }

    /// A space is dropped with so much of it unwritten.
    pub fn dropped(&self, keyspace: &Keyspace) {
        self.dropped_bytes.fetch_add(keyspace.tree.active_memtable().size(), Ordering::AcqRel);
        self.pressed.lock().retain(|pressed| pressed != keyspace);
    }

    /// With the memory of all spaces above the bound, seals the largest until half the bound is left unsealed.
    fn write_largest(&self, database: &Database, all: impl FnOnce() -> Vec<Keyspace>) {
        let Some(_sealing) = self.sealing.try_lock() else { return };
        self.unwatched_bytes.store(0, Ordering::Release);
        if self.unwritten_bytes(database) <= self.bound_bytes {
            return;
        }
        let mut sizes: Vec<(u64, Keyspace)> =
            all().into_iter().map(|keyspace| (keyspace.tree.active_memtable().size(), keyspace)).collect();
        let mut active: u64 = sizes.iter().map(|(size, _)| size).sum();
        if active <= self.bound_bytes {
            // The rest is being written already.
            return;
        }
        sizes.sort_by_key(|(size, _)| std::cmp::Reverse(*size));
        for (size, keyspace) in sizes {
            if active <= self.bound_bytes / 2 {
                break;
            }
            if let Err(error) = keyspace.rotate_memtable() {
                tracing::warn!(%error, "a space's memory could not be sealed for writing it out");
                break;
            }
            active -= size;
        }
    }
}

/// Whether a major compaction, which keeps minor ones of its space waiting, should give way.
pub(super) fn is_nearly_pressed(keyspace: &Keyspace) -> bool {
    keyspace.tree.l0_run_count() >= FIRST_LEVEL_RUNS_MAX - 4
}

fn is_pressed(keyspace: &Keyspace) -> bool {
    keyspace.tree.sealed_memtable_count() >= SEALED_MAX || keyspace.tree.l0_run_count() >= FIRST_LEVEL_RUNS_MAX
}
