//! The snapshots that scans use.

use std::sync::Arc;
use std::time::Duration;

use super::family_scan::Reader;
use crate::catalog::TableState;
use crate::core::Core;
use crate::error::Result;
use crate::stop::Stop;

/// How long a scan has been using its current snapshot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SnapshotAge {
    /// The time, by the clock of the database.
    pub time: Duration,
    /// The bytes that have been written to the database meanwhile. The store may have to keep the data that they
    /// replaced.
    pub written_bytes: u64,
}

/// A snapshot that a scan uses.
#[derive(Clone)]
pub(super) struct View {
    pub(super) reader: Arc<Reader>,
    /// [`Store::written_bytes`](crate::store::Store::written_bytes) when the snapshot was taken.
    pub(super) written_bytes: u64,
}

/// A snapshot, and the [number](TableState::number) of the table of which it was taken. HBase's client sends the read
/// point of its scanner again when it opens another one because the region has been closed.
#[derive(Clone)]
pub(super) struct Kept {
    pub(super) number: u64,
    pub(super) view: View,
}

impl View {
    /// A new snapshot, for a scan with this flag.
    pub(super) fn now(core: &Core, stop: &Stop) -> Result<Self> {
        let written_bytes = core.store.written_bytes();
        let (snapshot, now) = (core.store.snapshot()?, core.store.now_ms());
        Ok(Self { reader: Arc::new(Reader { snapshot, now, stop: stop.clone() }), written_bytes })
    }

    /// The same view for a scan with another flag.
    pub(super) fn stopped_by(&self, stop: &Stop) -> Self {
        let reader = Reader { stop: stop.clone(), ..(*self.reader).clone() };
        Self { reader: Arc::new(reader), written_bytes: self.written_bytes }
    }
}

impl Kept {
    /// The snapshot of a table.
    pub(super) fn of(table: &TableState, view: &View) -> Self {
        Self { number: table.number(), view: view.clone() }
    }
}
