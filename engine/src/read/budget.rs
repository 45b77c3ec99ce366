//! Limits on the memory that the reads of one call use.

use crate::cell::{Cell, Row};
use crate::error::{Error, ErrorKind, Result};
use crate::stop::Stop;

/// The largest row that one read returns, in bytes (HBase's `hbase.table.max.rowsize`).
const ROW_BYTES_MAX: usize = 1 << 30;

/// Bytes that a read gathers before it takes them from the budget, so that it takes those of a small row at once.
const STEP_BYTES: usize = 64 << 10;

/// Bounds what the reads of one call gather, and ends them early. One call may make many reads: they share its budget.
pub trait Budget {
    /// Takes room for cells that a read keeps: their number, and the bytes of their families, qualifiers and values.
    ///
    /// # Errors
    /// The error with which the read then fails.
    fn take(&self, cells: usize, bytes: usize) -> Result<()>;

    /// Returns the room of cells that are dropped.
    fn release(&self, cells: usize, bytes: usize);

    /// Whether another read may begin.
    ///
    /// # Errors
    /// The error of the first `take` that failed, or `Cancelled` once the call has been stopped.
    fn check(&self) -> Result<()>;

    /// The flag that ends the reads of this call.
    fn stop(&self) -> Stop;

    /// Whether a scan should pause, so that its thread can serve other calls. Called after each row that a scan has
    /// passed over, at the end of each region, and after a returned row for which the filter has worked much. `rows` is
    /// what the scan has done since the last call, in rows of a usual scan: at least 1, and more if its filter is
    /// expensive.
    fn must_pause(&self, _rows: u32) -> bool {
        false
    }
}

/// A budget without a bound, for calls that are never stopped.
#[derive(Debug, Clone, Copy, Default)]
pub struct Unlimited;

impl Budget for Unlimited {
    fn take(&self, _cells: usize, _bytes: usize) -> Result<()> {
        Ok(())
    }

    fn release(&self, _cells: usize, _bytes: usize) {}

    fn check(&self) -> Result<()> {
        Ok(())
    }

    fn stop(&self) -> Stop {
        Stop::never()
    }
}

/// A budget whose reads do not pause.
pub(super) struct Unpaused<'a>(pub(super) &'a dyn Budget);

impl Budget for Unpaused<'_> {
    fn take(&self, cells: usize, bytes: usize) -> Result<()> {
        self.0.take(cells, bytes)
    }

    fn release(&self, cells: usize, bytes: usize) {
        self.0.release(cells, bytes);
    }

    fn check(&self) -> Result<()> {
        self.0.check()
    }

    fn stop(&self) -> Stop {
        self.0.stop()
    }
}

/// Takes room for the cells of a finished row.
pub(crate) fn take_row(budget: &dyn Budget, row: &Row) -> Result<()> {
    budget.take(row.cells.len(), row.cells.iter().map(own_bytes).sum())
}

/// The reverse of [`take_row`].
pub(crate) fn release_row(budget: &dyn Budget, row: &Row) {
    budget.release(row.cells.len(), row.cells.iter().map(own_bytes).sum());
}

/// Bytes of a cell without its row, which all cells of a row share.
pub(super) fn own_bytes(cell: &Cell) -> usize {
    cell.family.len() + cell.qualifier.len() + cell.value.len()
}

/// Checks the size of a row, as in [`Row::bytes`].
///
/// # Errors
/// `RowTooLarge`.
#[inline]
pub(super) fn check_row_bytes(bytes: usize) -> Result<()> {
    if bytes > ROW_BYTES_MAX { Err(row_too_large()) } else { Ok(()) }
}

#[cold]
fn row_too_large() -> Error {
    let message = format!("Max row size allowed: {ROW_BYTES_MAX}, but the row is bigger than that");
    Error::new(ErrorKind::RowTooLarge, message).with_remedy("select fewer columns, or scan it with a batch size")
}

/// The size of what a read has gathered of one row.
pub(super) struct Gathered<'a> {
    budget: &'a dyn Budget,
    row_bytes: usize,
    /// The amount taken from the budget.
    taken: Amount,
    /// The amount that has not been taken yet.
    pending: Amount,
}

/// Cells, and the bytes of their families, qualifiers and values.
#[derive(Clone, Copy, Default)]
struct Amount {
    cells: usize,
    bytes: usize,
}

impl<'a> Gathered<'a> {
    pub(super) fn new(budget: &'a dyn Budget) -> Self {
        Self { budget, row_bytes: 0, taken: Amount::default(), pending: Amount::default() }
    }

    /// Counts a cell of the row.
    ///
    /// # Errors
    /// `RowTooLarge`, and the error of the budget.
    pub(super) fn add(&mut self, cell: &Cell) -> Result<()> {
        self.add_bytes(cell.row.len(), own_bytes(cell))
    }

    /// As [`Self::add`], for a cell with this length of the row key, and this one of family, qualifier and value
    /// together.
    ///
    /// # Errors
    /// As for [`Self::add`].
    #[inline]
    pub(super) fn add_bytes(&mut self, row: usize, bytes: usize) -> Result<()> {
        self.row_bytes += row + bytes;
        check_row_bytes(self.row_bytes)?;
        self.pending.cells += 1;
        self.pending.bytes += bytes;
        if self.pending.cells * size_of::<Cell>() + self.pending.bytes >= STEP_BYTES { self.settle() } else { Ok(()) }
    }

    /// Takes the pending bytes from the budget. Must be called for a row that is returned.
    ///
    /// # Errors
    /// The error of the budget.
    pub(super) fn settle(&mut self) -> Result<()> {
        let Amount { cells, bytes } = std::mem::take(&mut self.pending);
        if cells == 0 {
            return Ok(());
        }
        self.budget.take(cells, bytes)?;
        self.taken.cells += cells;
        self.taken.bytes += bytes;
        Ok(())
    }

    /// Returns all bytes to the budget, because the row is left out.
    pub(super) fn release(self) {
        if self.taken.cells > 0 {
            self.budget.release(self.taken.cells, self.taken.bytes);
        }
    }
}
