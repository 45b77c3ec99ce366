//! The values of family attributes that are enumerations.

/// KEEP_DELETED_CELLS.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum KeepDeleted {
    /// Deleted cells may be dropped.
    #[default]
    False,
    /// Deleted cells stay readable below their delete marker.
    True,
    /// As `True`, until the cells have reached the family's TTL.
    Ttl,
}

/// BLOOMFILTER.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BloomFilter {
    /// None.
    None,
    /// By row.
    Row,
    /// By row and column.
    RowCol,
    /// By a prefix of the row, whose length is set by the configuration entry `RowPrefixBloomFilter.prefix_length`.
    RowPrefix,
}

/// COMPRESSION. hjall's store uses its own algorithm for all but NONE; the name is stored and returned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compression {
    /// LZO.
    Lzo,
    /// GZ.
    Gz,
    /// None.
    None,
    /// Snappy.
    Snappy,
    /// LZ4.
    Lz4,
    /// BZIP2.
    Bzip2,
    /// ZSTD.
    Zstd,
    /// LZMA.
    Lzma,
    /// Brotli.
    Brotli,
}

/// DATA_BLOCK_ENCODING. Stored and returned, but without effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BlockEncoding {
    /// None.
    None,
    /// PREFIX.
    Prefix,
    /// DIFF.
    Diff,
    /// FAST_DIFF.
    FastDiff,
    /// ROW_INDEX_V1.
    RowIndexV1,
}

/// Implements the conversion between the values of an enum and HBase's names for them.
macro_rules! names {
    ($kind:ty { $($value:ident = $name:literal),+ $(,)? }) => {
        impl $kind {
            /// All values.
            pub const ALL: &[Self] = &[$(Self::$value),+];

            /// HBase's name.
            pub fn name(self) -> &'static str {
                match self { $(Self::$value => $name),+ }
            }

            /// The value with this name, in any letter case, as HBase parses attributes.
            pub fn from_name(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|v| v.name().eq_ignore_ascii_case(name))
            }
        }
    };
}

names!(KeepDeleted { False = "FALSE", True = "TRUE", Ttl = "TTL" });
names!(BloomFilter { None = "NONE", Row = "ROW", RowCol = "ROWCOL", RowPrefix = "ROWPREFIX_FIXED_LENGTH" });
names!(Compression {
    Lzo = "LZO",
    Gz = "GZ",
    None = "NONE",
    Snappy = "SNAPPY",
    Lz4 = "LZ4",
    Bzip2 = "BZIP2",
    Zstd = "ZSTD",
    Lzma = "LZMA",
    Brotli = "BROTLI",
});
names!(BlockEncoding {
    None = "NONE",
    Prefix = "PREFIX",
    Diff = "DIFF",
    FastDiff = "FAST_DIFF",
    RowIndexV1 = "ROW_INDEX_V1",
});
