//! Carries out requests.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use hjall_engine::clock::Clock;
use hjall_engine::mutation::Mutation;
use hjall_engine::schema::{NamespaceDescriptor, TableDescriptor};
use hjall_engine::{Engine, Error, Options, Result, Row, Table};

use crate::answer::Answer;
use crate::convert;
use crate::origin::Origin;
use crate::request::Request;
use crate::session::Session;
use crate::statistics;
use crate::tables::name;
use crate::vocabulary::{Operation, Outcome, RowOutcome};

/// Carries out a request and writes its answer.
///
/// # Errors
/// Those of the engine; `Closed`; `InvalidArgument` for a malformed request.
pub fn run(session: &Session, from: &mut Request, out: &mut Answer<'_>, origin: Origin) -> Result<()> {
    let engine = || session.engine();
    match from.code()? {
        Operation::Get => {
            let read = || session.table(from)?.get(&convert::get(from)?);
            row_or_missing(&session.pace.timed(origin, read)?, out);
        }
        Operation::Exists => {
            let read = || session.table(from)?.exists(&convert::get(from)?);
            out.flag(session.pace.timed(origin, read)?);
        }
        Operation::GetMany => get_many(&*session.table(from)?, from, out)?,
        Operation::Mutate => mutate(&*session.table(from)?, convert::mutation(from)?)?,
        Operation::MutateMany => mutate_many(&*session.table(from)?, from, out)?,
        Operation::MutateRow => {
            session.table(from)?.mutate_row(&from.bytes()?, &convert::mutations(from)?)?;
        }
        Operation::CheckAndMutate => {
            let table = session.table(from)?;
            let (check, mutations) = (convert::check(from)?, convert::mutations(from)?);
            out.flag(table.check_and_mutate(&check, &mutations)?);
        }
        Operation::Increment => out.row(&session.table(from)?.increment(&convert::increment(from)?)?),
        Operation::Append => out.row(&session.table(from)?.append(&convert::append(from)?)?),
        Operation::NextBlock => next_block(session, from, out, origin)?,
        Operation::BeginLoad => {
            let table = session.table(from)?;
            session.loads.add(from.u32()?, table.bulk_load()?);
        }
        Operation::AddToLoad => session.loads.put(from.u32()?, &convert::mutations(from)?)?,
        Operation::FinishLoad => {
            let loaded = session.loads.finish(from.u32()?)?;
            out.i64(i64::try_from(loaded.rows).unwrap_or(i64::MAX));
        }
        Operation::DiscardLoad => session.loads.discard(from.u32()?),
        Operation::CreateTable => {
            engine()?.create_table(convert::descriptor(from)?, from.list(Request::bytes)?)?;
        }
        Operation::ModifyTable => engine()?.modify_table(convert::descriptor(from)?)?,
        Operation::DeleteTable => engine()?.delete_table(&name(from)?)?,
        Operation::TruncateTable => engine()?.truncate_table(&name(from)?, from.flag()?)?,
        Operation::EnableTable => engine()?.enable_table(&name(from)?)?,
        Operation::DisableTable => engine()?.disable_table(&name(from)?)?,
        Operation::IsTableEnabled => out.flag(engine()?.is_table_enabled(&name(from)?)?),
        Operation::TableExists => out.flag(engine()?.table_exists(&name(from)?)),
        Operation::DescribeTable => descriptor(&engine()?.describe(&name(from)?)?, out),
        Operation::Tables => out.list(engine()?.tables().iter(), |out, (table, enabled)| {
            descriptor(table, out);
            out.flag(*enabled);
        }),
        Operation::Regions => out.list(engine()?.regions(&name(from)?)?.iter(), |out, region| {
            out.i64(region.id);
            out.bytes(&region.start);
            out.bytes(&region.end);
        }),
        Operation::AddFamily => engine()?.add_family(&name(from)?, convert::family(from)?)?,
        Operation::ModifyFamily => engine()?.modify_family(&name(from)?, convert::family(from)?)?,
        Operation::DeleteFamily => engine()?.delete_family(&name(from)?, &from.bytes()?)?,
        Operation::Flush => engine()?.flush(&name(from)?)?,
        Operation::Compact => {
            let (name, major) = (name(from)?, from.flag()?);
            engine()?.compact_with(&name, major, &session.compacting.begin(from.u32()?))?;
        }
        Operation::Backup => {
            let (path, incremental) = (PathBuf::from(from.text()?), from.flag()?);
            let mut report = session.copying.begin(from.u32()?)?;
            match incremental {
                false => engine()?.backup(&path, &mut report)?,
                true => engine()?.backup_incremental(&path, &mut report)?,
            }
        }
        Operation::Restore => {
            let (backup, path) = (from.text()?, from.text()?);
            let mut report = session.copying.begin(from.u32()?)?;
            Engine::restore(Path::new(&backup), Path::new(&path), Options::default(), &mut report)?;
        }
        Operation::TableStatistics => figures(&statistics::of_table(&engine()?, &name(from)?)?, out),
        Operation::Statistics => figures(&statistics::of_database(&engine()?)?, out),
        Operation::CreateNamespace => engine()?.create_namespace(convert::namespace(from)?)?,
        Operation::ModifyNamespace => engine()?.modify_namespace(convert::namespace(from)?)?,
        Operation::DeleteNamespace => engine()?.delete_namespace(&from.text()?)?,
        Operation::DescribeNamespace => namespace(&engine()?.namespace(&from.text()?)?, out),
        Operation::Namespaces => out.list(engine()?.namespaces().iter(), |out, one| namespace(one, out)),
        Operation::Now => out.i64(engine()?.now_ms()),
        Operation::ClusterId => out.bytes(engine()?.cluster_id().as_bytes()),
        Operation::Open => session.open(|| {
            let path = PathBuf::from(from.text()?);
            let options = options(session, from)?;
            Engine::open(&path, Options { read_only: from.flag()?, ..options })
        })?,
        Operation::OpenMemory => session.open(|| Engine::memory(options(session, from)?))?,
        Operation::Close => session.close(origin)?,
        Operation::Serve => {
            let address = session.servers.start(engine()?, from)?;
            out.bytes(address.ip().to_string().as_bytes());
            out.u32(u32::from(address.port()));
        }
        Operation::StopServing => session.servers.stop(from.u32()?),
    }
    Ok(())
}

