//! The values that attributes of families choose from.

/// KEEP_DELETED_CELLS.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum KeepDeleted {
    /// Hidden cells may be forgotten.
    #[default]
    False,
    /// Hidden cells stay readable below their marker.
    True,
    /// As `True` until the family's TTL has run out.
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
    /// By the beginning of the row; its length is the configuration `RowPrefixBloomFilter.prefix_length`.
    RowPrefix,
}

/// COMPRESSION. hjall's store compresses in its own way; the name is kept and shown.
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

/// DATA_BLOCK_ENCODING. Kept and shown only.
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

/// Names an enum's values as HBase does and finds them again, in any case.
macro_rules! names {
    ($kind:ty { $($value:ident = $name:literal),+ $(,)? }) => {
        impl $kind {
            /// Every value.
            pub const ALL: &[Self] = &[$(Self::$value),+];

            /// HBase's name.
            pub fn name(self) -> &'static str {
                match self { $(Self::$value => $name),+ }
            }

            /// The value of that name, in any case, as HBase reads attributes.
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
