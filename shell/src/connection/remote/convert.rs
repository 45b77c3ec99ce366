//! Converts the engine's requests to Thrift2's structs, and its answers back.

use std::collections::BTreeMap;

use bytes::Bytes;
use hjall_engine::mutation::{Append, Delete, Durability, Increment, MarkerKind, Put};
use hjall_engine::name::TableName;
use hjall_engine::request::{Columns, Get, Scan, TimeRange};
use hjall_engine::schema::{
    BlockEncoding, BloomFilter, Compression, FamilyDescriptor, KeepDeleted, NamespaceDescriptor, Region,
    TableDescriptor,
};
use hjall_engine::{Cell, CellKind, LATEST, Row};
use hjall_idl::hbase2::*;

use super::super::{Answer, Extras, Place, Server};

pub fn table_name(name: &TableName) -> TTableName {
    TTableName::new(Some(name.namespace().as_bytes().to_vec()), name.qualifier().as_bytes().to_vec())
}

pub fn table_name_back(name: &TTableName) -> Answer<TableName> {
    Ok(TableName::new(name.ns.as_deref().unwrap_or_default(), &name.qualifier)?)
}

pub fn namespace(namespace: &NamespaceDescriptor) -> TNamespaceDescriptor {
    let configuration = namespace.configuration.iter().map(|(k, v)| (k.clone().into_bytes(), v.clone().into_bytes()));
    TNamespaceDescriptor::new(namespace.name.clone().into_bytes(), configuration.collect::<BTreeMap<_, _>>())
}

pub fn namespace_back(sent: TNamespaceDescriptor) -> NamespaceDescriptor {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let mut namespace = NamespaceDescriptor::new(text(&sent.name));
    namespace.configuration = sent.configuration.unwrap_or_default().iter().map(|(k, v)| (text(k), text(v))).collect();
    namespace
}

fn pairs(map: &BTreeMap<Bytes, Bytes>) -> BTreeMap<Vec<u8>, Vec<u8>> {
    map.iter().map(|(key, value)| (key.to_vec(), value.to_vec())).collect()
}

fn pairs_back(map: Option<BTreeMap<Vec<u8>, Vec<u8>>>) -> BTreeMap<Bytes, Bytes> {
    map.unwrap_or_default().into_iter().map(|(key, value)| (key.into(), value.into())).collect()
}

pub fn descriptor(table: &TableDescriptor) -> TTableDescriptor {
    let columns = table.families.values().map(|family| TColumnFamilyDescriptor {
        name: family.name.to_vec(),
        attributes: Some(pairs(&family.attributes)),
        configuration: Some(pairs(&family.configuration)).filter(|map| !map.is_empty()),
        block_size: None,
        bloomn_filter_type: None,
        compression_type: None,
        dfs_replication: None,
        data_block_encoding: None,
        keep_deleted_cells: None,
        max_versions: None,
        min_versions: None,
        scope: None,
        time_to_live: None,
        block_cache_enabled: None,
        cache_blooms_on_write: None,
        cache_data_on_write: None,
        cache_indexes_on_write: None,
        compress_tags: None,
        evict_blocks_on_close: None,
        in_memory: None,
    });
    TTableDescriptor {
        table_name: table_name(&table.name),
        columns: Some(columns.collect()),
        attributes: Some(pairs(&table.attributes)).filter(|map| !map.is_empty()),
        durability: None,
    }
}

pub fn descriptor_back(sent: TTableDescriptor) -> Answer<TableDescriptor> {
    let mut table = TableDescriptor::new(table_name_back(&sent.table_name)?);
    table.attributes = pairs_back(sent.attributes);
    let durability = Durability::ALL.into_iter().find(|durability| Some(*durability as i32) == sent.durability);
    if let Some(durability) = durability.filter(|durability| *durability != Durability::UseDefault)
        && !table.attributes.contains_key("DURABILITY".as_bytes())
    {
        table.set_durability(durability);
    }
    for sent in sent.columns.unwrap_or_default() {
        let mut family = FamilyDescriptor::new(sent.name.clone())?;
        family.attributes.extend(typed(&sent));
        family.attributes.extend(pairs_back(sent.attributes));
        family.configuration = pairs_back(sent.configuration);
        table.families.insert(family.name.clone(), family);
    }
    Ok(table)
}

