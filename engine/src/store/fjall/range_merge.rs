//! Ascending ranges of a space, merged from its memtables and files directly.
//!
//! fjall's ranges can be walked from both ends, hide the type of each source, and move each pair through four
//! iterators, which takes most of the time of a scan. A range here is opened only if the space has a super version that
//! covers the snapshot; the caller opens a range of fjall otherwise.

use std::hint::black_box;
use std::ops::Bound;
use std::sync::Arc;
use std::{iter, mem, vec};

use bytes::Bytes;
use lsm_tree::{InternalValue, Memtable, Slice, Table, ValueType};
use smallvec::SmallVec;

use super::failure::failed;
use super::read_merge::RunReads;
use super::super_version::{RunFiles, SuperVersion};
use crate::error::Result;
use crate::store::Pair;

/// The number of versions that are first taken from a memtable at once. It doubles each time.
const FIRST_CHUNK: usize = 8;

/// The number of versions that are first taken from a memtable after a seek, which is often followed by another one.
const SOUGHT_CHUNK: usize = 2;

/// The largest number of versions that are taken from a memtable at once.
const CHUNK_MAX: usize = 256;

/// The pairs of a range, ascending. It keeps the memtable and the files of the range until it is dropped.
pub(super) struct RangeMerge {
    /// The sequence number from which on versions are not seen.
    seqno: u64,
    sources: Vec<Source>,
    /// Indexes of the sources that have not ended, ordered by their heads.
    order: Vec<usize>,
    /// The range ends before this key, unless that is empty.
    to: Vec<u8>,
    /// Counts the reads of the space.
    reads: Arc<RunReads>,
}

/// A memtable or a run that is being read.
struct Source {
    /// The first version that has not been consumed.
    head: InternalValue,
    rest: Rest,
}

/// What follows the head of a source.
enum Rest {
    Memtable(MemtableRest),
    Run(RunRest),
}

/// The versions of a memtable. They are taken in chunks, because an iterator would borrow the memtable.
struct MemtableRest {
    memtable: Arc<Memtable>,
    chunk: vec::IntoIter<InternalValue>,
    /// The last version that has been examined; `None` if there are no more.
    last: Option<InternalValue>,
    /// The size of the next chunk.
    next: usize,
}

/// The versions of a run, whose files are ordered by key and do not overlap.
struct RunRest {
    file: FileIter,
    /// The number of the file that follows.
    next: usize,
    /// The number of the first file behind the range.
    end: usize,
    files: RunFiles,
}

type FileIter = Box<dyn Iterator<Item = lsm_tree::Result<InternalValue>> + Send>;

impl RangeMerge {
    /// The pairs within these bounds that a snapshot with this sequence number sees, which `version` must cover.
    ///
    /// # Errors
    /// `Io`, `Corrupt`.
    pub fn open(
        version: &SuperVersion,
        reads: &Arc<RunReads>,
        seqno: u64,
        (lower, to): (Bound<&[u8]>, &[u8]),
    ) -> Result<Self> {
        let memtables = version.memtables().filter(|memtable| !memtable.is_empty());
        let mut rests: Vec<_> =
            memtables.map(|memtable| Rest::Memtable(MemtableRest::new(Arc::clone(memtable)))).collect();
        for run in &version.runs {
            let end = match to {
                b"" => run.len(),
                to => run.partition_point(|file| file.metadata.key_range.min()[..] < *to),
            };
            rests.push(Rest::Run(RunRest { file: Box::new(iter::empty()), next: 0, end, files: Arc::clone(run) }));
        }
        let mut sources = Vec::with_capacity(rests.len());
        for mut rest in rests {
            rest.seek(lower, FIRST_CHUNK, seqno);
            sources.extend(rest.next(seqno)?.map(|head| Source { head, rest }));
        }
        let to = to.to_vec();
        let mut merge = Self { seqno, order: (0..sources.len()).collect(), sources, to, reads: Arc::clone(reads) };
        merge.sort();
        Ok(merge)
    }

    /// Moves forward to the first pair within a bound. Counts as a read.
    ///
    /// # Errors
    /// `Io`, `Corrupt`; the range has to be opened again then.
    pub fn seek(&mut self, lower: Bound<&[u8]>) -> Result<()> {
        self.reads.count();
        let Self { sources, order, seqno, .. } = self;
        // The sources whose heads are within the bound are behind the others, and stay where they are.
        let behind = order.partition_point(|at| is_before(&sources[*at].head, lower));
        for at in order.drain(..behind).collect::<SmallVec<[usize; 8]>>() {
            let Source { head, rest } = &mut sources[at];
            rest.seek(lower, SOUGHT_CHUNK, *seqno);
            if let Some(next) = rest.next(*seqno)? {
                *head = next;
                order.push(at);
            }
        }
        self.sort();
        Ok(())
    }

    fn sort(&mut self) {
        self.order.sort_unstable_by(|a, b| self.sources[*a].head.key.cmp(&self.sources[*b].head.key));
    }

    /// The next pair.
    ///
    /// # Errors
    /// `Io`, `Corrupt`; the range has to be opened again then.
    #[inline]
    pub fn next(&mut self) -> Result<Option<Pair>> {
        loop {
            let Some(newest) = self.take_version()? else { return Ok(None) };
            while let Some(&first) = self.order.first()
                && self.sources[first].head.key.user_key == newest.key.user_key
            {
                self.take_version()?;
            }
            if !self.to.is_empty() && newest.key.user_key[..] >= self.to[..] {
                self.order.clear();
                return Ok(None);
            }
            if !newest.key.is_tombstone() {
                return Ok(Some((Bytes::from(newest.key.user_key), Bytes::from(newest.value))));
            }
        }
    }

