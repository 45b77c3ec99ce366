//! The thread that reopens a store that refuses writes, and notices when the machine's clock is set back.
//!
//! Every write tries to reopen it as well. But a load balancer sends no writes to a server whose `/readyz` reports the
//! failure.

use std::io;
use std::time::{Duration, Instant};

use hjall_engine::Engine;

use crate::gateway::periodic_thread::PeriodicThread;

/// The interval between checks.
const EVERY: Duration = Duration::from_secs(1);

/// The longest pause after a reopening. A reopening ends scanners, so a store that fails again and again is reopened
/// less and less often. The store's own pause is shorter, because writes wait for it.
const PAUSE_MAX: Duration = Duration::from_secs(15);

/// How far the time of the database may be ahead of the machine's clock before that is logged, in milliseconds.
const AHEAD_WARN_MS: i64 = 10_000;

/// Whether the time of the database is ahead of the machine's clock.
struct ClockWatch {
    is_ahead: bool,
}

impl ClockWatch {
    /// The opening of the database has logged whether its time is ahead.
    fn new(engine: &Engine) -> Self {
        Self { is_ahead: ahead_ms(engine) > AHEAD_WARN_MS }
    }

    /// Logs that the clock was set back, once each time.
    fn look(&mut self, engine: &Engine) {
        let ahead_ms = ahead_ms(engine);
        if ahead_ms > AHEAD_WARN_MS && !std::mem::replace(&mut self.is_ahead, true) {
            tracing::warn!(
                "the database's time is {} s ahead of this machine's clock; was the clock set back? Until the clock has caught up, \
                 the time of the database advances at half speed",
                ahead_ms / 1000
            );
        }
        self.is_ahead &= ahead_ms > AHEAD_WARN_MS / 2;
    }
}

fn ahead_ms(engine: &Engine) -> i64 {
    engine.statistics().map_or(0, |statistics| statistics.clock_ahead_ms)
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
