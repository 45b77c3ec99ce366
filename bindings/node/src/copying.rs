//! The progress of copies: backups and restores. JavaScript asks for it at intervals.

use hjall_engine::{FamilyProgress, Result};
use parking_lot::Mutex;

/// The latest report of the copies of one database.
#[derive(Default)]
pub struct Copying(Mutex<Option<Report>>);

/// The progress of a copy: its table and family, and the amount copied.
#[derive(Debug, Clone)]
pub struct Report {
    /// The table being copied.
    pub table: String,
    /// Its family.
    pub family: String,
    /// Cells copied so far, in all tables.
    pub cells: u64,
    /// Their bytes.
    pub bytes: u64,
}

impl Copying {
    /// The function to which a copy reports.
    pub fn reporter(&self) -> impl FnMut(&FamilyProgress) -> Result<()> + '_ {
        let (mut cells, mut bytes) = (0, 0);
        move |family| {
            *self.0.lock() = Some(Report {
                table: family.table.to_string(),
                family: String::from_utf8_lossy(&family.family).into_owned(),
                cells: cells + family.cells,
                bytes: bytes + family.bytes,
            });
            if family.done {
                (cells, bytes) = (cells + family.cells, bytes + family.bytes);
            }
            Ok(())
        }
    }

    /// Takes the latest report, if there is one that was not taken yet.
    pub fn take(&self) -> Option<Report> {
        self.0.lock().take()
    }
}
