//! Schemas of tables.

use hjall_engine::mutation::Durability;
use hjall_engine::name::TableName;
use hjall_engine::quote;
use hjall_engine::read::Budget;
use hjall_engine::schema::{FamilyDescriptor, TableDescriptor};
use hjall_engine::{Error, ErrorKind};

use super::body::Body;
use super::error::{Answer, Failure};
use super::schema_model::{FamilySchema, TableSchema};
use super::{Response, server, table_name};
use crate::gateway::context::CallContext;
use crate::wire::method::Method;
use crate::wire::rest::Request;

/// The schema of a table.
pub(super) fn get(context: &CallContext<'_>, request: &Request) -> Answer {
    let table = context.engine.describe(&table_name(request)?).map_err(|error| Failure::of(&error))?;
    let output = server::output(request);
    let body = TableSchema::of(&table).written(output.kind)?;
    context.scope.take(0, body.len()).map_err(|error| Failure::of(&error))?;
    let response = Response::empty(200).with("Content-Type", output.content_type).uncached();
    Ok(Response { body: Body::Bytes(body), ..response })
}

fn family(sent: FamilySchema) -> Answer<FamilyDescriptor> {
    let name = sent.name.ok_or_else(|| Failure::bad("a ColumnSchema has no name: send the name of the family"))?;
    let mut family = FamilyDescriptor::new(name.into_bytes()).map_err(|error| Failure::of(&error))?;
    for (key, value) in sent.attributes {
        family.set(key.into_bytes(), value.into_bytes());
    }
    Ok(family)
}

fn descriptor(name: &TableName, sent: TableSchema) -> Answer<TableDescriptor> {
    let mut table = TableDescriptor::new(name.clone());
    for (key, value) in sent.attributes {
        // HBase's gateway never answers then, and the name of the table cannot be used any more.
        if key == "DURABILITY" && Durability::from_name(&value).is_none() {
            return Err(Failure::bad(format!(
                "there is no DURABILITY \"{}\": use USE_DEFAULT, SKIP_WAL, ASYNC_WAL, SYNC_WAL or FSYNC_WAL",
                quote::escaped_text(&value)
            )));
        }
        table.set(key.into_bytes(), value.into_bytes());
    }
    for one in sent.families {
        table.add_family(family(one)?).map_err(|error| Failure::of(&error))?;
    }
    Ok(table)
}

/// Creates the table, or replaces its schema.
pub(super) fn replace(context: &CallContext<'_>, request: &Request, body: &[u8]) -> Answer {
    let name = table_name(request)?;
    let exists = may_change(context, request, &name)?;
    let table = descriptor(&name, TableSchema::read(context, request, body)?)?;
    if !exists {
        return create(context, request, table);
    }
    require_enabled(context, &name)?;
    context.changes().modify_table(table).map_err(|error| Failure::of(&error))?;
    Ok(created(request))
}

fn created(request: &Request) -> Response {
    Response::empty(201).with("Location", request.location.clone())
}

/// Creates a table, and never changes one: it may exist meanwhile.
fn create(context: &CallContext<'_>, request: &Request, table: TableDescriptor) -> Answer {
    match context.changes().create_table(table, Vec::new()) {
        Ok(()) => Ok(created(request)),
        Err(error) if error.kind() == ErrorKind::TableExists => {
            Ok(Response::empty(304).with("Content-Type", "text/plain"))
        }
        Err(error) => Err(Failure::of(&error)),
    }
}

/// Adds families and changes those that exist. Creates a table that does not exist.
pub(super) fn update(context: &CallContext<'_>, request: &Request, body: &[u8]) -> Answer {
    let name = table_name(request)?;
    if !may_change(context, request, &name)? {
        let table = descriptor(&name, TableSchema::read(context, request, body)?)?;
        return create(context, request, table);
    }
    let sent = TableSchema::read(context, request, body)?;
    let families = sent.families.into_iter().map(family).collect::<Answer<Vec<_>>>()?;
    require_enabled(context, &name)?;
    let known = context.engine.describe(&name).map_err(|error| Failure::of(&error))?;
    for family in families {
        let changed = match known.families.contains_key(&family.name) {
            true => context.changes().modify_family(&name, family),
            false => context.changes().add_family(&name, family),
        };
        changed.map_err(|error| Failure::of(&error))?;
    }
    Ok(Response::empty(200))
}

/// Disables and drops a table.
pub(super) fn delete(context: &CallContext<'_>, request: &Request) -> Answer {
    let name = table_name(request)?;
    match context.changes().disable_table(&name) {
        Err(error) if error.kind() != ErrorKind::TableDisabled => return Err(Failure::of(&error)),
        _ => {}
    }
    context.changes().delete_table(&name).map(|()| Response::empty(200)).map_err(|error| Failure::of(&error))
}

/// Checks that the user may create the table or change it. Returns whether it exists. A user who may not see the table
/// is refused as if it did not exist.
fn may_change(context: &CallContext<'_>, request: &Request, name: &TableName) -> Answer<bool> {
    let (method, exists) = (Method::Rest(request.method), context.engine.table_exists(name));
    if !exists || !context.sees(name) {
        context.require_create(method, name).map_err(|fault| Failure::new(403, fault))?;
    }
    let checked = if exists { context.require_admin(method, name) } else { Ok(()) };
    checked.map(|()| exists).map_err(|fault| Failure::new(403, fault))
}

/// HBase's gateway takes the table offline before it changes it, which fails if the table is disabled.
fn require_enabled(context: &CallContext<'_>, name: &TableName) -> Answer<()> {
    match context.engine.is_table_enabled(name) {
        Ok(true) => Ok(()),
        Ok(false) => {
            let error = Error::table_disabled(name);
            Err(Failure::with_class(503, &error))
        }
        Err(error) => Err(Failure::of(&error)),
    }
}
