//! When a write counts as done.

/// When a write counts as done (HBase's `Durability`). The numbers are HBase's and order them by strength.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
#[repr(u8)]
pub enum Durability {
    /// The durability of the table, or `SyncWal` if the table has none.
    #[default]
    UseDefault = 0,
    /// At least in memory.
    SkipWal = 1,
    /// Handed to the operating system soon.
    AsyncWal = 2,
    /// Handed to the operating system: survives the process. On the disk with `Options::fsync`.
    SyncWal = 3,
    /// On the disk: survives the machine.
    FsyncWal = 4,
}

impl Durability {
    /// Every level: `UseDefault`, then the others from the weakest to the strongest.
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

    /// The level with this name. Case is ignored.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|d| d.name().eq_ignore_ascii_case(name))
    }

    /// The effective durability of a mutation in a table with the DURABILITY `table`. Never `UseDefault`.
    pub fn in_table(self, table: Self) -> Self {
        match (self, table) {
            (Self::UseDefault, Self::UseDefault) => Self::SyncWal,
            (Self::UseDefault, table) => table,
            (own, _) => own,
        }
    }
}
