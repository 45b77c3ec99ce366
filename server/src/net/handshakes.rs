//! TLS handshakes, on a thread of their own.
//!
//! The server computes a key exchange and a signature for each, up to several milliseconds, for a message that costs
//! the client nothing. On an event loop, calls would wait for that.

use std::io;
use std::sync::OnceLock;

use bytes::BytesMut;
use tokio::net::TcpStream;
use tokio::runtime::{Builder, Runtime};
use tokio::task::AbortHandle;
use tokio_rustls::server::TlsStream;

use super::rewind::Rewind;
use super::tls::TlsAcceptor;

/// The thread that performs handshakes. It is started for the first one.
#[derive(Debug, Default)]
pub struct Handshakes(OnceLock<io::Result<Runtime>>);

/// Ends a handshake for which its connection no longer waits.
struct AbortOnDrop(AbortHandle);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl Handshakes {
    /// Performs the handshake of a connection of which `read` has been read already. If this future is dropped, the
    /// connection is closed.
    ///
    /// # Errors
    /// The handshake failed, or the operating system cannot start a thread.
    pub async fn perform(
        &self,
        acceptor: TlsAcceptor,
        stream: TcpStream,
        read: BytesMut,
    ) -> io::Result<TlsStream<Rewind<TcpStream>>> {
        let started = self.0.get_or_init(|| {
            Builder::new_multi_thread().worker_threads(1).max_blocking_threads(1).thread_name("hjall-tls").build()
        });
        let runtime = started.as_ref().map_err(|error| io::Error::new(error.kind(), error.to_string()))?;
        // The socket stays registered with the event loop, which serves the connection afterwards.
        let handshake = runtime.spawn(async move { acceptor.accept(stream, read).await });
        let _abort = AbortOnDrop(handshake.abort_handle());
        handshake.await.map_err(io::Error::other)?
    }
}

impl Drop for Handshakes {
    fn drop(&mut self) {
        // Dropping a runtime waits, which a thread of another runtime must not.
        if let Some(Ok(runtime)) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}
