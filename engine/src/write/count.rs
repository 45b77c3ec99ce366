//! Increments and appends: new values are computed from old ones under the lock of the row.

use bytes::Bytes;
use smallvec::SmallVec;

use super::busy::transact_locked_row;
use super::draft::{Draft, ttl, write_value};
use super::limits;
use super::locked_row::LockedRow;
use crate::catalog::{Family, TableState};
use crate::cell::{Cell, CellKind, Row};
use crate::core::Core;
use crate::error::{Error, ErrorKind, Result};
use crate::mutation::{Append, Durability, Increment, check_family_of_increment};
use crate::name::TableName;
use crate::read::Budget;
use crate::request::check_row;
use crate::store::Transaction;

/// The bytes of a counter.
const COUNTER: usize = size_of::<i64>();

/// The part of an operation that applies to one column.
#[derive(Clone, Copy)]
struct Step<'a> {
    row: &'a [u8],
    family: &'a [u8],
    qualifier: &'a [u8],
    delta: Delta<'a>,
    ttl_ms: Option<i64>,
}

#[derive(Clone, Copy)]
enum Delta<'a> {
    Amount(i64),
    Suffix(&'a [u8]),
}

/// The new version of a column.
struct NewVersion<'a> {
    family: &'a Family,
    timestamp: i64,
    value: Bytes,
}

/// An increment or an append.
struct Operation<'a> {
    row: &'a Bytes,
    /// With the qualifiers of the results.
    steps: Vec<(Step<'a>, &'a Bytes)>,
    durability: Durability,
}

/// Adds to counters. Returns the new cells, ordered by family and qualifier.
pub(crate) fn increment(core: &Core, name: &TableName, operation: &Increment, budget: &dyn Budget) -> Result<Row> {
    operation.validate()?;
    let Increment { row, columns, ttl_ms, durability } = operation;
    let mut steps = Vec::with_capacity(columns.len());
    for (family, qualifier, amount) in columns {
        let delta = Delta::Amount(*amount);
        steps.push((Step { row, family, qualifier, delta, ttl_ms: *ttl_ms }, qualifier));
    }
    apply(core, name, Operation { row, steps, durability: *durability }, budget)
}

/// Appends to values. Returns the new cells, ordered by family and qualifier.
pub(crate) fn append(core: &Core, name: &TableName, operation: &Append, budget: &dyn Budget) -> Result<Row> {
    operation.validate()?;
    let Append { row, columns, ttl_ms, durability } = operation;
    let mut steps = Vec::with_capacity(columns.len());
    for (family, qualifier, suffix) in columns {
        let delta = Delta::Suffix(suffix);
        steps.push((Step { row, family, qualifier, delta, ttl_ms: *ttl_ms }, qualifier));
    }
    apply(core, name, Operation { row, steps, durability: *durability }, budget)
}

/// Adds to one counter of a table whose shared lock the caller holds. Returns its new value.
pub(super) fn increment_one(
    core: &Core,
    table: &TableState,
    row: &[u8],
    (family, qualifier): (&[u8], &[u8]),
    amount: i64,
) -> Result<i64> {
    check_row(row)?;
    check_family_of_increment(family)?;
    let step = Step { row, family, qualifier, delta: Delta::Amount(amount), ttl_ms: None };
    check(core, table, &step)?;
    let mut new = Bytes::new();
    transact_locked_row(core, table, row, table.durability(Durability::default()), &mut |tx, locked| {
        new = apply_step(core, tx, locked, table, &step)?.value;
        Ok(())
    })?;
    table.count_writes(row, 1, row.len() + family.len() + qualifier.len() + new.len());
    Ok(new.first_chunk().map_or(0, |value| i64::from_be_bytes(*value)))
}

