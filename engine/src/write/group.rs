//! Lists of puts or deletes. A few transactions apply the whole list, but each mutation succeeds or fails
//! independently.

use std::collections::HashSet;
use std::sync::Arc;

use bytes::Bytes;

use super::busy::{busy_error, busy_rows, transact_row};
use super::draft::{Time, draft_delete, draft_put, encoded_bytes};
use super::limits;
use super::pair_buffer::PairBuffer;
use crate::catalog::TableState;
use crate::core::Core;
use crate::error::{ErrorKind, ListErrors, Result};
use crate::group::begin_several;
use crate::mutation::{Delete, Durability, PutOf, negative_timestamp};
use crate::name::TableName;
use crate::store::Transaction;

/// The largest number of mutations in one transaction.
const GROUP_MUTATIONS_MAX: usize = 1_000;
/// The size of a transaction in bytes. The mutation that reaches it is the last one of its transaction.
const GROUP_BYTES: usize = 4 * 1024 * 1024;
/// The number of times that a transaction is repeated without its busy rows. Each repetition may take 30 s.
const REPEATS_MAX: usize = 2;

/// A mutation of one row that can be applied in a list.
pub(crate) trait Single {
    /// The row.
    fn row(&self) -> &[u8];
    /// The durability that the caller requested.
    fn durability(&self) -> Durability;
    /// The approximate number of bytes that the mutation writes.
    fn weight(&self) -> usize;
    /// Checks what HBase's client checks, which does not depend on the table.
    fn check(&self, core: &Core) -> Result<()>;
    /// Checks what HBase's servers check.
    fn check_on_server(&self, core: &Core) -> Result<()>;
    /// The bytes that the cells of a put take at least when they are encoded. Deletes do not use the buffer for puts.
    fn encoded_bytes(&self) -> usize;
    /// Writes the cells of the mutation. If it fails, it has written none of them.
    fn draft(&self, tx: &mut dyn Transaction, table: &TableState, time: Time, buffer: &mut PairBuffer) -> Result<()>;
}

impl<B: AsRef<[u8]>> Single for PutOf<B> {
    fn row(&self) -> &[u8] {
        self.row.as_ref()
    }

    fn durability(&self) -> Durability {
        self.durability
    }

    fn weight(&self) -> usize {
        self.bytes()
    }

    fn check(&self, core: &Core) -> Result<()> {
        self.validate()?;
        self.check_cell_bytes(core.limits.client_cell_bytes)
    }

    fn check_on_server(&self, core: &Core) -> Result<()> {
        limits::check_put(core.limits.server_cell_bytes, self)?;
        match self.negative_timestamp() {
            Some(t) => Err(negative_timestamp(t).as_kind(ErrorKind::Unprocessable)),
            None => Ok(()),
        }
    }

    fn encoded_bytes(&self) -> usize {
        encoded_bytes(self)
    }

    fn draft(&self, tx: &mut dyn Transaction, table: &TableState, time: Time, buffer: &mut PairBuffer) -> Result<()> {
        draft_put(tx, table, self, time, buffer)
    }
}

impl Single for Delete {
    fn row(&self) -> &[u8] {
        &self.row
    }

    fn durability(&self) -> Durability {
        self.durability
    }

    fn weight(&self) -> usize {
        self.bytes()
    }

    fn check(&self, _core: &Core) -> Result<()> {
        self.validate()
    }

    fn check_on_server(&self, core: &Core) -> Result<()> {
        limits::check_delete(core.limits.server_cell_bytes, self)
    }

    fn encoded_bytes(&self) -> usize {
        0
    }

    fn draft(&self, tx: &mut dyn Transaction, table: &TableState, time: Time, _buffer: &mut PairBuffer) -> Result<()> {
        draft_delete(tx, table, self, time)
    }
}

/// Applies one mutation, as [`apply_each`] does.
pub(crate) fn apply_one<M: Single>(core: &Core, name: &TableName, mutation: &M) -> Result<()> {
    mutation.check(core)?;
    core.catalog.with_shared_lock(name, |table| apply_to(core, table, mutation))
}

/// Applies one mutation, which has been checked, to a table.
pub(super) fn apply_to<M: Single>(core: &Core, table: &TableState, mutation: &M) -> Result<()> {
    table.check_writable()?;
    transact_row(core, table, mutation.row(), table.durability(mutation.durability()), &mut |tx| {
        mutation.check_on_server(core)?;
        let (time, mut buffer) = (Time::of(tx), PairBuffer::for_bytes(0));
        mutation.draft(tx, table, time, &mut buffer)
    })?;
    table.count_writes(mutation.row(), 1, mutation.weight());
    Ok(())
}

