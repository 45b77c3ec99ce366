//! FuzzyRowFilter: rows that match a pattern in its fixed positions.
//!
//! HBase stores a pattern as a key and a mask, and calculates with the mask's bytes: 0xff for a fixed position; for a
//! wildcard 0, or 2 until its first use. The same bytes are stored here, so that masks with other bytes behave as in
//! HBase.

use bytes::Bytes;
use prost::Message;

use super::Kind;
use crate::cell::Cell;
use crate::error::{Error, Result};
use crate::filter::serialised::{argument, message, required};
use crate::filter::work::{self, MEMBER};
use crate::filter::{Code, Filter, FilterSpec, Hint};
use crate::quote;

/// A pattern of rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FuzzyPair {
    /// The bytes to compare with.
    pub key: Bytes,
    /// For each byte of the key: 0 if the row's byte must be equal, 1 if it may be any.
    pub mask: Bytes,
}

/// At least one pattern; keys and masks have the same length.
#[derive(Debug, PartialEq)]
pub(super) struct FuzzyRow {
    /// Keys and masks in HBase's internal form.
    pairs: Vec<(Vec<u8>, Vec<u8>)>,
    /// The byte of the masks for a wildcard: 2, or 0 in the form of older clients.
    wildcard: u8,
}

const FIXED: u8 = 0xff;

impl FilterSpec {
    /// FuzzyRowFilter: keeps rows that match one of the patterns.
    ///
    /// # Errors
    /// `InvalidArgument` if there is no pattern, or a mask does not have the length of its key.
    pub fn fuzzy_row(pairs: Vec<FuzzyPair>) -> Result<Self> {
        FuzzyRow::new(pairs, 2).map(Self::of)
    }
}

impl FuzzyRow {
    /// Masks may have the form of [`FuzzyPair`] or HBase's internal form: those of 0xff and `wildcard` alone have the
    /// internal one.
    fn new(pairs: Vec<FuzzyPair>, wildcard: u8) -> Result<Self> {
        let mut inner = Vec::with_capacity(pairs.len());
        for FuzzyPair { key, mask } in pairs {
            if key.len() != mask.len() {
                return Err(Error::invalid(format!(
                    "Fuzzy pair lengths do not match: ({},{}): the key has {} bytes, its mask {}",
                    quote::escaped(&key),
                    quote::escaped(&mask),
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
}

/// HBase's FuzzyRowFilter.
#[derive(Clone, PartialEq, Message)]
struct Body {
    #[prost(message, repeated, tag = "1")]
    fuzzy_keys_data: Vec<BytesBytesPair>,
    #[prost(bool, optional, tag = "2")]
    is_mask_v2: Option<bool>,
}

#[derive(Clone, PartialEq, Message)]
struct BytesBytesPair {
    #[prost(bytes = "bytes", optional, tag = "1")]
    first: Option<Bytes>,
    #[prost(bytes = "bytes", optional, tag = "2")]
    second: Option<Bytes>,
}

impl Kind for FuzzyRow {
    const CLASS: &'static str = "FuzzyRowFilter";

    fn decode(body: &[u8], _depth: usize) -> Result<FilterSpec> {
        let body: Body = message(body)?;
        let pairs = body.fuzzy_keys_data.into_iter().map(|pair| {
            let key = required(pair.first, "fuzzy_keys_data.first")?;
            Ok(FuzzyPair { key, mask: required(pair.second, "fuzzy_keys_data.second")? })
        });
        let wildcard = if body.is_mask_v2.unwrap_or(false) { 2 } else { 0 };
        Self::new(pairs.collect::<Result<_>>()?, wildcard).map(FilterSpec::of).map_err(argument)
    }

    fn encode(&self) -> Vec<u8> {
        let pair = |(key, mask): &(Vec<u8>, Vec<u8>)| BytesBytesPair {
            first: Some(Bytes::copy_from_slice(key)),
            second: Some(Bytes::copy_from_slice(mask)),
        };
        let body =
            Body { fuzzy_keys_data: self.pairs.iter().map(pair).collect(), is_mask_v2: Some(self.wildcard == 2) };
        body.encode_to_vec()
    }

    fn start(&self, reversed: bool) -> Box<dyn Filter> {
        let pairs = self.pairs.clone();
        Box::new(Running { pairs, reversed, refused: false, done: false, last_found: 0, next: None })
    }
}

struct Running {
    pairs: Vec<(Vec<u8>, Vec<u8>)>,
    reversed: bool,
    refused: bool,
    done: bool,
    last_found: usize,
    /// The next row that each pattern can match, with the pattern's index; `None` until the first hint.
    next: Option<Vec<(Vec<u8>, usize)>>,
}

impl Running {
    /// The nearest row after `row` that a pattern can match. No pattern matches `row`.
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

impl Filter for Running {
    fn reset(&mut self) -> Result<()> {
        self.refused = false;
        Ok(())
    }

    fn filter_all_remaining(&mut self) -> Result<bool> {
        Ok(self.done)
    }

    fn filter_cell(&mut self, cell: &Cell) -> Result<Code> {
        work::charge(self.pairs.len() * MEMBER)?;
        for i in 0..self.pairs.len() {
            let at = (self.last_found + i) % self.pairs.len();
            let (key, mask) = &mut self.pairs[at];
            // HBase's arithmetic shift by two: 2 becomes 0; 0xff and 0 stay. Other bytes change with each use.
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

    // Hints skip shorter rows that match, so the result depends on the rows seen before.
    fn is_memoryless(&self) -> bool {
        false
    }

    fn is_hinting(&self) -> bool {
        true
    }
}

/// The nearest row after `row` that the pattern can match, by HBase's approximation; `None` if there is none. `row`
/// differs from the pattern in one of its fixed positions.
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
