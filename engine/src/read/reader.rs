//! What every part of one read shares.

use std::sync::Arc;

use super::stop::Stop;
use crate::store::Snapshot;

/// One read: of which state, at what time.
#[derive(Clone)]
pub(super) struct Reader {
    pub(super) snapshot: Arc<dyn Snapshot>,
    /// The time by which cells expire, in milliseconds.
    pub(super) now: i64,
    pub(super) stop: Stop,
}
