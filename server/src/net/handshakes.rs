//! TLS handshakes, on a separate thread.
//!
//! The server computes a key exchange and a signature for each, up to several milliseconds, for a message that costs
//! the client nothing. On an event loop, calls would wait for that. The thread serves addresses in rotation, so that
//! one with many connections does not keep others from connecting. Nothing is computed for a client that has
//! disconnected.

use std::future::poll_fn;
use std::io;
use std::net::IpAddr;
use std::pin::{Pin, pin};
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll};

use bytes::BytesMut;
use tokio::runtime::{Builder, Runtime};
use tokio::task::{AbortHandle, yield_now};
use tokio_rustls::Accept;
use tokio_rustls::server::TlsStream;

use super::moving::ClientSocket;
use super::rotation::Rotation;
use super::tls::TlsAcceptor;
use super::tls_stream::Encrypted;
use crate::access::network;

/// The thread that performs handshakes. It is started for the first one.
#[derive(Debug, Default)]
pub struct Handshakes {
    thread: OnceLock<io::Result<Runtime>>,
    rotation: Arc<Rotation>,
}

/// Ends the handshake when it is dropped, because the connection no longer waits for it.
struct AbortOnDrop(AbortHandle);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl Handshakes {
    /// Performs the handshake of a connection from an address, of which `read` has been read already. If this future is
    /// dropped, the connection is closed.
    ///
    /// # Errors
    /// The handshake failed, or the operating system cannot start a thread.
    pub async fn perform(
        &self,
        acceptor: TlsAcceptor,
        stream: ClientSocket,
        read: BytesMut,
        address: IpAddr,
    ) -> io::Result<TlsStream<Encrypted<ClientSocket>>> {
        let started = self.thread.get_or_init(|| {
            Builder::new_multi_thread().worker_threads(1).max_blocking_threads(1).thread_name("hjall-tls").build()
        });
        let runtime = started.as_ref().map_err(|error| io::Error::new(error.kind(), error.to_string()))?;
        // The socket stays registered with the event loop, which serves the connection afterwards.
        let (rotation, address) = (self.rotation.clone(), network(address));
        let handshake = runtime
            .spawn(async move { in_rotation(&rotation, address, pin!(acceptor.accept(stream, read)), is_vain).await });
        let _abort = AbortOnDrop(handshake.abort_handle());
        let handshake = handshake.await.map_err(io::Error::other)?;
        handshake.unwrap_or_else(|| {
            Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the client has closed the connection before its turn"))
        })
    }
}

/// Whether the client can send nothing more before the server has answered its first message. Such a handshake cannot
/// be completed.
fn is_vain(handshake: &Accept<Encrypted<ClientSocket>>, cx: &mut Context<'_>) -> bool {
    let Some(stream) = handshake.get_ref().filter(|stream| !stream.has_written()) else { return false };
    stream.inner().is_read_closed(cx)
}

/// Runs a future. Each of its steps, from one wait for the client to the next, waits for its turn in the rotation.
/// Returns `None` if the future can no longer succeed when its turn comes.
async fn in_rotation<F: Future>(
    rotation: &Arc<Rotation>,
    address: IpAddr,
    mut future: Pin<&mut F>,
    is_vain: impl Fn(&F, &mut Context<'_>) -> bool,
) -> Option<F::Output> {
    loop {
        let pass = rotation.enter(address).await;
        // Connections whose messages have arrived meanwhile enter the rotation before this step keeps the thread busy.
        yield_now().await;
        let step = poll_fn(|cx| {
            let vain = is_vain(&future, cx);
            Poll::Ready(if vain { None } else { Some(future.as_mut().poll(cx)) })
        });
        let step = step.await;
        drop(pass);
        match step {
            Some(Poll::Pending) => woken().await,
            Some(Poll::Ready(output)) => return Some(output),
            None => return None,
        }
    }
}

/// Waits until this task is woken.
async fn woken() {
    let mut has_waited = false;
    poll_fn(|_| match std::mem::replace(&mut has_waited, true) {
        true => Poll::Ready(()),
        false => Poll::Pending,
    })
    .await;
}

impl Drop for Handshakes {
    fn drop(&mut self) {
        // Dropping a runtime waits, which a thread of another runtime must not.
        if let Some(Ok(runtime)) = self.thread.take() {
            runtime.shutdown_background();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    /// Many handshakes of one address have begun before one of another address. It is performed between them.
    #[test]
    fn addresses_have_the_thread_in_rotation() {
        let runtime = Builder::new_current_thread().build().unwrap();
        let (rotation, order) = (Arc::<Rotation>::default(), Arc::<Mutex<String>>::default());
        let spawn = |name: char, of: u8| {
            let (rotation, order) = (rotation.clone(), order.clone());
            runtime.spawn(async move {
                let steps = async {
                    for _ in 0..2 {
                        order.lock().unwrap().push(name);
                        // The answer of the client.
                        yield_now().await;
                    }
                };
                in_rotation(&rotation, [127, 0, 0, of].into(), pin!(steps), |_, _| false).await
            })
        };
        runtime.block_on(async {
            let many: Vec<_> = (0..1000).map(|_| spawn('.', 1)).collect();
            let other = spawn('o', 2);
            other.await.unwrap();
            for one in many {
                one.await.unwrap();
            }
        });
        let order = order.lock().unwrap();
        assert_eq!(order.len(), 2002);
        let others: Vec<_> = order.match_indices('o').map(|(at, _)| at).collect();
        assert!(others[1] <= 10, "{others:?}");
    }
}
