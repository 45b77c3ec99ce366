//! The codecs: how the bytes of a cell represent a typed value. Python calls them decoders and encoders.

use std::sync::Arc;

use arrow_schema::{DECIMAL128_MAX_PRECISION, DataType, Field, FieldRef, TimeUnit};

/// The representation of a typed value in bytes. Numbers are represented as HBase's `Bytes` writes them: big-endian,
/// integers in two's complement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Codec {
    /// The bytes unchanged.
    Binary,
    /// UTF-8.
    Text,
    /// One byte; 0 is false, any other value is true.
    Bool,
    /// A signed integer of exactly this width.
    Int(Width),
    /// An unsigned integer of exactly this width.
    Unsigned(Width),
    /// A signed integer of 1, 2, 4 or 8 bytes.
    IntAnyWidth,
    /// An IEEE 754 number of 4 bytes.
    Float32,
    /// An IEEE 754 number of 8 bytes.
    Float64,
    /// A signed integer of 8 bytes: the time since 1970 in UTC.
    Time(TimeUnit),
    /// A signed integer of 8 bytes: a day, as the milliseconds from 1970 to its beginning in UTC.
    Date,
    /// A decimal number of at most this precision, with this scale, as HBase writes Java's `BigDecimal`: the scale in 4
    /// bytes, then the unscaled number in as many bytes as it needs.
    Decimal(u8, i8),
    /// Any number of items of one width, one after the other.
    List(&'static Codec),
    /// An integer as decimal text.
    IntText,
    /// A number as decimal text.
    FloatText,
    /// The cell's timestamp; the value is ignored.
    CellTime,
}

/// The width of an integer in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Width {
    One,
    Two,
    Four,
    Eight,
}

/// Each codec with its names. Messages use the first one. The others are [`SYNONYMS`], and the names of the
/// corresponding types in pyarrow, polars and Python, which are accepted as well.
const NAMES: &[(Codec, &[&str])] = &[
    (Codec::Binary, &["binary", "bytes", "large_binary"]),
    (Codec::Text, &["utf8", "str", "string", "large_string", "text"]),
    (Codec::Bool, &["bool", "boolean"]),
    (Codec::Int(Width::Eight), &["int64", "counter", "long"]),
    (Codec::Int(Width::Four), &["int32"]),
    (Codec::Int(Width::Two), &["int16", "short"]),
    (Codec::Int(Width::One), &["int8", "byte"]),
    (Codec::Unsigned(Width::Eight), &["uint64"]),
    (Codec::Unsigned(Width::Four), &["uint32"]),
    (Codec::Unsigned(Width::Two), &["uint16"]),
    (Codec::Unsigned(Width::One), &["uint8"]),
    (Codec::IntAnyWidth, &["int"]),
    (Codec::Float32, &["float32", "float"]),
    (Codec::Float64, &["float64", "double"]),
    (Codec::Time(TimeUnit::Millisecond), &["timestamp", "timestamp_ms"]),
    (Codec::Time(TimeUnit::Second), &["timestamp_s"]),
    (Codec::Time(TimeUnit::Microsecond), &["timestamp_us"]),
    (Codec::Time(TimeUnit::Nanosecond), &["timestamp_ns"]),
    (Codec::Date, &["date", "date32"]),
    (Codec::IntText, &["int_text"]),
    (Codec::FloatText, &["float_text"]),
    (Codec::CellTime, &["cell_timestamp"]),
];

/// The documented second names, which the list of all names has, too.
const SYNONYMS: [&str; 2] = ["counter", "timestamp_ms"];

impl Codec {
    /// The codec of that name. Case is ignored, because polars writes `Int64`.
    pub fn from_name(name: &str) -> Option<Self> {
        let name = name.to_ascii_lowercase();
        if let Some(arguments) = name.strip_prefix("decimal(").or_else(|| name.strip_prefix("decimal128(")) {
            return Self::decimal(arguments.strip_suffix(')')?);
        }
        if let Some(item) = name.strip_prefix("list(") {
            return Self::named(item.strip_suffix(')')?).filter(|item| item.width().is_some()).map(Self::List);
        }
        Self::named(&name).copied()
    }

