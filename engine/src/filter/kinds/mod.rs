//! All filters, one file each. [`KINDS`] lists them.
//!
//! A file implements [`Kind`] for the filter's value and [`Filter`] for its running form. A filter without state uses
//! one type for both; otherwise the running form is called `Running`.

mod column_count_get;
mod column_pagination;
mod column_prefix;
mod column_range;
mod column_value;
mod dependent_column;
mod family;
mod first_key_only;
mod first_key_value_matching_qualifiers;
mod fuzzy_row;
mod inclusive_stop;
mod key_only;
mod list;
mod multi_row_range;
mod multiple_column_prefix;
mod page;
mod prefix;
mod qualifier;
mod random_row;
mod row;
mod single_column_value;
mod single_column_value_exclude;
mod skip;
mod timestamps;
mod value;
mod while_match;
mod wrapper;

use std::fmt;

use super::Filter;
use super::language::{Arguments, Parsed};
use super::spec::FilterSpec;
use crate::error::Result;

pub use fuzzy_row::FuzzyPair;
pub use list::ListOperator;
pub use multi_row_range::RowRange;

/// Every filter, in the order of their classes' names.
pub(super) const KINDS: &[Descriptor] = &[
    Descriptor::of::<column_count_get::ColumnCountGet>(),
    Descriptor::of::<column_pagination::ColumnPagination>(),
    Descriptor::of::<column_prefix::ColumnPrefix>(),
    Descriptor::of::<column_range::ColumnRange>(),
    Descriptor::of::<column_value::ColumnValue>(),
    Descriptor::of::<dependent_column::DependentColumn>(),
    Descriptor::of::<family::Family>(),
    Descriptor::of::<list::List>(),
    Descriptor::of::<wrapper::Wrapper>(),
    Descriptor::of::<first_key_only::FirstKeyOnly>(),
    Descriptor::of::<first_key_value_matching_qualifiers::FirstKeyValueMatchingQualifiers>(),
    Descriptor::of::<fuzzy_row::FuzzyRow>(),
    Descriptor::of::<inclusive_stop::InclusiveStop>(),
    Descriptor::of::<key_only::KeyOnly>(),
    Descriptor::of::<multi_row_range::MultiRowRange>(),
    Descriptor::of::<multiple_column_prefix::MultipleColumnPrefix>(),
    Descriptor::of::<page::Page>(),
    Descriptor::of::<prefix::Prefix>(),
    Descriptor::of::<qualifier::Qualifier>(),
    Descriptor::of::<random_row::RandomRow>(),
    Descriptor::of::<row::Row>(),
    Descriptor::of::<single_column_value_exclude::SingleColumnValueExclude>(),
    Descriptor::of::<single_column_value::SingleColumnValue>(),
    Descriptor::of::<skip::Skip>(),
    Descriptor::of::<timestamps::Timestamps>(),
    Descriptor::of::<value::Value>(),
    Descriptor::of::<while_match::WhileMatch>(),
];

/// Builds a filter from its arguments in the filter language.
pub(super) type Parse = fn(&Arguments<'_>) -> Parsed<FilterSpec>;

/// One kind of filter, as a value.
pub(super) trait Kind: fmt::Debug + PartialEq + Send + Sync + 'static {
    /// The name of HBase's class, without its package. It is the filter's name in the filter language too.
    const CLASS: &'static str;

    /// Builds the filter from its arguments in the filter language; `None` if HBase's language does not have it.
    const PARSE: Option<Parse> = None;

    /// Reads the class's own protobuf message. `depth` is the filter's depth inside others, which filters with
    /// members pass on.
    fn decode(body: &[u8], depth: usize) -> Result<FilterSpec>;

    /// Writes the class's own protobuf message.
    fn encode(&self) -> Vec<u8>;

    /// A new running filter for the scan of one region. `reversed`: the scan reads rows in descending order.
    fn start(&self, reversed: bool) -> Box<dyn Filter>;

    /// The filters inside it.
    fn members(&self) -> &[FilterSpec] {
        &[]
    }
}

/// The functions of a kind that parsing and decoding need.
pub(super) struct Descriptor {
    pub(super) class: &'static str,
    pub(super) parse: Option<Parse>,
    pub(super) decode: fn(&[u8], usize) -> Result<FilterSpec>,
}

impl Descriptor {
    const fn of<K: Kind>() -> Self {
        Self { class: K::CLASS, parse: K::PARSE, decode: K::decode }
    }
}

/// The filter whose class has that name.
pub(super) fn by_class(class: &str) -> Option<&'static Descriptor> {
    KINDS.iter().find(|kind| kind.class == class)
}
