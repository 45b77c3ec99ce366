//! Figures of tables and of the database, under the names that JavaScript has for them.

use hjall_engine::name::TableName;
use hjall_engine::{Engine, Result};

/// Figures by name.
pub type Figures = Vec<(&'static str, u64)>;

/// The size of a table's files, and its traffic since the database was opened.
///
/// # Errors
/// `TableNotFound`, `Closed`.
pub fn of_table(engine: &Engine, name: &TableName) -> Result<Figures> {
    let files = engine.table_files(name)?;
    let traffic = engine.traffic_of(name);
    let (regions, sum) = traffic.map_or_else(Default::default, |table| (table.regions().len(), table.sum()));
    Ok(vec![
        ("fileBytes", files.bytes),
        ("files", files.count),
        ("regions", regions as u64),
        ("reads", sum.reads),
        ("writes", sum.writes),
    ])
}

/// Sizes of the database in bytes, its files, and the hits and misses of its caches.
///
/// # Errors
/// `Closed`, `Io`.
pub fn of_database(engine: &Engine) -> Result<Figures> {
    let all = engine.statistics()?;
    Ok(vec![
        ("diskBytes", all.disk_bytes),
        ("files", all.files),
        ("journalBytes", all.journal_bytes),
        ("writeBufferBytes", all.write_buffer_bytes),
        ("writeBufferBytesMax", all.write_buffer_bytes_max),
        ("cacheBytes", all.cache_bytes),
        ("cacheBytesMax", all.cache_bytes_max),
        ("blockHits", all.block_hits),
        ("blockMisses", all.block_misses),
        ("rowFilterBytes", all.row_filter_bytes),
        ("rowCacheRows", all.row_cache_rows),
        ("rowCacheBytes", all.row_cache_bytes),
        ("rowCacheBytesMax", all.row_cache_bytes_max),
        ("rowCacheHits", all.row_cache_hits),
        ("rowCacheMisses", all.row_cache_misses),
    ])
}
