//! Accepts connections and spreads them over the event loops.

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use socket2::{Domain, Protocol, Socket, Type};
use tokio::sync::Semaphore;

use super::connection::{self, Client};
use super::connection_permits::{ConnectionPermit, TooManyFromAddress};
use super::descriptors::{self, Connectable, Headroom};
use super::endpoint::Endpoint;
use super::loops::load::LoopHandle;
use super::moving::{ClientSocket, Next, Registered, Serving};
use super::refusal::Refusal;
use crate::access::network_name;
use crate::dispatch::call::DefaultService;
use crate::observe::{ConnectionRefusal, client_error};
use crate::settings::config::{Listen, WhenFull};
use crate::wire::method::Service;

/// Connections that the operating system holds until they are accepted.
const BACKLOG: i32 = 1024;

/// Binds an address and listens on it. From now on connections wait in the backlog.
pub fn bind(addr: SocketAddr) -> io::Result<TcpListener> {
    let socket = Socket::new(Domain::for_address(addr), Type::STREAM, Some(Protocol::TCP))?;
    // A restarted server must not wait until the connections of the previous one have timed out.
    #[cfg(unix)]
    socket.set_reuse_address(true)?;
    socket.set_nonblocking(true)?;
    socket.bind(&addr.into())?;
    socket.listen(BACKLOG)?;
    Ok(socket.into())
}

/// Connections above a limit that are answered with an error at the same time. Further ones are closed without an
/// answer.
const TURNED_AWAY_MAX: usize = 64;
/// How long such a connection may take, including the recognition of its protocol and a TLS handshake.
const TURNED_AWAY_FOR: Duration = Duration::from_secs(4);

/// The retry interval of a connection that waits for a file descriptor.
const DESCRIPTOR_WAIT: Duration = Duration::from_millis(100);

/// Accepts the connections of all listeners of a server.
pub struct Acceptor {
    endpoint: Arc<Endpoint>,
    turned_away: Arc<Semaphore>,
    /// The largest number of data files that the store keeps open.
    store_files: u64,
}

impl Acceptor {
    /// An acceptor that distributes connections over the event loops.
    pub fn new(endpoint: Arc<Endpoint>) -> Self {
        let turned_away = Arc::new(Semaphore::new(TURNED_AWAY_MAX));
        let store_files = endpoint.dispatcher.runner.services.store_files();
        Self { endpoint, turned_away, store_files }
    }

    /// Accepts on the first event loop until the server stops.
    pub async fn accept(self: Arc<Self>, listener: TcpListener, listen: Listen) {
        let listener = match tokio::net::TcpListener::from_std(listener) {
            Ok(listener) => listener,
            Err(error) => return tracing::error!(%error, addr = %listen.addr, "cannot listen"),
        };
        let speaking = match listen.only {
            Some(service) => DefaultService::Only(service),
            None => DefaultService::Assumed(Service::Thrift1),
        };
        tokio::select! {
            () = self.clone().accept_all(listener, speaking) => {}
            () = self.endpoint.dispatcher.shutdown.stopped() => {}
        }
    }

