//! Reads a journal and finds the ranges that are not valid batches.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use super::batch::{self, Checksum, Decoded};

/// The number of bytes that are read first. Most journals are short, and the rest of the file is a hole.
const FIRST_BYTES: usize = 32 << 10;

/// The number of bytes that are read at a time.
const READ_BYTES: usize = 1 << 20;

/// Operating systems write files back in pages of at least this size. After a power failure, a page that was not synced
/// is zero from the place up to which it had been written back before.
const PAGE_BYTES: u64 = 4096;

/// The zeros before the end of a page by which a lost page is recognised.
const LOST_BYTES: u64 = 16;

/// The number of synced bytes while a repair runs. Nothing can have been lost in a power failure since then, but the
/// end of the last batch may be missing.
pub(super) const REPAIRED: u64 = u64::MAX - 1;

/// The limit on the work of looking for a valid batch, in bytes that are decoded, relative to the bytes that are
/// searched. Only values that imitate batches can reach it.
const SEARCH_FACTOR: usize = 64;

/// The batches of a journal, and the ranges between them.
#[derive(Debug, Default)]
pub(super) struct Scan {
    /// The number of valid batches.
    pub batches: u64,
    /// The sequence number of the last valid batch, or that of the batch before the journal if there is none.
    pub last: u64,
    /// The ranges that are not valid batches, in ascending order. Zeros at the end of the file are not a range.
    pub gaps: Vec<Gap>,
}

/// A range of a journal that is not a valid batch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Gap {
    /// The range in the file.
    pub from: u64,
    pub to: u64,
    /// The error, as the end of a sentence about the batch at `from`.
    pub reason: &'static str,
    /// Valid batches after the gap in this file.
    pub followed: u64,
    pub nature: Nature,
}

/// The kind of a gap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Nature {
    /// The beginning of a batch, as a crash leaves it at the end of the last journal.
    Torn,
    /// Batches with pages that were lost in a power failure.
    LostPages,
    /// A batch that had been written completely.
    Damaged,
    /// A batch among others whose sequence numbers do not follow on the ones before them.
    Misplaced,
    /// A batch whose sequence number is not between those of its neighbours, and could be this one.
    Renumber(u64),
}

/// The part of a file in memory.
struct Window {
    file: File,
    /// The position of `bytes[0]` in the file.
    at: u64,
    bytes: Vec<u8>,
    /// The first of `bytes` that is still needed.
    start: usize,
    ended: bool,
}

impl Window {
    fn open(path: &Path) -> io::Result<Self> {
        Ok(Self { file: File::open(path)?, at: 0, bytes: Vec::new(), start: 0, ended: false })
    }

    /// Decodes the batch at the current position.
    fn decode(&mut self, checksum: &mut Checksum) -> io::Result<Decoded> {
        loop {
            let decoded = batch::decode(&self.bytes[self.start..], checksum);
            if !matches!(decoded, Decoded::Incomplete) || self.ended {
                return Ok(decoded);
            }
            self.extend()?;
        }
    }

    fn seek(&mut self, at: u64) -> io::Result<()> {
        self.file.seek(SeekFrom::Start(at))?;
        (self.at, self.start, self.ended) = (at, 0, false);
        self.bytes.clear();
        Ok(())
    }

    fn position(&self) -> u64 {
        self.at + self.start as u64
    }

    /// Reads at least as many bytes as there are, so that a large batch is decoded a few times at most.
    fn extend(&mut self) -> io::Result<()> {
        self.bytes.drain(..self.start);
        self.at += self.start as u64;
        self.start = 0;
        let more = if self.at == 0 && self.bytes.is_empty() { FIRST_BYTES } else { READ_BYTES.max(self.bytes.len()) };
        let before = self.bytes.len();
        (&self.file).take(more as u64).read_to_end(&mut self.bytes)?;
        self.ended = self.bytes.len() - before < more;
        Ok(())
    }
}

/// A batch in a journal.
#[derive(Debug, Clone, Copy)]
struct Placed {
    from: u64,
    to: u64,
    sequence: u64,
}

/// Checks that the sequence numbers of batches ascend. If the number of one batch is wrong, the next batch shows which
/// one. If those of several are, or those of all batches of the journal, their numbers must not be corrected: the
/// journal may be an older copy, or that of another place, and its values would replace newer ones.
struct Ascending {
    /// The sequence number before that of `last`.
    before: u64,
    last: u64,
    /// The batch with the number `last`, if it is in this journal and there is no gap behind it.
    previous: Option<Placed>,
    /// A batch whose number does not follow on `last`.
    doubtful: Option<Placed>,
    /// Whether the batch before `doubtful` was doubtful, too.
    misplaced: bool,
    /// Whether the journal has a batch whose number follows on those before it.
    has_ordered: bool,
}

