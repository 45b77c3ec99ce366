//! RandomRowFilter: rows at random.

use std::hash::{BuildHasher, Hasher, RandomState};

use prost::Message;

use super::Kind;
use crate::cell::Cell;
use crate::error::Result;
use crate::filter::serialised::{message, required};
use crate::filter::{Code, Filter, FilterSpec};

#[derive(Debug, PartialEq)]
pub(super) struct RandomRow {
    chance: f32,
}

impl FilterSpec {
    /// RandomRowFilter: keeps each row with a probability; below 0 no row, above 1 every row.
    pub fn random_row(chance: f32) -> Self {
        Self::of(RandomRow { chance })
    }
}

/// HBase's RandomRowFilter.
#[derive(Clone, PartialEq, Message)]
struct Body {
    #[prost(float, optional, tag = "1")]
    chance: Option<f32>,
}

impl Kind for RandomRow {
    const CLASS: &'static str = "RandomRowFilter";

    fn decode(body: &[u8], _depth: usize) -> Result<FilterSpec> {
        let body: Body = message(body)?;
        Ok(FilterSpec::random_row(required(body.chance, "chance")?))
    }

    fn encode(&self) -> Vec<u8> {
        Body { chance: Some(self.chance) }.encode_to_vec()
    }

    fn start(&self, _reversed: bool) -> Box<dyn Filter> {
        let state = RandomState::new().build_hasher().finish() | 1;
        Box::new(Running { chance: self.chance, refused: false, state })
    }
}

struct Running {
    chance: f32,
    refused: bool,
    /// The state of the generator (xorshift64*); never 0.
    state: u64,
}

impl Running {
    /// A number evenly distributed over [0, 1), like Java's `nextFloat`. The numbers need not be Java's: its seed is
    /// random.
    fn next(&mut self) -> f32 {
        self.state ^= self.state >> 12;
        self.state ^= self.state << 25;
        self.state ^= self.state >> 27;
        let bits = self.state.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 40;
        bits as f32 / (1u32 << 24) as f32
    }
}

impl Filter for Running {
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
