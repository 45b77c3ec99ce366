//! Filters of gets and scans: a text in HBase's filter language, or HBase's serialised form.

use std::sync::Arc;

use hjall_engine::filter::FilterSpec;

use super::error::Answer;
use crate::fault::Fault;

/// A text that cannot be parsed fails as any malformed argument.
pub fn from_text(_text: &[u8]) -> Answer<Arc<FilterSpec>> {
    Err(Fault::internal("filter texts cannot be read yet"))
}

/// Bytes that cannot be read as a filter fail with an exception that the gateway declares.
pub fn from_bytes(_bytes: &[u8]) -> Answer<Arc<FilterSpec>> {
    Err(Fault::internal("serialised filters cannot be read yet"))
}
