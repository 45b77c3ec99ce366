//! Comparators: what a filter compares a part of a cell (row, family, qualifier or value) with.
//!
//! Each comparator is one file, which implements [`Kind`]. [`KINDS`] lists them all.

mod big_decimal;
mod binary;
mod binary_component;
mod binary_prefix;
mod bit;
mod long;
mod null;
mod regex_string;
mod substring;

use std::any::Any;
use std::cmp::Ordering;
use std::fmt;
use std::sync::Arc;

use bytes::Bytes;
use prost::Message;

use super::serialised::{OneBytes, message, required};
use crate::error::{Error, ErrorKind, Result};

pub use bit::BitwiseOp;

/// Every comparator, in the order of their classes' names.
const KINDS: &[Descriptor] = &[
    Descriptor::of::<big_decimal::BigDecimal>(),
    Descriptor::of::<binary::Binary>(),
    Descriptor::of::<binary_component::BinaryComponent>(),
    Descriptor::of::<binary_prefix::BinaryPrefix>(),
    Descriptor::of::<bit::Bit>(),
    Descriptor::of::<long::Long>(),
    Descriptor::of::<null::Null>(),
    Descriptor::of::<regex_string::RegexString>(),
    Descriptor::of::<substring::Substring>(),
];

/// Builds a comparator from its value in the filter language.
pub(super) type Build = fn(Bytes) -> Result<Comparator>;

/// One kind of comparator.
trait Kind: fmt::Debug + PartialEq + Send + Sync + 'static {
    /// The name of HBase's class, without its package.
    const CLASS: &'static str;

    /// The comparator's type names in the filter language.
    const TYPES: &'static [(&'static str, Build)] = &[];

    /// Whether HBase's filter language allows it with `=` and `!=` only.
    const IS_EQUALITY_ONLY: bool = false;

    /// Reads the class's own protobuf message.
    fn decode(body: &[u8]) -> Result<Comparator>;

    /// Writes the class's own protobuf message.
    fn encode(&self) -> Vec<u8>;

    /// See [`Comparator::order`].
    fn order(&self, part: &[u8]) -> Result<Ordering>;

    /// The bytes that are equal to the comparator, if it compares whole byte strings.
    fn whole_value(&self) -> Option<&Bytes> {
        None
    }
}

/// The functions of a kind that parsing and decoding need.
pub(super) struct Descriptor {
    class: &'static str,
    types: &'static [(&'static str, Build)],
    pub(super) decode: fn(&[u8]) -> Result<Comparator>,
}

impl Descriptor {
    const fn of<K: Kind>() -> Self {
        Self { class: K::CLASS, types: K::TYPES, decode: K::decode }
    }
}

/// The comparator whose class has that name.
pub(super) fn by_class(class: &str) -> Option<&'static Descriptor> {
    KINDS.iter().find(|kind| kind.class == class)
}

fn types() -> impl Iterator<Item = &'static (&'static str, Build)> {
    KINDS.iter().flat_map(|kind| kind.types)
}

/// The comparator of that type in the filter language.
pub(super) fn by_type(name: &[u8]) -> Option<Build> {
    types().find(|(known, _)| known.as_bytes() == name).map(|(_, build)| *build)
}

/// The names of all types of the filter language, for error messages.
pub(super) fn type_names() -> String {
    let names: Vec<&str> = types().map(|(name, _)| *name).collect();
    match names.split_last() {
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
        None => String::new(),
    }
}

/// A comparator (HBase's `ByteArrayComparable`). Cheap to clone.
#[derive(Clone)]
pub struct Comparator(Arc<dyn AnyKind>);

/// A [`Kind`] behind a pointer.
trait AnyKind: Any + fmt::Debug + Send + Sync {
    fn class(&self) -> &'static str;
    fn is_equality_only(&self) -> bool;
    fn encode(&self) -> Vec<u8>;
    fn order(&self, part: &[u8]) -> Result<Ordering>;
    fn whole_value(&self) -> Option<&Bytes>;
    fn equals(&self, other: &dyn Any) -> bool;
}

impl<K: Kind> AnyKind for K {
    fn class(&self) -> &'static str {
        K::CLASS
    }

    fn is_equality_only(&self) -> bool {
        K::IS_EQUALITY_ONLY
    }

    fn encode(&self) -> Vec<u8> {
        Kind::encode(self)
    }

    fn order(&self, part: &[u8]) -> Result<Ordering> {
        Kind::order(self, part)
    }

    fn whole_value(&self) -> Option<&Bytes> {
        Kind::whole_value(self)
    }

    fn equals(&self, other: &dyn Any) -> bool {
        other.downcast_ref::<K>().is_some_and(|other| self == other)
    }
}

impl Comparator {
    fn of(kind: impl Kind) -> Self {
        Self(Arc::new(kind))
    }

    /// The order of the comparator relative to a part of a cell: `Less` if the comparator is the smaller one.
    /// Comparators without an order return `Equal` for a match and `Greater` otherwise, as HBase's return 0 and 1.
    ///
    /// # Errors
    /// `Unprocessable` where HBase's region server fails: a part that is too short for a number or an offset, and a
    /// regular expression that exceeds its limit on backtracking.
    pub fn order(&self, part: &[u8]) -> Result<Ordering> {
        self.0.order(part)
    }

    /// The name of HBase's class, without its package.
    pub(super) fn class(&self) -> &'static str {
        self.0.class()
    }

    /// The protobuf message of HBase's class.
    pub(super) fn encode(&self) -> Vec<u8> {
        self.0.encode()
    }

    /// Whether HBase's filter language allows it with `=` and `!=` only.
    pub(super) fn is_equality_only(&self) -> bool {
        self.0.is_equality_only()
    }

    /// The bytes that are equal to the comparator, if it compares whole byte strings.
    pub(super) fn whole_value(&self) -> Option<&Bytes> {
        self.0.whole_value()
    }
}

impl fmt::Debug for Comparator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl PartialEq for Comparator {
    fn eq(&self, other: &Self) -> bool {
        self.0.equals(&*other.0)
    }
}

/// The order of a comparator that has none: it matches or not.
fn matched(yes: bool) -> Ordering {
    if yes { Ordering::Equal } else { Ordering::Greater }
}

/// The error of a part of a cell that has fewer bytes than the comparator needs.
fn too_short(class: &str, needed: &str, part: &[u8]) -> Error {
    Error::new(
        ErrorKind::Unprocessable,
        format!("{class} needs {needed} to compare with, a cell has {} bytes there", part.len()),
    )
    .with_remedy("read only columns with such values, or compare them as bytes with a BinaryComparator")
}

/// HBase's ByteArrayComparable inside BinaryComparator, BinaryPrefixComparator, LongComparator and
/// BigDecimalComparator.
#[derive(Clone, PartialEq, Message)]
struct Comparable {
    #[prost(message, optional, tag = "1")]
    comparable: Option<OneBytes>,
}

impl Comparable {
    fn encode(value: &[u8]) -> Vec<u8> {
        let comparable = Some(OneBytes { bytes: Some(Bytes::copy_from_slice(value)) });
        Self { comparable }.encode_to_vec()
    }

    fn decode(body: &[u8]) -> Result<Bytes> {
        let message: Self = message(body)?;
        Ok(required(message.comparable, "comparable")?.bytes.unwrap_or_default())
    }
}
