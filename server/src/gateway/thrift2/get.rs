//! Reads of single rows: `get`, `getMultiple`, `exists`, `existsAll`.

use hjall_engine::name::TableName;
use hjall_engine::quote::{self, Quoted};
use hjall_engine::request::{Get, TimeRange, check_row};
use hjall_engine::{Error, ErrorKind};
use hjall_idl::hbase2::{ExistsAllArgs, ExistsArgs, GetArgs, GetMultipleArgs, TGet};

use super::convert::{check_authorizations, columns, table_name, time_range};
use super::error::{Answer, batch, batch_of, data, illegal, refused, refused_batch};
use super::filter;
use super::region::replica_missing;
use super::rows::{OneRow, Rows};
use crate::gateway::attributes::Attributes;
use crate::gateway::context::{CallContext, Context};
use crate::gateway::error::{IO, NULL_POINTER, Raised, VERSIONS_NOT_POSITIVE, once_located};
use crate::wire::fault::Fault;

/// `TConsistency.TIMELINE`.
const CONSISTENCY_TIMELINE: i32 = 2;

/// A get, and the error with which a region server would refuse it.
struct Request {
    get: Get,
    /// The error of the region server; `None` if it accepts the attributes.
    refusal: Option<Error>,
    /// Whether the refusal leaves the other gets of a batch alone.
    fails_alone: bool,
    /// The requested replica, which only TIMELINE reads consider.
    replica: Option<i32>,
    existence_only: bool,
}

impl Request {
    /// Converts a get, with checks in HBase's order, so that of several errors the same one is reported.
    fn new(context: &CallContext<'_>, sent: TGet) -> Answer<Self> {
        check_row(&sent.row).map_err(illegal)?;
        let mut get = Get::new(sent.row);
        if let Some(timestamp) = sent.timestamp {
            get.time_range = TimeRange::at(timestamp).map_err(illegal)?;
        } else if let Some(range) = &sent.time_range {
            get.time_range = time_range(range)?;
        }
        if let Some(versions) = sent.max_versions {
            if versions <= 0 {
                return Err(Fault::io(VERSIONS_NOT_POSITIVE, true));
            }
            get.max_versions = versions;
        }
        if let Some(text) = &sent.filter_string {
            get.filter = Some(filter::from_text(context, text)?);
        }
        let attributes = Attributes::new(&sent.attributes);
        check_authorizations(sent.authorizations.as_ref())?;
        get.store_limit = sent.store_limit.unwrap_or(-1);
        get.store_offset = sent.store_offset.unwrap_or(0);
        get.columns = columns(sent.columns);
        if let Some(bytes) = &sent.filter_bytes {
            get.filter = Some(filter::from_bytes(context, bytes)?);
        }
        let (mut refusal, mut fails_alone) = (attributes.check_isolation().err(), false);
        match attributes.raw() {
            Ok(raw) => get.raw = raw,
            // A region server reads this one when it opens its scanner, and catches every exception there.
            Err(error) if refusal.is_none() => (refusal, fails_alone) = (Some(error), true),
            Err(_) => {}
        }
        let timeline = sent.consistency == Some(CONSISTENCY_TIMELINE);
        let replica = sent.target_replica_id.filter(|id| timeline && *id > 0);
        Ok(Self { get, refusal, fails_alone, replica, existence_only: sent.existence_only == Some(true) })
    }

    /// The error with which a region server refuses the attributes. It looks up the families before that.
    fn refusal(&self, table: &hjall_engine::Table) -> Option<&Error> {
        self.refusal.as_ref().filter(|_| !table.lacks_family_of(&self.get.columns))
    }

    /// Converts several gets.
    fn all(context: &CallContext<'_>, sent: Vec<TGet>) -> Answer<Vec<Self>> {
        context.scope.claim_list::<Self>(sent.len()).map_err(|e| data(&e))?;
        sent.into_iter().map(|get| Self::new(context, get)).collect()
    }

    fn check_replica(&self, context: &Context, table: &TableName) -> Answer<()> {
        match self.replica {
            Some(id) if replica_missing(context, table, id)? => {
                let raised = Raised::new(IO, no_replica(id, &self.get.row, table)).with_remedy(NO_REPLICA);
                Err(Fault::io(raised.bare(), true))
            }
            _ => Ok(()),
        }
    }
}

/// The remedy for a read of a replica that the table does not have.
pub const NO_REPLICA: &str = "the table has fewer replicas (REGION_REPLICATION): read without targetReplicaId";

/// HBase's text for such a read.
pub fn no_replica(id: i32, row: &[u8], table: &TableName) -> String {
    format!("Cannot get the location for replica{id} of region for {} in {}", quote::binary(row), Quoted(table))
}

