//! Takes connections and spreads them over the event loops.

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use socket2::{Domain, Protocol, Socket, Type};
use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::call::Speaking;
use crate::config::{Listen, WhenFull};
use crate::connection;
use crate::method::Service;
use crate::shared::Shared;

/// Connections that the operating system keeps for us while we are busy.
const BACKLOG: i32 = 1024;

/// Takes an address; connections queue up from now on.
pub fn bind(addr: SocketAddr) -> io::Result<TcpListener> {
    let socket = Socket::new(Domain::for_address(addr), Type::STREAM, Some(Protocol::TCP))?;
    // A server that starts again at once must not wait for the connections of the one before.
    #[cfg(unix)]
    socket.set_reuse_address(true)?;
    socket.set_nonblocking(true)?;
    socket.bind(&addr.into())?;
    socket.listen(BACKLOG)?;
    Ok(socket.into())
}

/// What all listeners of a server share.
pub struct Door {
    shared: Arc<Shared>,
    loops: Vec<Handle>,
    next: AtomicUsize,
    places: Arc<Semaphore>,
}

impl Door {
    /// Lets in as many as the configuration says.
    pub fn new(shared: Arc<Shared>, loops: Vec<Handle>) -> Self {
        let places = Semaphore::new(shared.config.limits.connections_max.clamp(1, Semaphore::MAX_PERMITS));
        Self { shared, loops, next: AtomicUsize::new(0), places: Arc::new(places) }
    }

    /// Accepts until the server stops.
    pub async fn accept(self: Arc<Self>, listener: TcpListener, listen: Listen) {
        let listener = match tokio::net::TcpListener::from_std(listener) {
            Ok(listener) => listener,
            Err(error) => return tracing::error!(%error, addr = %listen.addr, "cannot listen"),
        };
        let speaking = match listen.only {
            Some(service) => Speaking::Only(service),
            None => Speaking::Unsaid(Service::Thrift1),
        };
        tokio::select! {
            () = self.accept_all(listener, speaking) => {}
            () = self.shared.stopped() => {}
        }
    }

    async fn accept_all(&self, listener: tokio::net::TcpListener, speaking: Speaking) {
        loop {
            let place = match self.shared.config.limits.when_full {
                WhenFull::Wait => self.places.clone().acquire_owned().await.ok(),
                WhenFull::Refuse => None,
            };
            let (stream, peer) = match listener.accept().await {
                Ok(accepted) => accepted,
                Err(error) => {
                    // Mostly the process has no file descriptor left; trying again at once would only burn the processor.
                    tracing::warn!(%error, "cannot accept a connection; is the limit on open files too low?");
                    tokio::time::sleep(Duration::from_millis(100)).await;
                    continue;
                }
            };
            let Some(place) = place.or_else(|| self.places.clone().try_acquire_owned().ok()) else {
                tracing::warn!(%peer, limit = self.shared.config.limits.connections_max, "connection refused: too many are open");
                continue;
            };
            self.serve(stream, peer, speaking, place);
        }
    }

    /// Hands a connection to the next loop.
    fn serve(&self, stream: tokio::net::TcpStream, peer: SocketAddr, speaking: Speaking, place: OwnedSemaphorePermit) {
        let shared = self.shared.clone();
        let turn = self.next.fetch_add(1, Ordering::Relaxed);
        match self.loops.get(turn % self.loops.len().max(1)) {
            Some(other) if self.loops.len() > 1 => {
                // A stream belongs to the loop that it was registered with.
                let Ok(stream) = stream.into_std() else { return };
                other.spawn(async move {
                    if let Ok(stream) = tokio::net::TcpStream::from_std(stream) {
                        connection::serve(shared, stream, speaking, peer).await;
                    }
                    drop(place);
                });
            }
            _ => {
                tokio::spawn(async move {
                    connection::serve(shared, stream, speaking, peer).await;
                    drop(place);
                });
            }
        }
    }
}
