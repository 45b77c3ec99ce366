//! The thread that closes scanners whose lease has ended.

use std::io;
use std::sync::Arc;
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

use crossbeam_channel::{RecvTimeoutError, Sender, bounded};

use crate::gateway::context::Context;
use crate::gateway::scanners::Swept;

/// The interval between sweeps. The next use of a scanner detects an ended lease as well; a sweep frees its
/// memory.
const EVERY: Duration = Duration::from_secs(1);

/// A thread that sweeps until this is dropped.
pub struct LeaseSweeper {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl LeaseSweeper {
    /// Starts the thread. It closes all scanners before it ends.
    ///
    /// # Errors
    /// The operating system cannot start a thread.
    pub fn start(context: Arc<Context>) -> io::Result<Self> {
        let (stop, stopped) = bounded(0);
        let thread = Builder::new().name("hjall-leases".to_owned()).spawn(move || {
            while stopped.recv_timeout(EVERY) == Err(RecvTimeoutError::Timeout) {
                let Swept { closed, released } = context.scanners.sweep();
                if closed + released > 0 {
                    tracing::debug!(closed, released, "closed scanners whose lease had ended, and released snapshots");
                }
            }
            context.scanners.clear();
        })?;
        Ok(Self { stop: Some(stop), thread: Some(thread) })
    }
}

impl Drop for LeaseSweeper {
    fn drop(&mut self) {
        self.stop = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
