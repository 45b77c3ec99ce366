//! The descriptor of a family: unparsed attributes, with typed getters and setters.

use std::collections::BTreeMap;

use bytes::Bytes;

use super::attribute::{Attributes, number, text, truth};
use super::options::{BlockEncoding, BloomFilter, Compression, KeepDeleted};
use crate::error::{Error, ErrorKind, Result};
use crate::name::check_family;
use crate::quote::{self, Quoted, Utf8};

/// Attributes that every family has, with their defaults.
pub const DEFAULTS: [(&str, &str); 12] = [
    ("BLOOMFILTER", "ROW"),
    ("REPLICATION_SCOPE", "0"),
    ("VERSIONS", "1"),
    ("MIN_VERSIONS", "0"),
    ("COMPRESSION", "NONE"),
    ("TTL", "2147483647"),
    ("BLOCKSIZE", "65536"),
    ("IN_MEMORY", "false"),
    ("BLOCKCACHE", "true"),
    ("KEEP_DELETED_CELLS", "FALSE"),
    ("DATA_BLOCK_ENCODING", "NONE"),
    ("INDEX_BLOCK_ENCODING", "NONE"),
];

/// The TTL, in seconds, of families whose cells never expire.
pub const TTL_FOREVER_SECONDS: i32 = i32::MAX;

/// The descriptor of a family. Attributes are stored as they were given.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FamilyDescriptor {
    /// The name, 1 to 127 bytes.
    pub name: Bytes,
    /// All attributes. A descriptor created by [`Self::new`] always has the twelve that every family has (VERSIONS,
    /// TTL, …).
    pub attributes: Attributes,
    /// Configuration entries of this family.
    pub configuration: BTreeMap<Bytes, Bytes>,
}

impl FamilyDescriptor {
    /// A family with HBase's defaults.
    ///
    /// # Errors
    /// `InvalidArgument` for an illegal name. Its length is checked when the family is added to a table.
    pub fn new(name: impl Into<Bytes>) -> Result<Self> {
        let name = name.into();
        check_family(&name)?;
        let attributes = DEFAULTS
            .iter()
            .map(|(k, v)| (Bytes::from_static(k.as_bytes()), Bytes::from_static(v.as_bytes())))
            .collect();
        Ok(Self { name, attributes, configuration: BTreeMap::new() })
    }

