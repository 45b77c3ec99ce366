//! Filters that decide by the row key alone: PrefixFilter, InclusiveStopFilter, RowFilter, RandomRowFilter.

use std::hash::{BuildHasher, Hasher, RandomState};

use bytes::Bytes;

use super::compare::Compare;
use super::{Code, Filter};
use crate::cell::Cell;
use crate::error::{Error, ErrorKind, Result};

/// PrefixFilter: rows that start with some bytes. Without a prefix (possible in HBase's serialised form only) every row is refused.
pub(super) struct Prefix {
    prefix: Option<Bytes>,
    reversed: bool,
    // True until a row key has matched: inside SKIP, which never shows row keys, every cell is refused.
    refused: bool,
    passed: bool,
}

impl Prefix {
    pub(super) fn new(prefix: Option<Bytes>, reversed: bool) -> Self {
        Self { prefix, reversed, refused: true, passed: false }
    }
}

impl Filter for Prefix {
    fn reset(&mut self) -> Result<()> {
        self.refused = true;
        Ok(())
    }

    fn filter_all_remaining(&mut self) -> Result<bool> {
        Ok(self.passed)
    }

    fn filter_row_key(&mut self, row: &[u8]) -> Result<bool> {
        let Some(prefix) = &self.prefix else { return Ok(true) };
        if self.passed {
            return Ok(true);
        }
        // A row shorter than the prefix never ends the scan, even behind it.
        let Some(head) = row.get(..prefix.len()) else { return Ok(true) };
        let order = head.cmp(prefix);
        if if self.reversed { order.is_lt() } else { order.is_gt() } {
            self.passed = true;
        }
        self.refused = order.is_ne();
        Ok(self.refused)
    }

    fn filter_cell(&mut self, _cell: &Cell) -> Result<Code> {
        Ok(if self.refused { Code::NextRow } else { Code::Include })
    }

    fn filter_row(&mut self) -> Result<bool> {
        Ok(self.refused)
    }

    fn first_row(&self) -> Option<Bytes> {
        let prefix = self.prefix.as_ref().filter(|prefix| !prefix.is_empty())?;
        if self.reversed { successor(prefix) } else { Some(prefix.clone()) }
    }

    fn last_row(&self) -> Option<Bytes> {
        let prefix = self.prefix.as_ref().filter(|prefix| !prefix.is_empty())?;
        if self.reversed { Some(prefix.clone()) } else { successor(prefix) }
    }
}

/// The smallest byte string behind all that start with the prefix, if there is one.
fn successor(prefix: &[u8]) -> Option<Bytes> {
    let kept = prefix.iter().rposition(|b| *b != 0xff)?;
    let mut bytes = prefix[..=kept].to_vec();
    bytes[kept] += 1;
    Some(bytes.into())
}

/// InclusiveStopFilter: ends the scan behind a row.
pub(super) struct InclusiveStop {
    row: Option<Bytes>,
    reversed: bool,
    done: bool,
}

impl InclusiveStop {
    pub(super) fn new(row: Option<Bytes>, reversed: bool) -> Self {
        Self { row, reversed, done: false }
    }
}

impl Filter for InclusiveStop {
    fn filter_all_remaining(&mut self) -> Result<bool> {
        Ok(self.done)
    }

    fn filter_row_key(&mut self, row: &[u8]) -> Result<bool> {
        if self.done {
            return Ok(true);
        }
        let Some(stop) = &self.row else {
            return Err(Error::new(ErrorKind::Unprocessable, "InclusiveStopFilter has no row to stop at"));
        };
        self.done = if self.reversed { row < &stop[..] } else { row > &stop[..] };
        Ok(self.done)
    }

    fn filter_cell(&mut self, _cell: &Cell) -> Result<Code> {
        Ok(if self.done { Code::NextRow } else { Code::Include })
    }

    fn last_row(&self) -> Option<Bytes> {
        self.row.clone().filter(|row| !row.is_empty())
    }
}

/// RowFilter: compares the row key.
pub(super) struct Row {
    compare: Compare,
    refused: bool,
}

impl Row {
    pub(super) fn new(compare: Compare) -> Self {
        Self { compare, refused: false }
    }
}

impl Filter for Row {
    fn reset(&mut self) -> Result<()> {
        self.refused = false;
        Ok(())
    }

    fn filter_row_key(&mut self, row: &[u8]) -> Result<bool> {
        if !self.compare.keeps(row)? {
            self.refused = true;
        }
        Ok(self.refused)
    }

    fn filter_cell(&mut self, _cell: &Cell) -> Result<Code> {
        Ok(if self.refused { Code::NextRow } else { Code::Include })
    }

    fn filter_row(&mut self) -> Result<bool> {
        Ok(self.refused)
    }

    fn first_row(&self) -> Option<Bytes> {
        self.compare.only().cloned()
    }

    fn last_row(&self) -> Option<Bytes> {
        self.compare.only().cloned()
    }
}

/// RandomRowFilter: keeps each row with some probability; below 0 none, above 1 all.
pub(super) struct RandomRow {
    chance: f32,
    refused: bool,
    state: u64,
}

impl RandomRow {
    pub(super) fn new(chance: f32) -> Self {
        Self { chance, refused: false, state: RandomState::new().build_hasher().finish() | 1 }
    }

    /// Evenly spread over [0, 1), like Java's `nextFloat` (xorshift64*: any source serves, nobody can know Java's seed).
    fn next(&mut self) -> f32 {
        self.state ^= self.state >> 12;
        self.state ^= self.state << 25;
        self.state ^= self.state >> 27;
        let bits = self.state.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 40;
        bits as f32 / (1u32 << 24) as f32
    }
}

impl Filter for RandomRow {
    fn reset(&mut self) -> Result<()> {
        self.refused = false;
        Ok(())
    }

    fn filter_row_key(&mut self, _row: &[u8]) -> Result<bool> {
        self.refused = if self.chance < 0.0 {
            true
        } else if self.chance > 1.0 {
            false
        } else {
            self.next() >= self.chance
        };
        Ok(self.refused)
    }

    fn filter_cell(&mut self, _cell: &Cell) -> Result<Code> {
        Ok(if self.refused { Code::NextRow } else { Code::Include })
    }

    fn has_filter_row(&self) -> bool {
        true
    }

    fn filter_row(&mut self) -> Result<bool> {
        Ok(self.refused)
    }
}
