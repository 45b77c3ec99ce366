//! Several puts and deletes of one row in one transaction, with or without a condition.

use bytes::Bytes;

use super::busy::{transact_locked_row, transact_row};
use super::draft::{Time, draft};
use super::limits;
use super::pair_buffer::PairBuffer;
use crate::catalog::TableState;
use crate::core::Core;
use crate::error::{Error, ErrorKind, Result};
use crate::mutation::{Check, CompareOp, Durability, Mutation, negative_timestamp};
use crate::name::TableName;
use crate::quote;
use crate::request::check_row;

/// The remedy for mutations of several rows.
const ONE_ROW: &str = "send the mutations of each row in a call of their own";

/// Checks what does not depend on the table.
fn check_form(mutations: &[Mutation]) -> Result<()> {
    if mutations.is_empty() {
        return Err(Error::invalid("a row mutation needs at least one put or delete"));
    }
    mutations.iter().try_for_each(Mutation::validate)
}

fn check_sizes(core: &Core, mutations: &[Mutation]) -> Result<()> {
    mutations.iter().try_for_each(|mutation| match mutation {
        Mutation::Put(put) => limits::check_put(core.limits.server_cell_bytes, put),
        Mutation::Delete(delete) => limits::check_delete(core.limits.server_cell_bytes, delete),
    })
}

fn check_timestamps(mutations: &[Mutation], kind: ErrorKind) -> Result<()> {
    let negative = mutations.iter().find_map(|m| match m {
        Mutation::Put(put) => put.negative_timestamp(),
        Mutation::Delete(_) => None,
    });
    match negative {
        Some(t) => Err(negative_timestamp(t).as_kind(kind)),
        None => Ok(()),
    }
}

/// The strongest durability of the mutations.
fn strongest(table: &TableState, mutations: &[Mutation]) -> Durability {
    mutations.iter().map(|m| table.durability(m.durability())).max().unwrap_or(Durability::SyncWal)
}

/// Applies all mutations of a row with one timestamp. If it fails, none has been applied.
///
/// A refusal applies if the table can be written and has all families.
pub(crate) fn mutate_row(
    core: &Core,
    name: &TableName,
    row: &[u8],
    mutations: &[Mutation],
    refusal: Option<&Error>,
) -> Result<()> {
    check_row(row)?;
    if let Some(other) = mutations.iter().find(|m| m.row() != row) {
        return Err(Error::new(
            ErrorKind::RowMismatch,
            format!(
                "The row in the recently added Mutation {} doesn't match the original one {}",
                quote::binary(other.row()),
                quote::binary(row)
            ),
        )
        .with_remedy(ONE_ROW));
    }
    check_form(mutations)?;
    core.catalog.with_shared_lock(name, |table| {
        table.check_writable()?;
        if let Some(refusal) = refusal {
            mutations.iter().flat_map(Mutation::families).try_for_each(|name| table.family(name, row).map(drop))?;
            return Err(refusal.again());
        }
        check_sizes(core, mutations)?;
        check_timestamps(mutations, ErrorKind::Unprocessable)?;
        transact_row(core, table, row, strongest(table, mutations), &mut |tx| {
            let (time, mut buffer) = (Time::of(tx), PairBuffer::for_bytes(0));
            mutations.iter().try_for_each(|mutation| draft(tx, table, mutation, time, &mut buffer))
        })?;
        count(table, row, mutations);
        Ok(())
    })
}

fn count(table: &TableState, row: &[u8], mutations: &[Mutation]) {
    table.count_writes(row, mutations.len(), mutations.iter().map(Mutation::bytes).sum());
}

/// Applies all mutations if the condition holds. Returns whether it held. A refusal applies only then.
pub(crate) fn check_and_mutate(
    core: &Core,
    name: &TableName,
    check: &Check,
    mutations: &[Mutation],
    refusal: Option<&Error>,
) -> Result<bool> {
    if let Some(other) = mutations.iter().find(|m| m.row() != &check.row) {
        return Err(Error::new(
            ErrorKind::RowMismatch,
            format!(
                "The row of the action {} doesn't match the original one {}",
                quote::binary(other.row()),
                quote::binary(&check.row)
            ),
        )
        .with_remedy(ONE_ROW));
    }
    check_row(&check.row)?;
    check_form(mutations)?;
    core.catalog.with_shared_lock(name, |table| {
        table.check_writable()?;
        check_sizes(core, mutations)?;
        check_timestamps(mutations, ErrorKind::Refused)?;
        let family = table.family(&check.family, &check.row)?;
        let mut holds = false;
        transact_locked_row(core, table, &check.row, strongest(table, mutations), &mut |tx, row| {
            let stored = row.newest(tx, family, &check.qualifier)?;
            holds = condition(check, stored.as_ref().map(|c| &c.value.bytes))?;
            if !holds {
                return Ok(());
            }
            if let Some(refusal) = refusal {
                return Err(refusal.again());
            }
            let mut time = Time::of(tx);
            // As in HBase, the puts are no older than the checked cell, and deletes have the time of the transaction.
            time.put_ms = time.put_ms.max(stored.map_or(i64::MIN, |c| c.timestamp));
            let mut buffer = PairBuffer::for_bytes(0);
            mutations.iter().try_for_each(|mutation| draft(tx, table, mutation, time, &mut buffer))
        })?;
        if holds {
            count(table, &check.row, mutations);
        }
        Ok(holds)
    })
}

/// Whether a condition holds for the newest visible value. As in HBase, the given value is the left operand.
fn condition(check: &Check, stored: Option<&Bytes>) -> Result<bool> {
    let given = check.value.as_ref().filter(|v| !v.is_empty());
    let (given, stored) = match (given, stored) {
        (None, stored) => return Ok(stored.is_none_or(Bytes::is_empty) == (check.op != CompareOp::NotEqual)),
        (Some(_), None) => return Ok(false),
        (Some(given), Some(stored)) => (given, stored),
    };
    Ok(match check.op {
        CompareOp::Less => given < stored,
        CompareOp::LessOrEqual => given <= stored,
        CompareOp::Equal => given == stored,
        CompareOp::NotEqual => given != stored,
        CompareOp::GreaterOrEqual => given >= stored,
        CompareOp::Greater => given > stored,
        CompareOp::NoOp => {
            return Err(Error::new(
                ErrorKind::Unprocessable,
                "the operator NO_OP does not compare values; use EQUAL, NOT_EQUAL, LESS or another one",
            ));
        }
    })
}
