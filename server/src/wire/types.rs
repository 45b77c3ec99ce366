//! Compares the type that a message announces for a value with the type that a reader expects.
//!
//! Generated readers infer the type of a field from its number, so a message with a struct where the contract has a
//! number would make them misinterpret the bytes that follow. Each reader therefore remembers the announced types and
//! refuses a read of another type. It also limits the depth of nesting, and the number of elements, which take more
//! memory decoded than on the wire, and claims the memory of what is decoded.

use std::fmt;

use thrift::Result;
use thrift::protocol::TType;

use super::containers::{Container, Containers, Next, TooDeep};
use super::{DEPTH_MAX, malformed};

/// Memory for the decoded elements of a message, in bytes, that every message may use.
const BUDGET_BASE: usize = 64 << 20;
/// Further memory for each byte of the message, in bytes.
const BUDGET_PER_BYTE: usize = 32;
/// The most memory for the elements of a message, in bytes.
const BUDGET_MAX: usize = 1 << 30;

/// Decoded bytes that are claimed together.
const CLAIM_STEP: usize = 4 << 10;

/// Where the memory of decoded values is claimed.
pub trait DecodedMemory {
    /// Claims further memory for values that are about to be decoded, in bytes. Returns `false` if there is no room:
    /// then the message is not decoded.
    fn claim(&self, bytes: usize) -> bool;
}

pub(super) struct Types<'m> {
    containers: Containers,
    /// The type of the current field, whose value has not been read yet.
    field: Option<TType>,
    budget: usize,
    memory: Option<&'m dyn DecodedMemory>,
    /// Decoded bytes that have not been claimed yet.
    unclaimed: usize,
}

impl<'m> Types<'m> {
    pub(super) fn new(message_bytes: usize, memory: Option<&'m dyn DecodedMemory>) -> Self {
        let budget = BUDGET_PER_BYTE.saturating_mul(message_bytes).saturating_add(BUDGET_BASE).min(BUDGET_MAX);
        Self { containers: Containers::new(), field: None, budget, memory, unclaimed: 0 }
    }

    pub(super) fn field(&mut self, announced: TType) {
        self.field = (announced != TType::Stop).then_some(announced);
    }

    /// Checks that the next value has this type.
    #[inline]
    pub(super) fn value(&mut self, wanted: TType) -> Result<()> {
        let announced = match self.field.take() {
            Some(field) => field,
            None => match self.containers.take_next() {
                // The argument struct.
                Next::Nothing => TType::Struct,
                Next::Element(announced) => announced,
                Next::Field | Next::End => {
                    return Err(malformed(format!("a {} where the message has no value", name(wanted))));
                }
            },
        };
        if announced == wanted {
            Ok(())
        } else {
            Err(malformed(format!("expected a {}, the message has a {}", name(wanted), name(announced))))
        }
    }

    pub(super) fn begin_struct(&mut self) -> Result<()> {
        self.value(TType::Struct)?;
        self.push(Container::Struct)
    }

    pub(super) fn begin_list(&mut self, element: TType, size: i32) -> Result<()> {
        let size = self.charge(size, cost(element))?;
        self.push(Container::List(element, size))
    }

    pub(super) fn begin_map(&mut self, key: TType, value: TType, size: i32) -> Result<()> {
        let size = self.charge(size, cost(key) + cost(value))?;
        self.push(Container::map(key, value, size))
    }

    pub(super) fn end(&mut self) {
        self.containers.pop();
        self.field = None;
    }

    fn push(&mut self, container: Container) -> Result<()> {
        let too_deep = |TooDeep| malformed(format!("values nest deeper than {DEPTH_MAX} levels"));
        self.containers.push(container).map_err(too_deep)
    }

    fn charge(&mut self, size: i32, each: usize) -> Result<u32> {
        let size = u32::try_from(size).map_err(|_| malformed(format!("negative size {size}")))?;
        let all = each.saturating_mul(size as usize);
        self.budget = self.budget.checked_sub(all).ok_or_else(|| {
            malformed(format!("{size} more elements are too many for one message; send several smaller ones"))
        })?;
        self.decoded(all)?;
        Ok(size)
    }

    /// Counts memory for a value that is about to be decoded, in bytes.
    #[inline]
    pub(super) fn decoded(&mut self, bytes: usize) -> Result<()> {
        self.unclaimed = self.unclaimed.saturating_add(bytes);
        match self.memory {
            Some(memory) if self.unclaimed >= CLAIM_STEP => {
                if memory.claim(std::mem::take(&mut self.unclaimed)) {
                    Ok(())
                } else {
                    Err(no_memory())
                }
            }
            _ => Ok(()),
        }
    }
}

#[cold]
fn no_memory() -> thrift::Error {
    thrift::Error::User(Box::new(NoMemory))
}

/// The error of a message that is not decoded, because there is no room for its values.
#[derive(Debug)]
struct NoMemory;

impl fmt::Display for NoMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("there is no memory for the arguments")
    }
}

impl std::error::Error for NoMemory {}

/// The approximate size of a decoded element in memory, in bytes.
fn cost(of: TType) -> usize {
    match of {
        TType::Struct => 256,
        TType::String | TType::List | TType::Set | TType::Map => 48,
        _ => 8,
    }
}

fn name(of: TType) -> &'static str {
    match of {
        TType::Bool => "bool",
        TType::I08 => "byte",
        TType::I16 => "16-bit number",
        TType::I32 => "32-bit number",
        TType::I64 => "64-bit number",
        TType::Double => "double",
        TType::String => "string",
        TType::Struct => "struct",
        TType::Map => "map",
        TType::Set => "set",
        TType::List => "list",
        TType::Uuid => "UUID",
        TType::Stop | TType::Void | TType::Utf7 => "nothing",
    }
}
