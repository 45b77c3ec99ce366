//! FuzzyRowFilter: rows that agree with a pattern in some positions.
//!
//! HBase keeps a pattern as key and mask and works on the mask's bytes: a fixed position is 0xff, a wildcard 0, or 2 until its first use. The
//! same bytes are kept here, so that masks which are neither mean what they mean there.

use bytes::Bytes;

use super::{Code, Filter, Hint};
use crate::cell::Cell;
use crate::error::{Error, Result};

/// One pattern, as a user gives it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FuzzyPair {
    /// The bytes to agree with.
    pub key: Bytes,
    /// For each of them 0: the row's must be the same, or 1: any will do.
    pub mask: Bytes,
}

/// Patterns in HBase's inner form; at least one, keys and masks of the same length.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FuzzyRows {
    pairs: Vec<(Vec<u8>, Vec<u8>)>,
    wildcard: u8,
}

const FIXED: u8 = 0xff;

impl FuzzyRows {
    /// Patterns as a user gives them.
    ///
    /// # Errors
    /// `InvalidArgument` if there is none, or a mask is not as long as its key.
    pub fn new(pairs: Vec<FuzzyPair>) -> Result<Self> {
        Self::with_wildcard(pairs, 2)
    }

    /// Patterns in the form that older clients send, which may be inner or user form: a mask of 0xff and 0 only is the inner one.
    ///
    /// # Errors
    /// As for [`FuzzyRows::new`].
    pub fn new_v1(pairs: Vec<FuzzyPair>) -> Result<Self> {
        Self::with_wildcard(pairs, 0)
    }

    fn with_wildcard(pairs: Vec<FuzzyPair>, wildcard: u8) -> Result<Self> {
        let mut inner = Vec::with_capacity(pairs.len());
        for FuzzyPair { key, mask } in pairs {
            if key.len() != mask.len() {
                return Err(Error::invalid(format!(
                    "Fuzzy pair lengths do not match: ({},{}): the key has {} bytes, its mask {}",
                    key.escape_ascii(),
                    mask.escape_ascii(),
                    key.len(),
                    mask.len()
                )));
            }
            let (mut key, mut mask) = (key.to_vec(), mask.to_vec());
            if !mask.iter().all(|m| *m == FIXED || *m == wildcard) {
                for m in &mut mask {
                    *m = match *m {
                        0 => FIXED,
                        1 => wildcard,
                        other => other,
                    };
                }
            }
            for (k, m) in key.iter_mut().zip(&mask) {
                if *m == wildcard {
                    *k = 0;
                }
            }
            inner.push((key, mask));
        }
        if inner.is_empty() {
            return Err(Error::invalid("FuzzyRowFilter needs at least one pair of key and mask"));
        }
        Ok(Self { pairs: inner, wildcard })
    }

    /// Keys and masks in the inner form.
    pub(super) fn pairs(&self) -> &[(Vec<u8>, Vec<u8>)] {
        &self.pairs
    }

    /// Whether the inner form is that of newer clients (2 for a wildcard).
    pub(super) fn is_v2(&self) -> bool {
        self.wildcard == 2
    }
}

/// FuzzyRowFilter, running.
pub(super) struct Fuzzy {
    pairs: Vec<(Vec<u8>, Vec<u8>)>,
    reversed: bool,
    refused: bool,
    done: bool,
    last_found: usize,
    /// The next row that each pattern can match, with the pattern; `None` until the first hint.
    next: Option<Vec<(Vec<u8>, usize)>>,
}

impl Fuzzy {
    pub(super) fn new(rows: &FuzzyRows, reversed: bool) -> Self {
        let pairs = rows.pairs.clone();
        Self { pairs, reversed, refused: false, done: false, last_found: 0, next: None }
    }

    /// Brings the candidates up to a row that none of the patterns matches; the nearest is the hint.
    fn advance(&mut self, row: &[u8]) -> Option<Bytes> {
        let reached = |next: &[u8]| if self.reversed { row <= next } else { row >= next };
        let stale: Vec<usize> = match &mut self.next {
            None => (0..self.pairs.len()).collect(),
            Some(next) => next.extract_if(.., |(at, _)| reached(at)).map(|(_, pair)| pair).collect(),
        };
        let next = self.next.get_or_insert_default();
        for pair in stale {
            let (key, mask) = &self.pairs[pair];
            next.extend(next_match(row, key, mask, self.reversed).map(|row| (row, pair)));
        }
        let rows = next.iter().map(|(row, _)| row);
        let nearest = if self.reversed { rows.max() } else { rows.min() };
        nearest.map(|row| Bytes::copy_from_slice(row))
    }
}

impl Filter for Fuzzy {
    fn reset(&mut self) -> Result<()> {
        self.refused = false;
        Ok(())
    }

    fn filter_all_remaining(&mut self) -> Result<bool> {
        Ok(self.done)
    }

    fn filter_cell(&mut self, cell: &Cell) -> Result<Code> {
        for i in 0..self.pairs.len() {
            let at = (self.last_found + i) % self.pairs.len();
            let (key, mask) = &mut self.pairs[at];
            // HBase's arithmetic shift by two: 2 becomes 0, 0xff and 0 stay, and whatever else a client sent fades with use.
            mask.iter_mut().for_each(|m| *m = ((*m as i8) >> 2) as u8);
            if cell.row.iter().zip(key.iter().zip(mask.iter())).all(|(r, (k, m))| r & m == *k) {
                self.last_found = at;
                return Ok(Code::Include);
            }
        }
        self.last_found = 0;
        self.refused = true;
        Ok(Code::SeekNextUsingHint)
    }

    fn next_hint(&mut self, cell: &Cell) -> Result<Option<Hint>> {
        let hint = self.advance(&cell.row);
        self.done |= hint.is_none();
        Ok(hint.map(Hint::row))
    }

    fn filter_row(&mut self) -> Result<bool> {
        Ok(self.refused)
    }

    // Hints leave out shorter rows, so which rows it has seen decides about others.
    fn is_memoryless(&self) -> bool {
        false
    }

    fn is_hinting(&self) -> bool {
        true
    }
}

/// The nearest row behind `row` that the pattern can match, as far as HBase looks for it; `None` if there is none. `row` differs from the
/// pattern in a fixed position that it has.
fn next_match(row: &[u8], key: &[u8], mask: &[u8], reversed: bool) -> Option<Vec<u8>> {
    let (first, last) = if reversed { (0xff, 0) } else { (0, 0xff) };
    let is_wild = |i: usize| mask.get(i).is_none_or(|m| *m == 0);
    let mut result = key.to_vec();
    result.resize(key.len().max(row.len()), first);
    let mut raise = None;
    let mut raised = false;
    for (i, byte) in row.iter().enumerate() {
        if is_wild(i) {
            result[i] = *byte;
            if *byte != last {
                raise = Some(i);
            }
        } else if mask[i] == FIXED && *byte != key[i] {
            raised = (*byte < key[i]) != reversed;
            break;
        }
    }
    if !raised {
        let at = raise?;
        result[at] = if reversed { result[at].wrapping_sub(1) } else { result[at].wrapping_add(1) };
        (at + 1..result.len()).filter(|i| is_wild(*i)).for_each(|i| result[i] = first);
    }
    if !reversed {
        let fixed = mask.iter().take(result.len()).rposition(|m| *m != 0);
        result.truncate(fixed.max(raise).map_or(0, |last| last + 1));
    }
    Some(result)
}