fn options(session: &Session, from: &mut Request) -> Result<Options> {
    let size = |bytes: i64| u64::try_from(bytes).map_err(|_| Error::invalid("a size in bytes cannot be negative"));
    Ok(Options {
        clock: session.clock().map(|clock| clock as Arc<dyn Clock>),
        cache_bytes: from.maybe(Request::i64)?.map(size).transpose()?,
        row_cache_bytes: from.maybe(Request::i64)?.map(size).transpose()?,
        write_buffer_bytes: from.maybe(Request::i64)?.map(size).transpose()?,
        catalog_bytes: from.maybe(Request::i64)?.map(size).transpose()?,
        fsync: from.flag()?,
        sync_interval: from.maybe(Request::i64)?.map(size).transpose()?.map(Duration::from_millis),
        ..Options::default()
    })
}

fn row_or_missing(row: &Row, out: &mut Answer<'_>) {
    if row.cells.is_empty() {
        out.code(RowOutcome::Missing);
    } else {
        out.code(RowOutcome::Found);
        out.row(row);
    }
}

fn get_many(table: &Table, from: &mut Request, out: &mut Answer<'_>) -> Result<()> {
    let gets = from.list(convert::get)?;
    out.list(gets.iter(), |out, get| match table.get(get) {
        Ok(row) => row_or_missing(&row, out),
        Err(error) => {
            out.code(RowOutcome::Failed);
            out.error(&error);
        }
    });
    Ok(())
}

fn mutate(table: &Table, mutation: Mutation) -> Result<()> {
    match mutation {
        Mutation::Put(put) => table.put(&put),
        Mutation::Delete(delete) => table.delete(&delete),
    }
}

/// Consecutive mutations of one kind go to the engine together, which preserves their order.
fn mutate_many(table: &Table, from: &mut Request, out: &mut Answer<'_>) -> Result<()> {
    let mutations = convert::mutations(from)?;
    let mut results = Vec::with_capacity(mutations.len());
    let (mut puts, mut deletes) = (Vec::new(), Vec::new());
    for mutation in mutations {
        match mutation {
            Mutation::Put(put) => {
                results.append(&mut table.delete_many(&std::mem::take(&mut deletes)));
                puts.push(put);
            }
            Mutation::Delete(delete) => {
                results.append(&mut table.put_many(&std::mem::take(&mut puts)));
                deletes.push(delete);
            }
        }
    }
    results.append(&mut table.put_many(&puts));
    results.append(&mut table.delete_many(&deletes));
    out.list(results.iter(), |out, result| match result {
        Ok(()) => out.code(Outcome::Done),
        Err(error) => {
            out.code(Outcome::Failed);
            out.error(error);
        }
    });
    Ok(())
}

/// Writes the next block of a scan. The first request for a scan carries the scan itself.
fn next_block(session: &Session, from: &mut Request, out: &mut Answer<'_>, origin: Origin) -> Result<()> {
    let number = from.u32()?;
    if from.flag()? {
        return session.pace.timed(origin, || {
            let table = session.table(from)?;
            let scan = convert::scan(from)?;
            let limit = scan.limit;
            session.scanners.add(number, table.scan(scan)?, limit);
            session.scanners.next_block(number, out)
        });
    }
    session.scanners.next_block(number, out)
}

/// Writes figures: the name and value of each.
fn figures(figures: &[(&str, u64)], out: &mut Answer<'_>) {
    out.list(figures.iter(), |out, (name, value)| {
        out.bytes(name.as_bytes());
        out.i64(i64::try_from(*value).unwrap_or(i64::MAX));
    });
}

fn descriptor(table: &TableDescriptor, out: &mut Answer<'_>) {
    out.bytes(table.name.to_string().as_bytes());
    out.list(table.families.values(), |out, family| {
        out.bytes(&family.name);
        pairs(family.attributes.iter(), out);
        pairs(family.configuration.iter(), out);
    });
    pairs(table.attributes.iter(), out);
}

fn namespace(namespace: &NamespaceDescriptor, out: &mut Answer<'_>) {
    out.bytes(namespace.name.as_bytes());
    pairs(namespace.configuration.iter(), out);
}

/// Writes attributes or configuration.
fn pairs<K: AsRef<[u8]>, V: AsRef<[u8]>>(pairs: impl ExactSizeIterator<Item = (K, V)>, out: &mut Answer<'_>) {
    out.list(pairs, |out, (key, value)| {
        out.bytes(key.as_ref());
        out.bytes(value.as_ref());
    });
}