/// Reads one row.
pub fn get(context: &CallContext<'_>, a: GetArgs) -> Answer<OneRow> {
    let name = table_name(&a.table)?;
    let existence_only = a.tget.existence_only == Some(true);
    let row = one(context, &name, a.tget, |table, get| table.get_for(get, context.scope))?;
    refuse_existence_only(existence_only)?;
    Ok(OneRow(row))
}

/// Whether a get finds a cell.
pub fn exists(context: &CallContext<'_>, a: ExistsArgs) -> Answer<bool> {
    let name = table_name(&a.table)?;
    one(context, &name, a.tget, |table, get| table.exists_for(get, context.scope))
}

/// Reads several rows, in the order of the request.
pub fn get_multiple(context: &CallContext<'_>, mut a: GetMultipleArgs) -> Answer<Rows> {
    let name = table_name(&a.table)?;
    if a.tgets.len() == 1
        && let Some(single) = a.tgets.pop()
    {
        let existence_only = single.existence_only == Some(true);
        let row = one(context, &name, single, |table, get| table.get_for(get, context.scope))?;
        refuse_existence_only(existence_only)?;
        return Ok(Rows::Rows(vec![row]));
    }
    let requests = Request::all(context, a.tgets)?;
    let existence_only = requests.iter().any(|request| request.existence_only);
    let rows = many(context, &name, requests, |table, gets| table.get_many_for(gets, context.scope))?;
    refuse_existence_only(existence_only)?;
    Ok(Rows::Rows(rows))
}

/// Whether each of several gets finds a cell.
pub fn exists_all(context: &CallContext<'_>, mut a: ExistsAllArgs) -> Answer<Vec<bool>> {
    let name = table_name(&a.table)?;
    if a.tgets.len() == 1
        && let Some(single) = a.tgets.pop()
    {
        return one(context, &name, single, |table, get| table.exists_for(get, context.scope)).map(|found| vec![found]);
    }
    let requests = Request::all(context, a.tgets)?;
    many(context, &name, requests, |table, gets| table.exists_many_for(gets, context.scope))
}

/// Refuses `existence_only`, because HBase's gateway fails to convert such a result. It reads first, so that any other
/// error precedes this one.
fn refuse_existence_only(existence_only: bool) -> Answer<()> {
    match existence_only {
        true => Err(Fault::undeclared(NULL_POINTER, "existence_only has no result: call exists or existsAll")),
        false => Ok(()),
    }
}

fn one<R>(
    context: &CallContext<'_>,
    name: &TableName,
    sent: TGet,
    read: impl FnOnce(&hjall_engine::Table, &Get) -> hjall_engine::error::Result<R>,
) -> Answer<R> {
    let request = Request::new(context, sent)?;
    request.check_replica(context, name)?;
    let table = context.engine.table(name);
    if let Some(refusal) = request.refusal(&table) {
        return Err(refused(context, name, refusal));
    }
    read(&table, &request.get).map_err(|e| data(&e))
}

/// Runs several gets. If any fails, the call fails.
fn many<R>(
    context: &CallContext<'_>,
    name: &TableName,
    requests: Vec<Request>,
    read: impl FnOnce(&hjall_engine::Table, &[Get]) -> hjall_engine::Result<Vec<hjall_engine::Result<R>>>,
) -> Answer<Vec<R>> {
    if requests.is_empty() {
        return Ok(Vec::new());
    }
    let table = context.engine.table(name);
    let count = requests.len();
    let unreadable = requests.iter().filter(|request| !request.fails_alone).find_map(|request| request.refusal(&table));
    if let Some(refusal) = unreadable {
        return Err(refused_batch(context, name, refusal, count));
    }
    let refusals: Vec<Error> = requests
        .iter()
        .filter_map(|request| request.refusal(&table))
        .map(|refusal| once_located(&context.engine, name, refusal.again()))
        .collect();
    let requests = requests.into_iter().filter(|request| request.refusal(&table).is_none());
    context.scope.claim_list::<hjall_engine::Result<R>>(count).map_err(|e| data(&e))?;
    let gets: Vec<Get> = requests.map(|request| request.get).collect();
    let answers = read(&table, &gets).map_err(|e| data(&e))?;
    let failures = answers.iter().filter_map(|answer| answer.as_ref().err());
    // What a region server cannot process, such as a get whose filter throws, fails the whole batch.
    if let Some(failure) = failures.clone().find(|error| error.kind() == ErrorKind::Unprocessable) {
        return Err(batch_of(context, failure, count));
    }
    let failures = refusals.iter().chain(failures);
    if failures.clone().next().is_some() {
        return Err(batch(context, failures));
    }
    Ok(answers.into_iter().flatten().collect())
}
