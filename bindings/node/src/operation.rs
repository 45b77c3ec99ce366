//! What a request asks for, carried out. The numbers are those of `node/lib/embedded/encode.js`.

use std::path::PathBuf;
use std::sync::Arc;

use hjall_engine::clock::Clock;
use hjall_engine::mutation::Mutation;
use hjall_engine::schema::{NamespaceDescriptor, TableDescriptor};
use hjall_engine::{Engine, Error, Options, Result, Table};

use crate::answer::Answer;
use crate::convert;
use crate::lanes::LaneKind;
use crate::request::Request;
use crate::state::State;
use crate::tables;

/// A get, the commonest call: several run as one job.
pub const GET: u8 = 1;
const CLOSE: u8 = 62;

/// The lane of an operation.
pub fn lane(operation: u8) -> LaneKind {
    match operation {
        1..=3 => LaneKind::Read,
        4..=9 => LaneKind::Write,
        10 => LaneKind::Scan,
        _ => LaneKind::Admin,
    }
}

/// Whether an operation goes on although the database is being closed.
pub fn closes(operation: u8) -> bool {
    operation == CLOSE
}

/// Carries out a request. `in_lane`: as a job of the admin lane, which closing has to leave out when it waits for calls under way.
pub fn run(state: &State, from: &mut Request, out: &mut Answer<'_>, in_lane: bool) -> Result<()> {
    match from.u8()? {
        operation @ 1..=10 => rows(state, operation, from, out),
        operation @ 20..=34 => admin(&state.engine()?, operation, from, out),
        operation @ 40..=44 => namespaces(&state.engine()?, operation, from, out),
        50 => {
            out.i64(state.engine()?.now_ms());
            Ok(())
        }
        51 => {
            out.bytes(state.engine()?.cluster_id().as_bytes());
            Ok(())
        }
        60 => state.open(|| {
            let path = PathBuf::from(from.text()?);
            Engine::open(&path, options(state, from)?)
        }),
        61 => state.open(|| Engine::memory(options(state, from)?)),
        CLOSE => state.close(in_lane),
        70 => {
            let (host, port) = state.servers.start(state.engine()?, from)?;
            out.bytes(host.as_bytes());
            out.u32(u32::from(port));
            Ok(())
        }
        71 => {
            state.servers.stop(from.u32()?);
            Ok(())
        }
        other => Err(Error::invalid(format!("there is no operation with the number {other}"))),
    }
}

fn options(state: &State, from: &mut Request) -> Result<Options> {
    let size = |bytes: i64| u64::try_from(bytes).map_err(|_| Error::invalid("a size in bytes cannot be negative"));
    Ok(Options {
        clock: state.clock().map(|clock| clock as Arc<dyn Clock>),
        cache_bytes: from.maybe(Request::i64)?.map(size).transpose()?,
        write_buffer_bytes: from.maybe(Request::i64)?.map(size).transpose()?,
        ..Options::default()
    })
}

fn rows(state: &State, operation: u8, from: &mut Request, out: &mut Answer<'_>) -> Result<()> {
    if operation == 10 {
        return scan(state, from, out);
    }
    let table = state.table(from)?;
    match operation {
        GET => maybe_row(table.get(&convert::get(from)?)?, out),
        2 => out.u8(u8::from(table.exists(&convert::get(from)?)?)),
        3 => {
            let gets = from.list(convert::get)?;
            out.list(gets.iter(), |out, get| match table.get(get) {
                Ok(row) => maybe_row(row, out),
                Err(error) => {
                    out.u8(2);
                    out.error(&error);
                }
            });
        }
        4 => mutate(&table, convert::mutation(from)?)?,
        5 => {
            let results = mutate_many(&table, from.list(convert::mutation)?);
            out.list(results.iter(), |out, result| match result {
                Ok(()) => out.u8(0),
                Err(error) => {
                    out.u8(1);
                    out.error(error);
                }
            });
        }
        6 => table.mutate_row(&from.bytes()?, &from.list(convert::mutation)?)?,
        7 => {
            let (check, mutations) = (convert::check(from)?, from.list(convert::mutation)?);
            out.u8(u8::from(table.check_and_mutate(&check, &mutations)?));
        }
        8 => out.row(&table.increment(&convert::increment(from)?)?),
        _ => out.row(&table.append(&convert::append(from)?)?),
    }
    Ok(())
}

