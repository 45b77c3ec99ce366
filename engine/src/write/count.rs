//! Increments and appends: new values from old ones, under the row's lock.

use bytes::Bytes;

use super::draft::{Draft, ttl, write};
use super::limits;
use crate::catalog::TableState;
use crate::cell::{Cell, CellKind, Row};
use crate::core::Core;
use crate::error::{Error, ErrorKind, Result};
use crate::mutation::{Append, Durability, Increment};
use crate::name::TableName;
use crate::read::{Budget, Unlimited, newest};
use crate::store::Transaction;

/// One column's part of an operation.
struct Step {
    family: Bytes,
    qualifier: Bytes,
    delta: Delta,
}

enum Delta {
    Amount(i64),
    Suffix(Bytes),
}

/// What an operation comes to, whichever it is.
struct Steps<'a> {
    row: &'a Bytes,
    steps: Vec<Step>,
    ttl_ms: Option<i64>,
    durability: Durability,
}

/// Adds to counters; the new cells in the order family, qualifier, as given.
pub(crate) fn increment(core: &Core, name: &TableName, asked: &Increment) -> Result<Row> {
    asked.validate()?;
    let step =
        |(f, q, n): &(Bytes, Bytes, i64)| Step { family: f.clone(), qualifier: q.clone(), delta: Delta::Amount(*n) };
    let steps = asked.columns.iter().map(step).collect();
    apply(core, name, Steps { row: &asked.row, steps, ttl_ms: asked.ttl_ms, durability: asked.durability }, &Unlimited)
}

/// Appends to values; the new cells in the order family, qualifier, as given.
pub(crate) fn append(core: &Core, name: &TableName, asked: &Append, budget: &dyn Budget) -> Result<Row> {
    asked.validate()?;
    let step = |(f, q, v): &(Bytes, Bytes, Bytes)| Step {
        family: f.clone(),
        qualifier: q.clone(),
        delta: Delta::Suffix(v.clone()),
    };
    let steps = asked.columns.iter().map(step).collect();
    apply(core, name, Steps { row: &asked.row, steps, ttl_ms: asked.ttl_ms, durability: asked.durability }, budget)
}

fn apply(core: &Core, name: &TableName, mut asked: Steps<'_>, budget: &dyn Budget) -> Result<Row> {
    // Stable: of a column named twice the later one stays behind, so it is what is stored.
    asked.steps.sort_by(|a, b| (&a.family, &a.qualifier).cmp(&(&b.family, &b.qualifier)));
    core.catalog.hold(name, |table| {
        table.check_writable()?;
        for step in &asked.steps {
            let delta: &[u8] = match &step.delta {
                Delta::Amount(_) => &[0; 8],
                Delta::Suffix(bytes) => bytes,
            };
            limits::check_delta(core.limits.server_cell_bytes, asked.row, &step.family, &step.qualifier, delta)?;
        }
        let mut cells = Vec::<Cell>::new();
        core.transact(&[table.row_lock(asked.row)], table.durability(asked.durability), &mut |tx| {
            for cell in cells.drain(..) {
                give_back(budget, &cell);
            }
            for step in &asked.steps {
                // Of a column named often, each result is as long as the column: they are bounded one by one.
                let cell = take(core, tx, table, &asked, step)?;
                budget.take(1, cell.qualifier.len() + cell.value.len())?;
                cells.push(cell);
            }
            Ok(())
        })?;
        Ok(Row { key: asked.row.clone(), cells, partial: false })
    })
}

fn give_back(budget: &dyn Budget, cell: &Cell) {
    budget.release(1, cell.qualifier.len() + cell.value.len());
}

/// Computes one column's new cell and writes it.
fn take(core: &Core, tx: &mut dyn Transaction, table: &TableState, asked: &Steps<'_>, step: &Step) -> Result<Cell> {
    let clock_ms = tx.clock_ms();
    let family = table.family(&step.family, asked.row)?;
    let old = newest(tx.snapshot(), family, asked.row, &step.qualifier, 1, clock_ms)?.into_iter().next();
    let timestamp = old.as_ref().map_or(tx.now_ms(), |o| tx.version_after(o.timestamp));
    let old_value = old.as_ref().map(|o| &o.value);
    let value = match &step.delta {
        Delta::Amount(amount) => sum(old_value.map(|v| &v.bytes[..]), *amount)?,
        Delta::Suffix(suffix) => [old_value.map_or(&[][..], |v| &v.bytes), suffix].concat().into(),
    };
    limits::check_result(core.limits.server_cell_bytes, table, asked.row, &step.family, &step.qualifier, &value)?;
    let ttl_ms = match asked.ttl_ms {
        Some(_) => ttl(asked.ttl_ms),
        None => old_value.and_then(|v| v.ttl_ms),
    };
    let draft = Draft { family, qualifier: &step.qualifier, timestamp, kind: CellKind::Put, bytes: value.clone() };
    write(tx, asked.row, ttl_ms, vec![draft], clock_ms)?;
    tx.assigned(timestamp, false);
    Ok(Cell {
        row: asked.row.clone(),
        family: family.name.clone(),
        qualifier: step.qualifier.clone(),
        timestamp,
        kind: CellKind::Put,
        value,
    })
}

fn sum(old: Option<&[u8]>, amount: i64) -> Result<Bytes> {
    let old = match old {
        None => 0,
        Some(bytes) => {
            let number = bytes.try_into().map_err(|_| {
                Error::new(ErrorKind::NotALong, format!("Field is not a long, it's {} bytes wide", bytes.len()))
            })?;
            i64::from_be_bytes(number)
        }
    };
    Ok(Bytes::copy_from_slice(&old.wrapping_add(amount).to_be_bytes()))
}
