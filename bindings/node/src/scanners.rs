//! Scans under way, by the number that JavaScript gave them.

use std::collections::HashMap;
use std::sync::Arc;

use hjall_engine::read::Scanner;
use hjall_engine::{Error, ErrorKind, Result};
use parking_lot::Mutex;

use crate::answer::Answer;

/// An answer is not extended beyond so many bytes.
const BLOCK_BYTES: usize = 64 << 10;
/// Rows in the first block; each later one is as large as the one before says.
const FIRST_ROWS: usize = 32;
/// Rows in a block at most.
const ROWS_MAX: usize = 4096;

/// The scans of one database.
#[derive(Default)]
pub struct Scanners(Mutex<HashMap<u32, Arc<Open>>>);

struct Open {
    scanner: Mutex<Scanning>,
    stop: hjall_engine::read::Stop,
}

struct Scanning {
    scanner: Scanner,
    /// Rows that should fill a block.
    rows: usize,
    begun: bool,
    /// What went wrong behind rows that were delivered.
    failed: Option<Error>,
}

impl Scanners {
    /// Adds a scan.
    pub fn add(&self, number: u32, scanner: Scanner) {
        let stop = scanner.stopper();
        let scanning = Scanning { scanner, rows: FIRST_ROWS, begun: false, failed: None };
        let open = Open { scanner: Mutex::new(scanning), stop };
        self.0.lock().insert(number, Arc::new(open));
    }

    /// Writes the next block: the number of rows, the rows. None: the scan is at its end, and forgotten.
    pub fn next(&self, number: u32, out: &mut Answer<'_>) -> Result<()> {
        let open = self.0.lock().get(&number).cloned();
        let Some(open) = open else {
            return Err(Error::new(ErrorKind::Stale, "the scan has been closed: begin another"));
        };
        let block = open.scanner.lock().block(out);
        if !matches!(block, Ok(rows) if rows > 0) {
            self.0.lock().remove(&number);
        }
        block.map(|_| ())
    }

    /// Ends a scan, also one whose block is being read.
    pub fn close(&self, number: u32) {
        if let Some(open) = self.0.lock().remove(&number) {
            open.stop.stop();
        }
    }

    /// Ends all.
    pub fn clear(&self) {
        let all = std::mem::take(&mut *self.0.lock());
        all.values().for_each(|open| open.stop.stop());
    }
}

impl Scanning {
    fn block(&mut self, out: &mut Answer<'_>) -> Result<usize> {
        if let Some(failed) = self.failed.take() {
            return Err(failed);
        }
        let begin = out.len();
        out.u32(0);
        let mut rows = 0;
        while rows < ROWS_MAX && out.len() - begin < BLOCK_BYTES {
            let wanted = self.rows.min(ROWS_MAX - rows);
            let some = match self.scanner.next(wanted) {
                Ok(some) => some,
                Err(error) if rows > 0 => {
                    self.failed = Some(error);
                    break;
                }
                Err(error) => return Err(error),
            };
            some.iter().for_each(|row| out.row(row));
            rows += some.len();
            if let Some(each) = (out.len() - begin).checked_div(rows) {
                self.rows = (BLOCK_BYTES / each.max(1)).clamp(1, ROWS_MAX);
            }
            // The first block is small, so that a program which wants few rows waits for few.
            if some.len() < wanted || !std::mem::replace(&mut self.begun, true) {
                break;
            }
        }
        out.u32_at(begin, u32::try_from(rows).unwrap_or(u32::MAX));
        Ok(rows)
    }
}
