//! Signals that stop the server or reload its settings.

use std::io;

/// The meaning of a signal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    /// Stop. Holds the name of the signal.
    Stop(&'static str),
    /// Read the settings again.
    #[cfg_attr(not(unix), expect(dead_code, reason = "there is no such signal"))]
    Reload,
}

/// Lets a write beyond the limit on the size of a file (`ulimit -f`) fail like one to a full disk. By default, the
/// signal ends the process without a message.
///
/// # Errors
/// The handler cannot be installed.
#[cfg(unix)]
pub fn survive_file_size_limit() -> io::Result<()> {
    // A handler and not `SIG_IGN`, which programs that are started from here would inherit. It stays installed when the
    // runtime has ended.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
    let _inside = runtime.enter();
    let exceeded = rustix::process::Signal::XFSZ.as_raw();
    tokio::signal::unix::signal(tokio::signal::unix::SignalKind::from_raw(exceeded)).map(drop)
}

/// Does nothing: this platform has no such limit.
#[cfg(not(unix))]
pub fn survive_file_size_limit() -> io::Result<()> {
    Ok(())
}

/// Receives the signals of this process that arrive after its creation.
#[cfg(unix)]
pub struct Signals {
    terminate: tokio::signal::unix::Signal,
    interrupt: tokio::signal::unix::Signal,
    hangup: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    /// Installs the signal handlers.
    pub fn new() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        let take = |kind| signal(kind);
        Ok(Self {
            terminate: take(SignalKind::terminate())?,
            interrupt: take(SignalKind::interrupt())?,
            hangup: take(SignalKind::hangup())?,
        })
    }

    /// Waits for the next signal.
    pub async fn next(&mut self) -> Signal {
        tokio::select! {
            _ = self.terminate.recv() => Signal::Stop("SIGTERM"),
            _ = self.interrupt.recv() => Signal::Stop("SIGINT"),
            _ = self.hangup.recv() => Signal::Reload,
        }
    }

    /// Waits for the next signal that stops the server.
    pub async fn next_stop(&mut self) -> &'static str {
        loop {
            if let Signal::Stop(name) = self.next().await {
                return name;
            }
        }
    }
}

/// Receives Ctrl-C, the only signal on this platform.
#[cfg(not(unix))]
pub struct Signals;

#[cfg(not(unix))]
impl Signals {
    /// Returns immediately; the handler is installed by the first wait.
    pub fn new() -> io::Result<Self> {
        Ok(Self)
    }

    /// Waits for the next signal.
    pub async fn next(&mut self) -> Signal {
        // Without a console, Ctrl-C cannot arrive.

        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
        Signal::Stop("Ctrl-C")
    }

    /// Waits for the next signal that stops the server.
    pub async fn next_stop(&mut self) -> &'static str {
        match self.next().await {
            Signal::Stop(name) => name,
            Signal::Reload => "",
        }
    }
}
