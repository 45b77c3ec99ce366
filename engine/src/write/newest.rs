//! What a write needs to know of a column: its newest visible versions.

use crate::catalog::Family;
use crate::error::Result;
use crate::store::Snapshot;
use crate::value::Value;

/// One version as it is stored.
pub(super) struct Version {
    /// Its timestamp.
    pub timestamp: i64,
    /// Its value, with its TTL.
    pub value: Value,
}

/// The newest visible versions of a column, newest first, at most `count` and at most VERSIONS.
pub(super) fn newest(
    _snapshot: &dyn Snapshot,
    _family: &Family,
    _row: &[u8],
    _qualifier: &[u8],
    _count: usize,
    _now_ms: i64,
) -> Result<Vec<Version>> {
    todo!()
}
