//! Several mutations in one call: each by itself, cut by region as HBase's client library sends them.

use bytes::Bytes;
use hjall_engine::name::TableName;
use hjall_engine::{Error, Table};

use super::error::{Answer, local};
use crate::gateway::context::Context;
use crate::gateway::error::once_located;
use crate::gateway::region_batch;

/// Applies what can be applied, and returns the failures.
///
/// A request that a region server cannot even read (`row` tells its row and what is wrong with it) fails its region's share as a whole.
pub fn apply<R>(
    context: &Context,
    name: &TableName,
    requests: &[R],
    row: impl Fn(&R) -> (&Bytes, Option<&Error>),
    send: impl Fn(&Table, Vec<&R>) -> Vec<Result<(), Error>>,
) -> Answer<Vec<Error>> {
    let table = context.engine.table(name);
    let requests: Vec<&R> = requests.iter().collect();
    let Some(refusal) = requests.iter().find_map(|request| row(request).1) else {
        return Ok(send(&table, requests).into_iter().filter_map(Result::err).collect());
    };
    let refused = || Error::new(refusal.kind(), refusal.message());
    if !context.engine.is_table_enabled(name).unwrap_or(false) {
        return Ok(requests.iter().map(|_| once_located(&context.engine, name, refused())).collect());
    }
    let regions = context.engine.regions(name).map_err(|e| local(&e))?;
    let doomed = |request: &&R| row(request).1.is_some();
    let (lost, sound) = region_batch::split(&regions, &requests, |request| &row(request).0[..], doomed);
    let mut failures: Vec<Error> = lost.iter().map(|_| refused()).collect();
    if !sound.is_empty() {
        failures.extend(send(&table, sound).into_iter().filter_map(Result::err));
    }
    Ok(failures)
}
