//! Writes: converts mutations to stored cells. The mutation of a row is one transaction.
//!
//! `draft` converts puts and deletes to cells. `group` applies lists of puts or deletes, `mutate` applies several
//! mutations of one row, with or without a condition, and `count` applies increments and appends. `known` applies puts
//! to a table that was looked up before, and `load` loads sorted puts. `limits` has the limits on sizes of cells,
//! `busy` the errors of rows that others have locked, `locked_row` the reads of a row before it is written, and
//! `pair_buffer` the memory of encoded puts.

mod busy;
mod count;
mod draft;
mod group;
mod known;
mod limits;
mod load;
mod locked_row;
mod mutate;
mod pair_buffer;

pub(crate) use count::{append, increment};
pub(crate) use group::{Single, apply_each, apply_one};
pub use known::KnownTable;
pub use load::{BulkLoad, Loaded};
pub(crate) use mutate::{check_and_mutate, mutate_row};
