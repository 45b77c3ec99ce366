//! Reads and writes of one table.

use std::fmt;
use std::sync::Arc;

use crate::cell::Row;
use crate::core::Handle;
use crate::error::{Error, ListErrors, Result};
use crate::mutation::{Append, Check, Delete, Increment, Mutation, Put};
use crate::name::TableName;
pub use crate::read::RememberedRows;
pub use crate::read::Scanner;
use crate::read::{self, Budget, Unlimited, WorkLimit};
use crate::request::{Columns, Get, Scan};
use crate::write;
pub use crate::write::{BulkLoad, KnownTable, Loaded};

/// Rows that a call of a server reads before its thread yields to others.
const GETS_AT_ONCE: usize = 16;

/// A handle of a table. Cheap to clone. Every call looks up the table by its name.
///
/// Every call can fail with `TableNotFound`, `TableDisabled`, and `Closed` after the engine has been closed. Writes
/// fail with `ReadOnly` if the table's READONLY attribute is set; reads and writes fail with `FamilyNotFound` for a
/// family that the table does not have.
#[derive(Clone)]
pub struct Table {
    handle: Arc<Handle>,
    name: TableName,
}

impl fmt::Debug for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Table").field("name", &self.name).finish_non_exhaustive()
    }
}

impl Table {
    pub(crate) fn new(handle: Arc<Handle>, name: TableName) -> Self {
        Self { handle, name }
    }

    /// The name.
    pub fn name(&self) -> &TableName {
        &self.name
    }

    /// Reads one row. The result has no cells if the row does not exist.
    ///
    /// # Errors
    /// `InvalidArgument` for a bad row or no version, `Refused` for a raw get of named columns, `RowTooLarge`, those of
    /// a filter.
    pub fn get(&self, get: &Get) -> Result<Row> {
        self.get_for(get, &Unlimited)
    }

    /// As [`Self::get`], within the budget of a call.
    ///
    /// # Errors
    /// As [`Self::get`], and that of the budget.
    pub fn get_for(&self, get: &Get, budget: &dyn Budget) -> Result<Row> {
        read::get(self.handle.live()?, &self.name, get, budget)
    }

    /// The rows of this table that the row cache remembers.
    ///
    /// # Errors
    /// Only `TableNotFound` and `Closed`.
    pub fn remembered_rows(&self) -> Result<RememberedRows> {
        RememberedRows::of(&self.handle, &self.name)
    }

    /// This table, for puts that do not look it up.
    ///
    /// # Errors
    /// Only `TableNotFound` and `Closed`.
    pub fn known(&self) -> Result<KnownTable> {
        KnownTable::of(&self.handle, &self.name)
    }

    /// Whether a get would return any cell.
    ///
    /// # Errors
    /// As [`Self::get`].
    pub fn exists(&self, get: &Get) -> Result<bool> {
        self.exists_for(get, &Unlimited)
    }

    /// As [`Self::exists`], within the budget of a call.
    ///
    /// # Errors
    /// As [`Self::get_for`].
    pub fn exists_for(&self, get: &Get, budget: &dyn Budget) -> Result<bool> {
        read::exists(self.handle.live()?, &self.name, get, budget)
    }

    /// Whether the table exists and is enabled, but lacks a family of these columns.
    pub fn lacks_family_of(&self, columns: &Columns) -> bool {
        self.handle.live().and_then(|core| core.catalog.table(&self.name)).is_ok_and(|table| {
            let lacks = |name| !table.families().iter().any(|family| family.name == name);
            table.check_readable().is_ok() && columns.families().any(|(name, _)| lacks(name))
        })
    }

    /// Reads several rows independently of each other, in the order of the request.
    pub fn get_many(&self, gets: &[Get]) -> Vec<Result<Row>> {
        let mut errors = ListErrors::default();
        gets.iter().map(|get| errors.keep(self.get(get))).collect()
    }

    /// As [`Self::get_many`], within the budget of a call.
    ///
    /// # Errors
    /// That of the budget: the rows read so far are dropped.
    pub fn get_many_for(&self, gets: &[Get], budget: &dyn Budget) -> Result<Vec<Result<Row>>> {
        self.each_for(gets, budget, |get| self.get_for(get, budget))
    }

    /// Whether each of several gets would return any cell, in the order of the request.
    ///
    /// # Errors
    /// That of the budget.
    pub fn exists_many_for(&self, gets: &[Get], budget: &dyn Budget) -> Result<Vec<Result<bool>>> {
        self.each_for(gets, budget, |get| self.exists_for(get, budget))
    }

    fn each_for<R>(
        &self,
        gets: &[Get],
        budget: &dyn Budget,
        read: impl Fn(&Get) -> Result<R>,
    ) -> Result<Vec<Result<R>>> {
        // Rows of the row cache are not charged one by one.
        WorkLimit::charge_rows(gets.len())?;
        let (mut answers, mut errors) = (Vec::with_capacity(gets.len()), ListErrors::default());
        for (n, get) in gets.iter().enumerate() {
            budget.check()?;
            // As in scans, other threads that wait for the core run in between.
            if n % GETS_AT_ONCE == GETS_AT_ONCE - 1 {
                std::thread::yield_now();
            }
            answers.push(errors.keep(read(get)));
        }
        // The last read may have used up the budget.
        budget.check()?;
        Ok(answers)
    }

