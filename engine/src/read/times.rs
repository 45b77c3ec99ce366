//! The timestamps that markers of exact versions name.

use bytes::Bytes;

use super::family_scan::Reader;
use super::pairs::Pairs;
use crate::cell::CellKind;
use crate::error::Result;
use crate::key;
use crate::store::SpaceId;
use crate::value;

/// How many markers are read ahead of the values; more are looked up beside them, so that a heap of markers is not walked for a few values.
const HELD_MAX: usize = 16;

/// Timestamps of one kind of marker behind one prefix.
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
    /// Where the look-ups are, and the time last asked for: a newer one starts anew.
    walk: Option<(Pairs, i64)>,
}

impl Times {
    /// Reads the markers of that kind behind `prefix` that are newer than `floor` and at most `newest`. Leaves `pairs` among or behind them.
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
                let rest = Rest { space, prefix: Bytes::copy_from_slice(prefix), kind, walk: None };
                return Ok(Self { held, rest: Some(Box::new(rest)) });
            }
            if !value::is_expired(stored, timestamp, reader.now)? {
                held.push(timestamp);
            }
            pairs.step();
        }
        Ok(Self { held, rest: None })
    }

    /// Whether there is no such marker.
    pub(super) fn is_empty(&self) -> bool {
        self.held.is_empty() && self.rest.is_none()
    }

    /// Whether a marker names this timestamp. Cheap when asked newest first.
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
        let (pairs, asked) = match &mut self.walk {
            Some((pairs, asked)) if timestamp <= *asked => (pairs, asked),
            walk => {
                let end = key::prefix_end(&self.prefix);
                let pairs = Pairs::open(&reader.snapshot, self.space, (&wanted, &end), 1, &reader.stop)?;
                let (pairs, asked) = walk.insert((pairs, timestamp));
                (pairs, asked)
            }
        };
        *asked = timestamp;
        match pairs.find(&wanted)? {
            Some(stored) => Ok(!value::is_expired(&stored, timestamp, reader.now)?),
            None => Ok(false),
        }
    }
}
