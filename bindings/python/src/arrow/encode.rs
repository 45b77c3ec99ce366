//! Encodes the values of Arrow arrays as the bytes of cells; the reverse of `decode`.

use std::io::Write;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowDictionaryKeyType, ArrowPrimitiveType, Date32Type, Date64Type, Decimal128Type, Float32Type, Float64Type,
    Int8Type, Int16Type, Int32Type, Int64Type, TimestampMicrosecondType, TimestampMillisecondType,
    TimestampNanosecondType, TimestampSecondType, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, OffsetSizeTrait, downcast_dictionary_array};
use arrow_schema::{DataType, TimeUnit};

use super::codec::{Codec, Width};

/// A value of an array.
#[derive(Debug, Clone, Copy)]
pub enum Value<'a> {
    /// Bytes, or text as UTF-8.
    Bytes(&'a [u8]),
    /// An integer, with the width and signedness of its type.
    Int(i128, Width, Signed),
    /// A floating-point number of 4 bytes.
    Float32(f32),
    /// A floating-point number of 8 bytes.
    Float64(f64),
    /// A boolean.
    Bool(bool),
    /// A time since 1970, in the given unit.
    Time(i64, TimeUnit),
    /// A day, counted from 1970.
    Date(i32),
    /// A decimal: the unscaled number and the scale.
    Decimal(i128, i8),
    /// A list: the items of all lists, and the range of its own.
    List(&'a dyn Array, usize, usize),
}

/// The milliseconds of a day.
pub const DAY_MS: i64 = 86_400_000;

/// Whether the type of an integer is signed.
pub type Signed = bool;

/// Returns the value at an index. The caller skips nulls; `None` stands for a null inside a dictionary.
pub type Values<'a> = Box<dyn Fn(usize) -> Option<Value<'a>> + Send + Sync + 'a>;

/// Access to the values of an array, or `None` if its type cannot be encoded.
pub fn values(array: &dyn Array) -> Option<Values<'_>> {
    Some(match array.data_type() {
        DataType::Null => Box::new(|_| None),
        DataType::Binary => {
            let a = array.as_binary::<i32>();
            Box::new(move |i| Some(Value::Bytes(a.value(i))))
        }
        DataType::LargeBinary => {
            let a = array.as_binary::<i64>();
            Box::new(move |i| Some(Value::Bytes(a.value(i))))
        }
        DataType::BinaryView => {
            let a = array.as_binary_view();
            Box::new(move |i| Some(Value::Bytes(a.value(i))))
        }
        DataType::FixedSizeBinary(_) => {
            let a = array.as_fixed_size_binary();
            Box::new(move |i| Some(Value::Bytes(a.value(i))))
        }
        DataType::Utf8 => {
            let a = array.as_string::<i32>();
            Box::new(move |i| Some(Value::Bytes(a.value(i).as_bytes())))
        }
        DataType::LargeUtf8 => {
            let a = array.as_string::<i64>();
            Box::new(move |i| Some(Value::Bytes(a.value(i).as_bytes())))
        }
        DataType::Utf8View => {
            let a = array.as_string_view();
            Box::new(move |i| Some(Value::Bytes(a.value(i).as_bytes())))
        }
        DataType::Boolean => {
            let a = array.as_boolean();
            Box::new(move |i| Some(Value::Bool(a.value(i))))
        }
        DataType::Int8 => numbers::<Int8Type>(array, |n| Value::Int(n.into(), Width::One, true)),
        DataType::Int16 => numbers::<Int16Type>(array, |n| Value::Int(n.into(), Width::Two, true)),
        DataType::Int32 => numbers::<Int32Type>(array, |n| Value::Int(n.into(), Width::Four, true)),
        DataType::Int64 => numbers::<Int64Type>(array, |n| Value::Int(n.into(), Width::Eight, true)),
        DataType::UInt8 => numbers::<UInt8Type>(array, |n| Value::Int(n.into(), Width::One, false)),
        DataType::UInt16 => numbers::<UInt16Type>(array, |n| Value::Int(n.into(), Width::Two, false)),
        DataType::UInt32 => numbers::<UInt32Type>(array, |n| Value::Int(n.into(), Width::Four, false)),
        DataType::UInt64 => numbers::<UInt64Type>(array, |n| Value::Int(n.into(), Width::Eight, false)),
        DataType::Float32 => numbers::<Float32Type>(array, Value::Float32),
        DataType::Float64 => numbers::<Float64Type>(array, Value::Float64),
        DataType::Timestamp(TimeUnit::Second, _) => {
            numbers::<TimestampSecondType>(array, |t| Value::Time(t, TimeUnit::Second))
        }
        DataType::Timestamp(TimeUnit::Millisecond, _) => {
            numbers::<TimestampMillisecondType>(array, |t| Value::Time(t, TimeUnit::Millisecond))
        }
        DataType::Timestamp(TimeUnit::Microsecond, _) => {
            numbers::<TimestampMicrosecondType>(array, |t| Value::Time(t, TimeUnit::Microsecond))
        }
        DataType::Timestamp(TimeUnit::Nanosecond, _) => {
            numbers::<TimestampNanosecondType>(array, |t| Value::Time(t, TimeUnit::Nanosecond))
        }
        DataType::Date32 => numbers::<Date32Type>(array, Value::Date),
        DataType::Date64 => numbers::<Date64Type>(array, |t| Value::Time(t, TimeUnit::Millisecond)),
        DataType::Decimal128(_, scale) => {
            let (array, scale) = (array.as_primitive::<Decimal128Type>(), *scale);
            Box::new(move |i| Some(Value::Decimal(array.value(i), scale)))
        }
        DataType::List(item) if has_width(item.data_type()) => lists::<i32>(array),
        DataType::LargeList(item) if has_width(item.data_type()) => lists::<i64>(array),
        DataType::FixedSizeList(item, _) if has_width(item.data_type()) => {
            let a = array.as_fixed_size_list();
            Box::new(move |i| Some(Value::List(a.values(), a.value_offset_at(i), a.value_offset_at(i + 1))))
        }
        DataType::Dictionary(..) => downcast_dictionary_array!(
            array => dictionary(array)?,
            _ => return None,
        ),
        _ => return None,
    })
}

