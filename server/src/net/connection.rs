//! A new connection: recognises what it speaks, and serves it accordingly.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::BytesMut;
use socket2::{SockRef, TcpKeepalive};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::endpoint::Endpoint;
use super::inbox::{Ended, Inbox};
use super::tls::TlsAcceptor;
use super::{http, session};
use crate::dispatch::call::Speaking;
use crate::dispatch::caller::Caller;
use crate::dispatch::dispatcher::Dispatcher;
use crate::wire::dialect::{Foreign, Opening, recognise};
use crate::wire::fault::Fault;

/// A dead peer is detected after about twice this time.
const KEEPALIVE: Duration = Duration::from_secs(60);

/// The client of a connection.
pub struct Client {
    /// The client, as its calls see it.
    pub caller: Arc<Caller>,
    /// The fault that answers its first call before the connection is closed; `None`: it is served.
    pub refusal: Option<Fault>,
}

impl Client {
    /// A client that is served.
    pub fn new(peer: SocketAddr) -> Self {
        Self { caller: Caller::new(peer), refusal: None }
    }
}

/// Serves a connection until its end.
pub async fn serve(endpoint: Arc<Endpoint>, stream: TcpStream, speaking: Speaking, client: Client) {
    let dispatcher = &endpoint.dispatcher;
    let peer = client.caller.peer;
    let socket = SockRef::from(&stream);
    let keepalive = TcpKeepalive::new().with_time(KEEPALIVE).with_interval(KEEPALIVE / 6);
    // Neither is needed for correctness, so a socket that refuses them is served without.
    let _ = socket.set_tcp_nodelay(true).and(socket.set_tcp_keepalive(&keepalive));
    let inbox = Inbox::new(stream, BytesMut::new(), dispatcher.claim_memory());
    let Some((opening, inbox)) = recognise_opening(dispatcher, inbox, peer).await else { return };
    let acceptor = if matches!(opening, Opening::Tls) { endpoint.tls.load_full() } else { None };
    match acceptor {
        Some(acceptor) => Box::pin(serve_tls(dispatcher, &acceptor, inbox, speaking, &client)).await,
        None => serve_opening(dispatcher, opening, inbox, speaking, &client).await,
    }
}

/// Does the TLS handshake and serves the connection inside.
async fn serve_tls(
    dispatcher: &Arc<Dispatcher>,
    acceptor: &TlsAcceptor,
    inbox: Inbox<TcpStream>,
    speaking: Speaking,
    client: &Client,
) {
    let peer = client.caller.peer;
    let (stream, read) = inbox.into_parts();
    let stream = match timeout(dispatcher.stall_max(), acceptor.accept(stream, read)).await {
        Ok(Ok(stream)) => stream,
        Ok(Err(error)) => return tracing::info!(%peer, %error, "connection closed: the TLS handshake failed"),
        Err(_) => return tracing::info!(%peer, "connection closed: the TLS handshake took too long"),
    };
    let inbox = Inbox::new(stream, BytesMut::new(), dispatcher.claim_memory());
    if let Some((opening, inbox)) = recognise_opening(dispatcher, inbox, peer).await {
        serve_opening(dispatcher, opening, inbox, speaking, client).await;
    }
}

/// Reads until it is clear what the client speaks; `None` if it closes the connection first.
async fn recognise_opening<S: AsyncRead + AsyncWrite + Unpin>(
    dispatcher: &Arc<Dispatcher>,
    mut inbox: Inbox<S>,
    peer: SocketAddr,
) -> Option<(Opening, Inbox<S>)> {
    loop {
        match recognise(inbox.bytes()) {
            Opening::Unclear => {
                let longest = dispatcher.silent_max(inbox.bytes().is_empty());
                match inbox.more(longest).await {
                    Ok(()) => {}
                    Err(Ended::Closed) if inbox.bytes().is_empty() => return None,
                    Err(_) => return Some((Opening::Foreign(Foreign::Garbage), inbox)),
                }
            }
            opening => {
                tracing::trace!(%peer, ?opening, "connection recognised");
                return Some((opening, inbox));
            }
        }
    }
}

/// Serves a connection whose protocol is known. Each protocol's future is boxed, so an idle connection holds the memory of its own
/// protocol alone, and one that has sent nothing yet that of none.
async fn serve_opening<S: AsyncRead + AsyncWrite + Unpin + Send + 'static>(
    dispatcher: &Arc<Dispatcher>,
    opening: Opening,
    inbox: Inbox<S>,
    speaking: Speaking,
    client: &Client,
) {
    let peer = client.caller.peer;
    match opening {
        Opening::Thrift(dialect) => Box::pin(session::serve(dispatcher, inbox, dialect, speaking, client)).await,
        Opening::Http => {
            let (stream, read) = inbox.into_parts();
            Box::pin(http::serve(dispatcher, stream, read, speaking, client)).await;
        }
        Opening::Tls => {
            tracing::info!(
                %peer,
                "connection closed: it looked like TLS; start the server with --tls-cert and --tls-key, or switch TLS off in the client"
            );
        }
        Opening::Foreign(foreign) => {
            let first = inbox.bytes().get(..8).unwrap_or(inbox.bytes()).escape_ascii();
            tracing::info!(%peer, %first, "connection closed: it looked like {foreign}");
        }
        // `recognise_opening` never returns this.
        Opening::Unclear => {}
    }
}
