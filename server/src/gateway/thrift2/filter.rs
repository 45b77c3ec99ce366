//! Filters of gets and scans, in HBase's filter language or serialised.

use std::sync::Arc;

use hjall_engine::filter::FilterSpec;

use super::error::{Answer, illegal, local};

/// Parses a filter. An error is reported as a malformed argument.
pub fn from_text(text: &[u8]) -> Answer<Arc<FilterSpec>> {
    FilterSpec::parse(text).map(Arc::new).map_err(illegal)
}

/// Deserialises a filter. An error is reported as an exception that the gateway declares.
pub fn from_bytes(bytes: &[u8]) -> Answer<Arc<FilterSpec>> {
    FilterSpec::from_bytes(bytes).map(Arc::new).map_err(|e| local(&e))
}
