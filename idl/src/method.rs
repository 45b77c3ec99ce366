//! The methods of all services: facts about each method, and its look-up by the name in a call.
//!
//! The tables of the Thrift services are generated from the contracts and from `methods.txt`, which has the facts that
//! contracts cannot contain.

use thrift::protocol::TType;

use crate::methods::{MULTIPLIER, NAMES, SLOT_BITS, SLOTS, THRIFT1, THRIFT2};
pub use crate::methods::{Thrift1, Thrift2};
use crate::rest::REST;
pub use crate::rest::Rest;

/// One of HBase's services for clients: two of Thrift, and REST.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Service {
    /// `service Hbase`.
    Thrift1,
    /// `service THBaseService`.
    Thrift2,
    /// The REST gateway, whose methods no contract defines.
    Rest,
}

impl Service {
    /// All services, in the order of their numbers.
    pub const ALL: [Self; 3] = [Self::Thrift1, Self::Thrift2, Self::Rest];

    /// The name in logs and metrics.
    pub fn name(self) -> &'static str {
        match self {
            Self::Thrift1 => "thrift1",
            Self::Thrift2 => "thrift2",
            Self::Rest => "rest",
        }
    }
}

/// The kind of work that a method does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CallKind {
    /// Reads named rows.
    Read,
    /// Changes data.
    Write,
    /// Opens, reads or closes scanners.
    Scan,
    /// Concerns the schema, regions or the server itself.
    Admin,
}

impl CallKind {
    /// All kinds.
    pub const ALL: [Self; 4] = [Self::Read, Self::Write, Self::Scan, Self::Admin];
}

/// The effect of a method.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Effect {
    /// Nothing, except for scanners that the gateway keeps between calls.
    None,
    /// Cells.
    Data,
    /// The schema or the state of the server.
    Admin,
}

/// The effect of a method on a scanner that the gateway keeps between calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ScannerUse {
    /// Opens one and returns its number.
    Opens,
    /// Fetches from the scanner whose number is its first argument.
    Fetches,
    /// Closes the scanner whose number is its first argument.
    Closes,
}

/// What a user needs to call a method. The rules are those of HBase's `AccessController`, with the roles read, write
/// and admin for HBase's `READ`, `WRITE`, and `ADMIN` or `CREATE`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Access {
    /// The role read for the tables that the first argument names.
    Read,
    /// The role write for these tables.
    Write,
    /// The roles read and write for these tables.
    Check,
    /// The role admin for these tables.
    Admin,
    /// Any role for these tables.
    Any,
    /// The role admin for the namespace of the table that the first argument names.
    Create,
    /// The role admin for the namespace that the first argument names.
    Namespace,
    /// The role admin for everything.
    Global,
    /// To have opened the scanner that the first argument names, and the role read for its table.
    Scanner,
    /// The method's function decides, for each table of its answer.
    Answer,
    /// Only to be a user.
    Everyone,
}

/// An argument as encoded on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Argument {
    /// Its field number.
    pub id: i16,
    /// Its wire type; `binary` and `string` are both [`TType::String`], an enum is [`TType::I32`].
    pub wire: TType,
}

/// The facts about a method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MethodInfo {
    /// The name: in Thrift, that on the wire.
    pub name: &'static str,
    /// The kind of its work, the same in both services of Thrift.
    pub kind: CallKind,
    /// Reads one row, or writes one without reading it, so that it may run on the event loop.
    pub short: bool,
    /// Its effect.
    pub effect: Effect,
    /// Its effect on a scanner.
    pub scanner: Option<ScannerUse>,
    /// What a user needs to call it.
    pub access: Access,
    /// Its contract declares an `IOError` or `TIOError` as field 1 of its result.
    pub declares_io: bool,
    /// Its arguments.
    pub arguments: &'static [Argument],
}

/// A method of one service. It is a number, so its facts are looked up without its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Method {
    /// A method of [`Service::Thrift1`].
    Thrift1(Thrift1),
    /// A method of [`Service::Thrift2`].
    Thrift2(Thrift2),
    /// A method of [`Service::Rest`].
    Rest(Rest),
}

