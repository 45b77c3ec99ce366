//! The messages of HBase's REST gateway in protobuf (`hbase-rest/src/main/protobuf`), as prost structs.

use bytes::{Buf, Bytes};
use prost::encoding::{DecodeContext, WireType, decode_key, decode_varint, skip_field};
use prost::{DecodeError, Message};

use super::error::{Answer, Failure};
use crate::dispatch::call_scope::CallScope;

/// The memory of a field that is repeated, beside its bytes: a list that grows has up to three times its elements.
const FIELD_BYTES: usize = 512;

/// Decodes a message that describes something, whose memory is claimed for the request before. `nested` is the field
/// whose elements have repeated fields of their own.
pub(super) fn decode<M: Message + Default>(
    scope: &CallScope<'_>,
    body: &[u8],
    nested: Option<u32>,
    what: &str,
) -> Answer<M> {
    let wrong = |error: DecodeError| Failure::bad(format!("the body is not a {what} in protobuf: {error}"));
    each_field(body, &wrong, &mut |tag, field| {
        let claim = |bytes: usize| {
            let bytes = bytes.saturating_mul(2).saturating_add(FIELD_BYTES);
            scope.claim_request(bytes).map_err(|error| Failure::of_memory(&error))
        };
        claim(field.len())?;
        if Some(tag) == nested { each_field(field, &wrong, &mut |_, _| claim(0)) } else { Ok(()) }
    })?;
    M::decode(body).map_err(wrong)
}

/// Passes the fields of a message that have a length to a function, and skips the others.
pub(super) fn each_field<B: Buf + Splits>(
    mut message: B,
    wrong: &dyn Fn(DecodeError) -> Failure,
    found: &mut dyn FnMut(u32, B) -> Answer<()>,
) -> Answer<()> {
    while message.has_remaining() {
        let (tag, of) = decode_key(&mut message).map_err(wrong)?;
        if of != WireType::LengthDelimited {
            skip_field(of, tag, &mut message, DecodeContext::default()).map_err(wrong)?;
            continue;
        }
        let length = decode_varint(&mut message).map_err(wrong)?;
        match usize::try_from(length).ok().filter(|length| *length <= message.remaining()) {
            Some(length) => found(tag, message.split_first(length))?,
            None => return Err(Failure::bad("the body ends within a field of its message in protobuf")),
        }
    }
    Ok(())
}

/// Bytes of which the first ones can be taken.
pub(super) trait Splits: Sized {
    /// Takes the first bytes, of which there are as many.
    fn split_first(&mut self, length: usize) -> Self;
}

impl Splits for Bytes {
    fn split_first(&mut self, length: usize) -> Self {
        self.split_to(length)
    }
}

impl Splits for &[u8] {
    fn split_first(&mut self, length: usize) -> Self {
        let (first, rest) = self.split_at(length);
        *self = rest;
        first
    }
}

/// `CellMessage.Cell`.
#[derive(Clone, PartialEq, Message)]
pub(super) struct Cell {
    #[prost(bytes = "bytes", optional, tag = "2")]
    pub(super) column: Option<Bytes>,
    #[prost(int64, optional, tag = "3")]
    pub(super) timestamp: Option<i64>,
    #[prost(bytes = "bytes", optional, tag = "4")]
    pub(super) data: Option<Bytes>,
}

/// `CellSetMessage.CellSet.Row`.
#[derive(Clone, PartialEq, Message)]
pub(super) struct Row {
    #[prost(bytes = "bytes", optional, tag = "1")]
    pub(super) key: Option<Bytes>,
    #[prost(message, repeated, tag = "2")]
    pub(super) values: Vec<Cell>,
}

/// `CellSetMessage.CellSet`.
#[derive(Clone, PartialEq, Message)]
pub(super) struct CellSet {
    #[prost(message, repeated, tag = "1")]
    pub(super) rows: Vec<Row>,
}

