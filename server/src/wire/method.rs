//! The methods of all services, from a generated table, and the lanes that serve them.

pub use hjall_idl::{Access, CallKind, Effect, Method, Name, Rest, ScannerUse, Service, ServiceHint, Thrift1, Thrift2};

/// A lane: handlers and a queue for one kind of call. The settings determine which lanes exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LaneKind {
    /// Gets of named rows.
    Read,
    /// Mutations.
    Write,
    /// Opening, reading and closing scanners.
    Scan,
    /// Calls about schema, regions and the server itself.
    Admin,
    /// Reads, writes and scans, if the settings give them one lane. No method belongs to this lane in the table.
    General,
}

impl LaneKind {
    /// All lanes, in the order of their numbers.
    pub const ALL: [Self; 5] = [Self::Read, Self::Write, Self::Scan, Self::Admin, Self::General];

    /// The name in thread names, logs and metrics.
    pub fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Scan => "scan",
            Self::Admin => "admin",
            Self::General => "general",
        }
    }
}