/// Whether all values of a type are encoded in the same number of bytes.
fn has_width(data_type: &DataType) -> bool {
    data_type.is_integer()
        || matches!(
            data_type,
            DataType::Boolean
                | DataType::Float32
                | DataType::Float64
                | DataType::Timestamp(..)
                | DataType::Date32
                | DataType::Date64
        )
}

fn lists<Offset: OffsetSizeTrait>(array: &dyn Array) -> Values<'_> {
    let array = array.as_list::<Offset>();
    let offset = move |i: usize| array.value_offsets().get(i).map(|at| at.as_usize());
    Box::new(move |i| Some(Value::List(array.values(), offset(i)?, offset(i + 1)?)))
}

fn numbers<'a, T: ArrowPrimitiveType>(array: &'a dyn Array, value: fn(T::Native) -> Value<'a>) -> Values<'a> {
    let array = array.as_primitive::<T>();
    Box::new(move |i| Some(value(array.value(i))))
}

fn dictionary<K: ArrowDictionaryKeyType>(array: &arrow_array::DictionaryArray<K>) -> Option<Values<'_>> {
    let of = values(array.values())?;
    let nulls = array.values().logical_nulls();
    Some(Box::new(move |i| {
        let at = array.key(i)?;
        if nulls.as_ref().is_some_and(|nulls| nulls.is_null(at)) { None } else { of(at) }
    }))
}

/// The reason for which a value cannot be encoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EncodeError(pub &'static str);

impl EncodeError {
    /// The error for a time that is finer than the unit to which it is converted.
    pub const FRACTION: Self = Self("the time is not a whole number in this unit");
}

