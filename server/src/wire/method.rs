//! The methods of both services, whose table is generated, and the lanes that serve them.

pub use hjall_idl::{CallKind, Effect, Method, Name, Service, Telling, Thrift1, Thrift2};

/// A lane: handlers and a queue for one kind of call. The settings decide which lanes exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LaneKind {
    /// Gets of named rows.
    Read,
    /// Everything that changes data.
    Write,
    /// Opening, reading and closing scanners.
    Scan,
    /// Schema, regions and what concerns the server itself.
    Admin,
    /// Reads, writes and scans where the settings keep them together. No method is of this kind by itself.
    General,
}

impl LaneKind {
    /// All, in the order of their numbers.
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