/// The attributes that a family's typed fields have. Servers send the map of attributes too.
fn typed(sent: &TColumnFamilyDescriptor) -> BTreeMap<Bytes, Bytes> {
    let mut out = BTreeMap::new();
    let mut set = |key: &'static str, value: Option<String>| {
        if let Some(value) = value {
            out.insert(Bytes::from_static(key.as_bytes()), Bytes::from(value));
        }
    };
    set("VERSIONS", sent.max_versions.map(|n| n.to_string()));
    set("MIN_VERSIONS", sent.min_versions.map(|n| n.to_string()));
    set("TTL", sent.time_to_live.map(|n| n.to_string()));
    set("BLOCKSIZE", sent.block_size.map(|n| n.to_string()));
    set("REPLICATION_SCOPE", sent.scope.map(|n| n.to_string()));
    set("IN_MEMORY", sent.in_memory.map(|flag| flag.to_string()));
    set("BLOCKCACHE", sent.block_cache_enabled.map(|flag| flag.to_string()));
    let bloom = [BloomFilter::None, BloomFilter::Row, BloomFilter::RowCol];
    let at = |n: Option<i32>| n.and_then(|n| usize::try_from(n).ok());
    set("BLOOMFILTER", at(sent.bloomn_filter_type).and_then(|n| bloom.get(n)).map(|kind| kind.name().to_owned()));
    set(
        "COMPRESSION",
        at(sent.compression_type).and_then(|n| Compression::ALL.get(n)).map(|kind| kind.name().to_owned()),
    );
    let encoding = match sent.data_block_encoding {
        Some(0) => Some("NONE"),
        Some(2) => Some("PREFIX"),
        Some(3) => Some("DIFF"),
        Some(4) => Some("FAST_DIFF"),
        Some(7) => Some("ROW_INDEX_V1"),
        _ => None,
    };
    set("DATA_BLOCK_ENCODING", encoding.and_then(BlockEncoding::from_name).map(|kind| kind.name().to_owned()));
    set(
        "KEEP_DELETED_CELLS",
        at(sent.keep_deleted_cells).and_then(|n| KeepDeleted::ALL.get(n)).map(|kind| kind.name().to_owned()),
    );
    out
}

/// The name of a host. Of this machine's own address, which hjall sends, it is the usual name, since HBase shows names.
fn host(sent: &[u8]) -> String {
    match sent {
        b"127.0.0.1" | b"::1" => "localhost".to_owned(),
        other => String::from_utf8_lossy(other).into_owned(),
    }
}

pub fn place_back(sent: THRegionLocation) -> Place {
    let region = Region {
        id: sent.region_info.region_id,
        start: sent.region_info.start_key.unwrap_or_default().into(),
        end: sent.region_info.end_key.unwrap_or_default().into(),
    };
    let server = Server {
        host: host(&sent.server_name.host_name),
        port: sent.server_name.port.unwrap_or(0),
        start_code: sent.server_name.start_code.unwrap_or(0),
    };
    Place { region, server }
}

fn columns(columns: &Columns) -> Option<Vec<TColumn>> {
    if columns.is_all() {
        return None;
    }
    let mut list = Vec::new();
    for (family, qualifiers) in columns.families() {
        match qualifiers {
            None => list.push(TColumn { family: family.to_vec(), qualifier: None, timestamp: None }),
            Some(qualifiers) => {
                list.extend(qualifiers.iter().map(|qualifier| TColumn {
                    family: family.to_vec(),
                    qualifier: Some(qualifier.to_vec()),
                    timestamp: None,
                }));
            }
        }
    }
    Some(list)
}

fn time_range(range: TimeRange) -> Option<TTimeRange> {
    (!range.is_all()).then(|| TTimeRange::new(range.min(), range.max()))
}