impl Ascending {
    fn new(after: u64) -> Self {
        Self { before: after, last: after, previous: None, doubtful: None, misplaced: false, has_ordered: false }
    }

    fn add(&mut self, batch: Placed, gaps: &mut Gaps) {
        if let Some(doubtful) = self.doubtful.take() {
            let follows = batch.sequence > self.last;
            let previous = self.previous.filter(|_| !self.misplaced && doubtful.sequence > self.before);
            match previous {
                // Only then is there a number for the doubtful batch.
                _ if batch.sequence > self.last + 1 && !self.misplaced => {
                    gaps.push(Gap::disorder(doubtful, batch.sequence - 1, 0));
                }
                // The number of the batch before is too large for both. There may be a smaller one for it.
                Some(previous) if !follows || doubtful.sequence > self.before + 1 => {
                    gaps.push(match doubtful.sequence > self.before + 1 {
                        true => Gap::disorder(previous, doubtful.sequence - 1, 1),
                        false => Gap { followed: 1, ..Gap::misplaced(previous) },
                    });
                    (self.last, self.previous) = (doubtful.sequence, Some(doubtful));
                }
                _ => {
                    gaps.push(Gap::misplaced(doubtful));
                    self.misplaced = !follows;
                }
            }
        }
        if batch.sequence > self.last {
            (self.before, self.last, self.previous) = (self.last, batch.sequence, Some(batch));
            self.has_ordered = true;
        } else {
            self.doubtful = Some(batch);
        }
    }

    /// Ends a series of batches. `next` is the number of the batch behind it, if it is known.
    fn end(&mut self, next: Option<u64>, gaps: &mut Gaps) {
        if let Some(doubtful) = self.doubtful.take() {
            gaps.push(match self.misplaced || !self.has_ordered {
                true => Gap::misplaced(doubtful),
                false => Gap::disorder(doubtful, self.last + 1, 0),
            });
        }
        self.misplaced = false;
        if let (Some(next), Some(previous)) = (next, self.previous.take())
            && self.before + 1 < next
            && next <= self.last
        {
            gaps.push(Gap::disorder(previous, next - 1, 0));
            self.last = next - 1;
        }
    }
}

impl Gap {
    /// The end of a journal.
    fn missing(from: u64, to: u64) -> Self {
        let reason = "is missing, although it had been synced";
        Self { from, to, reason, followed: 0, nature: Nature::Damaged }
    }

    fn misplaced(batch: Placed) -> Self {
        let reason = "has a sequence number that has been used before, as in an older copy of a journal, or in one that \
                      has the name of another";
        Self { from: batch.from, to: batch.to, reason, followed: 0, nature: Nature::Misplaced }
    }

    fn disorder(batch: Placed, sequence: u64, followed: u64) -> Self {
        let reason = "has a sequence number that is not between those of the batches around it";
        Self { from: batch.from, to: batch.to, reason, followed, nature: Nature::Renumber(sequence) }
    }
}

/// The gaps of a journal that is being read.
#[derive(Default)]
struct Gaps {
    /// Each with the number of batches that had been read when it was found.
    found: Vec<(Gap, u64)>,
    /// The number of batches that have been read.
    batches: u64,
}

impl Gaps {
    fn push(&mut self, gap: Gap) {
        self.found.push((gap, self.batches));
    }

    /// The gaps in the order of their positions, with the batches that follow them.
    fn finish(self) -> Vec<Gap> {
        let followed = |(gap, before): (Gap, u64)| Gap { followed: gap.followed + self.batches - before, ..gap };
        let mut gaps: Vec<_> = self.found.into_iter().map(followed).collect();
        gaps.sort_by_key(|gap| gap.from);
        gaps
    }
}

/// What is known to have been synced of a journal.
#[derive(Debug, Clone, Copy)]
pub(super) struct Known {
    /// The first bytes. `u64::MAX` stands for all that have been written, and [`REPAIRED`] for all but a torn end.
    pub bytes: u64,
    /// Batches that begin before this position have been synced as a whole.
    pub whole: u64,
}

impl Known {
    pub const NOTHING: Self = Self { bytes: 0, whole: 0 };
    pub const ALL: Self = Self { bytes: u64::MAX, whole: u64::MAX };
}

