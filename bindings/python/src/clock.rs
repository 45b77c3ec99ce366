//! A clock for tests.

use std::sync::Arc;

use hjall_engine::clock::{Clock, ManualClock as EngineClock};
use pyo3::prelude::*;

/// A clock that only its methods move. Tests use it to let cells expire without waiting. Times are in milliseconds
/// since 1970.
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
    /// The clock in the form that the engine takes.
    pub fn engine_clock(&self) -> Arc<dyn Clock> {
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

    /// The current time of the clock, in milliseconds since 1970.
    #[getter]
    fn now_ms(&self) -> i64 {
        self.0.now_ms()
    }

    /// Moves the clock forward by `ms` milliseconds, or back if `ms` is negative.
    fn advance(&self, ms: i64) {
        self.0.advance(ms);
    }

    /// Sets the clock to `now_ms`, in milliseconds since 1970. The time may be earlier than the current one.
    fn set(&self, now_ms: i64) {
        self.0.set(now_ms);
    }

    fn __repr__(&self) -> String {
        format!("hjall.ManualClock({})", self.now_ms())
    }
}