    async fn accept_all(self: Arc<Self>, listener: tokio::net::TcpListener, speaking: DefaultService) {
        loop {
            let (stream, peer) = match listener.accept().await {
                Ok(accepted) => {
                    self.endpoint.counters.accepted();
                    accepted
                }
                Err(error) => {
                    // Usually the process has no file descriptor left, and trying again at once would only use
                    // processor time.
                    tracing::warn!(%error, "cannot accept a connection; is the limit on open files too low?");
                    tokio::time::sleep(Duration::from_millis(100)).await;
                    continue;
                }
            };
            // The permit is for this connection: a listener without a client must not keep one from another listener.
            let permit = self.permit().await;
            let mut headroom = self.headroom(&stream, permit.is_some());
            while headroom == Headroom::Scarce && permit.is_some() {
                // Not until a permit is released: that would take the notice of it from a listener that waits for one.
                tokio::time::sleep(DESCRIPTOR_WAIT).await;
                headroom = self.headroom(&stream, true);
            }
            let live = self.endpoint.dispatcher.live();
            let limits = &live.config.limits;
            let counters = &self.endpoint.counters;
            if headroom != Headroom::Ample {
                counters.refused(ConnectionRefusal::Descriptors);
                let allowed = descriptors::limit().unwrap_or(u64::MAX);
                let refusal = format!(
                    "the limit on open files of the process ({allowed}) leaves no room for further connections beside the files of \
                     the store"
                );
                let errors = &self.endpoint.dispatcher.runner.client_errors;
                client_error!(errors, ConnectionRefused, warn, %peer, reason = refusal, "connection refused; raise the limit (ulimit -n, LimitNOFILE=)");
                if headroom == Headroom::Scarce {
                    self.turn_away(stream, peer, speaking, &refusal);
                }
                continue;
            }
            let by_descriptors =
                Connectable::beside(self.store_files).map_or(usize::MAX, |allowed| allowed.of_one_address);
            let address_max = limits.connections_per_address_max.min(by_descriptors);
            let (why, refusal) = match permit
                .or_else(|| self.endpoint.permits.try_acquire(limits))
                .map(|p| p.for_address(peer.ip(), address_max))
            {
                Some(Ok(permit)) => {
                    // Fails only if the client has already disconnected.
                    if let Ok(local) = stream.local_addr() {
                        let client = Client::new(peer, local, self.endpoint.access.clone());
                        self.hand_over(stream, client, speaking, permit);
                    }
                    continue;
                }
                Some(Err(TooManyFromAddress)) => {
                    let (why, limit) = match by_descriptors < limits.connections_per_address_max {
                        true => (
                            ConnectionRefusal::Descriptors,
                            "three quarters of the connections that the process's limit on open files allows",
                        ),
                        false => (ConnectionRefusal::AddressLimit, "limits.connections_per_address"),
                    };
                    let address = network_name(peer.ip());
                    let text = format!(
                        "{address_max} connections are open from {address}, which is the limit for one address ({limit})"
                    );
                    (why, text)
                }
                None => {
                    let text = format!(
                        "{} connections are open, which is the limit (limits.connections)",
                        limits.connections_max
                    );
                    (ConnectionRefusal::Limit, text)
                }
            };
            counters.refused(why);
            let errors = &self.endpoint.dispatcher.runner.client_errors;
            client_error!(errors, ConnectionRefused, warn, %peer, reason = refusal, "connection refused; close some, or raise the limit");
            if descriptors::may_answer(&stream, self.store_files) {
                self.turn_away(stream, peer, speaking, &refusal);
            }
        }
    }

    /// Whether a connection, which may have a permit already, leaves enough file descriptors to the store.
    fn headroom(self: &Arc<Self>, stream: &tokio::net::TcpStream, has_permit: bool) -> Headroom {
        let others = self.endpoint.permits.in_use().saturating_sub(usize::from(has_permit));
        descriptors::headroom(stream, others, self.store_files)
    }

    /// Waits for the permit of a connection, if connections above the limit wait. Those that follow on the same
    /// listener wait in the backlog. `None` if such connections are refused.
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

    /// Answers the first call of a connection with an error. Only a few connections at a time are answered.
    fn turn_away(&self, stream: tokio::net::TcpStream, peer: SocketAddr, speaking: DefaultService, why: &str) {
        let Ok(turn) = self.turned_away.clone().try_acquire_owned() else { return };
        let Ok(local) = stream.local_addr() else { return };
        let client =
            Client { refusal: Some(Refusal::no_room(why)), ..Client::new(peer, local, self.endpoint.access.clone()) };
        let serve = connection::serve(self.endpoint.clone(), ClientSocket::new(stream), speaking, client);
        tokio::spawn(async move {
            // After this time the connection is closed, whether or not it has been answered.
            let _ = tokio::time::timeout(TURNED_AWAY_FOR, serve).await;
            drop(turn);
        });
    }

    /// Hands a connection over to an event loop.
    fn hand_over(
        &self,
        stream: tokio::net::TcpStream,
        client: Client,
        speaking: DefaultService,
        permit: ConnectionPermit,
    ) {
        let Some(to) = self.endpoint.loops.for_new_connection() else { return };
        let mut socket = ClientSocket::new(stream);
        let is_here = self.endpoint.loops.first().is_some_and(|first| Arc::ptr_eq(first, to));
        // A socket belongs to the event loop that it is registered with.
        if !is_here && socket.deregister().is_err() {
            return;
        }
        let endpoint = self.endpoint.clone();
        serve_on(to, move || Box::pin(connection::serve(endpoint, socket, speaking, client)), permit);
    }
}

/// Serves a connection on one event loop after another, until it ends.
fn serve_on(to: &LoopHandle, serve: impl FnOnce() -> Serving + Send + 'static, permit: ConnectionPermit) {
    let placed = to.load.placed();
    to.runtime.spawn(async move {
        let mut serving = serve();
        let moves = loop {
            match serving.await {
                Some(Next::Here(next)) => serving = next,
                Some(Next::On(to, serve)) => break Some((to, serve)),
                None => break None,
            }
        };
        drop(placed);
        match moves {
            Some((to, serve)) => serve_on(&to, serve, permit),
            None => drop(permit),
        }
    });
}