    fn named(name: &str) -> Option<&'static Self> {
        NAMES.iter().find(|(_, names)| names.contains(&name)).map(|(codec, _)| codec)
    }

    /// The number of bytes of each value; `None` if that varies.
    pub fn width(self) -> Option<usize> {
        match self {
            Self::Bool | Self::Int(Width::One) | Self::Unsigned(Width::One) => Some(1),
            Self::Int(Width::Two) | Self::Unsigned(Width::Two) => Some(2),
            Self::Int(Width::Four) | Self::Unsigned(Width::Four) | Self::Float32 => Some(4),
            Self::Int(Width::Eight) | Self::Unsigned(Width::Eight) | Self::Float64 | Self::Time(_) | Self::Date => {
                Some(8)
            }
            _ => None,
        }
    }

    /// The codec of a decimal, from `precision, scale`, which polars writes as `precision=…, scale=…`.
    fn decimal(arguments: &str) -> Option<Self> {
        let (precision, scale) = arguments.split_once(',')?;
        let number = |text: &str| text.rsplit('=').next().unwrap_or_default().trim().parse::<i8>().ok();
        let (precision, scale) = (u8::try_from(number(precision)?).ok()?, number(scale)?);
        let is_valid = (1..=DECIMAL128_MAX_PRECISION).contains(&precision) && (0..=precision as i8).contains(&scale);
        is_valid.then_some(Self::Decimal(precision, scale))
    }

    /// The codec's name.
    pub fn name(self) -> &'static str {
        if matches!(self, Self::Decimal(..)) {
            return "decimal(precision, scale)";
        }
        if matches!(self, Self::List(_)) {
            return "list(item)";
        }
        NAMES.iter().find(|(codec, _)| *codec == self).and_then(|(_, names)| names.first()).copied().unwrap_or_default()
    }

    /// The names of all codecs, for messages.
    pub fn all_names() -> String {
        let documented = |(at, name): &(usize, &str)| *at == 0 || SYNONYMS.contains(name);
        let names = NAMES.iter().flat_map(|(_, names)| names.iter().copied().enumerate().filter(documented));
        let names = names.map(|(_, name)| name);
        names
            .chain(["decimal(precision, scale)", "list(item) with an item of one width"])
            .collect::<Vec<_>>()
            .join(", ")
    }

    /// The values that the codec can read, for messages.
    pub fn expected(self) -> &'static str {
        match self {
            Self::Binary | Self::CellTime => "any bytes",
            Self::Text => "UTF-8",
            Self::Bool | Self::Int(Width::One) | Self::Unsigned(Width::One) => "1 byte",
            Self::Int(Width::Two) | Self::Unsigned(Width::Two) => "2 bytes, big-endian",
            Self::Int(Width::Four) | Self::Unsigned(Width::Four) | Self::Float32 => "4 bytes, big-endian",
            Self::Int(Width::Eight) | Self::Unsigned(Width::Eight) | Self::Float64 | Self::Time(_) => {
                "8 bytes, big-endian"
            }
            Self::Date => "8 bytes, big-endian, a day of at most 5 million years from 1970",
            Self::Decimal(..) => "a decimal as BigDecimal writes it, within its precision and scale",
            Self::List(_) => "items of one width, one after the other",
            Self::IntAnyWidth => "1, 2, 4 or 8 bytes, big-endian",
            Self::IntText => "a decimal integer from -2^63 to 2^63-1",
            Self::FloatText => "a decimal number",
        }
    }

    /// The Arrow type of decoded values.
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
            Self::Date => DataType::Date32,
            Self::Decimal(precision, scale) => DataType::Decimal128(precision, scale),
            Self::List(item) => DataType::List(item_field(*item)),
            Self::CellTime => DataType::Timestamp(TimeUnit::Millisecond, Some(Arc::from("UTC"))),
        }
    }
}

/// The field of the items of a list.
pub fn item_field(item: Codec) -> FieldRef {
    Arc::new(Field::new_list_field(item.data_type(), true))
}
