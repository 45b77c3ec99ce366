//! When a write counts as done.

/// When a write counts as done (HBase's `Durability`). The numbers are HBase's and order them by strength.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
#[repr(u8)]
pub enum Durability {
    /// As the table says; `SyncWal` where it says nothing.
    #[default]
    UseDefault = 0,
    /// In memory, at least.
    SkipWal = 1,
    /// Handed to the operating system soon.
    AsyncWal = 2,
    /// Handed to the operating system: survives the process. On the disk with `Options::fsync`.
    SyncWal = 3,
    /// On the disk: survives the machine.
    FsyncWal = 4,
}

impl Durability {
    /// Every level, weakest first (after "as the table says").
    pub const ALL: [Self; 5] = [Self::UseDefault, Self::SkipWal, Self::AsyncWal, Self::SyncWal, Self::FsyncWal];

    /// HBase's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::UseDefault => "USE_DEFAULT",
            Self::SkipWal => "SKIP_WAL",
            Self::AsyncWal => "ASYNC_WAL",
            Self::SyncWal => "SYNC_WAL",
            Self::FsyncWal => "FSYNC_WAL",
        }
    }

    /// The level of that name, in any case.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|d| d.name().eq_ignore_ascii_case(name))
    }

    /// What holds for a mutation in a table with this DURABILITY; never `UseDefault`.
    pub fn in_table(self, table: Self) -> Self {
        match (self, table) {
            (Self::UseDefault, Self::UseDefault) => Self::SyncWal,
            (Self::UseDefault, table) => table,
            (own, _) => own,
        }
    }
}
