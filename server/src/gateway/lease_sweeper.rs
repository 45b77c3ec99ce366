//! The thread that closes scanners whose lease has ended.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use crate::gateway::context::Context;
use crate::gateway::periodic_thread::PeriodicThread;
use crate::gateway::scanners::Swept;

/// The interval between sweeps. The next use of a scanner detects an ended lease as well; a sweep frees its
/// memory.
const EVERY: Duration = Duration::from_secs(1);

/// Starts the thread. It closes all scanners before it ends.
///
/// # Errors
/// The operating system cannot start a thread.
pub fn start(context: Arc<Context>) -> io::Result<PeriodicThread> {
    PeriodicThread::start("hjall-leases", move |waits| {
        while waits.wait(EVERY) {
            let Swept { closed, released } = context.scanners.sweep();
            if closed + released > 0 {
                tracing::debug!(closed, released, "closed scanners whose lease had ended, and released snapshots");
            }
        }
        context.scanners.clear();
    })
}
