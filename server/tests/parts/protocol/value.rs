//! Values of every type, written by the thrift crate and read by the server's readers.

use proptest::collection::vec;
use proptest::prelude::*;
use thrift::protocol::{
    TBinaryOutputProtocol, TCompactOutputProtocol, TFieldIdentifier, TInputProtocol, TListIdentifier, TMapIdentifier,
    TMessageIdentifier, TMessageType, TOutputProtocol, TSetIdentifier, TStructIdentifier, TType,
};

use hjall_server::wire::Encoding;

/// A value. Even an empty container has the types of its elements.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    Bool(bool),
    I08(i8),
    I16(i16),
    I32(i32),
    I64(i64),
    Double(f64),
    Bytes(Vec<u8>),
    Struct(Vec<(i16, Value)>),
    List(TType, Vec<Value>),
    Set(TType, Vec<Value>),
    Map(TType, TType, Vec<(Value, Value)>),
}

impl Value {
    pub fn of(&self) -> TType {
        match self {
            Self::Bool(_) => TType::Bool,
            Self::I08(_) => TType::I08,
            Self::I16(_) => TType::I16,
            Self::I32(_) => TType::I32,
            Self::I64(_) => TType::I64,
            Self::Double(_) => TType::Double,
            Self::Bytes(_) => TType::String,
            Self::Struct(_) => TType::Struct,
            Self::List(..) => TType::List,
            Self::Set(..) => TType::Set,
            Self::Map(..) => TType::Map,
        }
    }

    pub fn write(&self, out: &mut dyn TOutputProtocol) -> thrift::Result<()> {
        match self {
            Self::Bool(value) => out.write_bool(*value),
            Self::I08(value) => out.write_i8(*value),
            Self::I16(value) => out.write_i16(*value),
            Self::I32(value) => out.write_i32(*value),
            Self::I64(value) => out.write_i64(*value),
            Self::Double(value) => out.write_double(*value),
            Self::Bytes(value) => out.write_bytes(value),
            Self::Struct(fields) => {
                out.write_struct_begin(&TStructIdentifier::new("s"))?;
                for (id, value) in fields {
                    out.write_field_begin(&TFieldIdentifier::new("f", value.of(), *id))?;
                    value.write(out)?;
                    out.write_field_end()?;
                }
                out.write_field_stop()?;
                out.write_struct_end()
            }
            Self::List(of, all) => {
                out.write_list_begin(&TListIdentifier::new(*of, size(all)))?;
                all.iter().try_for_each(|one| one.write(out))?;
                out.write_list_end()
            }
            Self::Set(of, all) => {
                out.write_set_begin(&TSetIdentifier::new(*of, size(all)))?;
                all.iter().try_for_each(|one| one.write(out))?;
                out.write_set_end()
            }
            Self::Map(key, value, all) => {
                out.write_map_begin(&TMapIdentifier::new(*key, *value, size(all)))?;
                all.iter().try_for_each(|(k, v)| k.write(out).and_then(|()| v.write(out)))?;
                out.write_map_end()
            }
        }
    }

    pub fn read(of: TType, input: &mut dyn TInputProtocol) -> thrift::Result<Self> {
        Ok(match of {
            TType::Bool => Self::Bool(input.read_bool()?),
            TType::I08 => Self::I08(input.read_i8()?),
            TType::I16 => Self::I16(input.read_i16()?),
            TType::I32 => Self::I32(input.read_i32()?),
            TType::I64 => Self::I64(input.read_i64()?),
            TType::Double => Self::Double(input.read_double()?),
            TType::String => Self::Bytes(input.read_bytes()?),
            TType::Struct => {
                let mut fields = Vec::new();
                input.read_struct_begin()?;
                loop {
                    let field = input.read_field_begin()?;
                    if field.field_type == TType::Stop {
                        break;
                    }
                    fields.push((field.id.unwrap(), Self::read(field.field_type, input)?));
                    input.read_field_end()?;
                }
                input.read_struct_end()?;
                Self::Struct(fields)
            }
            TType::List => {
                let list = input.read_list_begin()?;
                let all =
                    (0..list.size).map(|_| Self::read(list.element_type, input)).collect::<thrift::Result<_>>()?;
                input.read_list_end()?;
                Self::List(list.element_type, all)
            }
            TType::Set => {
                let set = input.read_set_begin()?;
                let all = (0..set.size).map(|_| Self::read(set.element_type, input)).collect::<thrift::Result<_>>()?;
                input.read_set_end()?;
                Self::Set(set.element_type, all)
            }
            TType::Map => {
                let map = input.read_map_begin()?;
                // An empty map has no types in the compact encoding.
                let (key, value) = (map.key_type.unwrap_or(TType::Bool), map.value_type.unwrap_or(TType::Bool));
                let all = (0..map.size)
                    .map(|_| Ok((Self::read(key, input)?, Self::read(value, input)?)))
                    .collect::<thrift::Result<_>>()?;
                input.read_map_end()?;
                Self::Map(key, value, all)
            }
            // Never written by these tests, so it occurs only in hostile bytes.
            other => {
                input.skip(other)?;
                Self::Bool(false)
            }
        })
    }
}

