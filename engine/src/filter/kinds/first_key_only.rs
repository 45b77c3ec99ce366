//! FirstKeyOnlyFilter: the first cell of each row.

use prost::Message;

use super::{Kind, Parse};
use crate::cell::Cell;
use crate::error::Result;
use crate::filter::serialised::{Empty, message};
use crate::filter::{Code, Filter, FilterSpec};

#[derive(Debug, PartialEq)]
pub(super) struct FirstKeyOnly;

impl FilterSpec {
    /// FirstKeyOnlyFilter: keeps the first cell of each row.
    pub fn first_key_only() -> Self {
        Self::of(FirstKeyOnly)
    }
}

impl Kind for FirstKeyOnly {
    const CLASS: &'static str = "FirstKeyOnlyFilter";
    const PARSE: Option<Parse> = Some(|arguments| {
        arguments.count(&[0], "0")?;
        Ok(FilterSpec::first_key_only())
    });

    fn decode(body: &[u8], _depth: usize) -> Result<FilterSpec> {
        message::<Empty>(body).map(|_| FilterSpec::first_key_only())
    }

    fn encode(&self) -> Vec<u8> {
        Empty {}.encode_to_vec()
    }

    fn start(&self, _reversed: bool) -> Box<dyn Filter> {
        Box::new(Running { found: false })
    }
}

struct Running {
    found: bool,
}

impl Filter for Running {
    fn reset(&mut self) -> Result<()> {
        self.found = false;
        Ok(())
    }

    fn filter_cell(&mut self, _cell: &Cell) -> Result<Code> {
        if self.found {
            return Ok(Code::NextRow);
        }
        self.found = true;
        Ok(Code::Include)
    }
}
