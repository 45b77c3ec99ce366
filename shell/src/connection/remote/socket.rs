//! A socket whose waits end at Ctrl-C and after a time limit, below TLS.

use std::cell::Cell;
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream, ToSocketAddrs};
use std::rc::Rc;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use crate::interrupt::Interrupt;

/// How often a wait looks for Ctrl-C.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// How long a socket waits, and why it stopped. Shared with the owner of the connection, since TLS is in between.
pub struct Patience {
    interrupt: Interrupt,
    limit: Cell<Duration>,
    deadline: Cell<Instant>,
    interrupted: Cell<bool>,
    probing: Cell<bool>,
}

impl Patience {
    /// Waits this long.
    pub fn new(interrupt: Interrupt, limit: Duration) -> Rc<Self> {
        Rc::new(Self {
            interrupt,
            limit: Cell::new(limit),
            deadline: Cell::new(later(limit)),
            interrupted: Cell::new(false),
            probing: Cell::new(false),
        })
    }

    /// From now on the other side may be silent for this long.
    pub fn restart(&self, limit: Duration) {
        self.limit.set(limit);
        self.deadline.set(later(limit));
    }

    /// Whether a wait ended because of Ctrl-C.
    pub fn was_interrupted(&self) -> bool {
        self.interrupted.get()
    }

    /// Reads return at once while this is set.
    pub fn set_probing(&self, probing: bool) {
        self.probing.set(probing);
    }

    /// Ends a wait if it has to end. Readers and TLS do not try again after errors of these kinds.
    fn check(&self) -> io::Result<()> {
        if self.interrupt.is_pending() {
            self.interrupted.set(true);
            return Err(io::Error::other("ended by Ctrl-C"));
        }
        if Instant::now() >= self.deadline.get() {
            let seconds = self.limit.get().as_secs();
            return Err(io::Error::new(io::ErrorKind::TimedOut, format!("the server sent nothing for {seconds} s")));
        }
        Ok(())
    }

    fn progress(&self) {
        self.deadline.set(later(self.limit.get()));
    }
}

/// Now and a time, also one that is too long for the clock.
fn later(wait: Duration) -> Instant {
    const LONGEST: Duration = Duration::from_secs(100 * 365 * 86_400);
    Instant::now() + wait.min(LONGEST)
}

fn is_pause(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut | io::ErrorKind::Interrupted)
}

/// A TCP connection whose reads and writes wait as [`Patience`] says.
pub struct Socket {
    stream: TcpStream,
    patience: Rc<Patience>,
}

impl Socket {
    /// Connects to the first address of a host that answers.
    ///
    /// # Errors
    /// Those of looking the name up and of connecting, Ctrl-C, and the end of the time.
    pub fn connect(host: &str, port: u16, patience: &Rc<Patience>) -> io::Result<Self> {
        let stream = in_background((host.to_owned(), port), patience)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(POLL_INTERVAL))?;
        stream.set_write_timeout(Some(POLL_INTERVAL))?;
        Ok(Self { stream, patience: Rc::clone(patience) })
    }
}

/// Connects on another thread, since neither the look-up of a name nor a connection attempt can be ended.
fn in_background(address: (String, u16), patience: &Patience) -> io::Result<TcpStream> {
    let (sender, receiver) = mpsc::channel();
    let limit = patience.limit.get().max(POLL_INTERVAL);
    std::thread::Builder::new().name("hjall-connect".to_owned()).spawn(move || {
        let _ = sender.send(first_that_answers(&address, limit));
    })?;
    loop {
        match receiver.recv_timeout(POLL_INTERVAL) {
            Ok(done) => return done,
            Err(mpsc::RecvTimeoutError::Timeout) => patience.check()?,
            Err(mpsc::RecvTimeoutError::Disconnected) => return Err(io::Error::other("the attempt to connect failed")),
        }
    }
}

fn first_that_answers(address: &(String, u16), limit: Duration) -> io::Result<TcpStream> {
    let candidates: Vec<SocketAddr> = (&address.0[..], address.1).to_socket_addrs()?.collect();
    let mut last = io::Error::new(io::ErrorKind::NotFound, "the name has no address");
    for candidate in candidates {
        match TcpStream::connect_timeout(&candidate, limit) {
            Ok(stream) => return Ok(stream),
            Err(error) => last = error,
        }
    }
    Err(last)
}

impl Read for Socket {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.patience.probing.get() {
            self.stream.set_nonblocking(true)?;
            let done = self.stream.read(out);
            self.stream.set_nonblocking(false)?;
            return done;
        }
        loop {
            // Before each read: a server that never stops sending must not keep Ctrl-C from ending the call.
            self.patience.check()?;
            match self.stream.read(out) {
                Err(error) if is_pause(&error) => {}
                Ok(count) => {
                    self.patience.progress();
                    return Ok(count);
                }
                Err(error) => return Err(error),
            }
        }
    }
}

impl Write for Socket {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        loop {
            self.patience.check()?;
            match self.stream.write(bytes) {
                Err(error) if is_pause(&error) => {}
                Ok(count) => {
                    self.patience.progress();
                    return Ok(count);
                }
                Err(error) => return Err(error),
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}