/// 0: there is no such row; 1: it follows.
fn maybe_row(row: hjall_engine::Row, out: &mut Answer<'_>) {
    out.u8(u8::from(!row.cells.is_empty()));
    if !row.cells.is_empty() {
        out.row(&row);
    }
}

fn mutate(table: &Table, mutation: Mutation) -> Result<()> {
    match mutation {
        Mutation::Put(put) => table.put(&put),
        Mutation::Delete(delete) => table.delete(&delete),
    }
}

/// Neighbours of a kind go to the engine together; their order stays.
fn mutate_many(table: &Table, mutations: Vec<Mutation>) -> Vec<Result<()>> {
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
    results
}

/// The next block of a scan; the first request for one carries the scan itself.
fn scan(state: &State, from: &mut Request, out: &mut Answer<'_>) -> Result<()> {
    let number = from.u32()?;
    if from.flag()? {
        let table = state.table(from)?;
        state.scanners.add(number, table.scan(convert::scan(from)?)?);
    }
    state.scanners.next(number, out)
}

fn descriptor(table: &TableDescriptor, out: &mut Answer<'_>) {
    out.bytes(table.name.to_string().as_bytes());
    out.list(table.families.values(), |out, family| {
        out.bytes(&family.name);
        out.list(family.attributes.iter(), |out, (key, value)| {
            out.bytes(key);
            out.bytes(value);
        });
        out.list(family.configuration.iter(), |out, (key, value)| {
            out.bytes(key);
            out.bytes(value);
        });
    });
    out.list(table.attributes.iter(), |out, (key, value)| {
        out.bytes(key);
        out.bytes(value);
    });
}

fn admin(engine: &Engine, operation: u8, from: &mut Request, out: &mut Answer<'_>) -> Result<()> {
    match operation {
        20 => engine.create_table(convert::descriptor(from)?, from.list(Request::bytes)?)?,
        21 => engine.modify_table(convert::descriptor(from)?)?,
        22 => engine.delete_table(&tables::name(from)?)?,
        23 => engine.truncate_table(&tables::name(from)?, from.flag()?)?,
        24 => engine.enable_table(&tables::name(from)?)?,
        25 => engine.disable_table(&tables::name(from)?)?,
        26 => out.u8(u8::from(engine.is_table_enabled(&tables::name(from)?)?)),
        27 => out.u8(u8::from(engine.table_exists(&tables::name(from)?))),
        28 => descriptor(&engine.describe(&tables::name(from)?)?, out),
        29 => out.list(engine.tables().iter(), |out, (table, enabled)| {
            descriptor(table, out);
            out.u8(u8::from(*enabled));
        }),
        30 => out.list(engine.regions(&tables::name(from)?)?.iter(), |out, region| {
            out.i64(region.id);
            out.bytes(&region.start);
            out.bytes(&region.end);
        }),
        31 => engine.add_family(&tables::name(from)?, convert::family(from)?)?,
        32 => engine.modify_family(&tables::name(from)?, convert::family(from)?)?,
        33 => engine.delete_family(&tables::name(from)?, &from.bytes()?)?,
        _ => {
            let (name, what) = (tables::name(from)?, from.u8()?);
            if what == 0 { engine.flush(&name)? } else { engine.compact(&name, what == 2)? }
        }
    }
    Ok(())
}

fn namespace(found: &NamespaceDescriptor, out: &mut Answer<'_>) {
    out.bytes(found.name.as_bytes());
    out.list(found.configuration.iter(), |out, (key, value)| {
        out.bytes(key.as_bytes());
        out.bytes(value.as_bytes());
    });
}

fn namespaces(engine: &Engine, operation: u8, from: &mut Request, out: &mut Answer<'_>) -> Result<()> {
    match operation {
        40 => engine.create_namespace(convert::namespace(from)?)?,
        41 => engine.modify_namespace(convert::namespace(from)?)?,
        42 => engine.delete_namespace(&from.text()?)?,
        43 => namespace(&engine.namespace(&from.text()?)?, out),
        _ => out.list(engine.namespaces().iter(), |out, found| namespace(found, out)),
    }
    Ok(())
}
