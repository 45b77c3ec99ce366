//! Decodes the bytes of cells into the columns of a batch.

use std::sync::Arc;

use arrow_array::builder::{BinaryBuilder, BooleanBuilder, StringBuilder};
use arrow_array::types::{
    ArrowPrimitiveType, Date32Type, Decimal128Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type,
    Int64Type, TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType,
    UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{ArrayRef, ListArray, PrimitiveArray};
use arrow_buffer::{NullBufferBuilder, OffsetBuffer};
use arrow_schema::{DataType, TimeUnit};

use super::codec::{Codec, Width, item_field};
use super::encode::DAY_MS;

/// A value that its column's decoder cannot read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DecodeError;

/// A column that is being built.
pub trait ColumnBuilder: Send {
    /// Decodes and appends the value of a cell.
    ///
    /// # Errors
    /// `DecodeError` if the decoder cannot read the value. Nothing is appended then.
    fn append(&mut self, value: &[u8], timestamp: i64) -> Result<(), DecodeError>;

    /// Appends a null.
    fn append_null(&mut self);

    /// Returns the column and starts a new, empty one.
    fn finish(&mut self) -> ArrayRef;
}

/// An empty column for a codec.
pub fn builder(codec: Codec) -> Box<dyn ColumnBuilder> {
    match codec {
        Codec::Binary => Box::new(BinaryBuilder::new()),
        Codec::Text => Box::new(StringBuilder::new()),
        Codec::Bool => Box::new(BooleanBuilder::new()),
        Codec::Int(Width::One) => numbers::<Int8Type>(codec, |v, _| Some(i8::from_be_bytes(exactly(v)?))),
        Codec::Int(Width::Two) => numbers::<Int16Type>(codec, |v, _| Some(i16::from_be_bytes(exactly(v)?))),
        Codec::Int(Width::Four) => numbers::<Int32Type>(codec, |v, _| Some(i32::from_be_bytes(exactly(v)?))),
        Codec::Int(Width::Eight) => numbers::<Int64Type>(codec, long),
        Codec::IntAnyWidth => numbers::<Int64Type>(codec, any_width),
        Codec::IntText => numbers::<Int64Type>(codec, |v, _| parsed(v)),
        Codec::Unsigned(Width::One) => numbers::<UInt8Type>(codec, |v, _| Some(u8::from_be_bytes(exactly(v)?))),
        Codec::Unsigned(Width::Two) => numbers::<UInt16Type>(codec, |v, _| Some(u16::from_be_bytes(exactly(v)?))),
        Codec::Unsigned(Width::Four) => numbers::<UInt32Type>(codec, |v, _| Some(u32::from_be_bytes(exactly(v)?))),
        Codec::Unsigned(Width::Eight) => numbers::<UInt64Type>(codec, |v, _| Some(u64::from_be_bytes(exactly(v)?))),
        Codec::Float32 => numbers::<Float32Type>(codec, |v, _| Some(f32::from_be_bytes(exactly(v)?))),
        Codec::Float64 => numbers::<Float64Type>(codec, |v, _| Some(f64::from_be_bytes(exactly(v)?))),
        Codec::FloatText => numbers::<Float64Type>(codec, |v, _| parsed(v)),
        Codec::Time(TimeUnit::Second) => numbers::<TimestampSecondType>(codec, long),
        Codec::Time(TimeUnit::Millisecond) => numbers::<TimestampMillisecondType>(codec, long),
        Codec::Time(TimeUnit::Microsecond) => numbers::<TimestampMicrosecondType>(codec, long),
        Codec::Time(TimeUnit::Nanosecond) => numbers::<TimestampNanosecondType>(codec, long),
        Codec::Date => numbers::<Date32Type>(codec, |v, _| day(v)),
        Codec::Decimal(precision, scale) => numbers::<Decimal128Type>(codec, move |v, _| decimal(v, precision, scale)),
        Codec::List(item) => {
            Box::new(Lists { items: builder(*item), item: *item, offsets: vec![0], nulls: NullBufferBuilder::new(0) })
        }
        Codec::CellTime => numbers::<TimestampMillisecondType>(codec, |_, timestamp| Some(timestamp)),
    }
}

/// A column of lists.
struct Lists {
    items: Box<dyn ColumnBuilder>,
    item: Codec,
    /// The positions between the items of two rows.
    offsets: Vec<i32>,
    nulls: NullBufferBuilder,
}

impl Lists {
    fn end(&self) -> i32 {
        self.offsets.last().copied().unwrap_or_default()
    }
}

impl ColumnBuilder for Lists {
    fn append(&mut self, value: &[u8], timestamp: i64) -> Result<(), DecodeError> {
        let width = self.item.width().ok_or(DecodeError)?;
        let items = i32::try_from(value.len() / width).map_err(|_| DecodeError)?;
        let end = self.end().checked_add(items).ok_or(DecodeError)?;
        // Items of other codecs can only have a wrong width.
        let is_readable = |item| self.item != Codec::Date || day(item).is_some();
        if !value.len().is_multiple_of(width) || !value.chunks(width).all(is_readable) {
            return Err(DecodeError);
        }
        for item in value.chunks(width) {
            self.items.append(item, timestamp)?;
        }
        self.offsets.push(end);
        self.nulls.append_non_null();
        Ok(())
    }

    fn append_null(&mut self) {
        self.offsets.push(self.end());
        self.nulls.append_null();
    }

    fn finish(&mut self) -> ArrayRef {
        let offsets = std::mem::replace(&mut self.offsets, vec![0]);
        let offsets = OffsetBuffer::new(offsets.into());
        Arc::new(ListArray::new(item_field(self.item), offsets, self.items.finish(), self.nulls.finish()))
    }
}

/// A column of numbers. `D` is the decoder, so that a value takes one indirect call, that of `append`.
struct Numbers<T: ArrowPrimitiveType, D> {
    values: Vec<T::Native>,
    nulls: NullBufferBuilder,
    data_type: DataType,
    decode: D,
}

fn numbers<T: ArrowPrimitiveType>(
    codec: Codec,
    decode: impl Fn(&[u8], i64) -> Option<T::Native> + Send + 'static,
) -> Box<dyn ColumnBuilder> {
    let (values, nulls) = (Vec::new(), NullBufferBuilder::new(0));
    Box::new(Numbers::<T, _> { values, nulls, data_type: codec.data_type(), decode })
}

impl<T: ArrowPrimitiveType, D: Fn(&[u8], i64) -> Option<T::Native> + Send> ColumnBuilder for Numbers<T, D> {
    fn append(&mut self, value: &[u8], timestamp: i64) -> Result<(), DecodeError> {
        self.values.push((self.decode)(value, timestamp).ok_or(DecodeError)?);
        self.nulls.append_non_null();
        Ok(())
    }

    fn append_null(&mut self) {
        self.values.push(T::Native::default());
        self.nulls.append_null();
    }

    fn finish(&mut self) -> ArrayRef {
        let next = Vec::with_capacity(self.values.len());
        let values = std::mem::replace(&mut self.values, next);
        let array = PrimitiveArray::<T>::new(values.into(), self.nulls.finish());
        Arc::new(array.with_data_type(self.data_type.clone()))
    }
}

/// The unscaled number of a decimal at `scale`, from the form in which HBase writes Java's `BigDecimal`. `None` if it
/// needs more digits than there are.
fn decimal(value: &[u8], precision: u8, scale: i8) -> Option<i128> {
    let (own_scale, unscaled) = value.split_first_chunk::<4>()?;
    let first = *unscaled.first()?;
    let sign = if first & 0x80 == 0 { 0 } else { 0xFF };
    if unscaled.len() > 16 {
        return None;
    }
    let mut bytes = [sign; 16];
    bytes[16 - unscaled.len()..].copy_from_slice(unscaled);
    let number = i128::from_be_bytes(bytes);
    let more = i32::from(scale).checked_sub(i32::from_be_bytes(*own_scale))?;
    let factor = 10_i128.checked_pow(more.unsigned_abs())?;
    let number = if more >= 0 {
        number.checked_mul(factor)?
    } else if number % factor == 0 {
        number / factor
    } else {
        return None;
    };
    (number.unsigned_abs() < 10_u128.pow(u32::from(precision))).then_some(number)
}

/// The number of a day since 1970, from milliseconds.
fn day(value: &[u8]) -> Option<i32> {
    i32::try_from(long(value, 0)?.div_euclid(DAY_MS)).ok()
}

impl ColumnBuilder for BinaryBuilder {
    fn append(&mut self, value: &[u8], _: i64) -> Result<(), DecodeError> {
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

impl ColumnBuilder for StringBuilder {
    fn append(&mut self, value: &[u8], _: i64) -> Result<(), DecodeError> {
        self.append_value(str::from_utf8(value).map_err(|_| DecodeError)?);
        Ok(())
    }

    fn append_null(&mut self) {
        self.append_null();
    }

    fn finish(&mut self) -> ArrayRef {
        Arc::new(self.finish())
    }
}

impl ColumnBuilder for BooleanBuilder {
    fn append(&mut self, value: &[u8], _: i64) -> Result<(), DecodeError> {
        let [byte] = exactly(value).ok_or(DecodeError)?;
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
