//! Open scans, by the numbers that JavaScript gave them.

use std::collections::HashMap;
use std::sync::Arc;

use hjall_engine::read::{Scanner, Stop};
use hjall_engine::{Error, ErrorKind, Result};
use parking_lot::Mutex;

use crate::answer::Answer;

/// A block that has reached this size gets no further rows.
const BLOCK_BYTES: usize = 64 << 10;
/// The most rows in a block.
const ROWS_MAX: usize = 4096;
/// The first block has one row, or all rows of a short scan. Each further one has at most this many times as many as
/// the previous one. So a program that wants a few rows gets them quickly, and a scan that stays open holds little.
const GROWTH: usize = 8;
/// The largest limit of a scan whose first block has all rows.
const SHORT_MAX: usize = 64;

/// The open scans of one database.
#[derive(Default)]
pub struct Scanners(Mutex<HashMap<u32, Arc<OpenScan>>>);

struct OpenScan {
    reader: Mutex<BlockReader>,
    /// Ends the scan while `reader` is locked by a block being read.
    stop: Stop,
}

struct BlockReader {
    scanner: Scanner,
    /// The most rows of the next block.
    rows: usize,
    /// An error that occurred after rows that had to be delivered first.
    deferred: Option<Error>,
}

impl Scanners {
    /// Adds a scan, which returns at most `limit` rows if that is positive.
    pub fn add(&self, number: u32, scanner: Scanner, limit: i32) {
        let stop = scanner.stopper();
        let rows = usize::try_from(limit).ok().filter(|rows| (1..=SHORT_MAX).contains(rows)).unwrap_or(1);
        let reader = BlockReader { scanner, rows, deferred: None };
        self.0.lock().insert(number, Arc::new(OpenScan { reader: Mutex::new(reader), stop }));
    }

    /// Writes the next block: the number of rows, then the rows. At its end, or after an error, the scan is removed.
    ///
    /// # Errors
    /// `Stale` if there is no such scan; those of reading.
    pub fn next_block(&self, number: u32, out: &mut Answer<'_>) -> Result<()> {
        let scan = self.0.lock().get(&number).cloned();
        let Some(scan) = scan else {
            return Err(Error::new(ErrorKind::Stale, "the scan has been closed: begin another"));
        };
        let rows = scan.reader.lock().write_block(out);
        if !matches!(rows, Ok(rows) if rows > 0) {
            self.0.lock().remove(&number);
        }
        rows.map(|_| ())
    }

    /// Ends a scan, even while one of its blocks is being read.
    pub fn close(&self, number: u32) {
        if let Some(scan) = self.0.lock().remove(&number) {
            scan.stop.stop();
        }
    }

    /// Ends all scans.
    pub fn clear(&self) {
        let scans = std::mem::take(&mut *self.0.lock());
        scans.values().for_each(|scan| scan.stop.stop());
    }
}

impl BlockReader {
    /// Writes a block and returns its number of rows.
    fn write_block(&mut self, out: &mut Answer<'_>) -> Result<usize> {
        if let Some(error) = self.deferred.take() {
            return Err(error);
        }
        let begin = out.len();
        out.u32(0);
        let mut rows = 0;
        while rows < self.rows && out.len() - begin < BLOCK_BYTES {
            let wanted = self.rows - rows;
            let read = match self.scanner.next_within(wanted, BLOCK_BYTES) {
                Ok(read) => read,
                Err(error) if rows > 0 => {
                    self.deferred = Some(error);
                    break;
                }
                Err(error) => return Err(error),
            };
            read.iter().for_each(|row| out.row(row));
            rows += read.len();
            if read.len() < wanted {
                break;
            }
        }
        if let Some(row_bytes) = (out.len() - begin).checked_div(rows) {
            let most = (BLOCK_BYTES / row_bytes.max(1)).clamp(1, ROWS_MAX);
            self.rows = (rows * GROWTH).max(self.rows).min(most);
        }
        out.u32_at(begin, u32::try_from(rows).unwrap_or(u32::MAX));
        Ok(rows)
    }
}
