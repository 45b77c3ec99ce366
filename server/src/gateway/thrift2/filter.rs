//! Filters of gets and scans: a text in HBase's filter language, or HBase's serialised form.

use std::sync::Arc;

use hjall_engine::filter::FilterSpec;

use super::error::{Answer, illegal, local};

/// A text that cannot be parsed fails as any malformed argument.
pub fn from_text(text: &[u8]) -> Answer<Arc<FilterSpec>> {
    FilterSpec::parse(text).map(Arc::new).map_err(illegal)
}

/// Bytes that cannot be read as a filter fail with an exception that the gateway declares.
pub fn from_bytes(bytes: &[u8]) -> Answer<Arc<FilterSpec>> {
    FilterSpec::from_bytes(bytes).map(Arc::new).map_err(|e| local(&e))
}