impl Method {
    /// The number of methods in all services.
    pub const COUNT: usize = Thrift1::ALL.len() + Thrift2::ALL.len() + Rest::ALL.len();

    /// Every method, in the order of [`Self::number`].
    pub fn all() -> impl Iterator<Item = Self> {
        let thrift = Thrift1::ALL.into_iter().map(Self::Thrift1).chain(Thrift2::ALL.into_iter().map(Self::Thrift2));
        thrift.chain(Rest::ALL.into_iter().map(Self::Rest))
    }

    /// Its number below [`Self::COUNT`]: Thrift1 comes before Thrift2 and REST.
    pub fn number(self) -> usize {
        match self {
            Self::Thrift1(method) => method as usize,
            Self::Thrift2(method) => Thrift1::ALL.len() + method as usize,
            Self::Rest(method) => Thrift1::ALL.len() + Thrift2::ALL.len() + method as usize,
        }
    }

    /// The service that has it.
    pub fn service(self) -> Service {
        match self {
            Self::Thrift1(_) => Service::Thrift1,
            Self::Thrift2(_) => Service::Thrift2,
            Self::Rest(_) => Service::Rest,
        }
    }

    /// The facts about it.
    pub fn info(self) -> &'static MethodInfo {
        match self {
            Self::Thrift1(method) => &THRIFT1[method as usize],
            Self::Thrift2(method) => &THRIFT2[method as usize],
            Self::Rest(method) => &REST[method as usize],
        }
    }

    /// The name.
    pub fn name(self) -> &'static str {
        self.info().name
    }

    /// Whether it fetches from the scanner that its first argument names.
    pub fn fetches(self) -> bool {
        self.info().scanner == Some(ScannerUse::Fetches)
    }
}

/// The part of a call that identifies its service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ServiceHint {
    /// The name, which only this service has.
    Name(Service),
    /// The type of an argument that both services have.
    Struct {
        /// The argument.
        field: i16,
        /// The service in which it is a struct.
        service: Service,
    },
    /// An argument that only one service has or, if it is absent, the first field of a struct that both have.
    Field {
        /// The argument.
        field: i16,
        /// The service that has it.
        service: Service,
        /// The argument that is a struct in both.
        within: i16,
        /// Fields of either struct that the other does not have.
        first: &'static [(i16, TType, Service)],
    },
    /// Nothing: the method has no arguments and is the same in both services.
    Nothing,
}

/// The name of a method of at least one service of Thrift.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Name {
    /// The name on the wire.
    pub text: &'static str,
    /// The method of the first service. They include `getRowOrBefore` of older versions of HBase.
    pub thrift1: Option<Thrift1>,
    /// The method of the second service.
    pub thrift2: Option<Thrift2>,
    /// The part of a call that identifies its service.
    pub service_hint: ServiceHint,
}

impl Name {
    /// Every name, ascending.
    pub fn all() -> &'static [Self] {
        &NAMES
    }

    /// Looks up the name in the header of a call, which may be any bytes.
    pub fn find(bytes: &[u8]) -> Option<&'static Self> {
        let name = &NAMES[usize::from(SLOTS[slot(bytes)?]).min(NAMES.len() - 1)];
        (name.text.as_bytes() == bytes).then_some(name)
    }

    /// The method of this name in a service.
    pub fn of(&self, service: Service) -> Option<Method> {
        match service {
            Service::Thrift1 => self.thrift1.map(Method::Thrift1),
            Service::Thrift2 => self.thrift2.map(Method::Thrift2),
            // Its calls have no names.
            Service::Rest => None,
        }
    }
}

/// The hash of a name, computed from a few of its bytes. It is perfect for the names of methods, which have at least
/// three bytes.
fn slot(name: &[u8]) -> Option<usize> {
    let third_last = *name.get(name.len().checked_sub(3)?)?;
    let word = u32::from_le_bytes([name.len() as u8, *name.first()?, *name.get(name.len() / 2)?, third_last]);
    Some((word.wrapping_mul(MULTIPLIER) >> (u32::BITS - SLOT_BITS)) as usize)
}