/// A name and a value: `Attribute` of schemas, and `Property` of namespaces.
#[derive(Clone, PartialEq, Message)]
pub(super) struct Pair {
    #[prost(string, required, tag = "1")]
    pub(super) name: String,
    #[prost(string, required, tag = "2")]
    pub(super) value: String,
}

/// `ColumnSchemaMessage.ColumnSchema`.
#[derive(Clone, PartialEq, Message)]
pub(super) struct ColumnSchema {
    #[prost(string, optional, tag = "1")]
    pub(super) name: Option<String>,
    #[prost(message, repeated, tag = "2")]
    pub(super) attributes: Vec<Pair>,
    #[prost(int32, optional, tag = "3")]
    pub(super) ttl: Option<i32>,
    #[prost(int32, optional, tag = "4")]
    pub(super) max_versions: Option<i32>,
    #[prost(string, optional, tag = "5")]
    pub(super) compression: Option<String>,
}

/// `TableSchemaMessage.TableSchema`.
#[derive(Clone, PartialEq, Message)]
pub(super) struct TableSchema {
    #[prost(string, optional, tag = "1")]
    pub(super) name: Option<String>,
    #[prost(message, repeated, tag = "2")]
    pub(super) attributes: Vec<Pair>,
    #[prost(message, repeated, tag = "3")]
    pub(super) columns: Vec<ColumnSchema>,
    #[prost(bool, optional, tag = "4")]
    pub(super) in_memory: Option<bool>,
    #[prost(bool, optional, tag = "5")]
    pub(super) read_only: Option<bool>,
}

/// `ScannerMessage.Scanner`.
#[derive(Clone, PartialEq, Message)]
pub(super) struct Scanner {
    #[prost(bytes = "bytes", optional, tag = "1")]
    pub(super) start_row: Option<Bytes>,
    #[prost(bytes = "bytes", optional, tag = "2")]
    pub(super) end_row: Option<Bytes>,
    #[prost(bytes = "bytes", repeated, tag = "3")]
    pub(super) columns: Vec<Bytes>,
    #[prost(int32, optional, tag = "4")]
    pub(super) batch: Option<i32>,
    #[prost(int64, optional, tag = "5")]
    pub(super) start_time: Option<i64>,
    #[prost(int64, optional, tag = "6")]
    pub(super) end_time: Option<i64>,
    #[prost(int32, optional, tag = "7")]
    pub(super) max_versions: Option<i32>,
    #[prost(string, optional, tag = "8")]
    pub(super) filter: Option<String>,
    #[prost(int32, optional, tag = "9")]
    pub(super) caching: Option<i32>,
    #[prost(string, repeated, tag = "10")]
    pub(super) labels: Vec<String>,
    #[prost(bool, optional, tag = "11")]
    pub(super) cache_blocks: Option<bool>,
    /// HBase reads it and does not use it.
    #[prost(int32, optional, tag = "12")]
    pub(super) limit: Option<i32>,
}

/// `NamespacePropertiesMessage.NamespaceProperties`.
#[derive(Clone, PartialEq, Message)]
pub(super) struct NamespaceProperties {
    #[prost(message, repeated, tag = "1")]
    pub(super) properties: Vec<Pair>,
}

/// A list of names: `NamespacesMessage.Namespaces` and `TableListMessage.TableList`.
#[derive(Clone, PartialEq, Message)]
pub(super) struct Names {
    #[prost(string, repeated, tag = "1")]
    pub(super) names: Vec<String>,
}

/// `TableInfoMessage.TableInfo.Region`.
#[derive(Clone, PartialEq, Message)]
pub(super) struct Region {
    #[prost(string, required, tag = "1")]
    pub(super) name: String,
    #[prost(bytes = "bytes", optional, tag = "2")]
    pub(super) start_key: Option<Bytes>,
    #[prost(bytes = "bytes", optional, tag = "3")]
    pub(super) end_key: Option<Bytes>,
    #[prost(int64, optional, tag = "4")]
    pub(super) id: Option<i64>,
    #[prost(string, optional, tag = "5")]
    pub(super) location: Option<String>,
}