fn size<T>(all: &[T]) -> i32 {
    i32::try_from(all.len()).unwrap()
}

/// Any value of one type.
pub fn value_of(of: TType, levels: u32) -> BoxedStrategy<Value> {
    match of {
        TType::Bool => any::<bool>().prop_map(Value::Bool).boxed(),
        TType::I08 => any::<i8>().prop_map(Value::I08).boxed(),
        TType::I16 => any::<i16>().prop_map(Value::I16).boxed(),
        TType::I32 => any::<i32>().prop_map(Value::I32).boxed(),
        TType::I64 => any::<i64>().prop_map(Value::I64).boxed(),
        TType::Double => (-1e300..1e300).prop_map(Value::Double).boxed(),
        TType::Struct => arguments(levels).boxed(),
        TType::List => all_of(levels).prop_map(|(of, all)| Value::List(of, all)).boxed(),
        TType::Set => all_of(levels).prop_map(|(of, all)| Value::Set(of, all)).boxed(),
        TType::Map => (a_type(levels), a_type(levels))
            .prop_flat_map(move |(k, v)| {
                let pair = (value_of(k, levels.saturating_sub(1)), value_of(v, levels.saturating_sub(1)));
                // At least one, so that the compact encoding keeps the types.
                vec(pair, 1..4).prop_map(move |all| Value::Map(k, v, all))
            })
            .boxed(),
        _ => vec(any::<u8>(), 0..40).prop_map(Value::Bytes).boxed(),
    }
}

/// Any argument struct.
pub fn arguments(levels: u32) -> impl Strategy<Value = Value> {
    let inner = levels.saturating_sub(1);
    // The thrift crate cannot write differences above 32767 between field numbers.
    let field = (0..i16::MAX, a_type(levels)).prop_flat_map(move |(id, of)| (Just(id), value_of(of, inner)));
    vec(field, 0..5).prop_map(Value::Struct)
}

fn all_of(levels: u32) -> impl Strategy<Value = (TType, Vec<Value>)> {
    a_type(levels).prop_flat_map(move |of| (Just(of), vec(value_of(of, levels.saturating_sub(1)), 0..20)))
}

fn a_type(levels: u32) -> impl Strategy<Value = TType> {
    let flat = vec![TType::Bool, TType::I08, TType::I16, TType::I32, TType::I64, TType::Double, TType::String];
    let nested = [TType::Struct, TType::List, TType::Set, TType::Map];
    let all = if levels == 0 { flat } else { [flat.as_slice(), &nested].concat() };
    proptest::sample::select(all)
}

/// An encoding of messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wire {
    Strict,
    Old,
    Compact,
}

impl Wire {
    pub const ALL: [Self; 3] = [Self::Strict, Self::Old, Self::Compact];

    pub fn encoding(self) -> Encoding {
        if self == Self::Compact { Encoding::Compact } else { Encoding::Binary }
    }

    /// A call with these arguments.
    pub fn message(self, name: &str, arguments: &Value) -> Vec<u8> {
        let mut bytes = Vec::new();
        {
            let mut out: Box<dyn TOutputProtocol> = match self {
                Self::Strict => Box::new(TBinaryOutputProtocol::new(&mut bytes, true)),
                Self::Old => Box::new(TBinaryOutputProtocol::new(&mut bytes, false)),
                Self::Compact => Box::new(TCompactOutputProtocol::new(&mut bytes)),
            };
            out.write_message_begin(&TMessageIdentifier::new(name, TMessageType::Call, -7)).unwrap();
            arguments.write(&mut *out).unwrap();
            out.write_message_end().unwrap();
        }
        bytes
    }
}
