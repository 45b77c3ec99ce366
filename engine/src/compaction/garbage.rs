//! An estimate of what a major compaction would drop, from a sample.

use bytes::Bytes;

use super::cell_filter::CellFilter;
use crate::error::Result;
use crate::key;
use crate::schema::FamilyRules;
use crate::store::{CompactionFilter, Order, Snapshot, SpaceId, Store, Verdict};

/// Places at which the sample is taken, spread over the files, and within them if there are fewer files.
const PLACES_MAX: usize = 16;

/// Pairs that are read at each place.
const PAIRS_PER_PLACE: usize = 1000;

/// Bytes after which no further pair is read at a place, for families with large cells.
const BYTES_PER_PLACE: u64 = 4 << 20;

/// Keys that are looked up to find a place between two others.
const LOOKUPS_MAX: usize = 12;

/// A sample of a space's pairs, in bytes of keys and values.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct GarbageSample {
    /// Bytes read.
    pub read_bytes: u64,
    /// The bytes that a major compaction would drop now.
    pub garbage_bytes: u64,
}

impl GarbageSample {
    /// Reads a sample of a family's pairs. The work is bounded, regardless of the size of the space. A space of a few
    /// thousand pairs is read completely.
    ///
    /// # Errors
    /// Those of the store.
    pub(crate) fn read(store: &dyn Store, space: SpaceId, rules: FamilyRules) -> Result<Self> {
        let (now, snapshot) = (store.now_ms(), store.snapshot()?);
        let mut sample = Self::default();
        let places = places(store.files(space)?.first_keys, &*snapshot, space)?;
        for (at, from) in places.iter().enumerate() {
            // Each place begins with a row, so the filter sees the markers of every row before its values.
            let mut filter = CellFilter::new(rules, true, now);
            let to = places.get(at + 1).map_or(&b""[..], |next| next);
            let mut cursor = snapshot.scan(space, from, to, Order::Ascending, PAIRS_PER_PLACE)?;
            let enough = sample.read_bytes + BYTES_PER_PLACE;
            for _ in 0..PAIRS_PER_PLACE {
                // One at a time: a thousand of the largest cells would be gigabytes.
                let Some((key, value)) = cursor.next()?.filter(|_| sample.read_bytes < enough) else { break };
                let bytes = (key.len() + value.len()) as u64;
                sample.read_bytes += bytes;
                if filter.filter(&key, &value) == Verdict::Drop {
                    sample.garbage_bytes += bytes;
                }
            }
        }
        Ok(sample)
    }
}

/// The beginnings of rows at which to read, in ascending order: those of files, and rows between them.
///
/// # Errors
/// Those of the store.
fn places(mut first_keys: Vec<Bytes>, snapshot: &dyn Snapshot, space: SpaceId) -> Result<Vec<Bytes>> {
    first_keys.sort();
    let step = first_keys.len().div_ceil(PLACES_MAX).max(1);
    let mut places: Vec<Bytes> = first_keys.into_iter().step_by(step).map(row_of).collect();
    places.dedup();
    if places.is_empty() {
        places.push(Bytes::new());
    }
    let last = snapshot.scan(space, b"", b"", Order::Descending, 1)?.next()?;
    let Some(last) = last.map(|(key, _)| row_of(key)) else { return Ok(places) };
    let common = places[0].iter().zip(&last).take_while(|(first, last)| first == last).count();
    let position =
        |row: &Bytes| (common..common + 8).fold(0, |all, at| all << 8 | row.get(at).map_or(0, |b| u64::from(*b)));
    let width = |(from, to): &(Bytes, Bytes)| position(to).saturating_sub(position(from));
    let ends = places.iter().skip(1).chain([&last]);
    let mut ranges: Vec<(Bytes, Bytes)> = places.iter().zip(ends).map(|(a, b)| (a.clone(), b.clone())).collect();
    while places.len() < PLACES_MAX
        && let Some(widest) = (0..ranges.len()).max_by_key(|at| width(&ranges[*at]))
    {
        let (from, to) = ranges.swap_remove(widest);
        if let Some(row) = row_between(&from, &to, snapshot, space)? {
            places.push(row.clone());
            ranges.extend([(from, row.clone()), (row, to)]);
        }
    }
    places.sort();
    Ok(places)
}

/// A row between two others, about in the middle of the possible ones. `None` if none was found, although there may be
/// some.
///
/// # Errors
/// Those of the store.
fn row_between(from: &Bytes, to: &Bytes, snapshot: &dyn Snapshot, space: SpaceId) -> Result<Option<Bytes>> {
    let (mut low, mut high) = (from.to_vec(), to.to_vec());
    for _ in 0..LOOKUPS_MAX {
        let Some(middle) = middle(&low, &high) else { break };
        match snapshot.scan(space, &middle, to, Order::Ascending, 1)?.next()? {
            None => high = middle,
            Some((key, _)) => match row_of(key) {
                // The middle of a long row.
                row if row <= *from => low = middle,
                row => return Ok(Some(row)),
            },
        }
    }
    Ok(None)
}

/// A key between two others; `None` if there is none, or only a much longer one.
fn middle(low: &[u8], high: &[u8]) -> Option<Vec<u8>> {
    let common = low.iter().zip(high).take_while(|(low, high)| low == high).count();
    let mut key = high[..common].to_vec();
    let byte = |at: usize| low.get(at).copied().map_or(0, u16::from);
    let mut end = high.get(common).copied().map(u16::from)?;
    for at in common..common + 8 {
        let begin = byte(at);
        let middle = begin + (end - begin) / 2;
        key.push(u8::try_from(middle).ok()?);
        if middle > begin {
            return Some(key);
        }
        end = 256;
    }
    None
}

/// The beginning of a key's row.
fn row_of(key: Bytes) -> Bytes {
    match key::row_prefix_len(&key) {
        Ok(len) => key.slice(..len),
        Err(_) => key,
    }
}
