//! A clock for tests.

use std::sync::Arc;

use hjall_engine::clock::{Clock, ManualClock as EngineClock};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use crate::convert;

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

/// The milliseconds of an integer or of a `datetime.timedelta`.
fn milliseconds(step: &Bound<'_, PyAny>) -> PyResult<i64> {
    let what = "the step of a clock";
    let delta = step.py().import("datetime")?.getattr("timedelta")?;
    if step.is_instance(&delta)? {
        return convert::integer(&step.floor_div(delta.call1((0, 0, 1000))?)?, what);
    }
    if !step.hasattr("__index__")? {
        let given = step.get_type().name()?;
        return Err(PyTypeError::new_err(format!(
            "{what} must be an integer (milliseconds) or a datetime.timedelta, not {given}"
        )));
    }
    convert::integer(step, what)
}

#[pymethods]
impl ManualClock {
    #[new]
    #[pyo3(signature = (now_ms=None), text_signature = "(now_ms=1700000000000)")]
    fn new(now_ms: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let now_ms = now_ms.map_or(Ok(1_700_000_000_000), |now_ms| convert::integer(now_ms, "now_ms"))?;
        Ok(Self(Arc::new(EngineClock::at(now_ms))))
    }

    /// The current time of the clock, in milliseconds since 1970.
    #[getter]
    fn now_ms(&self) -> i64 {
        self.0.now_ms()
    }

    /// Moves the clock forward by a number of milliseconds or by a `datetime.timedelta`, or back if it is negative.
    ///
    /// The time of an open database never goes back. It stays at the latest time that the database has seen, and while
    /// the clock is more than 100 ms behind that, it advances by half of what `advance` moves the clock.
    ///
    /// >>> import datetime, hjall
    /// >>> clock = hjall.ManualClock(0)
    /// >>> clock.advance(datetime.timedelta(minutes=1))
    /// >>> clock.now_ms
    /// 60000
    fn advance(&self, step: &Bound<'_, PyAny>) -> PyResult<()> {
        self.0.advance(milliseconds(step)?);
        Ok(())
    }

    /// Sets the clock to `now_ms`, in milliseconds since 1970. The time may be earlier than the current one; that of an
    /// open database does not go back with it, see `advance`.
    fn set(&self, now_ms: &Bound<'_, PyAny>) -> PyResult<()> {
        self.0.set(convert::integer(now_ms, "now_ms")?);
        Ok(())
    }

    fn __repr__(&self) -> String {
        format!("hjall.ManualClock({})", self.now_ms())
    }
}