/// Reads a journal. `after` is the sequence number of the batch before its first one, and `next` that of the batch
/// behind its last one, if there is one.
pub(super) fn scan(path: &Path, after: u64, next: Option<u64>, synced: Known) -> io::Result<Scan> {
    let mut window = Window::open(path)?;
    let mut checksum = Checksum::default();
    let mut gaps = Gaps::default();
    let mut order = Ascending::new(after);
    let mut rest: Option<Rest> = None;
    loop {
        let decoded = window.decode(&mut checksum)?;
        let at = window.position();
        if let Decoded::Batch { bytes, .. } | Decoded::Empty { bytes } = decoded {
            if let Decoded::Batch { sequence, .. } = decoded {
                order.add(Placed { from: at, to: at + bytes as u64, sequence }, &mut gaps);
            }
            gaps.batches += 1;
            window.start += bytes;
            continue;
        }
        if rest.is_none() {
            rest = Rest::read(&mut window.file, at)?;
        }
        let resumed = rest.as_mut().filter(|rest| at < rest.end()).and_then(|rest| {
            order.end(None, &mut gaps);
            let (gap, resumed) = rest.explain(at, order.last, synced);
            gaps.push(gap);
            resumed
        });
        let Some(resumed) = resumed else {
            let end = gaps.found.iter().map(|(gap, _)| gap.to).fold(at, u64::max);
            if end < synced.bytes && synced.bytes < REPAIRED {
                let torn = gaps.found.pop_if(|(gap, _)| gap.nature == Nature::Torn);
                gaps.push(Gap::missing(torn.map_or(end, |(torn, _)| torn.from), synced.bytes));
            }
            order.end(next, &mut gaps);
            return Ok(Scan { batches: gaps.batches, last: order.last, gaps: gaps.finish() });
        };
        window.seek(resumed)?;
    }
}

/// The valid batches from a position of a journal on.
pub(in crate::store) struct Batches {
    /// The position behind them.
    pub end: u64,
    /// The sequence number of the last one, or of the batch before them if there are none.
    pub last: u64,
    /// The widest step from one sequence number to the next.
    pub widest_step: u64,
}

/// Reads the batches from a position on, up to the first bytes that are not a valid batch. `after` is the sequence
/// number of the batch before the position. The journal may be growing: a batch that is complete when the call begins
/// is read, unless what is before it is damaged.
pub(in crate::store) fn batches_from(file: File, from: u64, after: u64) -> io::Result<Batches> {
    let mut window = Window { file, at: 0, bytes: Vec::new(), start: 0, ended: false };
    window.seek(from)?;
    let mut checksum = Checksum::default();
    let mut found = Batches { end: from, last: after, widest_step: 0 };
    loop {
        let decoded = window.decode(&mut checksum)?;
        let (Decoded::Batch { bytes, .. } | Decoded::Empty { bytes }) = decoded else { return Ok(found) };
        window.start += bytes;
        found.end = window.position();
        if let Decoded::Batch { sequence, .. } = decoded {
            found.widest_step = found.widest_step.max(sequence.saturating_sub(found.last));
            found.last = sequence;
        }
    }
}

/// The sequence number of the first batch of a journal; `None` if it does not begin with a batch that has one.
pub(super) fn first_sequence(path: &Path) -> io::Result<Option<u64>> {
    Ok(match Window::open(path)?.decode(&mut Checksum::default())? {
        Decoded::Batch { sequence, .. } => Some(sequence),
        _ => None,
    })
}

/// The content of a journal from its first gap on.
struct Rest {
    /// The position of the first byte.
    from: u64,
    bytes: Vec<u8>,
    /// Computes the checksums of what looks like batches.
    checksum: Checksum,
}

impl Rest {
    /// Reads the content from a position on; `None` if there is none.
    fn read(file: &mut File, from: u64) -> io::Result<Option<Self>> {
        let Some(end) = end_of_content(file, from)? else { return Ok(None) };
        let mut bytes = Vec::new();
        file.seek(SeekFrom::Start(from))?;
        Read::by_ref(file).take(end - from).read_to_end(&mut bytes)?;
        Ok(Some(Self { from, bytes, checksum: Checksum::default() }))
    }

    fn end(&self) -> u64 {
        self.from + self.bytes.len() as u64
    }

