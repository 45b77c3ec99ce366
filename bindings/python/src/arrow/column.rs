//! One column of a batch under way: values are decoded as they come in.

use std::sync::Arc;

use arrow_array::ArrayRef;
use arrow_array::builder::{BinaryBuilder, BooleanBuilder, PrimitiveBuilder, StringBuilder};
use arrow_array::types::{
    ArrowPrimitiveType, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, TimestampMicrosecondType,
    TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType, UInt8Type, UInt16Type, UInt32Type,
    UInt64Type,
};
use arrow_schema::{DataType, TimeUnit};

use super::kind::{Kind, Width};

/// A value that its column's decoder cannot read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unreadable;

/// A column of a batch under way.
pub trait Column: Send {
    /// Appends what a cell with that value and timestamp is.
    ///
    /// # Errors
    /// `Unreadable` if the decoder does not take such a value; nothing was appended then.
    fn append(&mut self, value: &[u8], timestamp: i64) -> Result<(), Unreadable>;

    /// Appends that there is no value.
    fn append_null(&mut self);

    /// The finished column; leaves one without values.
    fn finish(&mut self) -> ArrayRef;
}

/// A column without values.
pub fn begin(kind: Kind) -> Box<dyn Column> {
    match kind {
        Kind::Binary => Box::new(BinaryBuilder::new()),
        Kind::Text => Box::new(StringBuilder::new()),
        Kind::Bool => Box::new(BooleanBuilder::new()),
        Kind::Int(Width::One) => numbers::<Int8Type>(kind, |v, _| Some(i8::from_be_bytes(exactly(v)?))),
        Kind::Int(Width::Two) => numbers::<Int16Type>(kind, |v, _| Some(i16::from_be_bytes(exactly(v)?))),
        Kind::Int(Width::Four) => numbers::<Int32Type>(kind, |v, _| Some(i32::from_be_bytes(exactly(v)?))),
        Kind::Int(Width::Eight) => numbers::<Int64Type>(kind, long),
        Kind::IntAnyWidth => numbers::<Int64Type>(kind, any_width),
        Kind::IntText => numbers::<Int64Type>(kind, |v, _| parsed(v)),
        Kind::Unsigned(Width::One) => numbers::<UInt8Type>(kind, |v, _| Some(u8::from_be_bytes(exactly(v)?))),
        Kind::Unsigned(Width::Two) => numbers::<UInt16Type>(kind, |v, _| Some(u16::from_be_bytes(exactly(v)?))),
        Kind::Unsigned(Width::Four) => numbers::<UInt32Type>(kind, |v, _| Some(u32::from_be_bytes(exactly(v)?))),
        Kind::Unsigned(Width::Eight) => numbers::<UInt64Type>(kind, |v, _| Some(u64::from_be_bytes(exactly(v)?))),
        Kind::Float32 => numbers::<Float32Type>(kind, |v, _| Some(f32::from_be_bytes(exactly(v)?))),
        Kind::Float64 => numbers::<Float64Type>(kind, |v, _| Some(f64::from_be_bytes(exactly(v)?))),
        Kind::FloatText => numbers::<Float64Type>(kind, |v, _| parsed(v)),
        Kind::Time(TimeUnit::Second) => numbers::<TimestampSecondType>(kind, long),
        Kind::Time(TimeUnit::Millisecond) => numbers::<TimestampMillisecondType>(kind, long),
        Kind::Time(TimeUnit::Microsecond) => numbers::<TimestampMicrosecondType>(kind, long),
        Kind::Time(TimeUnit::Nanosecond) => numbers::<TimestampNanosecondType>(kind, long),
        Kind::CellTime => numbers::<TimestampMillisecondType>(kind, |_, timestamp| Some(timestamp)),
    }
}

/// A column of that type, one number for each cell.
struct Numbers<T: ArrowPrimitiveType> {
    values: PrimitiveBuilder<T>,
    data_type: DataType,
    decode: fn(&[u8], i64) -> Option<T::Native>,
}

fn numbers<T: ArrowPrimitiveType>(kind: Kind, decode: fn(&[u8], i64) -> Option<T::Native>) -> Box<dyn Column> {
    let data_type = kind.data_type();
    let values = PrimitiveBuilder::new().with_data_type(data_type.clone());
    Box::new(Numbers::<T> { values, data_type, decode })
}

impl<T: ArrowPrimitiveType> Column for Numbers<T> {
    fn append(&mut self, value: &[u8], timestamp: i64) -> Result<(), Unreadable> {
        self.values.append_value((self.decode)(value, timestamp).ok_or(Unreadable)?);
        Ok(())
    }

    fn append_null(&mut self) {
        self.values.append_null();
    }

    fn finish(&mut self) -> ArrayRef {
        let done = self.values.finish();
        self.values = PrimitiveBuilder::with_capacity(done.len()).with_data_type(self.data_type.clone());
        Arc::new(done)
    }
}

impl Column for BinaryBuilder {
    fn append(&mut self, value: &[u8], _: i64) -> Result<(), Unreadable> {
        self.append_value(value);
        Ok(())
    }

    fn append_null(&mut self) {
        self.append_null();
    }

    fn finish(&mut self) -> ArrayRef {
        Arc::new(self.finish())
    }
}

impl Column for StringBuilder {
    fn append(&mut self, value: &[u8], _: i64) -> Result<(), Unreadable> {
        self.append_value(str::from_utf8(value).map_err(|_| Unreadable)?);
        Ok(())
    }

    fn append_null(&mut self) {
        self.append_null();
    }

    fn finish(&mut self) -> ArrayRef {
        Arc::new(self.finish())
    }
}

impl Column for BooleanBuilder {
    fn append(&mut self, value: &[u8], _: i64) -> Result<(), Unreadable> {
        let [byte] = exactly(value).ok_or(Unreadable)?;
        self.append_value(byte != 0);
        Ok(())
    }

    fn append_null(&mut self) {
        self.append_null();
    }

    fn finish(&mut self) -> ArrayRef {
        Arc::new(self.finish())
    }
}

fn exactly<const N: usize>(value: &[u8]) -> Option<[u8; N]> {
    value.try_into().ok()
}

fn long(value: &[u8], _: i64) -> Option<i64> {
    exactly(value).map(i64::from_be_bytes)
}

fn any_width(value: &[u8], _: i64) -> Option<i64> {
    match value.len() {
        1 => exactly(value).map(i8::from_be_bytes).map(i64::from),
        2 => exactly(value).map(i16::from_be_bytes).map(i64::from),
        4 => exactly(value).map(i32::from_be_bytes).map(i64::from),
        _ => exactly(value).map(i64::from_be_bytes),
    }
}

fn parsed<T: std::str::FromStr>(value: &[u8]) -> Option<T> {
    str::from_utf8(value).ok()?.parse().ok()
}
