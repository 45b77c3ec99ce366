//! What the wire said comes next, held against what the reader asks for.
//!
//! Generated readers take a field's number for its type: a message with a struct where the contract has a number would send them
//! through bytes that mean something else. So each reader here keeps the types it has announced and refuses a read that does not fit. It
//! also bounds how deep they nest and how many elements, which cost more in memory than on the wire, a message may bring.

use thrift::Result;
use thrift::protocol::TType;

use super::containers::{Container, Containers, Next, TooDeep};
use super::{DEPTH_MAX, malformed};

/// Memory that the elements of one message's containers may take, in bytes, beyond what its length allows.
const BUDGET_BASE: usize = 64 << 20;
/// And per byte of its length.
const BUDGET_PER_BYTE: usize = 32;
/// And at most.
const BUDGET_MAX: usize = 1 << 30;

pub(super) struct Types {
    containers: Containers,
    /// A field begun whose value was not read yet.
    field: Option<TType>,
    budget: usize,
}

impl Types {
    pub(super) fn new(message_bytes: usize) -> Self {
        let budget = BUDGET_PER_BYTE.saturating_mul(message_bytes).saturating_add(BUDGET_BASE).min(BUDGET_MAX);
        Self { containers: Containers::new(), field: None, budget }
    }

    pub(super) fn field(&mut self, announced: TType) {
        self.field = (announced != TType::Stop).then_some(announced);
    }

    /// A value of this type is about to be read.
    #[inline]
    pub(super) fn value(&mut self, wanted: TType) -> Result<()> {
        let announced = match self.field.take() {
            Some(field) => field,
            None => match self.containers.take_next() {
                // The argument struct itself.
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
        Ok(size)
    }
}

/// About what an element takes in memory once decoded.
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
