//! Reads the engine's arguments from requests. The order of fields is that of `node/lib/embedded/encode.js`.

use std::collections::BTreeMap;
use std::sync::Arc;

use bytes::Bytes;
use hjall_engine::Result;
use hjall_engine::filter::FilterSpec;
use hjall_engine::mutation::{
    Append, Check, CompareOp, Delete, Durability, Increment, Marker, MarkerKind, Mutation, Put, PutCell,
};
use hjall_engine::name::TableName;
use hjall_engine::request::{Columns, Get, Scan, TimeRange};
use hjall_engine::schema::{FamilyDescriptor, NamespaceDescriptor, TableDescriptor};

use crate::request::Request;
use crate::vocabulary::{self, FilterForm, MutationKind};

fn columns(from: &mut Request) -> Result<Columns> {
    let mut columns = Columns::all();
    for (family, qualifier) in from.list(|r| Ok((r.bytes()?, r.maybe(Request::bytes)?)))? {
        match qualifier {
            None => columns.add_family(family),
            Some(qualifier) => columns.add_column(family, qualifier),
        };
    }
    Ok(columns)
}

fn time_range(from: &mut Request) -> Result<TimeRange> {
    let (min, max) = (from.i64()?, from.i64()?);
    TimeRange::new(min, max)
}

fn filter(from: &mut Request) -> Result<Option<Arc<FilterSpec>>> {
    Ok(match from.code()? {
        FilterForm::None => None,
        FilterForm::Text => Some(Arc::new(FilterSpec::parse(&from.bytes()?)?)),
        FilterForm::Serialized => Some(Arc::new(FilterSpec::from_bytes(&from.bytes()?)?)),
    })
}

/// A get: its row, a flag, and if the flag is set everything else.
pub fn get(from: &mut Request) -> Result<Get> {
    let mut get = Get::new(from.bytes()?);
    if from.flag()? {
        get.columns = columns(from)?;
        get.time_range = from.maybe(time_range)?.unwrap_or_default();
        get.max_versions = from.i32()?;
        get.store_limit = from.i32()?;
        get.store_offset = from.i32()?;
        get.filter = filter(from)?;
        get.raw = from.flag()?;
    }
    Ok(get)
}

/// A scan.
pub fn scan(from: &mut Request) -> Result<Scan> {
    Ok(Scan {
        start: from.bytes()?,
        stop: from.bytes()?,
        columns: columns(from)?,
        time_range: from.maybe(time_range)?.unwrap_or_default(),
        family_time_ranges: from.list(|r| Ok((r.bytes()?, time_range(r)?)))?.into_iter().collect(),
        max_versions: from.i32()?,
        batch: from.i32()?,
        limit: from.i32()?,
        caching: from.i32()?,
        reversed: from.flag()?,
        filter: filter(from)?,
        raw: from.flag()?,
    })
}

fn durability(from: &mut Request) -> Result<Durability> {
    Ok(match from.code()? {
        vocabulary::Durability::UseDefault => Durability::UseDefault,
        vocabulary::Durability::SkipWal => Durability::SkipWal,
        vocabulary::Durability::AsyncWal => Durability::AsyncWal,
        vocabulary::Durability::SyncWal => Durability::SyncWal,
        vocabulary::Durability::FsyncWal => Durability::FsyncWal,
    })
}

/// A put. A cell has a flag, and unless it is set, a column: if it is set, the column is that of the cell at the same
/// place in `before`.
fn put(from: &mut Request, before: &[PutCell]) -> Result<Put> {
    let mut before = before.iter();
    Ok(Put {
        row: from.bytes()?,
        ttl_ms: from.maybe(Request::i64)?,
        durability: durability(from)?,
        cells: from.list(|r| {
            let (family, qualifier) = match (before.next(), r.flag()?) {
                (Some(cell), true) => (cell.family.clone(), cell.qualifier.clone()),
                _ => (r.bytes()?, r.bytes()?),
            };
            Ok(PutCell { family, qualifier, timestamp: r.i64()?, value: r.bytes()? })
        })?,
    })
}