/// Appends the encoded value to `out`. Without a codec, the encoding is the one of the value's type.
///
/// # Errors
/// `EncodeError` if the codec cannot encode the value. The content appended to `out` is then unspecified.
pub fn write(value: Value<'_>, codec: Option<Codec>, out: &mut Vec<u8>) -> Result<(), EncodeError> {
    match (value, codec) {
        (Value::Bytes(bytes), None | Some(Codec::Binary)) => out.extend_from_slice(bytes),
        (Value::Bytes(bytes), Some(Codec::Text)) => match str::from_utf8(bytes) {
            Ok(_) => out.extend_from_slice(bytes),
            Err(_) => return Err(EncodeError("it is not valid UTF-8")),
        },
        // As HBase's Bytes.toBytes(boolean).
        (Value::Bool(is), None | Some(Codec::Bool)) => out.push(if is { 0xFF } else { 0 }),
        (Value::Int(n, width, signed), None) => integer(n, width, signed, out)?,
        (Value::Int(n, ..), Some(Codec::Int(width))) => integer(n, width, true, out)?,
        (Value::Int(n, ..), Some(Codec::Unsigned(width))) => integer(n, width, false, out)?,
        (Value::Int(n, ..), Some(Codec::IntAnyWidth)) => integer(n, Width::Eight, true, out)?,
        (Value::Int(n, ..), Some(Codec::IntText)) => text(n, out),
        (Value::Int(n, ..), Some(Codec::Float64)) => out.extend((n as f64).to_be_bytes()),
        (Value::Int(n, ..), Some(Codec::FloatText)) => text(n, out),
        (Value::Float32(x), None | Some(Codec::Float32)) => out.extend(x.to_be_bytes()),
        (Value::Float32(x), Some(Codec::Float64)) => out.extend(f64::from(x).to_be_bytes()),
        (Value::Float32(x), Some(Codec::FloatText)) => text(x, out),
        (Value::Float64(x), None | Some(Codec::Float64)) => out.extend(x.to_be_bytes()),
        (Value::Float64(x), Some(Codec::Float32)) => out.extend((x as f32).to_be_bytes()),
        (Value::Float64(x), Some(Codec::FloatText)) => text(x, out),
        // Milliseconds, as Java counts time.
        (Value::Time(t, unit), None) => out.extend(time(t, unit, TimeUnit::Millisecond)?.to_be_bytes()),
        // As times: the beginning of the day.
        (Value::Date(day), None | Some(Codec::Date)) => out.extend((i64::from(day) * DAY_MS).to_be_bytes()),
        (Value::Time(t, unit), Some(Codec::Date)) => {
            let ms = time(t, unit, TimeUnit::Millisecond)?;
            out.extend((ms - ms.rem_euclid(DAY_MS)).to_be_bytes());
        }
        (Value::Decimal(number, scale), None) => decimal(number, scale, out),
        (Value::Decimal(number, scale), Some(Codec::Decimal(_, to))) if scale == to => decimal(number, scale, out),
        (Value::List(items, from, to), None) => list(items, from, to, None, out)?,
        (Value::List(items, from, to), Some(Codec::List(item))) => list(items, from, to, Some(*item), out)?,
        (Value::Time(t, unit), Some(Codec::Time(to))) => out.extend(time(t, unit, to)?.to_be_bytes()),
        _ => return Err(EncodeError("the codec does not encode values of this type")),
    }
    Ok(())
}

fn list(items: &dyn Array, from: usize, to: usize, codec: Option<Codec>, out: &mut Vec<u8>) -> Result<(), EncodeError> {
    let value = values(items).ok_or(EncodeError("its items cannot be encoded"))?;
    for i in from..to {
        let item = if items.is_null(i) { None } else { value(i) };
        write(item.ok_or(EncodeError("it contains a null"))?, codec, out)?;
    }
    Ok(())
}

fn text(value: impl std::fmt::Display, out: &mut Vec<u8>) {
    // Writing to memory cannot fail.
    let _ = write!(out, "{value}");
}

/// As HBase's `Bytes.toBytes(BigDecimal)`: the scale, then the unscaled number in as few bytes as it needs.
fn decimal(number: i128, scale: i8, out: &mut Vec<u8>) {
    out.extend(i32::from(scale).to_be_bytes());
    let bytes = number.to_be_bytes();
    let sign = if number < 0 { 0xFF } else { 0 };
    // The first byte that is kept must still show the sign.
    let is_superfluous = |pair: &[u8]| pair[0] == sign && (pair[1] ^ sign) & 0x80 == 0;
    let superfluous = bytes.windows(2).take_while(|pair| is_superfluous(pair)).count();
    out.extend(&bytes[superfluous..]);
}

fn integer(n: i128, width: Width, signed: Signed, out: &mut Vec<u8>) -> Result<(), EncodeError> {
    let bits = match width {
        Width::One => 8,
        Width::Two => 16,
        Width::Four => 32,
        Width::Eight => 64,
    };
    let (low, high) = if signed { (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) } else { (0, (1 << bits) - 1) };
    if n < low || n > high {
        return Err(EncodeError("the number is out of range"));
    }
    out.extend_from_slice(&n.to_be_bytes()[16 - bits / 8..]);
    Ok(())
}

/// Converts a time to another unit.
///
/// # Errors
/// `EncodeError` if the result is not a whole number or is out of range.
pub fn time(t: i64, from: TimeUnit, to: TimeUnit) -> Result<i64, EncodeError> {
    let each = |unit| match unit {
        TimeUnit::Second => 1_000_000_000_i128,
        TimeUnit::Millisecond => 1_000_000,
        TimeUnit::Microsecond => 1_000,
        TimeUnit::Nanosecond => 1,
    };
    let nanoseconds = i128::from(t) * each(from);
    if nanoseconds % each(to) != 0 {
        return Err(EncodeError::FRACTION);
    }
    i64::try_from(nanoseconds / each(to)).map_err(|_| EncodeError("the time is out of range in this unit"))
}
