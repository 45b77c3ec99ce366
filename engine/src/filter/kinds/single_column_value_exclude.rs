//! SingleColumnValueExcludeFilter: rows by the value of one column, without that column.

use prost::Message;

use super::single_column_value::Running;
use super::{Kind, Parse};
use crate::error::Result;
use crate::filter::column_check::ColumnCheckMessage;
use crate::filter::serialised::{message, required};
use crate::filter::{ColumnCheck, Filter, FilterSpec};

#[derive(Debug, PartialEq)]
pub(super) struct SingleColumnValueExclude(ColumnCheck);

impl FilterSpec {
    /// SingleColumnValueExcludeFilter: keeps rows by the value of one column, and removes that column from them.
    pub fn single_column_value_exclude(check: ColumnCheck) -> Self {
        Self::of(SingleColumnValueExclude(check))
    }
}

/// HBase's SingleColumnValueExcludeFilter.
#[derive(Clone, PartialEq, Message)]
struct Body {
    #[prost(message, optional, tag = "1")]
    single_column_value_filter: Option<ColumnCheckMessage>,
}

impl Kind for SingleColumnValueExclude {
    const CLASS: &'static str = "SingleColumnValueExcludeFilter";
    const PARSE: Option<Parse> =
        Some(|arguments| Ok(FilterSpec::single_column_value_exclude(ColumnCheck::parse(arguments)?)));

    fn decode(body: &[u8], _depth: usize) -> Result<FilterSpec> {
        let body: Body = message(body)?;
        let check = required(body.single_column_value_filter, "single_column_value_filter")?;
        Ok(FilterSpec::single_column_value_exclude(ColumnCheck::from_message(check)?))
    }

    fn encode(&self) -> Vec<u8> {
        Body { single_column_value_filter: Some(self.0.to_message()) }.encode_to_vec()
    }

    fn start(&self, _reversed: bool) -> Box<dyn Filter> {
        Box::new(Running::new(self.0.clone(), true))
    }
}
