//! Rows that are read again and again, as they are stored: a read of one finds it here and not in the blocks of several files.
//!
//! What makes it right: a row is put in only if no write of it began between the moment at which its snapshot was taken and the moment at which it
//! is put in; a write takes it out before it begins and lets nothing in until it is done. So what is found here is what a snapshot taken now
//! would show. Versions, markers and TTL are applied to it as to everything stored.

mod row;

use std::collections::{HashMap, VecDeque};
use std::hash::{BuildHasher, BuildHasherDefault, Hasher, RandomState};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

use bytes::Bytes;
use parking_lot::Mutex;

pub(crate) use row::HotRow;

use crate::catalog::Family;
use crate::error::{Error, ErrorKind};

const SHARDS: usize = 16;
/// Rows share counters of writes: two that share one only keep each other out for a moment.
const STRIPES: usize = 1024;
/// Rows that were asked for lately, by their hash: only who is asked for again is worth its memory. Each place remembers the last few.
const PLACES: usize = 16 * 1024;
const WAYS: usize = 4;
/// A write that is under way, in a counter; above it, how many have begun or ended.
const WRITER: u64 = 1;
const EVENT: u64 = 1 << 24;

/// The rows of one database that are read often.
pub(crate) struct HotRows {
    shards: Vec<Mutex<Shard>>,
    stripes: Vec<AtomicU64>,
    met: Vec<[AtomicU32; WAYS]>,
    hasher: RandomState,
    /// Of each shard, in bytes.
    bytes_max: usize,
    /// A write failed so that nobody knows whether it happened: until one succeeds nothing is put in.
    doubtful: AtomicBool,
}

#[derive(Default)]
struct Shard {
    /// By the hash of its name; of two names with one hash the later one stays.
    rows: HashMap<u64, Kept, BuildHasherDefault<Hashed>>,
    /// In the order of coming in; rows that are gone are passed over.
    order: VecDeque<u64>,
    bytes: usize,
}

/// What is hashed already.
#[derive(Default)]
struct Hashed(u64);

impl Hasher for Hashed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(*byte);
        }
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}

struct Kept {
    name: Bytes,
    row: Arc<HotRow>,
    /// Found since it came by the last time: it may stay for another round.
    used: bool,
}

/// A place for a row that was not found, as of the moment at which it was looked for.
pub(crate) struct Place {
    name: Bytes,
    hash: u64,
    events: u64,
}

/// What a look for a row brings.
pub(crate) enum Found {
    /// The row as it is stored.
    Row(Arc<HotRow>),
    /// It is worth to be put in.
    Wanted(Place),
    /// Neither.
    Nothing,
}

/// What is remembered of a row that was asked for: odd.
fn tag(hash: u64) -> u32 {
    (hash >> 20) as u32 | 1
}

/// The same of a row that is too large: even.
fn too_large(tag: u32) -> u32 {
    tag & !1
}

impl HotRows {
    /// Holds rows up to so many bytes; 0: none.
    pub(crate) fn new(bytes: usize) -> Self {
        Self {
            shards: (0..SHARDS).map(|_| Mutex::default()).collect(),
            stripes: (0..STRIPES).map(|_| AtomicU64::new(0)).collect(),
            met: (0..if bytes == 0 { 0 } else { PLACES }).map(|_| Default::default()).collect(),
            hasher: RandomState::new(),
            bytes_max: bytes / SHARDS,
            doubtful: AtomicBool::new(false),
        }
    }

    fn shard(&self, hash: u64) -> &Mutex<Shard> {
        &self.shards[(hash >> 32) as usize % SHARDS]
    }

    fn stripe(&self, hash: u64) -> &AtomicU64 {
        &self.stripes[hash as usize % STRIPES]
    }

    /// Looks for a row by the name under which it is locked, as its table is now. To be asked **before** a snapshot is taken.
    pub(crate) fn find(&self, name: Bytes, families: &Arc<[Family]>) -> Found {
        if self.bytes_max == 0 {
            return Found::Nothing;
        }
        let hash = self.hasher.hash_one(&name);
        {
            let mut shard = self.shard(hash).lock();
            if let Some(kept) = shard.rows.get_mut(&hash).filter(|kept| kept.name == name) {
                if kept.row.is_of(families) {
                    kept.used = true;
                    return Found::Row(Arc::clone(&kept.row));
                }
                // Its table was altered since.
                shard.remove(hash);
            }
        }
        let (met, tag) = (&self.met[hash as usize % PLACES], tag(hash));
        let same = |was: &u32| *was == tag || *was == too_large(tag);
        match met.iter().map(|way| way.load(Ordering::Relaxed)).find(same) {
            Some(was) if was == tag => {}
            Some(_) => return Found::Nothing,
            None => {
                // The newest first. Two who do this at once may lose one of them: it is met again.
                for way in (1..WAYS).rev() {
                    met[way].store(met[way - 1].load(Ordering::Relaxed), Ordering::Relaxed);
                }
                met[0].store(tag, Ordering::Relaxed);
                return Found::Nothing;
            }
        }
        let events = self.stripe(hash).load(Ordering::SeqCst);
        let free = events.is_multiple_of(EVENT) && !self.doubtful.load(Ordering::SeqCst);
        if free { Found::Wanted(Place { name, hash, events }) } else { Found::Nothing }
    }

