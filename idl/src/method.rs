//! The methods of both services, used to determine which service a call belongs to.

use thrift::protocol::TType;

use crate::methods::METHODS;

/// An argument in its wire representation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Argument {
    /// Its field number.
    pub id: i16,
    /// Its wire type; `binary` and `string` are both [`TType::String`], an enum is [`TType::I32`].
    pub wire: TType,
}

/// A method of at least one of the services, with its arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Method {
    /// The name on the wire.
    pub name: &'static str,
    /// Its arguments in the first service, if it has the method. Includes `getRowOrBefore` of older HBase versions.
    pub thrift1: Option<&'static [Argument]>,
    /// Its arguments in the second service, if it has the method.
    pub thrift2: Option<&'static [Argument]>,
}

impl Method {
    /// Finds a method by its name.
    pub fn named(name: &str) -> Option<&'static Self> {
        METHODS.binary_search_by(|m| m.name.cmp(name)).ok().map(|i| &METHODS[i])
    }
}

/// All methods, sorted by name.
pub fn methods() -> &'static [Method] {
    &METHODS
}