    /// The next version, ordered by key, and then from the newest to the oldest.
    #[inline]
    fn take_version(&mut self) -> Result<Option<InternalValue>> {
        let Self { sources, order, .. } = self;
        let Some(&first) = order.first() else { return Ok(None) };
        let Some(next) = sources[first].rest.next(self.seqno)? else {
            order.remove(0);
            return Ok(Some(sources[first].head.clone()));
        };
        let version = mem::replace(&mut sources[first].head, next);
        // The source is often the first one again, and otherwise often the second one.
        let head = &sources[first].head.key;
        if let Some(&second) = order.get(1)
            && *head > sources[second].head.key
        {
            let before = order[2..].partition_point(|other| sources[*other].head.key < *head);
            order[..before + 2].rotate_left(1);
        }
        Ok(Some(version))
    }
}

/// Whether a version is not within a lower bound.
fn is_before(version: &InternalValue, lower: Bound<&[u8]>) -> bool {
    match lower {
        Bound::Included(lower) => version.key.user_key[..] < *lower,
        Bound::Excluded(lower) => version.key.user_key[..] <= *lower,
        Bound::Unbounded => false,
    }
}

impl Rest {
    /// Moves forward to the first version within a bound.
    fn seek(&mut self, lower: Bound<&[u8]>, chunk: usize, seqno: u64) {
        match self {
            Self::Memtable(rest) => rest.seek(lower, chunk, seqno),
            Self::Run(rest) => rest.seek(lower),
        }
    }

    /// The next version that is seen.
    #[inline]
    fn next(&mut self, seqno: u64) -> Result<Option<InternalValue>> {
        match self {
            Self::Memtable(rest) => Ok(rest.next(seqno)),
            Self::Run(rest) => rest.next(seqno),
        }
    }
}

impl MemtableRest {
    fn new(memtable: Arc<Memtable>) -> Self {
        Self { memtable, chunk: Vec::new().into_iter(), last: None, next: FIRST_CHUNK }
    }

    fn seek(&mut self, lower: Bound<&[u8]>, chunk: usize, seqno: u64) {
        let behind = self.chunk.as_slice().partition_point(|version| is_before(version, lower));
        if behind < self.chunk.len() {
            self.chunk.by_ref().take(behind).for_each(drop);
            return;
        }
        let version =
            |key: &[u8], seqno| InternalValue::from_components(key, Slice::empty(), seqno, ValueType::Tombstone);
        self.next = chunk;
        self.last = None;
        self.take(
            match lower {
                Bound::Included(key) => Bound::Included(version(key, u64::MAX)),
                Bound::Excluded(key) => Bound::Excluded(version(key, 0)),
                Bound::Unbounded => Bound::Unbounded,
            },
            seqno,
        );
    }

    #[inline]
    fn next(&mut self, seqno: u64) -> Option<InternalValue> {
        loop {
            if let Some(version) = self.chunk.next() {
                return Some(version);
            }
            let last = self.last.take()?;
            self.take(Bound::Excluded(last), seqno);
        }
    }

    /// Takes the next chunk.
    fn take(&mut self, from: Bound<InternalValue>, seqno: u64) {
        let mut chunk = Vec::with_capacity(self.next);
        let mut examined = 0;
        for item in self.memtable.items.range((from.map(|from| from.key), Bound::Unbounded)) {
            examined += 1;
            let key = item.key().clone();
            if examined == self.next {
                self.last = Some(InternalValue { key: key.clone(), value: Slice::empty() });
            }
            if key.seqno < seqno {
                let value = item.value().clone();
                // The bytes are in other places of the memory than the memtable's nodes. Loads that depend on nothing
                // overlap with those of the next nodes; later, each of them would be waited for.
                black_box((key.user_key.first().copied(), value.first().copied(), value.get(64).copied()));
                chunk.push(InternalValue { key, value });
            }
            if examined == self.next {
                break;
            }
        }
        self.next = (self.next * 2).min(CHUNK_MAX);
        self.chunk = chunk.into_iter();
    }
}

impl RunRest {
    fn seek(&mut self, lower: Bound<&[u8]>) {
        self.next = match lower {
            Bound::Included(key) => self.files.partition_point(|file| file.metadata.key_range.max()[..] < *key),
            Bound::Excluded(key) => self.files.partition_point(|file| file.metadata.key_range.max()[..] <= *key),
            Bound::Unbounded => 0,
        };
        self.file = match self.next_file() {
            // Without an upper bound, which would be searched for. The end is known from the first key past it.
            Some(file) => Box::new(file.range((lower.map(Slice::from), Bound::Unbounded))),
            None => Box::new(iter::empty()),
        };
    }

    fn next_file(&mut self) -> Option<&Table> {
        let number = self.next;
        self.next += 1;
        self.files.get(number).filter(|_| number < self.end)
    }

    #[inline]
    fn next(&mut self, seqno: u64) -> Result<Option<InternalValue>> {
        loop {
            match self.file.next() {
                Some(Ok(version)) if version.key.seqno < seqno => return Ok(Some(version)),
                Some(Ok(_)) => {}
                Some(Err(error)) => return Err(failed("reading", fjall::Error::from(error))),
                None => {
                    let Some(file) = self.next_file() else { return Ok(None) };
                    self.file = Box::new(file.iter());
                }
            }
        }
    }
}
