//! Increments and appends: new values are computed from old ones under the lock of the row.

use bytes::Bytes;

use super::busy::transact_locked_row;
use super::draft::{Draft, ttl, write_value};
use super::limits;
use super::locked_row::LockedRow;
use crate::catalog::TableState;
use crate::cell::{Cell, CellKind, Row};
use crate::core::Core;
use crate::error::{Error, ErrorKind, Result};
use crate::mutation::{Append, Durability, Increment};
use crate::name::TableName;
use crate::read::Budget;
use crate::store::Transaction;

/// The part of an operation that applies to one column.
struct Step {
    family: Bytes,
    qualifier: Bytes,
    delta: Delta,
}

enum Delta {
    Amount(i64),
    Suffix(Bytes),
}

/// An increment or an append.
struct Steps<'a> {
    row: &'a Bytes,
    steps: Vec<Step>,
    ttl_ms: Option<i64>,
    durability: Durability,
}

/// Adds to counters. Returns the new cells, ordered by family and qualifier.
pub(crate) fn increment(core: &Core, name: &TableName, operation: &Increment, budget: &dyn Budget) -> Result<Row> {
    operation.validate()?;
    let step =
        |(f, q, n): &(Bytes, Bytes, i64)| Step { family: f.clone(), qualifier: q.clone(), delta: Delta::Amount(*n) };
    let steps = operation.columns.iter().map(step).collect();
    let Increment { row, ttl_ms, durability, .. } = operation;
    apply(core, name, Steps { row, steps, ttl_ms: *ttl_ms, durability: *durability }, budget)
}

/// Appends to values. Returns the new cells, ordered by family and qualifier.
pub(crate) fn append(core: &Core, name: &TableName, operation: &Append, budget: &dyn Budget) -> Result<Row> {
    operation.validate()?;
    let step = |(f, q, v): &(Bytes, Bytes, Bytes)| Step {
        family: f.clone(),
        qualifier: q.clone(),
        delta: Delta::Suffix(v.clone()),
    };
    let steps = operation.columns.iter().map(step).collect();
    let Append { row, ttl_ms, durability, .. } = operation;
    apply(core, name, Steps { row, steps, ttl_ms: *ttl_ms, durability: *durability }, budget)
}

fn apply(core: &Core, name: &TableName, mut operation: Steps<'_>, budget: &dyn Budget) -> Result<Row> {
    // The sort is stable: if a column is named twice, the later step stays last, and its result is stored.
    operation.steps.sort_by(|a, b| (&a.family, &a.qualifier).cmp(&(&b.family, &b.qualifier)));
    core.catalog.with_shared_lock(name, |table| {
        table.check_writable()?;
        for step in &operation.steps {
            let delta: &[u8] = match &step.delta {
                Delta::Amount(_) => &[0; 8],
                Delta::Suffix(bytes) => bytes,
            };
            limits::check_delta(core.limits.server_cell_bytes, operation.row, &step.family, &step.qualifier, delta)?;
        }
        let mut cells = Vec::<Cell>::new();
        transact_locked_row(core, table, operation.row, table.durability(operation.durability), &mut |tx, row| {
            // The cells of an earlier run of this body.
            for cell in cells.drain(..) {
                budget.release(1, cell.qualifier.len() + cell.value.len());
            }
            for step in &operation.steps {
                // Claimed cell by cell, because a column that is named often has as many results, each as long as the
                // column.
                let cell = apply_step(core, tx, row, table, &operation, step)?;
                budget.take(1, cell.qualifier.len() + cell.value.len())?;
                cells.push(cell);
            }
            Ok(())
        })?;
        let row = Row { key: operation.row.clone(), cells, partial: false };
        table.count_writes(&row.key, 1, row.bytes());
        Ok(row)
    })
}

/// Computes the new cell of a column, and writes it.
fn apply_step(
    core: &Core,
    tx: &mut dyn Transaction,
    locked: &mut LockedRow<'_>,
    table: &TableState,
    operation: &Steps<'_>,
    step: &Step,
) -> Result<Cell> {
    let clock_ms = tx.clock_ms();
    let row = operation.row;
    let family = table.family(&step.family, row)?;
    let old = locked.newest(tx, family, &step.qualifier)?;
    let timestamp = old.as_ref().map_or(tx.now_ms(), |o| tx.version_after(o.timestamp));
    let old_value = old.as_ref().map(|o| &o.value);
    let value = match &step.delta {
        Delta::Amount(amount) => sum(old_value.map(|v| &v.bytes[..]), *amount)?,
        Delta::Suffix(suffix) => [old_value.map_or(&[][..], |v| &v.bytes), suffix].concat(),
    };
    limits::check_result(core.limits.server_cell_bytes, table, row, &step.family, &step.qualifier, &value)?;
    let ttl_ms = match operation.ttl_ms {
        Some(_) => ttl(operation.ttl_ms),
        None => old_value.and_then(|v| v.ttl_ms),
    };
    let draft = Draft { family, qualifier: &step.qualifier, timestamp, kind: CellKind::Put, bytes: &value };
    let stored = write_value(tx, row, ttl_ms, &draft, clock_ms)?;
    let value = stored.unwrap_or_else(|| value.into());
    tx.assigned(timestamp, false);
    Ok(Cell {
        row: row.clone(),
        family: family.name.clone(),
        qualifier: step.qualifier.clone(),
        timestamp,
        kind: CellKind::Put,
        value,
    })
}

fn sum(old: Option<&[u8]>, amount: i64) -> Result<Vec<u8>> {
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
    Ok(old.wrapping_add(amount).to_be_bytes().to_vec())
}