    /// The name as text, for messages.
    pub(super) fn shown_name(&self) -> Quoted<Utf8<'_>> {
        quote::utf8(&self.name)
    }

    /// The remedy for a VERSIONS below MIN_VERSIONS.
    fn more_versions(&self) -> String {
        format!("raise VERSIONS or lower MIN_VERSIONS of family {}", self.shown_name())
    }

    /// Sets an attribute without checking it. An empty value removes it, or restores its default.
    pub fn set(&mut self, key: impl Into<Bytes>, value: impl Into<Bytes>) -> &mut Self {
        let (key, value) = (key.into(), value.into());
        if !value.is_empty() {
            self.attributes.insert(key, value);
        } else if let Some((_, default)) = DEFAULTS.iter().find(|(k, _)| k.as_bytes() == &key[..]) {
            self.attributes.insert(key, Bytes::from_static(default.as_bytes()));
        } else {
            self.attributes.remove(&key);
        }
        self
    }

    /// Sets a configuration entry. An empty value removes it.
    pub fn set_configuration(&mut self, key: impl Into<Bytes>, value: impl Into<Bytes>) -> &mut Self {
        let (key, value) = (key.into(), value.into());
        if value.is_empty() {
            self.configuration.remove(&key);
        } else {
            self.configuration.insert(key, value);
        }
        self
    }

    /// Adds missing defaults, for descriptors that [`Self::new`] did not create.
    pub(crate) fn complete(&mut self) {
        for (key, default) in DEFAULTS {
            self.attributes
                .entry(Bytes::from_static(key.as_bytes()))
                .or_insert_with(|| Bytes::from_static(default.as_bytes()));
        }
    }

    fn set_text(&mut self, key: &'static str, value: impl ToString) -> &mut Self {
        self.set(Bytes::from_static(key.as_bytes()), Bytes::from(value.to_string()))
    }

    fn number<T: std::str::FromStr>(&self, key: &str, default: T) -> Result<T> {
        number(&self.attributes, key, default)
    }

    fn chosen<T>(&self, key: &str, default: T, from_name: fn(&str) -> Option<T>) -> Result<T> {
        let Some(name) = text(&self.attributes, key) else { return Ok(default) };
        from_name(&name).ok_or_else(|| {
            Error::new(
                ErrorKind::Unprocessable,
                format!("{key} of column family {} is unknown: {}", self.shown_name(), Quoted(&name)),
            )
            .with_remedy("use one of the values that HBase has for this attribute, or leave it out")
        })
    }

    /// VERSIONS.
    ///
    /// # Errors
    /// `Unprocessable` if the attribute cannot be parsed; the same for all getters.
    pub fn max_versions(&self) -> Result<i32> {
        self.number("VERSIONS", 1)
    }

    /// MIN_VERSIONS.
    pub fn min_versions(&self) -> Result<i32> {
        self.number("MIN_VERSIONS", 0)
    }

    /// TTL in seconds; 2,147,483,647 means no expiry.
    pub fn ttl_seconds(&self) -> Result<i32> {
        self.number("TTL", TTL_FOREVER_SECONDS)
    }

    /// BLOCKSIZE in bytes.
    pub fn block_size(&self) -> Result<i32> {
        self.number("BLOCKSIZE", 65_536)
    }

    /// REPLICATION_SCOPE.
    pub fn scope(&self) -> Result<i32> {
        self.number("REPLICATION_SCOPE", 0)
    }

    /// DFS_REPLICATION; 0 if unset.
    pub fn dfs_replication(&self) -> Result<i16> {
        self.number("DFS_REPLICATION", 0)
    }

    /// BLOOMFILTER.
    pub fn bloom_filter(&self) -> Result<BloomFilter> {
        self.chosen("BLOOMFILTER", BloomFilter::Row, BloomFilter::from_name)
    }

    /// COMPRESSION.
    pub fn compression(&self) -> Result<Compression> {
        self.chosen("COMPRESSION", Compression::None, Compression::from_name)
    }

    /// DATA_BLOCK_ENCODING.
    pub fn data_block_encoding(&self) -> Result<BlockEncoding> {
        self.chosen("DATA_BLOCK_ENCODING", BlockEncoding::None, BlockEncoding::from_name)
    }

    /// KEEP_DELETED_CELLS.
    pub fn keep_deleted(&self) -> Result<KeepDeleted> {
        self.chosen("KEEP_DELETED_CELLS", KeepDeleted::False, KeepDeleted::from_name)
    }

    /// BLOCKCACHE.
    pub fn block_cache(&self) -> bool {
        truth(&self.attributes, "BLOCKCACHE", true)
    }

    /// IN_MEMORY.
    pub fn in_memory(&self) -> bool {
        truth(&self.attributes, "IN_MEMORY", false)
    }

    /// CACHE_BLOOMS_ON_WRITE.
    pub fn cache_blooms_on_write(&self) -> bool {
        truth(&self.attributes, "CACHE_BLOOMS_ON_WRITE", false)
    }

    /// CACHE_DATA_ON_WRITE.
    pub fn cache_data_on_write(&self) -> bool {
        truth(&self.attributes, "CACHE_DATA_ON_WRITE", false)
    }

    /// CACHE_INDEX_ON_WRITE.
    pub fn cache_indexes_on_write(&self) -> bool {
        truth(&self.attributes, "CACHE_INDEX_ON_WRITE", false)
    }

    /// COMPRESS_TAGS.
    pub fn compress_tags(&self) -> bool {
        truth(&self.attributes, "COMPRESS_TAGS", true)
    }

    /// EVICT_BLOCKS_ON_CLOSE.
    pub fn evict_blocks_on_close(&self) -> bool {
        truth(&self.attributes, "EVICT_BLOCKS_ON_CLOSE", false)
    }

    /// NEW_VERSION_BEHAVIOR.
    pub fn new_version_behavior(&self) -> bool {
        truth(&self.attributes, "NEW_VERSION_BEHAVIOR", false)
    }

    /// Sets VERSIONS.
    ///
    /// # Errors
    /// `InvalidArgument` if it is not positive or below MIN_VERSIONS.
    pub fn set_max_versions(&mut self, versions: i32) -> Result<&mut Self> {
        if versions <= 0 {
            return Err(Error::invalid("Maximum versions must be positive")
                .with_remedy(format_args!("VERSIONS of family {} is {versions}; use 1 or more", self.shown_name())));
        }
        // HBase's builder parses MIN_VERSIONS here.
        let min = self.min_versions().map_err(|error| error.as_kind(ErrorKind::InvalidArgument))?;
        if versions < min {
            return Err(Error::invalid(format!(
                "Set MaxVersion to {versions} while minVersion is {min}. Maximum versions must be >= minimum versions "
            ))
            .with_remedy(self.more_versions()));
        }
        Ok(self.set_text("VERSIONS", versions))
    }

    /// Sets MIN_VERSIONS. Whether it is consistent with VERSIONS is checked when the table is created or altered.
    pub fn set_min_versions(&mut self, versions: i32) -> &mut Self {
        self.set_text("MIN_VERSIONS", versions)
    }

    /// Sets MIN_VERSIONS and VERSIONS together.
    ///
    /// # Errors
    /// `InvalidArgument` if either is not positive or `min` exceeds `max`.
    pub fn set_versions(&mut self, min: i32, max: i32) -> Result<&mut Self> {
        if min <= 0 {
            return Err(Error::invalid("Minimum versions must be positive")
                .with_remedy(format_args!("MIN_VERSIONS of family {} is {min}; use 1 or more", self.shown_name())));
        }
        if max < min {
            return Err(Error::invalid(format!(
                "Unable to set MaxVersion to {max} and set MinVersion to {min}, as maximum versions must be >= minimum versions."
            ))
            .with_remedy(self.more_versions()));
        }
        Ok(self.set_text("MIN_VERSIONS", min).set_text("VERSIONS", max))
    }

    /// Sets TTL, in seconds.
    pub fn set_ttl_seconds(&mut self, seconds: i32) -> &mut Self {
        self.set_text("TTL", seconds)
    }

    /// Sets BLOCKSIZE, in bytes.
    pub fn set_block_size(&mut self, bytes: i32) -> &mut Self {
        self.set_text("BLOCKSIZE", bytes)
    }

    /// Sets REPLICATION_SCOPE.
    pub fn set_scope(&mut self, scope: i32) -> &mut Self {
        self.set_text("REPLICATION_SCOPE", scope)
    }

    /// Sets DFS_REPLICATION.
    ///
    /// # Errors
    /// `InvalidArgument` if it is below 1 and not 0.
    pub fn set_dfs_replication(&mut self, replication: i16) -> Result<&mut Self> {
        if replication < 0 {
            return Err(Error::invalid("DFS replication factor cannot be less than 1 if explicitly set.").with_remedy(
                format_args!(
                    "DFS_REPLICATION of family {} is {replication}; use 1 or more, or 0 for the default",
                    self.shown_name()
                ),
            ));
        }
        Ok(self.set_text("DFS_REPLICATION", replication))
    }

    /// Sets BLOOMFILTER.
    pub fn set_bloom_filter(&mut self, filter: BloomFilter) -> &mut Self {
        self.set_text("BLOOMFILTER", filter.name())
    }

    /// Sets COMPRESSION.
    pub fn set_compression(&mut self, compression: Compression) -> &mut Self {
        self.set_text("COMPRESSION", compression.name())
    }

    /// Sets DATA_BLOCK_ENCODING.
    pub fn set_data_block_encoding(&mut self, encoding: BlockEncoding) -> &mut Self {
        self.set_text("DATA_BLOCK_ENCODING", encoding.name())
    }

    /// Sets KEEP_DELETED_CELLS.
    pub fn set_keep_deleted(&mut self, keep: KeepDeleted) -> &mut Self {
        self.set_text("KEEP_DELETED_CELLS", keep.name())
    }

    /// Sets a boolean attribute by its key (`IN_MEMORY`, `BLOCKCACHE`, `COMPRESS_TAGS`, …).
    pub fn set_flag(&mut self, key: &'static str, on: bool) -> &mut Self {
        self.set_text(key, on)
    }
}
