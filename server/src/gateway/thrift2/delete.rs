//! Deletes: `deleteSingle`, `deleteMultiple`, and the deletes in checks and row mutations.

use bytes::Bytes;
use hjall_engine::mutation::{Delete, Marker, MarkerKind};
use hjall_engine::{Error, LATEST};
use hjall_idl::hbase2::{DeleteMultipleArgs, DeleteSingleArgs, TColumn, TDelete};

use super::batch::{BatchElement, apply};
use super::convert::{durability, table_name};
use super::error::{Answer, batch, data, illegal, refused};
use crate::gateway::attributes::Attributes;
use crate::gateway::context::{CallContext, Context};
use crate::gateway::error::ILLEGAL_ARGUMENT;
use crate::gateway::markers::{Markers, nameless_family};
use crate::wire::fault::Fault;

/// A delete, and the error with which a region server would refuse it.
pub struct DeleteRequest {
    /// The delete.
    pub delete: Delete,
    /// The error of the region server; `None` if it accepts the delete.
    pub refusal: Option<Error>,
}

impl DeleteRequest {
    /// Converts a delete, with the checks of HBase's gateway.
    ///
    /// If `columns` is set, even to an empty list, the timestamp of the delete is ignored. Without markers
    /// the whole row is deleted.
    pub fn new(sent: TDelete) -> Answer<Self> {
        let mut delete = Delete::row(Bytes::from(sent.row));
        match sent.columns {
            Some(columns) => delete.markers = markers(columns, sent.delete_type)?,
            None => delete.timestamp = sent.timestamp.unwrap_or(LATEST),
        }
        delete.validate().map_err(illegal)?;
        delete.durability = durability(sent.durability);
        let mut refusal = None;
        match Attributes::new(&sent.attributes).ttl_ms() {
            Ok(ttl_ms) => delete.ttl_ms = ttl_ms,
            Err(error) => refusal = Some(error),
        }
        Ok(Self { delete, refusal })
    }
}

impl BatchElement for DeleteRequest {
    fn row(&self) -> &Bytes {
        &self.delete.row
    }

    fn refusal(&self) -> Option<&Error> {
        self.refusal.as_ref()
    }
}

/// `TDeleteType`; by default all versions of a column. An unknown number fails only if there are columns.
fn marker_kind(delete_type: Option<i32>) -> Answer<MarkerKind> {
    match delete_type {
        Some(0) => Ok(MarkerKind::Version),
        None | Some(1) => Ok(MarkerKind::Column),
        Some(2) => Ok(MarkerKind::Family),
        Some(3) => Ok(MarkerKind::FamilyVersion),
        Some(other) => {
            Err(Fault::undeclared(ILLEGAL_ARGUMENT, format_args!("there is no delete type {other}: send 0 to 3")))
        }
    }
}

fn markers(columns: Vec<TColumn>, delete_type: Option<i32>) -> Answer<Vec<Marker>> {
    let mut markers = Markers::default();
    for column in columns {
        let kind = marker_kind(delete_type)?;
        if kind == MarkerKind::FamilyVersion && column.timestamp.is_none() {
            return Err(Fault::undeclared(
                ILLEGAL_ARGUMENT,
                "Timestamp is required for TDelete with DeleteFamilyVersion type: send one for each column",
            ));
        }
        // A column without a qualifier has the empty qualifier; it does not stand for the family.
        let qualifier = match kind {
            MarkerKind::Version | MarkerKind::Column => column.qualifier.unwrap_or_default(),
            MarkerKind::Family | MarkerKind::FamilyVersion => Vec::new(),
        };
        markers.add(Marker {
            family: column.family.into(),
            qualifier: qualifier.into(),
            kind,
            timestamp: column.timestamp.unwrap_or(LATEST),
        });
    }
    Ok(markers.into_all())
}

/// Deletes cells of one row.
pub fn delete_single(context: &Context, a: DeleteSingleArgs) -> Answer<()> {
    let name = table_name(&a.table)?;
    let request = DeleteRequest::new(a.tdelete)?;
    if let Some(refusal) = &request.refusal {
        return Err(refused(context, &name, refusal));
    }
    context.engine.table(&name).delete(&request.delete).map_err(|e| data(&e))
}

/// Deletes cells of several rows separately. Failures are raised as an exception, so the returned list is
/// always empty.
pub fn delete_multiple(context: &CallContext<'_>, a: DeleteMultipleArgs) -> Answer<Vec<TDelete>> {
    let name = table_name(&a.table)?;
    context.scope.claim_list::<DeleteRequest>(a.tdeletes.len()).map_err(|e| data(&e))?;
    let mut requests = a.tdeletes.into_iter().map(DeleteRequest::new).collect::<Answer<Vec<_>>>()?;
    if requests.is_empty() {
        return Ok(Vec::new());
    }
    // A region server reads the deletes of a batch in another way than a single one, whose family it looks up.
    for request in requests.iter_mut().filter(|request| request.delete.lacks_family()) {
        request.refusal.get_or_insert_with(nameless_family);
    }
    let errors = apply(context, &name, requests, |table, requests| {
        table.delete_many(&requests.into_iter().map(|request| request.delete).collect::<Vec<_>>())
    })?;
    if errors.is_empty() { Ok(Vec::new()) } else { Err(batch(context, errors.iter())) }
}
