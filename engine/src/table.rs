//! One table's reads and writes.

use crate::cell::Row;
use crate::error::Result;
use crate::mutation::{Append, Check, Delete, Increment, Mutation, Put};
use crate::name::TableName;
use crate::request::{Get, Scan};

/// A table by name. Cheap to clone; every call looks up the table as it is then.
#[derive(Clone)]
pub struct Table;

impl Table {
    /// The name.
    pub fn name(&self) -> &TableName { todo!() }
    /// One row; without cells if it is not there.
    pub fn get(&self, _get: &Get) -> Result<Row> { todo!() }
    /// Whether the same get would return a cell.
    pub fn exists(&self, _get: &Get) -> Result<bool> { todo!() }
    /// Several rows, each by itself, in the order asked for.
    pub fn get_many(&self, _gets: &[Get]) -> Vec<Result<Row>> { todo!() }
    /// Writes one row's cells, all at once.
    pub fn put(&self, _put: &Put) -> Result<()> { todo!() }
    /// Writes several rows, each by itself; all at the same time where none is given. One result each, in order.
    pub fn put_many(&self, _puts: &[Put]) -> Vec<Result<()>> { todo!() }
    /// Hides cells of one row, all at once.
    pub fn delete(&self, _delete: &Delete) -> Result<()> { todo!() }
    /// Several deletes, each by itself. One result each, in order.
    pub fn delete_many(&self, _deletes: &[Delete]) -> Vec<Result<()>> { todo!() }
    /// Puts and deletes of one row, all at once, at one time.
    pub fn mutate_row(&self, _row: &[u8], _mutations: &[Mutation]) -> Result<()> { todo!() }
    /// The same if the condition holds. Returns whether it did.
    pub fn check_and_mutate(&self, _check: &Check, _mutations: &[Mutation]) -> Result<bool> { todo!() }
    /// Adds to counters; returns the new cells in the order family, qualifier (a column named twice: in the order given).
    pub fn increment(&self, _increment: &Increment) -> Result<Row> { todo!() }
    /// Appends to values; returns the new cells, ordered as for increments.
    pub fn append(&self, _append: &Append) -> Result<Row> { todo!() }
    /// Opens a scan; nothing is looked at before the first fetch. Checks the arguments' form only.
    pub fn scan(&self, _scan: Scan) -> Result<Scanner> { todo!() }
}

/// A scan under way (thrift1.md §8 has the rules). Its snapshot is taken at the first fetch of at least one row. A failed fetch does not
/// end it: the next one tries again behind the last row delivered, with a new snapshot.
pub struct Scanner;

impl Scanner {
    /// Up to `n` results; fewer, at last none, at the end. A result is a row, or with a batch size a piece of one.
    pub fn next(&mut self, _n: usize) -> Result<Vec<Row>> { todo!() }
}
