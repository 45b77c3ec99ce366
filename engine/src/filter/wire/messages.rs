//! The messages, by HBase's names and numbers. Fields that HBase requires are checked by whoever reads them; an enum is its number, since an
//! unknown one counts as absent there.

use bytes::Bytes;
use prost::Message;

/// The package of HBase's filters and comparators.
pub(super) const PACKAGE: &str = "org.apache.hadoop.hbase.filter.";

#[derive(Clone, PartialEq, Message)]
pub(super) struct Named {
    #[prost(string, optional, tag = "1")]
    pub name: Option<String>,
    #[prost(bytes = "bytes", optional, tag = "2")]
    pub body: Option<Bytes>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct BytesPair {
    #[prost(bytes = "bytes", optional, tag = "1")]
    pub first: Option<Bytes>,
    #[prost(bytes = "bytes", optional, tag = "2")]
    pub second: Option<Bytes>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct ColumnCount {
    #[prost(int32, optional, tag = "1")]
    pub limit: Option<i32>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct ColumnPagination {
    #[prost(int32, optional, tag = "1")]
    pub limit: Option<i32>,
    #[prost(int32, optional, tag = "2")]
    pub offset: Option<i32>,
    #[prost(bytes = "bytes", optional, tag = "3")]
    pub column_offset: Option<Bytes>,
}

/// PrefixFilter, ColumnPrefixFilter and InclusiveStopFilter.
#[derive(Clone, PartialEq, Message)]
pub(super) struct OneBytes {
    #[prost(bytes = "bytes", optional, tag = "1")]
    pub bytes: Option<Bytes>,
}

/// FirstKeyValueMatchingQualifiersFilter and MultipleColumnPrefixFilter.
#[derive(Clone, PartialEq, Message)]
pub(super) struct ManyBytes {
    #[prost(bytes = "bytes", repeated, tag = "1")]
    pub bytes: Vec<Bytes>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct ColumnRange {
    #[prost(bytes = "bytes", optional, tag = "1")]
    pub min: Option<Bytes>,
    #[prost(bool, optional, tag = "2")]
    pub min_inclusive: Option<bool>,
    #[prost(bytes = "bytes", optional, tag = "3")]
    pub max: Option<Bytes>,
    #[prost(bool, optional, tag = "4")]
    pub max_inclusive: Option<bool>,
}

/// SingleColumnValueFilter, and ColumnValueFilter with its first four fields.
#[derive(Clone, PartialEq, Message)]
pub(super) struct ColumnCheck {
    #[prost(bytes = "bytes", optional, tag = "1")]
    pub family: Option<Bytes>,
    #[prost(bytes = "bytes", optional, tag = "2")]
    pub qualifier: Option<Bytes>,
    #[prost(int32, optional, tag = "3")]
    pub op: Option<i32>,
    #[prost(message, optional, tag = "4")]
    pub comparator: Option<Named>,
    #[prost(bool, optional, tag = "5")]
    pub filter_if_missing: Option<bool>,
    #[prost(bool, optional, tag = "6")]
    pub latest_version_only: Option<bool>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Compare {
    #[prost(int32, optional, tag = "1")]
    pub op: Option<i32>,
    #[prost(message, optional, tag = "2")]
    pub comparator: Option<Named>,
}

/// RowFilter, FamilyFilter, QualifierFilter, ValueFilter, and DependentColumnFilter with all fields.
#[derive(Clone, PartialEq, Message)]
pub(super) struct Comparing {
    #[prost(message, optional, tag = "1")]
    pub compare: Option<Compare>,
    #[prost(bytes = "bytes", optional, tag = "2")]
    pub family: Option<Bytes>,
    #[prost(bytes = "bytes", optional, tag = "3")]
    pub qualifier: Option<Bytes>,
    #[prost(bool, optional, tag = "4")]
    pub drop_column: Option<bool>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct List {
    #[prost(int32, optional, tag = "1")]
    pub operator: Option<i32>,
    #[prost(message, repeated, tag = "2")]
    pub members: Vec<Named>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Fuzzy {
    #[prost(message, repeated, tag = "1")]
    pub pairs: Vec<BytesPair>,
    #[prost(bool, optional, tag = "2")]
    pub is_mask_v2: Option<bool>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct KeyOnly {
    #[prost(bool, optional, tag = "1")]
    pub length_as_value: Option<bool>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Range {
    #[prost(bytes = "bytes", optional, tag = "1")]
    pub start: Option<Bytes>,
    #[prost(bool, optional, tag = "2")]
    pub start_inclusive: Option<bool>,
    #[prost(bytes = "bytes", optional, tag = "3")]
    pub stop: Option<Bytes>,
    #[prost(bool, optional, tag = "4")]
    pub stop_inclusive: Option<bool>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Ranges {
    #[prost(message, repeated, tag = "1")]
    pub ranges: Vec<Range>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Page {
    #[prost(int64, optional, tag = "1")]
    pub size: Option<i64>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct RandomRow {
    #[prost(float, optional, tag = "1")]
    pub chance: Option<f32>,
}

/// SingleColumnValueExcludeFilter.
#[derive(Clone, PartialEq, Message)]
pub(super) struct Excluding {
    #[prost(message, optional, tag = "1")]
    pub inner: Option<ColumnCheck>,
}

/// SkipFilter, WhileMatchFilter, FilterWrapper.
#[derive(Clone, PartialEq, Message)]
pub(super) struct Wrapping {
    #[prost(message, optional, tag = "1")]
    pub inner: Option<Named>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Timestamps {
    #[prost(int64, repeated, packed = "true", tag = "1")]
    pub timestamps: Vec<i64>,
    #[prost(bool, optional, tag = "2")]
    pub can_hint: Option<bool>,
}

/// A message without fields: FirstKeyOnlyFilter, NullComparator.
#[derive(Clone, PartialEq, Message)]
pub(super) struct Empty {}

/// BinaryComparator, BinaryPrefixComparator, LongComparator, BigDecimalComparator, and BitComparator with its operation.
#[derive(Clone, PartialEq, Message)]
pub(super) struct Comparable {
    #[prost(message, optional, tag = "1")]
    pub comparable: Option<OneBytes>,
    #[prost(int32, optional, tag = "2")]
    pub bitwise_op: Option<i32>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct RegexString {
    #[prost(string, optional, tag = "1")]
    pub pattern: Option<String>,
    #[prost(int32, optional, tag = "2")]
    pub flags: Option<i32>,
    #[prost(string, optional, tag = "3")]
    pub charset: Option<String>,
    #[prost(string, optional, tag = "4")]
    pub engine: Option<String>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct SubstringText {
    #[prost(string, optional, tag = "1")]
    pub text: Option<String>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Component {
    #[prost(bytes = "bytes", optional, tag = "1")]
    pub value: Option<Bytes>,
    #[prost(uint32, optional, tag = "2")]
    pub offset: Option<u32>,
}
