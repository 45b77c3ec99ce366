//! The thread that reopens a store that refuses writes.
//!
//! Every write tries to reopen it as well. But a load balancer sends no writes to a server whose `/readyz` reports the
//! failure.

use std::io;
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

use crossbeam_channel::{RecvTimeoutError, Sender, bounded};
use hjall_engine::Engine;

/// The interval between checks.
const EVERY: Duration = Duration::from_secs(1);

/// The longest pause after a reopening. A reopening ends scanners, so a store that fails again and again is reopened
/// less and less often.
const PAUSE_MAX: Duration = Duration::from_secs(15);

/// A thread that checks the store until this is dropped.
pub struct Recovery {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Recovery {
    /// Starts the thread.
    ///
    /// # Errors
    /// The operating system cannot start a thread.
    pub fn start(engine: Engine) -> io::Result<Self> {
        let (stop, stopped) = bounded(0);
        let thread = Builder::new().name("hjall-recovery".to_owned()).spawn(move || {
            let (mut pause, mut reopened) = (EVERY, None::<Instant>);
            while stopped.recv_timeout(EVERY) == Err(RecvTimeoutError::Timeout) {
                if reopened.is_some_and(|at| at.elapsed() < pause) {
                    continue;
                }
                if reopened.is_some_and(|at| at.elapsed() > 4 * PAUSE_MAX) {
                    (pause, reopened) = (EVERY, None);
                }
                match engine.recover() {
                    Ok(false) => {}
                    Ok(true) => (pause, reopened) = ((2 * pause).min(PAUSE_MAX), Some(Instant::now())),
                    // The failure of the store has been logged, and /readyz reports it.
                    Err(error) => tracing::debug!(%error, "the store still refuses writes"),
                }
            }
        })?;
        Ok(Self { stop: Some(stop), thread: Some(thread) })
    }
}

impl Drop for Recovery {
    fn drop(&mut self) {
        self.stop = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