fn attributes(
    extras: &Extras,
    more: impl IntoIterator<Item = (&'static [u8], Vec<u8>)>,
) -> Option<BTreeMap<Vec<u8>, Vec<u8>>> {
    let mut map = extras.attributes.clone();
    map.extend(more.into_iter().map(|(key, value)| (key.to_vec(), value)));
    (!map.is_empty()).then_some(map)
}

fn raw(raw: bool) -> Option<(&'static [u8], Vec<u8>)> {
    // Java's `Bytes.toBytes(true)`.
    raw.then(|| (&b"_raw_"[..], vec![0xFF]))
}

fn ttl(ttl: Option<i64>) -> Option<(&'static [u8], Vec<u8>)> {
    ttl.map(|ms| (&b"_ttl"[..], ms.to_be_bytes().to_vec()))
}

fn filters(spec: Option<&hjall_engine::filter::FilterSpec>, extras: &Extras) -> (Option<Vec<u8>>, Option<Vec<u8>>) {
    match (&extras.filter_text, spec) {
        (Some(text), _) => (Some(text.clone()), None),
        (None, Some(spec)) => (None, Some(spec.to_bytes())),
        (None, None) => (None, None),
    }
}

pub fn get(get: &Get, extras: &Extras) -> TGet {
    let (filter_string, filter_bytes) = filters(get.filter.as_deref(), extras);
    TGet {
        row: get.row.to_vec(),
        columns: columns(&get.columns),
        time_range: time_range(get.time_range),
        max_versions: Some(get.max_versions),
        filter_string,
        filter_bytes,
        attributes: attributes(extras, raw(get.raw)),
        authorizations: extras.authorizations.as_ref().map(|labels| authorization(labels)),
        consistency: extras.timeline.then_some(2),
        target_replica_id: extras.replica,
        cache_blocks: extras.cache_blocks,
        timestamp: None,
        store_limit: None,
        store_offset: None,
        existence_only: None,
    }
}

fn authorization(labels: &[String]) -> TAuthorization {
    TAuthorization::new(Some(labels.iter().map(|label| label.clone().into_bytes()).collect::<Vec<_>>()))
}

fn visibility(extras: &Extras) -> Option<TCellVisibility> {
    extras.visibility.as_ref().map(|expression| TCellVisibility::new(Some(expression.clone().into_bytes())))
}

pub fn scan(scan: &Scan, extras: &Extras) -> TScan {
    let (filter_string, filter_bytes) = filters(scan.filter.as_deref(), extras);
    TScan {
        start_row: Some(scan.start.to_vec()).filter(|row| !row.is_empty()),
        stop_row: Some(scan.stop.to_vec()).filter(|row| !row.is_empty()),
        columns: columns(&scan.columns),
        caching: Some(scan.caching).filter(|rows| *rows > 0),
        max_versions: Some(scan.max_versions),
        time_range: time_range(scan.time_range),
        filter_string,
        filter_bytes,
        batch_size: Some(scan.batch).filter(|cells| *cells > 0),
        attributes: attributes(extras, raw(scan.raw)),
        authorizations: extras.authorizations.as_ref().map(|labels| authorization(labels)),
        reversed: Some(scan.reversed).filter(|reversed| *reversed),
        cache_blocks: extras.cache_blocks,
        limit: Some(scan.limit).filter(|rows| *rows > 0),
        consistency: extras.timeline.then_some(2),
        target_replica_id: extras.replica,
        ..TScan::default()
    }
}

fn stamp(timestamp: i64) -> Option<i64> {
    (timestamp != LATEST).then_some(timestamp)
}

pub fn put(put: &Put, extras: &Extras) -> TPut {
    let cells = put.cells.iter().map(|cell| TColumnValue {
        family: cell.family.to_vec(),
        qualifier: cell.qualifier.to_vec(),
        value: cell.value.to_vec(),
        timestamp: stamp(cell.timestamp),
        tags: None,
        type_: None,
    });
    TPut {
        row: put.row.to_vec(),
        column_values: cells.collect(),
        timestamp: None,
        attributes: attributes(extras, ttl(put.ttl_ms)),
        durability: None,
        cell_visibility: visibility(extras),
    }
}

pub fn delete(delete: &Delete, extras: &Extras) -> TDelete {
    let kind = delete.markers.first().map(|marker| match marker.kind {
        MarkerKind::Version => 0,
        MarkerKind::Column => 1,
        MarkerKind::Family => 2,
        MarkerKind::FamilyVersion => 3,
    });
    let columns = delete.markers.iter().map(|marker| {
        let whole = matches!(marker.kind, MarkerKind::Family | MarkerKind::FamilyVersion);
        // A server does not choose the version that this marker is for.
        let timestamp = match marker.kind {
            MarkerKind::FamilyVersion => {
                stamp(marker.timestamp).or_else(|| Some(chrono::Utc::now().timestamp_millis()))
            }
            _ => stamp(marker.timestamp),
        };
        let qualifier = (!whole).then(|| marker.qualifier.to_vec());
        TColumn::new(marker.family.to_vec(), qualifier, timestamp)
    });
    let columns: Vec<_> = columns.collect();
    TDelete {
        row: delete.row.to_vec(),
        columns: (!columns.is_empty()).then_some(columns),
        timestamp: stamp(delete.timestamp),
        delete_type: kind,
        attributes: attributes(extras, ttl(delete.ttl_ms)),
        durability: None,
    }
}

pub fn increment(increment: &Increment, extras: &Extras) -> TIncrement {
    let columns = increment
        .columns
        .iter()
        .map(|(family, qualifier, amount)| TColumnIncrement::new(family.to_vec(), qualifier.to_vec(), Some(*amount)));
    TIncrement {
        row: increment.row.to_vec(),
        columns: columns.collect(),
        attributes: attributes(extras, ttl(increment.ttl_ms)),
        durability: None,
        cell_visibility: visibility(extras),
        return_results: Some(true),
    }
}

pub fn append(append: &Append, extras: &Extras) -> TAppend {
    let columns = append.columns.iter().map(|(family, qualifier, value)| TColumnValue {
        family: family.to_vec(),
        qualifier: qualifier.to_vec(),
        value: value.to_vec(),
        timestamp: None,
        tags: None,
        type_: None,
    });
    TAppend {
        row: append.row.to_vec(),
        columns: columns.collect(),
        attributes: attributes(extras, ttl(append.ttl_ms)),
        durability: None,
        cell_visibility: visibility(extras),
        return_results: Some(true),
    }
}

pub fn row_back(sent: TResult) -> Row {
    let key = Bytes::from(sent.row.unwrap_or_default());
    let cells = sent.column_values.into_iter().map(|cell| Cell {
        row: key.clone(),
        family: cell.family.into(),
        qualifier: cell.qualifier.into(),
        timestamp: cell.timestamp.unwrap_or(0),
        kind: cell.type_.and_then(|code| CellKind::from_code(code as u8)).unwrap_or(CellKind::Put),
        value: cell.value.into(),
    });
    let cells: Vec<_> = cells.collect();
    Row { key, cells, partial: sent.partial.unwrap_or(false) }
}