/// Applies mutations in order. Returns the result of each.
pub(crate) fn apply_each<M: Single>(core: &Core, name: &TableName, mutations: &[M]) -> Vec<Result<()>> {
    apply_each_in(core, mutations, |work| core.catalog.with_shared_lock(name, work))
}

/// Applies mutations as [`apply_each`] does, to a table that `locked` passes to its argument under the table's shared
/// lock.
pub(super) fn apply_each_in<M: Single>(
    core: &Core,
    mutations: &[M],
    locked: impl FnOnce(&mut dyn FnMut(&Arc<TableState>) -> Result<()>) -> Result<()>,
) -> Vec<Result<()>> {
    let mut errors = ListErrors::default();
    let mut results: Vec<_> = mutations.iter().map(|m| errors.keep(m.check(core))).collect();
    let good: Vec<_> = (0..mutations.len()).filter(|&i| results[i].is_ok()).collect();
    if good.is_empty() {
        return results;
    }
    let held = locked(&mut |table| {
        table.check_writable()?;
        let mut rest = &good[..];
        if group_len(mutations, rest) < rest.len() {
            begin_several()?;
        }
        while !rest.is_empty() {
            let (group, later) = rest.split_at(group_len(mutations, rest));
            let list = MutationList { mutations, results: &mut results, errors: &mut errors };
            apply_group(core, table, group, list);
            let written = group.iter().filter(|&&i| results[i].is_ok()).map(|&i| &mutations[i]);
            table.count_each_write(written.map(|mutation| (mutation.row(), mutation.weight())));
            rest = later;
        }
        Ok(())
    });
    if let Err(error) = held {
        for i in good {
            results[i] = Err(error.again());
        }
    }
    results
}

/// The number of mutations, from the first of `indexes`, that form one transaction.
fn group_len<M: Single>(mutations: &[M], indexes: &[usize]) -> usize {
    let mut bytes = 0;
    let fits = |i: &&usize| {
        let before = bytes;
        bytes += mutations[**i].weight();
        before < GROUP_BYTES
    };
    indexes.iter().take(GROUP_MUTATIONS_MAX).take_while(fits).count().max(1)
}

/// A list of mutations, with the result of each.
struct MutationList<'a, M> {
    mutations: &'a [M],
    results: &'a mut [Result<()>],
    errors: &'a mut ListErrors,
}

/// Applies a group in one transaction. If some of its rows are busy, only their mutations fail: the others are applied
/// in another transaction.
fn apply_group<M: Single>(core: &Core, table: &TableState, group: &[usize], mut list: MutationList<'_, M>) {
    let mut group = group.to_vec();
    for repeats in 0.. {
        let rows = table.row_locks(group.iter().map(|&i| list.mutations[i].row()));
        let Err(error) = apply_rows(core, table, &group, &rows, &mut list) else { return };
        let MutationList { mutations, results, errors } = &mut list;
        let Some(busy) = busy_rows(&error).filter(|busy| repeats < REPEATS_MAX && !busy.names.is_empty()) else {
            for i in group {
                if results[i].is_ok() {
                    results[i] = Err(error.again());
                }
            }
            return;
        };
        let names: HashSet<&Bytes> = busy.names.iter().collect();
        let mut others = Vec::with_capacity(group.len());
        for (&i, row) in group.iter().zip(&rows) {
            if names.contains(row) {
                results[i] = errors.keep(Err(busy_error(mutations[i].row(), &busy.reason)));
            } else {
                others.push(i);
            }
        }
        if others.is_empty() {
            return;
        }
        group = others;
    }
}

/// Applies a group in one transaction. If it fails, none of the group has been applied.
fn apply_rows<M: Single>(
    core: &Core,
    table: &TableState,
    group: &[usize],
    rows: &[Bytes],
    list: &mut MutationList<'_, M>,
) -> Result<()> {
    let MutationList { mutations, results, errors } = list;
    let durability =
        group.iter().map(|&i| table.durability(mutations[i].durability())).max().unwrap_or(Durability::SyncWal);
    let bytes = group.iter().map(|&i| mutations[i].encoded_bytes()).sum();
    core.transact(rows, durability, &mut |tx| {
        let (time, mut buffer) = (Time::of(tx), PairBuffer::for_bytes(bytes));
        // Each mutation has at least one cell.
        tx.expect(group.len());
        for &i in group {
            let mutation = &mutations[i];
            let checked = mutation.check_on_server(core);
            let drafted = checked.and_then(|()| mutation.draft(tx, table, time, &mut buffer));
            results[i] = errors.keep(drafted);
        }
        Ok(())
    })
}
