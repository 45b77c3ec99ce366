//! FilterList: several filters, of which all must pass, or one.

mod all;
mod one;

use prost::Message;

use super::Kind;
use crate::error::Result;
use crate::filter::serialised::{Named, message, required};
use crate::filter::work::{self, MEMBER};
use crate::filter::{Filter, FilterSpec};

/// Whether all members of a list must pass, or one. The numbers are HBase's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum ListOperator {
    /// HBase's MUST_PASS_ALL, `AND` in the filter language.
    All = 1,
    /// HBase's MUST_PASS_ONE, `OR` in the filter language.
    One = 2,
}

#[derive(Debug, PartialEq)]
pub(super) struct List {
    operator: ListOperator,
    /// Without members, the list keeps everything.
    members: Vec<FilterSpec>,
}

impl FilterSpec {
    /// FilterList: several filters, of which all must pass, or one. A list without members keeps everything.
    pub fn list(operator: ListOperator, members: Vec<FilterSpec>) -> Self {
        Self::of(List { operator, members })
    }

    /// FilterList with MUST_PASS_ALL.
    pub fn all(members: Vec<FilterSpec>) -> Self {
        Self::list(ListOperator::All, members)
    }

    /// FilterList with MUST_PASS_ONE.
    pub fn one(members: Vec<FilterSpec>) -> Self {
        Self::list(ListOperator::One, members)
    }

    /// The operator and the members of a FilterList; `None` for other filters.
    pub fn as_list(&self) -> Option<(ListOperator, &[FilterSpec])> {
        self.downcast::<List>().map(|list| (list.operator, &list.members[..]))
    }
}

/// HBase's FilterList.
#[derive(Clone, PartialEq, Message)]
struct Body {
    #[prost(int32, optional, tag = "1")]
    operator: Option<i32>,
    #[prost(message, repeated, tag = "2")]
    filters: Vec<Named>,
}

impl Kind for List {
    const CLASS: &'static str = "FilterList";

    fn decode(body: &[u8], depth: usize) -> Result<FilterSpec> {
        let body: Body = message(body)?;
        let operator = match body.operator {
            Some(1) => ListOperator::All,
            Some(2) => ListOperator::One,
            _ => return required(None, "operator"),
        };
        // HBase checks the required fields of the whole message before it reads any member.
        if body.filters.iter().any(|member| member.name.is_none()) {
            return required(None, "filters.name");
        }
        let members = body.filters.into_iter().map(|member| FilterSpec::from_nested(member, depth));
        Ok(FilterSpec::list(operator, members.collect::<Result<_>>()?))
    }

    fn encode(&self) -> Vec<u8> {
        let filters = self.members.iter().map(FilterSpec::to_named).collect();
        Body { operator: Some(self.operator as i32), filters }.encode_to_vec()
    }

    fn start(&self, reversed: bool) -> Box<dyn Filter> {
        // A scan starts the filter again in each region.
        work::count(self.members.len() * MEMBER);
        let members = self.members.iter().map(|member| member.start_nested(reversed)).collect();
        match self.operator {
            ListOperator::All => Box::new(all::All::new(members, reversed)),
            ListOperator::One => Box::new(one::One::new(members, reversed)),
        }
    }

    fn members(&self) -> &[FilterSpec] {
        &self.members
    }
}
