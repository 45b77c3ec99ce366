//! Comparisons: an operator and a comparator. Shared by the filters that compare a part of a cell.

use std::cmp::Ordering;

use bytes::Bytes;
use prost::Message;

use super::comparators::Comparator;
use super::language::{Arguments, Parsed};
use super::serialised::{Named, message, required};
use super::work::{self, MEMBER};
use crate::compare_op::CompareOp;
use crate::error::{Error, ErrorKind, Result};

/// An operator and a comparator. A part of a cell is kept if `part op comparator` holds.
#[derive(Debug, Clone, PartialEq)]
pub struct Compare {
    /// The operator; `NoOp` keeps nothing.
    pub op: CompareOp,
    /// The comparator. `None` occurs in HBase's serialised form only, and fails when it is used.
    pub comparator: Option<Comparator>,
}

impl Compare {
    /// A comparison.
    pub fn new(op: CompareOp, comparator: Comparator) -> Self {
        Self { op, comparator: Some(comparator) }
    }

    /// Whether a part of a cell is kept.
    ///
    /// # Errors
    /// Those of [`Comparator::order`]; `Cancelled` if the read has been stopped.
    pub(super) fn keeps(&self, part: &[u8]) -> Result<bool> {
        if self.op == CompareOp::NoOp {
            return Ok(false);
        }
        let Some(comparator) = &self.comparator else {
            return Err(Error::new(
                ErrorKind::Unprocessable,
                format!("a filter compares with operator {:?} but has no comparator: give it one", self.op),
            ));
        };
        work::charge(part.len().saturating_add(MEMBER))?;
        Ok(holds(self.op, comparator.order(part)?))
    }

    /// The only byte string that is kept, if there is exactly one and it is not empty.
    pub(super) fn only(&self) -> Option<&Bytes> {
        let value = self.comparator.as_ref().filter(|_| self.op == CompareOp::Equal)?.whole_value()?;
        (!value.is_empty()).then_some(value)
    }

    /// The arguments of a filter that takes only an operator and a comparator.
    pub(super) fn parse(arguments: &Arguments<'_>) -> Parsed<Self> {
        arguments.count(&[2], "2: operator, comparator")?;
        let (op, comparator) = arguments.compare(0)?;
        Ok(Self::new(op, comparator))
    }

    /// Reads the message of a filter that has only a comparison.
    pub(super) fn decode(body: &[u8]) -> Result<Self> {
        Self::from_message(message::<Comparing>(body)?.compare)
    }

    /// Writes the message of a filter that has only a comparison.
    pub(super) fn encode(&self) -> Vec<u8> {
        Comparing { compare: Some(self.to_message()) }.encode_to_vec()
    }

    pub(super) fn from_message(message: Option<CompareMessage>) -> Result<Self> {
        let message = required(message, "compare_filter")?;
        let op = operator(message.op)?;
        Ok(Self { op, comparator: message.comparator.map(Comparator::from_named).transpose()? })
    }

    pub(super) fn to_message(&self) -> CompareMessage {
        CompareMessage { op: Some(self.op as i32), comparator: self.comparator.as_ref().map(Comparator::to_named) }
    }
}

/// Whether `part op comparator` holds, given the order of the comparator relative to the part.
fn holds(op: CompareOp, comparator_to_part: Ordering) -> bool {
    match op {
        CompareOp::Less => comparator_to_part.is_gt(),
        CompareOp::LessOrEqual => comparator_to_part.is_ge(),
        CompareOp::Equal => comparator_to_part.is_eq(),
        CompareOp::NotEqual => comparator_to_part.is_ne(),
        CompareOp::GreaterOrEqual => comparator_to_part.is_le(),
        CompareOp::Greater => comparator_to_part.is_lt(),
        CompareOp::NoOp => false,
    }
}

/// HBase's CompareFilter.
#[derive(Clone, PartialEq, Message)]
pub(super) struct CompareMessage {
    #[prost(int32, optional, tag = "1")]
    op: Option<i32>,
    #[prost(message, optional, tag = "2")]
    comparator: Option<Named>,
}

/// HBase's RowFilter, FamilyFilter, QualifierFilter and ValueFilter.
#[derive(Clone, PartialEq, Message)]
struct Comparing {
    #[prost(message, optional, tag = "1")]
    compare: Option<CompareMessage>,
}

/// The operator of that number.
pub(super) fn operator(number: Option<i32>) -> Result<CompareOp> {
    required(number.and_then(CompareOp::from_number), "compare_op")
}
