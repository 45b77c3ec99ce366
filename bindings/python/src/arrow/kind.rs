//! What the bytes of a value mean: the decoders, by their names.

use std::sync::Arc;

use arrow_schema::{DataType, TimeUnit};

/// How a value's bytes become a value of a column. Numbers are as HBase's `Bytes` writes them: big endian, integers in two's complement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The bytes as they are.
    Binary,
    /// UTF-8.
    Text,
    /// One byte, `false` if it is 0.
    Bool,
    /// An integer of exactly so many bytes.
    Int(Width),
    /// The same without a sign.
    Unsigned(Width),
    /// An integer of 1, 2, 4 or 8 bytes, whichever it has.
    IntAnyWidth,
    /// 4 bytes.
    Float32,
    /// 8 bytes.
    Float64,
    /// 8 bytes: an integer, counted from 1970 in UTC.
    Time(TimeUnit),
    /// An integer written in decimal digits.
    IntText,
    /// A number written in decimal.
    FloatText,
    /// Not the value at all but the cell's timestamp.
    CellTime,
}

/// Bytes of an integer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Width {
    One,
    Two,
    Four,
    Eight,
}

/// Each decoder with its names, the first of which is the one that messages use. Further names are those that pyarrow, polars and Python
/// have for the type that comes out, so that those can be given instead.
const NAMES: &[(Kind, &[&str])] = &[
    (Kind::Binary, &["binary", "bytes", "large_binary"]),
    (Kind::Text, &["utf8", "str", "string", "large_string", "text"]),
    (Kind::Bool, &["bool", "boolean"]),
    (Kind::Int(Width::Eight), &["int64", "counter", "long"]),
    (Kind::Int(Width::Four), &["int32"]),
    (Kind::Int(Width::Two), &["int16", "short"]),
    (Kind::Int(Width::One), &["int8", "byte"]),
    (Kind::Unsigned(Width::Eight), &["uint64"]),
    (Kind::Unsigned(Width::Four), &["uint32"]),
    (Kind::Unsigned(Width::Two), &["uint16"]),
    (Kind::Unsigned(Width::One), &["uint8"]),
    (Kind::IntAnyWidth, &["int"]),
    (Kind::Float32, &["float32", "float"]),
    (Kind::Float64, &["float64", "double"]),
    (Kind::Time(TimeUnit::Millisecond), &["timestamp", "timestamp_ms"]),
    (Kind::Time(TimeUnit::Second), &["timestamp_s"]),
    (Kind::Time(TimeUnit::Microsecond), &["timestamp_us"]),
    (Kind::Time(TimeUnit::Nanosecond), &["timestamp_ns"]),
    (Kind::IntText, &["int_text"]),
    (Kind::FloatText, &["float_text"]),
    (Kind::CellTime, &["cell_timestamp"]),
];

impl Kind {
    /// The decoder of that name; upper and lower case are the same, since polars writes `Int64`.
    pub fn named(name: &str) -> Option<Self> {
        let name = name.to_ascii_lowercase();
        NAMES.iter().find(|(_, names)| names.contains(&name.as_str())).map(|(kind, _)| *kind)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        NAMES.iter().find(|(kind, _)| *kind == self).and_then(|(_, names)| names.first()).copied().unwrap_or_default()
    }

    /// The first name of each, for messages.
    pub fn all_names() -> String {
        NAMES.iter().filter_map(|(_, names)| names.first()).copied().collect::<Vec<_>>().join(", ")
    }

    /// What it takes, for messages.
    pub fn wants(self) -> &'static str {
        match self {
            Self::Binary | Self::CellTime => "any bytes",
            Self::Text => "UTF-8",
            Self::Bool | Self::Int(Width::One) | Self::Unsigned(Width::One) => "1 byte",
            Self::Int(Width::Two) | Self::Unsigned(Width::Two) => "2 bytes, big endian",
            Self::Int(Width::Four) | Self::Unsigned(Width::Four) | Self::Float32 => "4 bytes, big endian",
            Self::Int(Width::Eight) | Self::Unsigned(Width::Eight) | Self::Float64 | Self::Time(_) => {
                "8 bytes, big endian"
            }
            Self::IntAnyWidth => "1, 2, 4 or 8 bytes, big endian",
            Self::IntText => "decimal digits with or without a sign, from -2^63 to 2^63-1",
            Self::FloatText => "a decimal number",
        }
    }

    /// The type of the column.
    pub fn data_type(self) -> DataType {
        match self {
            Self::Binary => DataType::Binary,
            Self::Text => DataType::Utf8,
            Self::Bool => DataType::Boolean,
            Self::Int(Width::One) => DataType::Int8,
            Self::Int(Width::Two) => DataType::Int16,
            Self::Int(Width::Four) => DataType::Int32,
            Self::Int(Width::Eight) | Self::IntAnyWidth | Self::IntText => DataType::Int64,
            Self::Unsigned(Width::One) => DataType::UInt8,
            Self::Unsigned(Width::Two) => DataType::UInt16,
            Self::Unsigned(Width::Four) => DataType::UInt32,
            Self::Unsigned(Width::Eight) => DataType::UInt64,
            Self::Float32 => DataType::Float32,
            Self::Float64 | Self::FloatText => DataType::Float64,
            Self::Time(unit) => DataType::Timestamp(unit, Some(Arc::from("UTC"))),
            Self::CellTime => DataType::Timestamp(TimeUnit::Millisecond, Some(Arc::from("UTC"))),
        }
    }
}
