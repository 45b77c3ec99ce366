//! Accepts connections and spreads them over the event loops.

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use socket2::{Domain, Protocol, Socket, Type};
use tokio::runtime::Handle;
use tokio::sync::Semaphore;

use super::connection::{self, Client};
use super::connection_permits::{ConnectionPermit, TooManyFromAddress};
use super::endpoint::Endpoint;
use super::refusal::Refusal;
use crate::dispatch::call::Speaking;
use crate::settings::config::{Listen, WhenFull};
use crate::wire::method::Service;

/// Connections that the operating system holds until they are accepted.
const BACKLOG: i32 = 1024;

/// Binds an address and listens on it: from now on connections wait in the backlog.
pub fn bind(addr: SocketAddr) -> io::Result<TcpListener> {
    let socket = Socket::new(Domain::for_address(addr), Type::STREAM, Some(Protocol::TCP))?;
    // A server that is restarted must not wait until the connections of the one before have timed out.
    #[cfg(unix)]
    socket.set_reuse_address(true)?;
    socket.set_nonblocking(true)?;
    socket.bind(&addr.into())?;
    socket.listen(BACKLOG)?;
    Ok(socket.into())
}

/// Connections above a limit that are answered with an error at the same time. Further ones are closed without an answer.
const TURNED_AWAY_MAX: usize = 64;
/// How long such a connection may take, the recognition of its protocol and a TLS handshake included.
const TURNED_AWAY_FOR: Duration = Duration::from_secs(4);

/// Accepts the connections of all listeners of a server.
pub struct Acceptor {
    endpoint: Arc<Endpoint>,
    loops: Vec<Handle>,
    next: AtomicUsize,
    turned_away: Arc<Semaphore>,
}

impl Acceptor {
    /// An acceptor that gives connections to these event loops in turn.
    pub fn new(endpoint: Arc<Endpoint>, loops: Vec<Handle>) -> Self {
        let turned_away = Arc::new(Semaphore::new(TURNED_AWAY_MAX));
        Self { endpoint, loops, next: AtomicUsize::new(0), turned_away }
    }

    /// Accepts until the server stops.
    pub async fn accept(self: Arc<Self>, listener: TcpListener, listen: Listen) {
        let listener = match tokio::net::TcpListener::from_std(listener) {
            Ok(listener) => listener,
            Err(error) => return tracing::error!(%error, addr = %listen.addr, "cannot listen"),
        };
        let speaking = match listen.only {
            Some(service) => Speaking::Only(service),
            None => Speaking::Assumed(Service::Thrift1),
        };
        tokio::select! {
            () = self.accept_all(listener, speaking) => {}
            () = self.endpoint.dispatcher.shutdown.stopped() => {}
        }
    }

    async fn accept_all(&self, listener: tokio::net::TcpListener, speaking: Speaking) {
        loop {
            let permit = self.permit().await;
            let (stream, peer) = match listener.accept().await {
                Ok(accepted) => accepted,
                Err(error) => {
                    // Usually the process has no file descriptor left; trying again at once would only burn processor time.
                    tracing::warn!(%error, "cannot accept a connection; is the limit on open files too low?");
                    tokio::time::sleep(Duration::from_millis(100)).await;
                    continue;
                }
            };
            let live = self.endpoint.dispatcher.live();
            let limits = &live.config.limits;
            let refusal = match permit
                .or_else(|| self.endpoint.permits.try_acquire(limits))
                .map(|p| p.for_address(peer.ip(), limits))
            {
                Some(Ok(permit)) => {
                    // Fails only if the client has gone already.
                    if let Ok(local) = stream.local_addr() {
                        self.hand_over(stream, Client::new(peer, local), speaking, permit);
                    }
                    continue;
                }
                Some(Err(TooManyFromAddress)) => format!(
                    "{} connections are open from {}, which is the limit for one address",
                    limits.connections_per_address_max,
                    peer.ip()
                ),
                None => format!("{} connections are open, which is the limit", limits.connections_max),
            };
            tracing::warn!(%peer, reason = refusal, "connection refused");
            self.turn_away(stream, peer, speaking, &refusal);
        }
    }

    /// A permit ahead of its connection, where connections wait for one in the backlog.
    async fn permit(&self) -> Option<ConnectionPermit> {
        loop {
            {
                let live = self.endpoint.dispatcher.live();
                if live.config.limits.when_full == WhenFull::Refuse {
                    return None;
                }
                if let Some(permit) = self.endpoint.permits.try_acquire(&live.config.limits) {
                    return Some(permit);
                }
            }
            self.endpoint.permits.released().await;
        }
    }

    /// Answers the connection's first call with an error, for a few connections at a time.
    fn turn_away(&self, stream: tokio::net::TcpStream, peer: SocketAddr, speaking: Speaking, why: &str) {
        let Ok(turn) = self.turned_away.clone().try_acquire_owned() else { return };
        let Ok(local) = stream.local_addr() else { return };
        let client = Client { refusal: Some(Refusal::no_room(why)), ..Client::new(peer, local) };
        let serve = connection::serve(self.endpoint.clone(), stream, speaking, client);
        tokio::spawn(async move {
            // After this time the connection is closed, whether or not it has been answered.
            let _ = tokio::time::timeout(TURNED_AWAY_FOR, serve).await;
            drop(turn);
        });
    }

    /// Hands a connection to the next loop.
    fn hand_over(&self, stream: tokio::net::TcpStream, client: Client, speaking: Speaking, permit: ConnectionPermit) {
        let endpoint = self.endpoint.clone();
        let turn = self.next.fetch_add(1, Ordering::Relaxed);
        match self.loops.get(turn % self.loops.len().max(1)) {
            Some(other) if self.loops.len() > 1 => {
                // A stream belongs to the loop that it was registered with.
                let Ok(stream) = stream.into_std() else { return };
                other.spawn(async move {
                    if let Ok(stream) = tokio::net::TcpStream::from_std(stream) {
                        connection::serve(endpoint, stream, speaking, client).await;
                    }
                    drop(permit);
                });
            }
            _ => {
                tokio::spawn(async move {
                    connection::serve(endpoint, stream, speaking, client).await;
                    drop(permit);
                });
            }
        }
    }
}
