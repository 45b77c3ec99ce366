//! The signals that a server obeys.

use std::io;

/// What a signal asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    /// To stop; the signal's name.
    Stop(&'static str),
    /// To read the settings again.
    Reload,
}

/// The signals of this process, from when it was made on.
#[cfg(unix)]
pub struct Signals {
    terminate: tokio::signal::unix::Signal,
    interrupt: tokio::signal::unix::Signal,
    hangup: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    /// Takes them over.
    pub fn new() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        let take = |kind| signal(kind);
        Ok(Self {
            terminate: take(SignalKind::terminate())?,
            interrupt: take(SignalKind::interrupt())?,
            hangup: take(SignalKind::hangup())?,
        })
    }

    /// The next one.
    pub async fn next(&mut self) -> Signal {
        tokio::select! {
            _ = self.terminate.recv() => Signal::Stop("SIGTERM"),
            _ = self.interrupt.recv() => Signal::Stop("SIGINT"),
            _ = self.hangup.recv() => Signal::Reload,
        }
    }

    /// The next one that stops.
    pub async fn next_stop(&mut self) -> &'static str {
        loop {
            if let Signal::Stop(name) = self.next().await {
                return name;
            }
        }
    }
}

/// The one signal there is.
#[cfg(not(unix))]
pub struct Signals;

#[cfg(not(unix))]
impl Signals {
    /// Nothing is taken over before it is awaited.
    pub fn new() -> io::Result<Self> {
        Ok(Self)
    }

    /// The next one.
    pub async fn next(&mut self) -> Signal {
        // Without a console there is no such signal, and nothing to wait for but the end.
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
        Signal::Stop("Ctrl-C")
    }

    /// The next one that stops.
    pub async fn next_stop(&mut self) -> &'static str {
        match self.next().await {
            Signal::Stop(name) => name,
            Signal::Reload => "",
        }
    }
}
