//! Filters of gets and scans, in HBase's filter language or serialised.

use std::sync::Arc;

use hjall_engine::Error;
use hjall_engine::filter::FilterSpec;

use super::error::{Answer, data, illegal, local};
use crate::gateway::context::CallContext;
use crate::gateway::filters::{self, Unbuilt};
use crate::wire::fault::Fault;

/// Parses a filter. An error is reported as a malformed argument.
pub fn from_text(context: &CallContext<'_>, text: &[u8]) -> Answer<Arc<FilterSpec>> {
    filters::build(context, text.len(), || FilterSpec::parse(text)).map_err(|unbuilt| fault(unbuilt, illegal))
}

/// Deserialises a filter. An error is reported as an exception that the gateway declares.
pub fn from_bytes(context: &CallContext<'_>, bytes: &[u8]) -> Answer<Arc<FilterSpec>> {
    let built = filters::build(context, bytes.len(), || FilterSpec::from_bytes(bytes));
    built.map_err(|unbuilt| fault(unbuilt, |error| local(&error)))
}

fn fault(unbuilt: Unbuilt<Error>, malformed: impl Fn(Error) -> Fault) -> Fault {
    match unbuilt {
        Unbuilt::Malformed(error) => malformed(error),
        Unbuilt::NoRoom(error) => data(&error),
    }
}
