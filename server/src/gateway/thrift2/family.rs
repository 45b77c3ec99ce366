//! Converts the descriptors of families between contract and engine.

use bytes::Bytes;
use hjall_engine::error::Result;
use hjall_engine::schema::{BlockEncoding, BloomFilter, Compression, FamilyDescriptor, KeepDeleted};
use hjall_idl::hbase2::TColumnFamilyDescriptor;

const BLOOM_FILTERS: [(i32, BloomFilter); 4] =
    [(0, BloomFilter::None), (1, BloomFilter::Row), (2, BloomFilter::RowCol), (3, BloomFilter::RowPrefix)];

/// The compressions that the contract has numbers for.
const COMPRESSIONS: [(i32, Compression); 7] = [
    (0, Compression::Lzo),
    (1, Compression::Gz),
    (2, Compression::None),
    (3, Compression::Snappy),
    (4, Compression::Lz4),
    (5, Compression::Bzip2),
    (6, Compression::Zstd),
];
const COMPRESSION_NONE: i32 = 2;

const BLOCK_ENCODINGS: [(i32, BlockEncoding); 5] = [
    (0, BlockEncoding::None),
    (2, BlockEncoding::Prefix),
    (3, BlockEncoding::Diff),
    (4, BlockEncoding::FastDiff),
    (7, BlockEncoding::RowIndexV1),
];

const KEEP_DELETED: [(i32, KeepDeleted); 3] = [(0, KeepDeleted::False), (1, KeepDeleted::True), (2, KeepDeleted::Ttl)];

/// The value of a number; `None` for a number that HBase does not know, so that the field counts as unset.
fn named<T: Copy>(table: &[(i32, T)], code: Option<i32>) -> Option<T> {
    table.iter().find(|(known, _)| Some(*known) == code).map(|(_, value)| *value)
}

fn code<T: Copy + PartialEq>(table: &[(i32, T)], value: T) -> Option<i32> {
    table.iter().find(|(_, known)| *known == value).map(|(code, _)| *code)
}

/// The descriptor in a request. Typed fields have precedence over configuration, and that over attributes.
///
/// # Errors
/// `InvalidArgument` for an illegal name and for numbers that HBase's setters refuse.
pub fn family(sent: &TColumnFamilyDescriptor) -> Result<FamilyDescriptor> {
    let mut family = FamilyDescriptor::new(Bytes::copy_from_slice(&sent.name))?;
    for (key, value) in sent.attributes.iter().flatten() {
        family.set(Bytes::copy_from_slice(key), Bytes::copy_from_slice(value));
    }
    for (key, value) in sent.configuration.iter().flatten() {
        family.set_configuration(Bytes::copy_from_slice(key), Bytes::copy_from_slice(value));
    }
    if let Some(bytes) = sent.block_size {
        family.set_block_size(bytes);
    }
    if let Some(filter) = named(&BLOOM_FILTERS, sent.bloomn_filter_type) {
        family.set_bloom_filter(filter);
    }
    if let Some(compression) = named(&COMPRESSIONS, sent.compression_type) {
        family.set_compression(compression);
    }
    if let Some(replication) = sent.dfs_replication {
        family.set_dfs_replication(replication)?;
    }
    if let Some(encoding) = named(&BLOCK_ENCODINGS, sent.data_block_encoding) {
        family.set_data_block_encoding(encoding);
    }
    if let Some(keep) = named(&KEEP_DELETED, sent.keep_deleted_cells) {
        family.set_keep_deleted(keep);
    }
    if let Some(versions) = sent.max_versions {
        family.set_max_versions(versions)?;
    }
    if let Some(versions) = sent.min_versions {
        family.set_min_versions(versions);
    }
    if let Some(scope) = sent.scope {
        family.set_scope(scope);
    }
    if let Some(seconds) = sent.time_to_live {
        family.set_ttl_seconds(seconds);
    }
    for (key, flag) in [
        ("BLOCKCACHE", sent.block_cache_enabled),
        ("CACHE_BLOOMS_ON_WRITE", sent.cache_blooms_on_write),
        ("CACHE_DATA_ON_WRITE", sent.cache_data_on_write),
        ("CACHE_INDEX_ON_WRITE", sent.cache_indexes_on_write),
        ("COMPRESS_TAGS", sent.compress_tags),
        ("EVICT_BLOCKS_ON_CLOSE", sent.evict_blocks_on_close),
        ("IN_MEMORY", sent.in_memory),
    ] {
        if let Some(on) = flag {
            family.set_flag(key, on);
        }
    }
    Ok(family)
}

/// The descriptor in an answer: the stored attributes, and every typed field derived from them.
///
/// # Errors
/// `Unprocessable` if an attribute has an invalid value. Tables with such attributes are not created.
pub fn family_back(family: &FamilyDescriptor) -> Result<TColumnFamilyDescriptor> {
    let configuration = &family.configuration;
    let pairs =
        |map: &std::collections::BTreeMap<Bytes, Bytes>| map.iter().map(|(k, v)| (k.to_vec(), v.to_vec())).collect();
    Ok(TColumnFamilyDescriptor {
        name: family.name.to_vec(),
        attributes: Some(pairs(&family.attributes)),
        configuration: (!configuration.is_empty()).then(|| pairs(configuration)),
        block_size: Some(family.block_size()?),
        bloomn_filter_type: code(&BLOOM_FILTERS, family.bloom_filter()?),
        compression_type: Some(code(&COMPRESSIONS, family.compression()?).unwrap_or(COMPRESSION_NONE)),
        dfs_replication: Some(family.dfs_replication()?),
        data_block_encoding: code(&BLOCK_ENCODINGS, family.data_block_encoding()?),
        keep_deleted_cells: code(&KEEP_DELETED, family.keep_deleted()?),
        max_versions: Some(family.max_versions()?),
        min_versions: Some(family.min_versions()?),
        scope: Some(family.scope()?),
        time_to_live: Some(family.ttl_seconds()?),
        block_cache_enabled: Some(family.block_cache()),
        cache_blooms_on_write: Some(family.cache_blooms_on_write()),
        cache_data_on_write: Some(family.cache_data_on_write()),
        cache_indexes_on_write: Some(family.cache_indexes_on_write()),
        compress_tags: Some(family.compress_tags()),
        evict_blocks_on_close: Some(family.evict_blocks_on_close()),
        in_memory: Some(family.in_memory()),
    })
}
