//! The methods of both services, for telling which service a call belongs to.

use thrift::protocol::TType;

use crate::methods::METHODS;

/// An argument as it is seen on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Argument {
    /// Its field number.
    pub id: i16,
    /// Its wire type; `binary` and `string` are both [`TType::String`], an enum is [`TType::I32`].
    pub wire: TType,
}

/// A name that at least one of the services has a method of, with the arguments it takes there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Method {
    /// The name on the wire.
    pub name: &'static str,
    /// Its arguments in the first service, if that has it. `getRowOrBefore` of older HBase is among them.
    pub thrift1: Option<&'static [Argument]>,
    /// Its arguments in the second service, if that has it.
    pub thrift2: Option<&'static [Argument]>,
}

impl Method {
    /// The method of that name.
    pub fn named(name: &str) -> Option<&'static Self> {
        METHODS.binary_search_by(|m| m.name.cmp(name)).ok().map(|i| &METHODS[i])
    }
}

/// All methods, ascending by name.
pub fn methods() -> &'static [Method] {
    &METHODS
}
