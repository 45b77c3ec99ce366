//! Takes connections and spreads them over the event loops.

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use socket2::{Domain, Protocol, Socket, Type};
use tokio::runtime::Handle;
use tokio::sync::Semaphore;

use crate::dispatch::call::Speaking;
use crate::dispatch::shared::Shared;
use crate::net::connection;
use crate::net::connection_permits::{Place, Places, TooManyFromAddress};
use crate::settings::config::{Listen, WhenFull};
use crate::wire::fault::Fault;
use crate::wire::method::Service;

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

/// Connections over a limit that are told so at once, instead of being closed without a word.
const TURNED_AWAY_MAX: usize = 64;
/// How long one of them may take to send the call that is answered so.
const TURNED_AWAY_FOR: Duration = Duration::from_secs(2);

/// What all listeners of a server share.
pub struct Door {
    shared: Arc<Shared>,
    loops: Vec<Handle>,
    next: AtomicUsize,
    places: Arc<Places>,
    turned_away: Arc<Semaphore>,
}

impl Door {
    /// Lets in as many as the configuration says, and counts them here.
    pub fn new(shared: Arc<Shared>, loops: Vec<Handle>, places: Arc<Places>) -> Self {
        let turned_away = Arc::new(Semaphore::new(TURNED_AWAY_MAX));
        Self { shared, loops, next: AtomicUsize::new(0), places, turned_away }
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
            let place = self.place().await;
            let (stream, peer) = match listener.accept().await {
                Ok(accepted) => accepted,
                Err(error) => {
                    // Mostly the process has no file descriptor left; trying again at once would only burn the processor.
                    tracing::warn!(%error, "cannot accept a connection; is the limit on open files too low?");
                    tokio::time::sleep(Duration::from_millis(100)).await;
                    continue;
                }
            };
            let live = self.shared.live();
            let limits = &live.config.limits;
            let refusal = match place.or_else(|| self.places.try_take(limits)).map(|p| p.of(peer.ip(), limits)) {
                Some(Ok(place)) => {
                    self.hand_over(stream, connection::Guest::new(peer), speaking, place);
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

    /// A place ahead of its connection, for which this waits if connections are to wait.
    async fn place(&self) -> Option<Place> {
        loop {
            {
                let live = self.shared.live();
                if live.config.limits.when_full == WhenFull::Refuse {
                    return None;
                }
                if let Some(place) = self.places.try_take(&live.config.limits) {
                    return Some(place);
                }
            }
            self.places.freed().await;
        }
    }

    /// Answers the first call with an error, for a few at a time.
    fn turn_away(&self, stream: tokio::net::TcpStream, peer: SocketAddr, speaking: Speaking, why: &str) {
        let Ok(turn) = self.turned_away.clone().try_acquire_owned() else { return };
        let fault = Fault::io(format!("java.io.IOException: {why}; close some, or try again later"), true);
        let guest = connection::Guest { unwelcome: Some(fault), ..connection::Guest::new(peer) };
        let serve = connection::serve(self.shared.clone(), stream, speaking, guest);
        tokio::spawn(async move {
            // Either it was told, or it had nothing to say.
            let _ = tokio::time::timeout(TURNED_AWAY_FOR, serve).await;
            drop(turn);
        });
    }

    /// Hands a connection to the next loop.
    fn hand_over(&self, stream: tokio::net::TcpStream, guest: connection::Guest, speaking: Speaking, place: Place) {
        let shared = self.shared.clone();
        let turn = self.next.fetch_add(1, Ordering::Relaxed);
        match self.loops.get(turn % self.loops.len().max(1)) {
            Some(other) if self.loops.len() > 1 => {
                // A stream belongs to the loop that it was registered with.
                let Ok(stream) = stream.into_std() else { return };
                other.spawn(async move {
                    if let Ok(stream) = tokio::net::TcpStream::from_std(stream) {
                        connection::serve(shared, stream, speaking, guest).await;
                    }
                    drop(place);
                });
            }
            _ => {
                tokio::spawn(async move {
                    connection::serve(shared, stream, speaking, guest).await;
                    drop(place);
                });
            }
        }
    }
}