fn marker(from: &mut Request) -> Result<Marker> {
    let kind = match from.code()? {
        vocabulary::MarkerKind::Version => MarkerKind::Version,
        vocabulary::MarkerKind::Column => MarkerKind::Column,
        vocabulary::MarkerKind::Family => MarkerKind::Family,
        vocabulary::MarkerKind::FamilyVersion => MarkerKind::FamilyVersion,
    };
    Ok(Marker { kind, family: from.bytes()?, qualifier: from.bytes()?, timestamp: from.i64()? })
}

fn delete(from: &mut Request) -> Result<Delete> {
    Ok(Delete {
        row: from.bytes()?,
        ttl_ms: from.maybe(Request::i64)?,
        durability: durability(from)?,
        timestamp: from.i64()?,
        markers: from.list(marker)?,
    })
}

/// A put or a delete, after its kind.
pub fn mutation(from: &mut Request) -> Result<Mutation> {
    mutation_after(from, None)
}

fn mutation_after(from: &mut Request, before: Option<&Mutation>) -> Result<Mutation> {
    Ok(match from.code()? {
        MutationKind::Put => {
            let before: &[PutCell] = if let Some(Mutation::Put(before)) = before { &before.cells } else { &[] };
            Mutation::Put(put(from, before)?)
        }
        MutationKind::Delete => Mutation::Delete(delete(from)?),
    })
}

/// A list of puts and deletes.
pub fn mutations(from: &mut Request) -> Result<Vec<Mutation>> {
    from.list_after(mutation_after)
}

/// An increment.
pub fn increment(from: &mut Request) -> Result<Increment> {
    Ok(Increment {
        row: from.bytes()?,
        ttl_ms: from.maybe(Request::i64)?,
        durability: durability(from)?,
        columns: from.list(|r| Ok((r.bytes()?, r.bytes()?, r.i64()?)))?,
    })
}

/// An append.
pub fn append(from: &mut Request) -> Result<Append> {
    Ok(Append {
        row: from.bytes()?,
        ttl_ms: from.maybe(Request::i64)?,
        durability: durability(from)?,
        columns: from.list(|r| Ok((r.bytes()?, r.bytes()?, r.bytes()?)))?,
    })
}

/// A check.
pub fn check(from: &mut Request) -> Result<Check> {
    Ok(Check {
        row: from.bytes()?,
        family: from.bytes()?,
        qualifier: from.bytes()?,
        op: compare_op(from)?,
        value: from.maybe(Request::bytes)?,
    })
}

fn compare_op(from: &mut Request) -> Result<CompareOp> {
    Ok(match from.code()? {
        vocabulary::CompareOp::Less => CompareOp::Less,
        vocabulary::CompareOp::LessOrEqual => CompareOp::LessOrEqual,
        vocabulary::CompareOp::Equal => CompareOp::Equal,
        vocabulary::CompareOp::NotEqual => CompareOp::NotEqual,
        vocabulary::CompareOp::GreaterOrEqual => CompareOp::GreaterOrEqual,
        vocabulary::CompareOp::Greater => CompareOp::Greater,
        vocabulary::CompareOp::NoOp => CompareOp::NoOp,
    })
}

/// Attributes or configuration.
fn pairs(from: &mut Request) -> Result<Vec<(Bytes, Bytes)>> {
    from.list(|r| Ok((r.bytes()?, r.bytes()?)))
}

/// A family's descriptor.
pub fn family(from: &mut Request) -> Result<FamilyDescriptor> {
    let mut family = FamilyDescriptor::new(from.bytes()?)?;
    for (key, value) in pairs(from)? {
        family.set(key, value);
    }
    for (key, value) in pairs(from)? {
        family.set_configuration(key, value);
    }
    Ok(family)
}

/// A table's descriptor.
pub fn descriptor(from: &mut Request) -> Result<TableDescriptor> {
    let mut table = TableDescriptor::new(TableName::parse(&from.bytes()?)?);
    for family in from.list(family)? {
        table.add_family(family)?;
    }
    for (key, value) in pairs(from)? {
        table.set(key, value);
    }
    Ok(table)
}

/// A namespace's descriptor.
pub fn namespace(from: &mut Request) -> Result<NamespaceDescriptor> {
    let name = from.text()?;
    let configuration = from.list(|r| Ok((r.text()?, r.text()?)))?.into_iter().collect::<BTreeMap<_, _>>();
    Ok(NamespaceDescriptor { name, configuration })
}
