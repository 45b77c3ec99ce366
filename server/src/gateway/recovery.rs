//! The thread that reopens a store that refuses writes, and notices when the machine's clock is set back.
//!
//! Every write tries to reopen it as well. But a load balancer sends no writes to a server whose `/readyz` reports the
//! failure.

use std::io;
use std::time::{Duration, Instant};

use hjall_engine::Engine;
use hjall_engine::clock::{AHEAD_WARN_MS, warn_of_lead};

use crate::gateway::periodic_thread::PeriodicThread;

/// The interval between checks.
const EVERY: Duration = Duration::from_secs(1);

/// The longest pause after a reopening. A reopening ends scanners, so a store that fails again and again is reopened
/// less and less often. The store's own pause is shorter, because writes wait for it.
const PAUSE_MAX: Duration = Duration::from_secs(15);

/// Whether the time of the database is ahead of the machine's clock.
struct ClockWatch {
    is_ahead: bool,
}

impl ClockWatch {
    /// The opening of the database has logged whether its time is ahead.
    fn new(engine: &Engine) -> Self {
        Self { is_ahead: engine.clock_ahead_ms() > AHEAD_WARN_MS }
    }

    /// Logs that the clock was set back, once each time.
    fn look(&mut self, engine: &Engine) {
        let ahead_ms = engine.clock_ahead_ms();
        if ahead_ms > AHEAD_WARN_MS && !std::mem::replace(&mut self.is_ahead, true) {
            warn_of_lead(ahead_ms);
        }
        self.is_ahead &= ahead_ms > AHEAD_WARN_MS / 2;
    }
}

/// Starts the thread.
///
/// # Errors
/// The operating system cannot start a thread.
pub fn start(engine: Engine) -> io::Result<PeriodicThread> {
    PeriodicThread::start("hjall-recovery", move |waits| {
        let (mut pause, mut reopened) = (EVERY, None::<Instant>);
        let mut clock = ClockWatch::new(&engine);
        while waits.wait(EVERY) {
            clock.look(&engine);
            let quiet = reopened.map(|at| at.elapsed());
            if quiet.is_some_and(|quiet| quiet < pause) {
                continue;
            }
            if quiet.is_some_and(|quiet| quiet > 4 * PAUSE_MAX) {
                (pause, reopened) = (EVERY, None);
            }
            match engine.recover() {
                Ok(false) => {}
                Ok(true) => (pause, reopened) = ((2 * pause).min(PAUSE_MAX), Some(Instant::now())),
                // The failure of the store has been logged, and /readyz reports it.
                Err(error) => tracing::debug!(%error, "the store still refuses writes"),
            }
        }
    })
}
