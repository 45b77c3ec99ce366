//! An estimate of what a major compaction would drop, from a sample.

use bytes::Bytes;

use super::cell_filter::CellFilter;
use crate::error::Result;
use crate::key;
use crate::schema::FamilyRules;
use crate::store::{CompactionFilter, Order, SpaceId, Store, Verdict};

/// Places at which the sample is taken, spread over the files.
const PLACES_MAX: usize = 16;

/// Pairs that are read at each place.
const PAIRS_PER_PLACE: usize = 1000;

/// Bytes after which no further pair is read at a place, for families with large cells.
const BYTES_PER_PLACE: u64 = 4 << 20;

/// A sample of a space's pairs, in bytes of keys and values.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct GarbageSample {
    /// Bytes read.
    pub read_bytes: u64,
    /// The bytes that a major compaction would drop now.
    pub garbage_bytes: u64,
}

impl GarbageSample {
    /// Reads a sample of a family's pairs. The work is bounded, regardless of the size of the space.
    ///
    /// # Errors
    /// Those of the store.
    pub(crate) fn read(store: &dyn Store, space: SpaceId, rules: FamilyRules) -> Result<Self> {
        let (now, snapshot) = (store.now_ms(), store.snapshot()?);
        let mut sample = Self::default();
        for from in places(store.files(space)?.first_keys) {
            // Each place begins with a row, so the filter sees the markers of every row before its values.
            let mut filter = CellFilter::new(rules, true, now);
            let mut cursor = snapshot.scan(space, &from, b"", Order::Ascending, PAIRS_PER_PLACE)?;
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

/// The beginnings of rows at which to read, from the first keys of all files.
fn places(mut first_keys: Vec<Bytes>) -> Vec<Bytes> {
    first_keys.sort();
    let step = first_keys.len().div_ceil(PLACES_MAX).max(1);
    let rows = first_keys.into_iter().step_by(step).map(|key| match key::row_prefix_len(&key) {
        Ok(len) => key.slice(..len),
        Err(_) => key,
    });
    let mut places: Vec<_> = rows.collect();
    places.dedup();
    if places.is_empty() {
        places.push(Bytes::new());
    }
    places
}
