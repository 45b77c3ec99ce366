//! A new connection: what it speaks, and who serves it.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::BytesMut;
use socket2::{SockRef, TcpKeepalive};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::{http, session};
use crate::dispatch::call::Speaking;
use crate::dispatch::caller::Caller;
use crate::dispatch::shared::Shared;
use crate::net::inbox::{Ended, Inbox};
use crate::net::tls::Acceptor;
use crate::wire::dialect::{Foreign, Opening, recognise};
use crate::wire::fault::Fault;

/// A dead peer is noticed after about twice this.
const KEEPALIVE: Duration = Duration::from_secs(60);

/// Whom a connection serves.
pub struct Guest {
    /// The client.
    pub caller: Arc<Caller>,
    /// Why it is sent away with its first call; `None`: it is served.
    pub unwelcome: Option<Fault>,
}

impl Guest {
    /// A client that is served.
    pub fn new(peer: SocketAddr) -> Self {
        Self { caller: Caller::new(peer), unwelcome: None }
    }
}

/// Serves a connection until its end.
pub async fn serve(shared: Arc<Shared>, stream: TcpStream, speaking: Speaking, guest: Guest) {
    let peer = guest.caller.peer;
    let socket = SockRef::from(&stream);
    let keepalive = TcpKeepalive::new().with_time(KEEPALIVE).with_interval(KEEPALIVE / 6);
    // Neither is needed to be right, so a socket that refuses is served without.
    let _ = socket.set_tcp_nodelay(true).and(socket.set_tcp_keepalive(&keepalive));
    let inbox = Inbox::new(stream, BytesMut::new(), shared.hold());
    let Some((opening, inbox)) = open(&shared, inbox, peer).await else { return };
    let acceptor = if matches!(opening, Opening::Tls) { shared.tls.load_full() } else { None };
    match acceptor {
        Some(acceptor) => Box::pin(secret(&shared, &acceptor, inbox, speaking, &guest)).await,
        None => speak(&shared, opening, inbox, speaking, &guest).await,
    }
}

/// Does the handshake and serves what is inside.
async fn secret(shared: &Arc<Shared>, acceptor: &Acceptor, inbox: Inbox<TcpStream>, speaking: Speaking, guest: &Guest) {
    let peer = guest.caller.peer;
    let (stream, read) = inbox.into_parts();
    let stream = match timeout(shared.stall_max(), acceptor.accept(stream, read)).await {
        Ok(Ok(stream)) => stream,
        Ok(Err(error)) => return tracing::info!(%peer, %error, "connection closed: the TLS handshake failed"),
        Err(_) => return tracing::info!(%peer, "connection closed: the TLS handshake took too long"),
    };
    let inbox = Inbox::new(stream, BytesMut::new(), shared.hold());
    if let Some((opening, inbox)) = open(shared, inbox, peer).await {
        speak(shared, opening, inbox, speaking, guest).await;
    }
}

/// Reads until it is clear what the client speaks; `None`: it went away first.
async fn open<S: AsyncRead + AsyncWrite + Unpin>(
    shared: &Arc<Shared>,
    mut inbox: Inbox<S>,
    peer: SocketAddr,
) -> Option<(Opening, Inbox<S>)> {
    loop {
        match recognise(inbox.bytes()) {
            Opening::Unclear => {
                let longest = shared.silent_max(inbox.bytes().is_empty());
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

/// Each way of speaking has its own box: an idle connection holds the memory of its own alone, and one that has said nothing yet of none.
async fn speak<S: AsyncRead + AsyncWrite + Unpin + Send + 'static>(
    shared: &Arc<Shared>,
    opening: Opening,
    inbox: Inbox<S>,
    speaking: Speaking,
    guest: &Guest,
) {
    let peer = guest.caller.peer;
    match opening {
        Opening::Thrift(dialect) => Box::pin(session::serve(shared, inbox, dialect, speaking, guest)).await,
        Opening::Http => {
            let (stream, read) = inbox.into_parts();
            Box::pin(http::serve(shared, stream, read, speaking, guest)).await;
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
        // `open` gives this to nobody.
        Opening::Unclear => {}
    }
}