    /// The row that was wanted is too large: it is not tried again as long as that is remembered.
    pub(crate) fn refuse(&self, place: &Place) {
        let tag = tag(place.hash);
        for way in &self.met[place.hash as usize % PLACES] {
            let _ = way.compare_exchange(tag, too_large(tag), Ordering::Relaxed, Ordering::Relaxed);
        }
    }

    /// Puts a row in, if no write of it began since its place was found.
    pub(crate) fn put(&self, place: Place, row: &Arc<HotRow>) {
        let mut shard = self.shard(place.hash).lock();
        // Under the lock that a write takes after it has counted itself: it either comes first and is seen here, or takes out what comes in.
        if self.stripe(place.hash).load(Ordering::SeqCst) != place.events {
            return;
        }
        shard.put(place, row, self.bytes_max);
    }

    /// Carries out a write of the rows with these names. Nothing of them is found until it is done.
    pub(crate) fn writing<T>(&self, names: &[Bytes], write: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
        if self.bytes_max == 0 {
            return write();
        }
        let writing = Writing::begin(self, names);
        let done = write();
        match &done {
            Err(error) if matches!(error.kind(), ErrorKind::Io | ErrorKind::DiskFull) => self.doubt(),
            Ok(_) if self.doubtful.load(Ordering::SeqCst) => {
                self.clear();
                self.doubtful.store(false, Ordering::SeqCst);
            }
            _ => {}
        }
        drop(writing);
        done
    }

    fn doubt(&self) {
        self.doubtful.store(true, Ordering::SeqCst);
        self.clear();
    }

    /// Forgets all rows, also those that are about to be put in.
    pub(crate) fn clear(&self) {
        for stripe in &self.stripes {
            stripe.fetch_add(EVENT, Ordering::SeqCst);
        }
        for shard in &self.shards {
            *shard.lock() = Shard::default();
        }
    }
}

impl Shard {
    fn put(&mut self, Place { name, hash, .. }: Place, row: &Arc<HotRow>, bytes_max: usize) {
        self.remove(hash);
        self.bytes += row.bytes() + name.len();
        self.rows.insert(hash, Kept { name, row: Arc::clone(row), used: false });
        self.order.push_back(hash);
        while self.bytes > bytes_max {
            let Some(oldest) = self.order.pop_front() else { break };
            match self.rows.get_mut(&oldest) {
                Some(kept) if kept.used => {
                    kept.used = false;
                    self.order.push_back(oldest);
                }
                _ => self.remove(oldest),
            }
        }
        // Rows that were written since are still in line, some of them more than once.
        if self.order.len() > 2 * self.rows.len() + 16 {
            self.order = self.rows.keys().copied().collect();
        }
    }

    fn remove(&mut self, hash: u64) {
        if let Some(old) = self.rows.remove(&hash) {
            self.bytes -= old.row.bytes() + old.name.len();
        }
    }
}

/// Writes under way, counted until it is dropped.
struct Writing<'a> {
    hot: &'a HotRows,
    hashes: Vec<u64>,
}

impl<'a> Writing<'a> {
    fn begin(hot: &'a HotRows, names: &[Bytes]) -> Self {
        let mut hashes = Vec::with_capacity(names.len());
        for name in names {
            let hash = hot.hasher.hash_one(name);
            hot.stripe(hash).fetch_add(EVENT + WRITER, Ordering::SeqCst);
            hot.shard(hash).lock().remove(hash);
            hashes.push(hash);
        }
        Self { hot, hashes }
    }
}

impl Drop for Writing<'_> {
    fn drop(&mut self) {
        for hash in &self.hashes {
            self.hot.stripe(*hash).fetch_add(EVENT - WRITER, Ordering::SeqCst);
        }
    }
}