    /// Opens a scan. Nothing is read before the first fetch.
    ///
    /// # Errors
    /// `InvalidArgument` for a row that is too long.
    pub fn scan(&self, scan: Scan) -> Result<Scanner> {
        scan.validate()?;
        Ok(Scanner::new(Arc::clone(&self.handle), self.name.clone(), scan))
    }

    /// Writes cells of one row atomically.
    ///
    /// # Errors
    /// `InvalidArgument` for a malformed put or a cell over the client's limit, `CellTooLarge` for one over the
    /// server's, `Unprocessable` for a negative timestamp.
    pub fn put(&self, put: &Put) -> Result<()> {
        write::apply_one(self.handle.live()?, &self.name, put)
    }

    /// Writes several rows, each atomically, and returns one result for each, in order. Cells without a timestamp get
    /// the same one; long lists are written in several steps.
    pub fn put_many(&self, puts: &[Put]) -> Vec<Result<()>> {
        self.each(puts)
    }

    /// Begins a bulk load: rows in ascending order, which are written to files directly. All of them become visible at
    /// once when [`BulkLoad::finish`] is called.
    ///
    /// # Errors
    /// `Busy` while the database is being closed or reopened.
    pub fn bulk_load(&self) -> Result<BulkLoad> {
        BulkLoad::begin(&self.handle, &self.name)
    }

    /// Deletes cells of one row atomically.
    ///
    /// # Errors
    /// `InvalidArgument` for a malformed delete, `CellTooLarge` for a qualifier over the server's limit.
    pub fn delete(&self, delete: &Delete) -> Result<()> {
        write::apply_one(self.handle.live()?, &self.name, delete)
    }

    /// Applies several deletes, each atomically, and returns one result for each, in order.
    pub fn delete_many(&self, deletes: &[Delete]) -> Vec<Result<()>> {
        self.each(deletes)
    }

    fn each<M: write::Single>(&self, mutations: &[M]) -> Vec<Result<()>> {
        match self.handle.live() {
            Ok(core) => write::apply_each(core, &self.name, mutations),
            Err(_) => mutations.iter().map(|_| self.handle.live().map(|_| ())).collect(),
        }
    }

    /// Applies puts and deletes to one row atomically, with one timestamp.
    ///
    /// # Errors
    /// `RowMismatch` if one names another row, `InvalidArgument` for a malformed mutation, `CellTooLarge`,
    /// `Unprocessable` for a negative timestamp.
    pub fn mutate_row(&self, row: &[u8], mutations: &[Mutation]) -> Result<()> {
        self.mutate_row_unless(row, mutations, None)
    }

    /// As [`Self::mutate_row`], but writes nothing and fails with the refusal, if there is one and the table has all
    /// families of the mutations.
    ///
    /// # Errors
    /// As [`Self::mutate_row`], and the refusal.
    pub fn mutate_row_unless(&self, row: &[u8], mutations: &[Mutation], refusal: Option<&Error>) -> Result<()> {
        write::mutate_row(self.handle.live()?, &self.name, row, mutations, refusal)
    }

    /// Applies puts and deletes to one row, as [`Self::mutate_row`] does, if a condition holds. Returns whether it
    /// held.
    ///
    /// # Errors
    /// As [`Self::mutate_row`], but `Refused` for a negative timestamp, and `Unprocessable` if `NoOp` would have to
    /// compare values.
    pub fn check_and_mutate(&self, check: &Check, mutations: &[Mutation]) -> Result<bool> {
        self.check_and_mutate_unless(check, mutations, None)
    }

    /// As [`Self::check_and_mutate`], but writes nothing and fails with the refusal, if there is one and the condition
    /// holds.
    ///
    /// # Errors
    /// As [`Self::check_and_mutate`], and the refusal.
    pub fn check_and_mutate_unless(
        &self,
        check: &Check,
        mutations: &[Mutation],
        refusal: Option<&Error>,
    ) -> Result<bool> {
        write::check_and_mutate(self.handle.live()?, &self.name, check, mutations, refusal)
    }

    /// Adds to counters; returns the new cells in the order family, qualifier (a column named twice: in the order
    /// given).
    ///
    /// # Errors
    /// `NotALong` if a value is not 8 bytes long, `InvalidArgument` for a malformed increment, `CellTooLarge`.
    pub fn increment(&self, increment: &Increment) -> Result<Row> {
        self.increment_for(increment, &Unlimited)
    }

    /// As [`Self::increment`], within the budget of a call.
    ///
    /// # Errors
    /// As [`Self::increment`], and that of the budget; then nothing is written.
    pub fn increment_for(&self, increment: &Increment, budget: &dyn Budget) -> Result<Row> {
        write::increment(self.handle.live()?, &self.name, increment, budget)
    }

    /// Appends to values; returns the new cells, in the order of [`Self::increment`].
    ///
    /// # Errors
    /// `InvalidArgument` for a malformed append, `CellTooLarge`.
    pub fn append(&self, append: &Append) -> Result<Row> {
        self.append_for(append, &Unlimited)
    }

    /// As [`Self::append`], within the budget of a call.
    ///
    /// # Errors
    /// As [`Self::append`], and that of the budget; then nothing is written.
    pub fn append_for(&self, append: &Append, budget: &dyn Budget) -> Result<Row> {
        write::append(self.handle.live()?, &self.name, append, budget)
    }
}
