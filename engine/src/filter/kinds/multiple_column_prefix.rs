//! MultipleColumnPrefixFilter: columns whose qualifier starts with one of several prefixes.

use std::collections::BTreeSet;
use std::ops::Bound;

use bytes::Bytes;
use prost::Message;

use super::{Kind, Parse};
use crate::cell::Cell;
use crate::error::{Error, Result};
use crate::filter::serialised::{ManyBytes, argument, message};
use crate::filter::{Code, Filter, FilterSpec, Hint};
use crate::quote;

#[derive(Debug, PartialEq)]
pub(super) struct MultipleColumnPrefix {
    prefixes: BTreeSet<Bytes>,
}

impl FilterSpec {
    /// MultipleColumnPrefixFilter: keeps columns whose qualifier starts with one of the prefixes; without prefixes,
    /// all columns.
    ///
    /// # Errors
    /// `InvalidArgument` if a prefix is given twice.
    pub fn multiple_column_prefix(prefixes: impl IntoIterator<Item = Bytes>) -> Result<Self> {
        let mut set = BTreeSet::new();
        for prefix in prefixes {
            if set.contains(&prefix) {
                return Err(Error::invalid(format!(
                    "prefixes must be distinct: MultipleColumnPrefixFilter has {} twice",
                    quote::escaped(&prefix)
                )));
            }
            set.insert(prefix);
        }
        Ok(Self::of(MultipleColumnPrefix { prefixes: set }))
    }
}

impl Kind for MultipleColumnPrefix {
    const CLASS: &'static str = "MultipleColumnPrefixFilter";
    const PARSE: Option<Parse> = Some(|arguments| {
        let prefixes = arguments.all(|arguments, n| arguments.string(n))?;
        arguments.built(FilterSpec::multiple_column_prefix(prefixes))
    });

    fn decode(body: &[u8], _depth: usize) -> Result<FilterSpec> {
        FilterSpec::multiple_column_prefix(message::<ManyBytes>(body)?.bytes).map_err(argument)
    }

    fn encode(&self) -> Vec<u8> {
        ManyBytes { bytes: self.prefixes.iter().cloned().collect() }.encode_to_vec()
    }

    fn start(&self, _reversed: bool) -> Box<dyn Filter> {
        Box::new(Running { prefixes: self.prefixes.clone(), hint: None })
    }
}

struct Running {
    prefixes: BTreeSet<Bytes>,
    hint: Option<Bytes>,
}

impl Filter for Running {
    fn filter_cell(&mut self, cell: &Cell) -> Result<Code> {
        if self.prefixes.is_empty() {
            return Ok(Code::Include);
        }
        // As in HBase, only the greatest prefix that is not above the qualifier is compared: with `a` and `ab`, `ac`
        // does not match.
        let below = self.prefixes.range::<Bytes, _>(..=&cell.qualifier).next_back();
        let next = match below {
            Some(prefix) if cell.qualifier.starts_with(prefix) => return Ok(Code::Include),
            Some(prefix) => self.prefixes.range::<Bytes, _>((Bound::Excluded(prefix), Bound::Unbounded)).next(),
            None => self.prefixes.first(),
        };
        Ok(match next {
            None => Code::NextRow,
            Some(prefix) => {
                self.hint = Some(prefix.clone());
                Code::SeekNextUsingHint
            }
        })
    }

    fn next_hint(&mut self, cell: &Cell) -> Result<Option<Hint>> {
        Ok(self.hint.clone().map(|prefix| Hint::column(cell, prefix)))
    }

    fn is_hinting(&self) -> bool {
        true
    }
}