    /// Describes what begins at a position and is not a batch, and the position of the next valid batch.
    fn explain(&mut self, at: u64, last: u64, synced: Known) -> (Gap, Option<u64>) {
        // What looks like batches may be as long as the rest, and be everywhere.
        let hashed_max = self.bytes.len().saturating_mul(SEARCH_FACTOR);
        let checksum = &mut self.checksum;
        let bytes = self.bytes.get((at - self.from) as usize..).unwrap_or_default();
        let decoded = batch::decode(bytes, checksum);
        let (reason, length) = match decoded {
            Decoded::Invalid(invalid) => (invalid.reason, invalid.bytes),
            _ => ("is incomplete", None),
        };
        // The values of a batch may contain anything, other batches too, so a batch that ends properly is passed over.
        // An incomplete one is not: a flipped bit may have made it longer, and what follows would be lost.
        let ends = length.filter(|length| bytes.get(..*length).is_some_and(batch::ends_a_batch));
        let mut next = None;
        let mut given_up = false;
        for n in ends.unwrap_or(1)..bytes.len() {
            if !batch::may_begin(&bytes[n..]) {
                continue;
            }
            if let Decoded::Batch { sequence, .. } = batch::decode(&bytes[n..], checksum)
                && sequence > last
            {
                next = Some(n);
                break;
            }
            if checksum.hashed > hashed_max {
                given_up = true;
                break;
            }
        }
        let complete = batch::ends_a_batch(bytes) || length.is_some_and(|length| length <= bytes.len());
        let until = next.unwrap_or(bytes.len());
        // A crash cannot take what had been synced.
        let may_be_lost = at >= synced.whole;
        let nature = if may_be_lost && loses_a_page(&bytes[..until], at, synced.bytes) {
            Nature::LostPages
        } else if may_be_lost && next.is_none() && !complete && !given_up && synced.bytes < u64::MAX {
            Nature::Torn
        } else {
            Nature::Damaged
        };
        let gap = Gap { from: at, to: at + until as u64, reason, followed: 0, nature };
        (gap, next.map(|next| at + next as u64))
    }
}

/// Whether these bytes, which begin at this position of a file, have a page that ends with zeros, which had not been
/// synced.
fn loses_a_page(bytes: &[u8], at: u64, synced: u64) -> bool {
    let end = at + bytes.len() as u64;
    // The first page may have fewer zeros: what is before them was there, or had been synced.
    let mut page_end = synced.max(at).saturating_add(1).checked_next_multiple_of(PAGE_BYTES);
    while let Some(to) = page_end.filter(|page_end| *page_end <= end) {
        let from = synced.max(at).max(to - LOST_BYTES);
        if bytes[(from - at) as usize..(to - at) as usize].iter().all(|byte| *byte == 0) {
            return true;
        }
        page_end = to.checked_add(PAGE_BYTES);
    }
    false
}

/// The end of the content of a file at or after a position: behind it are zeros only. `None` if there is no content.
pub(crate) fn end_of_content(file: &mut File, from: u64) -> io::Result<Option<u64>> {
    let mut end = None;
    each_content(file, from, |_, at, content| {
        end = Some(at + content.len() as u64);
        Ok(())
    })?;
    Ok(end)
}

/// Calls a function with the content of a file at or after a position, in blocks, and with the position of each. Holes,
/// zero blocks and the zeros at the end of a block are left out.
pub(super) fn each_content(
    file: &mut File,
    from: u64,
    mut call: impl FnMut(&mut File, u64, &[u8]) -> io::Result<()>,
) -> io::Result<()> {
    let mut at = from;
    let (mut buffer, zeros) = (vec![0; 64 << 10], vec![0; 64 << 10]);
    while let Some(data) = next_data(file, at)? {
        file.seek(SeekFrom::Start(data))?;
        let n = file.read(&mut buffer)?;
        if n == 0 {
            break;
        }
        // Most blocks are zero, and comparing slices is fast.
        if buffer[..n] != zeros[..n]
            && let Some(last) = buffer[..n].iter().rposition(|byte| *byte != 0)
        {
            call(file, data, &buffer[..=last])?;
        }
        at = data + n as u64;
    }
    Ok(())
}

/// The next position of a file that is not in a hole; `None` at the end. fjall creates journals of 64 MiB, which would
/// take longer to read than everything else that an opening does.
#[cfg(target_os = "linux")]
pub(super) fn next_data(file: &File, at: u64) -> io::Result<Option<u64>> {
    match rustix::fs::seek(file, rustix::fs::SeekFrom::Data(at)) {
        Ok(data) => Ok(Some(data)),
        Err(rustix::io::Errno::NXIO) => Ok(None),
        // The file system does not know its holes.
        Err(_) => Ok(Some(at)),
    }
}

#[cfg(not(target_os = "linux"))]
pub(super) fn next_data(_file: &File, at: u64) -> io::Result<Option<u64>> {
    Ok(Some(at))
}
