//! A filter as a value.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use super::Filter;
use super::kinds::Kind;
use crate::error::{Error, Result};

/// The maximum depth of nested filters. HBase has no limit and fails when its stack overflows.
pub const DEPTH_MAX: usize = 100;

/// The maximum length of a filter's text and of its serialised form, in bytes.
pub const LENGTH_MAX: usize = 4 << 20;

/// A filter as a value. It is built by a constructor, from the filter language ([`FilterSpec::parse`]) or from
/// HBase's serialised form ([`FilterSpec::from_bytes`]). [`FilterSpec::start`] creates its running form. Cheap to
/// clone.
///
/// Constructors make the checks of HBase's constructors. Depth is checked when a filter is parsed, decoded or started.
#[derive(Clone)]
pub struct FilterSpec(Arc<dyn AnyKind>);

/// A [`Kind`] behind a pointer.
trait AnyKind: Any + fmt::Debug + Send + Sync {
    fn class(&self) -> &'static str;
    fn encode(&self) -> Vec<u8>;
    fn start(&self, reversed: bool) -> Box<dyn Filter>;
    fn members(&self) -> &[FilterSpec];
    fn equals(&self, other: &dyn Any) -> bool;
}

impl<K: Kind> AnyKind for K {
    fn class(&self) -> &'static str {
        K::CLASS
    }

    fn encode(&self) -> Vec<u8> {
        Kind::encode(self)
    }

    fn start(&self, reversed: bool) -> Box<dyn Filter> {
        Kind::start(self, reversed)
    }

    fn members(&self) -> &[FilterSpec] {
        Kind::members(self)
    }

    fn equals(&self, other: &dyn Any) -> bool {
        other.downcast_ref::<K>().is_some_and(|other| self == other)
    }
}

impl FilterSpec {
    pub(super) fn of(kind: impl Kind) -> Self {
        Self(Arc::new(kind))
    }

    /// The filter as one of this kind, if it is one.
    pub(super) fn downcast<K: Kind>(&self) -> Option<&K> {
        (&*self.0 as &dyn Any).downcast_ref()
    }

    /// The name of HBase's class, without its package.
    pub(super) fn class(&self) -> &'static str {
        self.0.class()
    }

    /// The protobuf message of HBase's class.
    pub(super) fn encode(&self) -> Vec<u8> {
        self.0.encode()
    }

    /// Starts a filter whose depth has been checked.
    pub(super) fn start_nested(&self, reversed: bool) -> Box<dyn Filter> {
        self.0.start(reversed)
    }

    /// Starts the filter inside a filter that is not a list. HBase passes the direction of the scan to members of lists
    /// only, so this filter works as in a forward scan.
    pub(super) fn start_inner(&self) -> Box<dyn Filter> {
        self.start_nested(false)
    }

    /// The depth of nested filters; 1 without any.
    pub fn depth(&self) -> usize {
        // Not recursive: the filter may be too deep for the stack.
        let (mut deepest, mut open) = (0, vec![(self, 1)]);
        while let Some((spec, depth)) = open.pop() {
            deepest = deepest.max(depth);
            open.extend(spec.0.members().iter().map(|member| (member, depth + 1)));
        }
        deepest
    }

    /// A new running filter for the scan of one region. `reversed`: the scan reads rows in descending order.
    ///
    /// # Errors
    /// `InvalidArgument` if filters are nested deeper than [`DEPTH_MAX`].
    pub fn start(&self, reversed: bool) -> Result<Box<dyn Filter>> {
        check_depth(self.depth())?;
        Ok(self.start_nested(reversed))
    }
}

/// Checks the depth of nested filters, as [`FilterSpec::depth`] returns it.
///
/// # Errors
/// `InvalidArgument` if it is greater than [`DEPTH_MAX`].
pub fn check_depth(depth: usize) -> Result<()> {
    if depth <= DEPTH_MAX {
        return Ok(());
    }
    Err(Error::invalid(format!(
        "filters are nested {depth} levels deep, the maximum is {DEPTH_MAX}: put the members into fewer lists"
    )))
}

impl fmt::Debug for FilterSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl PartialEq for FilterSpec {
    fn eq(&self, other: &Self) -> bool {
        self.0.equals(&*other.0)
    }
}