/// `TableInfoMessage.TableInfo`.
#[derive(Clone, PartialEq, Message)]
pub(super) struct TableInfo {
    #[prost(string, required, tag = "1")]
    pub(super) name: String,
    #[prost(message, repeated, tag = "2")]
    pub(super) regions: Vec<Region>,
}

/// `VersionMessage.Version`.
#[derive(Clone, PartialEq, Message)]
pub(super) struct Version {
    #[prost(string, optional, tag = "1")]
    pub(super) rest: Option<String>,
    #[prost(string, optional, tag = "2")]
    pub(super) jvm: Option<String>,
    #[prost(string, optional, tag = "3")]
    pub(super) os: Option<String>,
    #[prost(string, optional, tag = "4")]
    pub(super) server: Option<String>,
    #[prost(string, optional, tag = "5")]
    pub(super) jersey: Option<String>,
    #[prost(string, optional, tag = "6")]
    pub(super) version: Option<String>,
    #[prost(string, optional, tag = "7")]
    pub(super) revision: Option<String>,
}

/// `StorageClusterStatusMessage.StorageClusterStatus.Region`.
#[derive(Clone, PartialEq, Message)]
pub(super) struct StatusRegion {
    #[prost(bytes = "bytes", required, tag = "1")]
    pub(super) name: Bytes,
    #[prost(int32, optional, tag = "2")]
    pub(super) stores: Option<i32>,
    #[prost(int32, optional, tag = "3")]
    pub(super) storefiles: Option<i32>,
    #[prost(int32, optional, tag = "4")]
    pub(super) storefile_size_mb: Option<i32>,
    #[prost(int32, optional, tag = "5")]
    pub(super) memstore_size_mb: Option<i32>,
    #[prost(int64, optional, tag = "6")]
    pub(super) storefile_index_size_kb: Option<i64>,
    #[prost(int64, optional, tag = "7")]
    pub(super) read_requests: Option<i64>,
    #[prost(int64, optional, tag = "8")]
    pub(super) write_requests: Option<i64>,
    #[prost(int32, optional, tag = "9")]
    pub(super) root_index_size_kb: Option<i32>,
    #[prost(int32, optional, tag = "10")]
    pub(super) total_static_index_size_kb: Option<i32>,
    #[prost(int32, optional, tag = "11")]
    pub(super) total_static_bloom_size_kb: Option<i32>,
    #[prost(int64, optional, tag = "12")]
    pub(super) total_compacting_kvs: Option<i64>,
    #[prost(int64, optional, tag = "13")]
    pub(super) current_compacted_kvs: Option<i64>,
}

/// `StorageClusterStatusMessage.StorageClusterStatus.Node`.
#[derive(Clone, PartialEq, Message)]
pub(super) struct StatusNode {
    #[prost(string, required, tag = "1")]
    pub(super) name: String,
    #[prost(int64, optional, tag = "2")]
    pub(super) start_code: Option<i64>,
    #[prost(int64, optional, tag = "3")]
    pub(super) requests: Option<i64>,
    #[prost(int32, optional, tag = "4")]
    pub(super) heap_size_mb: Option<i32>,
    #[prost(int32, optional, tag = "5")]
    pub(super) max_heap_size_mb: Option<i32>,
    #[prost(message, repeated, tag = "6")]
    pub(super) regions: Vec<StatusRegion>,
}

/// `StorageClusterStatusMessage.StorageClusterStatus`.
#[derive(Clone, PartialEq, Message)]
pub(super) struct Status {
    #[prost(message, repeated, tag = "1")]
    pub(super) live_nodes: Vec<StatusNode>,
    #[prost(string, repeated, tag = "2")]
    pub(super) dead_nodes: Vec<String>,
    #[prost(int32, optional, tag = "3")]
    pub(super) regions: Option<i32>,
    #[prost(int64, optional, tag = "4")]
    pub(super) requests: Option<i64>,
    #[prost(double, optional, tag = "5")]
    pub(super) average_load: Option<f64>,
}
