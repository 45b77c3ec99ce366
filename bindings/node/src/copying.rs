//! The progress of copies: backups and restores. JavaScript asks for it at intervals, and can end a copy.

use std::collections::HashMap;

use hjall_engine::{Error, ErrorKind, FamilyProgress, Result};
use parking_lot::Mutex;

/// The copies of one database that a program watches, by the numbers that JavaScript gave them.
#[derive(Default)]
pub struct Copying(Mutex<HashMap<u32, Watched>>);

#[derive(Default)]
struct Watched {
    /// The latest report, unless it was taken.
    report: Option<Report>,
    is_stopped: bool,
}

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
    /// The function to which a copy that begins reports, and whose error ends it. With the number 0, the copy is not
    /// watched.
    ///
    /// # Errors
    /// `Cancelled` if the copy has been stopped before it began; the function likewise.
    pub fn begin(&self, number: u32) -> Result<impl FnMut(&FamilyProgress) -> Result<()> + '_> {
        if number != 0 && self.0.lock().entry(number).or_default().is_stopped {
            return Err(stopped());
        }
        let (mut cells, mut bytes) = (0, 0);
        Ok(move |family: &FamilyProgress| {
            let report = Report {
                table: family.table.to_string(),
                family: String::from_utf8_lossy(&family.family).into_owned(),
                cells: cells + family.cells,
                bytes: bytes + family.bytes,
            };
            if family.done {
                (cells, bytes) = (report.cells, report.bytes);
            }
            match self.0.lock().get_mut(&number) {
                Some(watched) if watched.is_stopped => return Err(stopped()),
                Some(watched) => watched.report = Some(report),
                None => {}
            }
            Ok(())
        })
    }

    /// Takes the latest report of a copy, if there is one that was not taken yet.
    pub fn take(&self, number: u32) -> Option<Report> {
        self.0.lock().get_mut(&number)?.report.take()
    }

    /// Lets a copy end with `Cancelled` soon, also one that has not begun.
    pub fn stop(&self, number: u32) {
        self.0.lock().entry(number).or_default().is_stopped = true;
    }

    /// Forgets a copy that has ended.
    pub fn end(&self, number: u32) {
        self.0.lock().remove(&number);
    }
}

fn stopped() -> Error {
    Error::new(ErrorKind::Cancelled, "the copy was ended by the program")
}
