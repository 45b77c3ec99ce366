//! The timestamps of markers that delete exact versions.

use bytes::Bytes;

use super::family_scan::Reader;
use super::pairs::Pairs;
use crate::cell::CellKind;
use crate::error::Result;
use crate::key;
use crate::store::SpaceId;
use crate::value;

/// The number of markers that are read before the values. Further ones are looked up for each value, so that many
/// markers do not slow down the read of a few values.
const HELD_MAX: usize = 16;

/// The timestamps of one kind of marker under one prefix.
#[derive(Default)]
pub(super) struct Times {
    /// The newest ones, descending.
    held: Vec<i64>,
    rest: Option<Box<Rest>>,
}

/// The markers older than those held.
struct Rest {
    space: SpaceId,
    prefix: Bytes,
    kind: CellKind,
    /// The cursor of the look-ups and the timestamp last looked up. A newer timestamp needs a new cursor.
    lookup: Option<(Pairs, i64)>,
}

impl Times {
    /// Reads the markers of a kind under `prefix` that are newer than `floor` and not newer than `newest`. Leaves
    /// `pairs` among or after them.
    pub(super) fn read(
        pairs: &mut Pairs,
        reader: &Reader,
        space: SpaceId,
        prefix: &[u8],
        kind: CellKind,
        (floor, newest): (i64, i64),
    ) -> Result<Self> {
        let mut held = Vec::new();
        pairs.skip_to(&key::at(prefix, kind, newest))?;
        while let Some((found, stored)) = pairs.head()?.filter(|(k, _)| k.starts_with(prefix)) {
            let (found, timestamp) = key::kind_and_time(found, prefix.len())?;
            if found != kind || timestamp <= floor {
                break;
            }
            if held.len() == HELD_MAX {
                pairs.jump_to(&key::kind_end(prefix, kind))?;
                let rest = Rest { space, prefix: Bytes::copy_from_slice(prefix), kind, lookup: None };
                return Ok(Self { held, rest: Some(Box::new(rest)) });
            }
            if !value::is_expired(stored, timestamp, reader.now)? {
                held.push(timestamp);
            }
            pairs.count_garbage();
            pairs.step();
        }
        Ok(Self { held, rest: None })
    }

    /// Whether there are no markers.
    pub(super) fn is_empty(&self) -> bool {
        self.held.is_empty() && self.rest.is_none()
    }

    /// Whether a marker has this timestamp. Cheap if timestamps are queried newest first.
    pub(super) fn contains(&mut self, timestamp: i64, reader: &Reader) -> Result<bool> {
        let known = match self.rest {
            None => true,
            Some(_) => self.held.last().is_some_and(|oldest| timestamp >= *oldest),
        };
        if known {
            return Ok(self.held.binary_search_by(|held| timestamp.cmp(held)).is_ok());
        }
        match &mut self.rest {
            Some(rest) => rest.contains(timestamp, reader),
            None => Ok(false),
        }
    }
}

impl Rest {
    fn contains(&mut self, timestamp: i64, reader: &Reader) -> Result<bool> {
        let wanted = key::at(&self.prefix, self.kind, timestamp);
        let (pairs, last) = match &mut self.lookup {
            Some((pairs, last)) if timestamp <= *last => (pairs, last),
            lookup => {
                let end = key::prefix_end(&self.prefix);
                let pairs = Pairs::open(&reader.snapshot, self.space, (&wanted, &end), 1, &reader.stop)?;
                let (pairs, last) = lookup.insert((pairs, timestamp));
                (pairs, last)
            }
        };
        *last = timestamp;
        match pairs.find(&wanted)? {
            Some(stored) => Ok(!value::is_expired(&stored, timestamp, reader.now)?),
            None => Ok(false),
        }
    }
}
