//! Connections that move from one event loop to another, between two messages.

use std::io;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll};

use socket2::SockRef;
use tokio::io::{AsyncRead, AsyncWrite, Interest, ReadBuf};
use tokio::net::TcpStream;

use super::http_stream::Reset;
use super::loops::load::LoopHandle;

/// Serves a connection on the event loop of the current thread. Yields how the connection goes on; `None` if it has
/// ended.
pub type Serving = Pin<Box<dyn Future<Output = Option<Next>> + Send>>;

/// How a connection goes on.
pub enum Next {
    /// On the same event loop. The futures that have brought it so far are no longer in use then, which saves their
    /// memory, and the time to pass through them for each call.
    Here(Serving),
    /// On another event loop, where the function must be called.
    On(Arc<LoopHandle>, Box<dyn FnOnce() -> Serving + Send>),
}

/// A stream that is registered with an event loop, and can be registered with another one.
pub trait Registered {
    /// Ends the registration with the event loop of the current thread. Reads and writes fail until [`Self::register`].
    ///
    /// # Errors
    /// The system refuses. The connection cannot be used any more.
    fn deregister(&mut self) -> io::Result<()>;

    /// Registers the stream with the event loop of the current thread, unless it is registered.
    ///
    /// # Errors
    /// As for [`Self::deregister`].
    fn register(&mut self) -> io::Result<()>;
}

/// The socket of a connection.
pub struct ClientSocket(Registration);

enum Registration {
    On(TcpStream),
    /// `None` after an error.
    Off(Option<std::net::TcpStream>),
}

impl ClientSocket {
    /// A socket that is registered with the event loop of the current thread.
    pub fn new(stream: TcpStream) -> Self {
        Self(Registration::On(stream))
    }

    /// For options of the socket. `None` after a registration has failed.
    pub fn options(&self) -> Option<SockRef<'_>> {
        match &self.0 {
            Registration::On(stream) => Some(SockRef::from(stream)),
            Registration::Off(stream) => stream.as_ref().map(SockRef::from),
        }
    }

    /// Whether the client has closed its sending side. Otherwise, the task is woken when something arrives.
    pub fn is_read_closed(&self, cx: &mut Context<'_>) -> bool {
        let Registration::On(stream) = &self.0 else { return false };
        let ready = pin!(stream.ready(Interest::READABLE)).poll(cx);
        matches!(ready, Poll::Ready(Ok(ready)) if ready.is_read_closed())
    }

    fn registered(self: Pin<&mut Self>) -> io::Result<Pin<&mut TcpStream>> {
        match &mut self.get_mut().0 {
            Registration::On(stream) => Ok(Pin::new(stream)),
            Registration::Off(_) => Err(not_registered()),
        }
    }
}

fn not_registered() -> io::Error {
    io::Error::new(io::ErrorKind::NotConnected, "the socket is not registered with an event loop")
}

impl Registered for ClientSocket {
    fn deregister(&mut self) -> io::Result<()> {
        if let Registration::On(stream) = std::mem::replace(&mut self.0, Registration::Off(None)) {
            self.0 = Registration::Off(Some(stream.into_std()?));
        }
        Ok(())
    }

    fn register(&mut self) -> io::Result<()> {
        if let Registration::Off(stream) = &mut self.0 {
            let stream = stream.take().ok_or_else(not_registered)?;
            self.0 = Registration::On(TcpStream::from_std(stream)?);
        }
        Ok(())
    }
}

impl Reset for ClientSocket {
    fn reset(&self) {
        if let Some(socket) = self.options() {
            // Without the option, the connection is closed as usual.
            let _ = socket.set_linger(Some(std::time::Duration::ZERO));
        }
    }
}

impl AsyncRead for ClientSocket {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        self.registered()?.poll_read(cx, into)
    }
}

impl AsyncWrite for ClientSocket {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.registered()?.poll_write(cx, bytes)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.registered()?.poll_write_vectored(cx, bytes)
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.registered()?.poll_flush(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.registered()?.poll_shutdown(cx)
    }
}
