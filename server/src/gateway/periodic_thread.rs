//! A thread that does its work at an interval.

use std::io;
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, bounded};

/// A thread that runs until this is dropped, which waits for its end.
pub struct PeriodicThread {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// The waits of such a thread.
pub struct Waits {
    stopped: Receiver<()>,
}

impl PeriodicThread {
    /// Starts a thread that runs this function, which must return when [`Waits::wait`] returns `false`.
    ///
    /// # Errors
    /// The operating system cannot start a thread.
    pub fn start(name: &str, run: impl FnOnce(&Waits) + Send + 'static) -> io::Result<Self> {
        let (stop, stopped) = bounded(0);
        let thread = Builder::new().name(name.to_owned()).spawn(move || run(&Waits { stopped }))?;
        Ok(Self { stop: Some(stop), thread: Some(thread) })
    }
}

impl Drop for PeriodicThread {
    fn drop(&mut self) {
        self.stop = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Waits {
    /// Waits for this time. Returns `false` as soon as the thread has to end.
    pub fn wait(&self, time: Duration) -> bool {
        self.stopped.recv_timeout(time) == Err(RecvTimeoutError::Timeout)
    }
}