fn apply(core: &Core, name: &TableName, mut operation: Operation<'_>, budget: &dyn Budget) -> Result<Row> {
    // The sort is stable: if a column is named twice, the later step stays last, and its result is stored.
    operation.steps.sort_by_key(|(step, _)| (step.family, step.qualifier));
    core.catalog.with_shared_lock(name, |table| {
        for (step, _) in &operation.steps {
            check(core, table, step)?;
        }
        let mut cells = Vec::<Cell>::new();
        transact_locked_row(core, table, operation.row, table.durability(operation.durability), &mut |tx, locked| {
            // The cells of an earlier run of this body.
            for cell in cells.drain(..) {
                budget.release(1, cell.qualifier.len() + cell.value.len());
            }
            // An unknown family is reported rather than a value of another column that is no counter.
            for (step, _) in &operation.steps {
                table.family(step.family, step.row)?;
            }
            for (step, qualifier) in &operation.steps {
                // Claimed cell by cell, because a column that is named often has as many results, each as long as the
                // column.
                let NewVersion { family, timestamp, value } = apply_step(core, tx, locked, table, step)?;
                budget.take(1, qualifier.len() + value.len())?;
                cells.push(Cell {
                    row: operation.row.clone(),
                    family: family.name.clone(),
                    qualifier: Bytes::clone(qualifier),
                    timestamp,
                    kind: CellKind::Put,
                    value,
                });
            }
            Ok(())
        })?;
        let row = Row { key: operation.row.clone(), cells, partial: false };
        table.count_writes(&row.key, 1, row.bytes());
        Ok(row)
    })
}

/// Checks the table and the size of the operand.
fn check(core: &Core, table: &TableState, step: &Step<'_>) -> Result<()> {
    table.check_writable()?;
    let operand: &[u8] = match step.delta {
        Delta::Amount(_) => &[0; COUNTER],
        Delta::Suffix(suffix) => suffix,
    };
    limits::check_delta(core.limits.server_cell_bytes, step.row, step.family, step.qualifier, operand)
}

/// Computes the new version of a column, and writes it.
fn apply_step<'a>(
    core: &Core,
    tx: &mut dyn Transaction,
    locked: &mut LockedRow<'_>,
    table: &'a TableState,
    step: &Step<'_>,
) -> Result<NewVersion<'a>> {
    let Step { row, qualifier, .. } = *step;
    let clock_ms = tx.clock_ms();
    let family = table.family(step.family, row)?;
    let old = locked.newest(tx, family, qualifier)?;
    let timestamp = old.as_ref().map_or(tx.now_ms(), |old| tx.version_after(old.timestamp));
    let old_value = old.as_ref().map(|old| &old.value);
    let mut new = SmallVec::<[u8; COUNTER]>::new();
    match step.delta {
        Delta::Amount(amount) => new.extend_from_slice(&sum(old_value.map(|old| &old.bytes[..]), amount)?),
        Delta::Suffix(suffix) => {
            new.extend_from_slice(old_value.map_or(&[][..], |old| &old.bytes));
            new.extend_from_slice(suffix);
        }
    }
    limits::check_result(core.limits.server_cell_bytes, table, row, step.family, qualifier, &new)?;
    let ttl_ms = match step.ttl_ms {
        Some(_) => ttl(step.ttl_ms),
        None => old_value.and_then(|old| old.ttl_ms),
    };
    let draft = Draft { family, qualifier, timestamp, kind: CellKind::Put, bytes: &new };
    let stored = write_value(tx, row, ttl_ms, &draft, clock_ms)?;
    tx.assigned(timestamp, false);
    Ok(NewVersion { family, timestamp, value: stored.unwrap_or_else(|| Bytes::copy_from_slice(&new)) })
}

fn sum(old: Option<&[u8]>, amount: i64) -> Result<[u8; COUNTER]> {
    let old = match old {
        None => 0,
        Some(bytes) => {
            let number = bytes.try_into().map_err(|_| {
                Error::new(ErrorKind::NotALong, format!("Field is not a long, it's {} bytes wide", bytes.len()))
                    .with_remedy("a counter is a value of exactly 8 bytes; delete the value or write one of 8 bytes")
            })?;
            i64::from_be_bytes(number)
        }
    };
    Ok(old.wrapping_add(amount).to_be_bytes())
}
