//! What a running server counts.

use crate::lane::Lane;
use crate::method::LaneKind;

/// One lane's counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LaneMetrics {
    /// Which lane.
    pub kind: LaneKind,
    /// Calls running or waiting.
    pub under_way: usize,
    /// Calls finished since the start.
    pub finished: u64,
    /// Calls refused since the start because no handler and no place was free.
    pub refused: u64,
}

impl LaneMetrics {
    pub(crate) fn of(kind: LaneKind, lane: &Lane) -> Self {
        Self { kind, under_way: lane.under_way(), finished: lane.finished(), refused: lane.refused() }
    }
}
