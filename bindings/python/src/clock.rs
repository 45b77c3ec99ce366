//! A clock that moves only when told to.

use std::sync::Arc;

use hjall_engine::clock::{Clock, ManualClock as EngineClock};
use pyo3::prelude::*;

/// A clock that moves only when told to: with it a test sees cells expire without waiting. Times are milliseconds since 1970.
///
/// >>> import hjall
/// >>> clock = hjall.ManualClock(1_000_000)
/// >>> with hjall.memory(clock=clock) as db:
/// ...     db.create_table("t", {"f": {"time_to_live": 60}})
/// ...     table = db.table("t")
/// ...     table.put(b"r", {b"f:a": b"1"})
/// ...     clock.advance(60_000)
/// ...     print(table.row(b"r"))
/// ...     clock.advance(1)
/// ...     print(table.row(b"r"))
/// {b'f:a': b'1'}
/// {}
#[pyclass(frozen, module = "hjall")]
pub struct ManualClock(Arc<EngineClock>);

impl ManualClock {
    /// The clock, for an engine.
    pub fn shared(&self) -> Arc<dyn Clock> {
        Arc::<EngineClock>::clone(&self.0)
    }
}

#[pymethods]
impl ManualClock {
    #[new]
    #[pyo3(signature = (now_ms=1_700_000_000_000))]
    fn new(now_ms: i64) -> Self {
        Self(Arc::new(EngineClock::at(now_ms)))
    }

    /// The time it shows, in milliseconds since 1970.
    #[getter]
    fn now_ms(&self) -> i64 {
        self.0.now_ms()
    }

    /// Moves it by so many milliseconds; backwards if they are negative.
    fn advance(&self, ms: i64) {
        self.0.advance(ms);
    }

    /// Sets it, in milliseconds since 1970; backwards as well.
    fn set(&self, now_ms: i64) {
        self.0.set(now_ms);
    }

    fn __repr__(&self) -> String {
        format!("hjall.ManualClock({})", self.now_ms())
    }
}
