//! A new connection: recognises what the client speaks, and serves it accordingly.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use socket2::TcpKeepalive;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::timeout;

use super::buffered_stream::{BufferedStream, Ended, ReadTimeout};
use super::endpoint::Endpoint;
use super::http_stream::Reset;
use super::moving::{ClientSocket, Next, Registered};
use super::pace::MinimumRate;
use super::refusal::Refusal;
use super::rewind::Rewind;
use super::sasl::{self, SaslStream};
use super::tls::TlsAcceptor;
use super::tls_stream::Decrypted;
use super::{http, session, tls_failure};
use crate::access::Access;
use crate::dispatch::call::DefaultService;
use crate::dispatch::caller::Caller;
use crate::dispatch::dispatcher::Dispatcher;
use crate::dispatch::loop_writes::LoopConnection;
use crate::observe::{Brief, ClientError, ConnectionRefusal, client_error};
use crate::wire::dialect::{Foreign, Opening, recognise};
use crate::wire::method::Service;

/// Time of silence after which TCP probes whether the peer is alive. A dead peer is detected after about twice this
/// time.
const KEEPALIVE: Duration = Duration::from_secs(60);
/// The bytes that the system may hold before it sends them. A socket can be written to again when half of them have
/// been sent. With the system's default, that takes a slow client up to a megabyte, during which the server cannot see
/// that it is making progress.
#[cfg(any(target_os = "linux", target_os = "android"))]
const NOT_SENT_MAX: u32 = 256 << 10;
/// How long a connection that is not served may take to send its first call and to receive the answer.
const REFUSAL_MAX: Duration = Duration::from_secs(2);

/// The client of a connection.
pub struct Client {
    /// The client as its calls see it.
    pub caller: Arc<Caller>,
    /// The address of the server that the client has connected to.
    pub local: SocketAddr,
    /// Whether the connection is inside TLS.
    pub tls: bool,
    /// The users of the server.
    pub access: Arc<Access>,
    /// The answer to the client's first call, after which the connection is closed; `None` if the client is served.
    pub refusal: Option<Refusal>,
    /// The reason why the client's certificate identifies no user, if that is the case.
    pub certificate: Option<Box<str>>,
}

impl Client {
    /// A client that is served, without TLS.
    pub fn new(peer: SocketAddr, local: SocketAddr, access: Arc<Access>) -> Self {
        let caller = if access.is_enforced() { Caller::without_login(peer) } else { Caller::new(peer) };
        Self { caller, local, tls: false, access, refusal: None, certificate: None }
    }
}

/// Serves a new connection until it ends, or until its protocol is known and another future goes on.
pub async fn serve(
    endpoint: Arc<Endpoint>,
    mut stream: ClientSocket,
    speaking: DefaultService,
    mut client: Client,
) -> Option<Next> {
    let _connection = LoopConnection::open();
    stream.register().ok()?;
    let dispatcher = &endpoint.dispatcher;
    if let Some(socket) = stream.options() {
        let keepalive = TcpKeepalive::new().with_time(KEEPALIVE).with_interval(KEEPALIVE / 6);
        // None of these options is needed for correctness, so a socket that rejects them is served without.
        let _ = socket.set_tcp_nodelay(true).and(socket.set_tcp_keepalive(&keepalive));
        #[cfg(any(target_os = "linux", target_os = "android"))]
        let _ = socket.set_tcp_notsent_lowat(NOT_SENT_MAX);
    }
    let stream = BufferedStream::new(stream, dispatcher.claim_memory(&client.caller), client.caller.peer.ip());
    let (opening, stream) = recognise_opening(dispatcher, stream, speaking, client.caller.peer).await?;
    let acceptor = endpoint.tls.load_full();
    match (opening, acceptor) {
        (Opening::Tls, Some(acceptor)) => Box::pin(serve_tls(&endpoint, &acceptor, stream, speaking, client)).await,
        // Whatever else the client speaks: protocols that are added later must not be served by mistake.
        (_, Some(acceptor)) if acceptor.requires_tls(client.local) => {
            // An unknown protocol is refused and logged as such.
            if !matches!(opening, Opening::Foreign(_)) {
                let errors = &dispatcher.runner.client_errors;
                let peer = client.caller.peer;
                client_error!(errors, ForeignProtocol, info, %peer, "connection refused: it does not use TLS, which this server requires");
                if client.refusal.is_none() {
                    endpoint.counters.refused(ConnectionRefusal::PlainText);
                }
            }
            client.refusal.get_or_insert_with(|| Refusal::plain_text(acceptor.requires_certificate()));
            serve_opening(dispatcher, opening, stream, speaking, &client).await
        }
        _ => serve_opening(dispatcher, opening, stream, speaking, &client).await,
    }
}

/// Performs the TLS handshake and serves the connection inside.
async fn serve_tls(
    endpoint: &Endpoint,
    acceptor: &TlsAcceptor,
    stream: BufferedStream<ClientSocket>,
    speaking: DefaultService,
    mut client: Client,
) -> Option<Next> {
    let dispatcher = &endpoint.dispatcher;
    let peer = client.caller.peer;
    let errors = &dispatcher.runner.client_errors;
    let (stream, read) = stream.into_parts();
    let handshake = endpoint.handshakes.perform(acceptor.clone(), stream, read, peer.ip());
    let handshake = timeout(dispatcher.stall_max(), handshake).await;
    endpoint.counters.handshake(matches!(handshake, Ok(Ok(_))));
    let stream = match handshake {
        Ok(Ok(stream)) => stream,
        Ok(Err(error)) => {
            client_error!(errors, TlsHandshake, info, %peer, error = Brief(tls_failure::of_handshake(&error)).to_string(), "connection closed: the TLS handshake failed");
            return None;
        }
        Err(_) => {
            client_error!(errors, TlsHandshake, info, %peer, "connection closed: the TLS handshake took too long");
            return None;
        }
    };
    client.tls = true;
    let certificate = stream.get_ref().1.peer_certificates().and_then(|chain| chain.first());
    match certificate.filter(|_| client.access.is_enforced()).map(|certificate| client.access.certificate(certificate))
    {
        None => {}
        Some(Ok(login)) => client.caller = client.caller.logged_in(Arc::new(login)),
        Some(Err(why)) => client.certificate = Some(why.into()),
    }
    let stream = Decrypted::new(stream);
    let stream = BufferedStream::new(stream, dispatcher.claim_memory(&client.caller), client.caller.peer.ip());
    let (opening, stream) = recognise_opening(dispatcher, stream, speaking, peer).await?;
    serve_opening(dispatcher, opening, stream, speaking, &client).await
}

/// Logs the client in with SASL and serves the connection inside.
async fn serve_sasl<S: AsyncRead + AsyncWrite + Registered + Unpin + Send + 'static>(
    dispatcher: &Arc<Dispatcher>,
    stream: BufferedStream<S>,
    speaking: DefaultService,
    client: &Client,
) -> Option<Next> {
    let peer = client.caller.peer;
    let (stream, caller) = sasl::log_in(dispatcher, stream, client).await?;
    let (stream, read) = stream.into_parts();
    // Frames take no memory of their own; messages inside them have the usual limits.
    let frame_bytes_max = dispatcher.live().config.limits.message_bytes_max;
    let stream = SaslStream::new(Rewind::new(read, stream), frame_bytes_max);
    let stream = BufferedStream::new(stream, dispatcher.claim_memory(&caller), peer.ip());
    let (opening, stream) = recognise_opening(dispatcher, stream, speaking, peer).await?;
    let Opening::Thrift(dialect) = opening else {
        let errors = &dispatcher.runner.client_errors;
        client_error!(errors, ForeignProtocol, info, %peer, "connection closed: it does not speak Thrift inside SASL");
        return None;
    };
    Some(Next::Here(session::serve(dispatcher.clone(), stream, dialect, speaking, caller)))
}

/// Reads until the client's protocol is known. Returns `None` if the client sends nothing. If it stops in the middle,
/// it is not served, and the protocol is taken for an unknown one.
async fn recognise_opening<S: AsyncRead + AsyncWrite + Unpin>(
    dispatcher: &Arc<Dispatcher>,
    mut stream: BufferedStream<S>,
    speaking: DefaultService,
    peer: SocketAddr,
) -> Option<(Opening, BufferedStream<S>)> {
    loop {
        match recognise(stream.bytes()) {
            Opening::Unclear => {
                let read_timeout = {
                    let limits = &dispatcher.live().config.limits;
                    match stream.bytes().is_empty() {
                        true => ReadTimeout::BetweenMessages(limits.first_call_max),
                        false => ReadTimeout::WithinMessage(MinimumRate::of(limits)),
                    }
                };
                match stream.receive(read_timeout).await {
                    Ok(()) => {}
                    Err(Ended::Closed) if stream.bytes().is_empty() => return None,
                    Err(Ended::Silent) if stream.bytes().is_empty() => {
                        tracing::debug!(%peer, "connection closed: it made no call within limits.first_call");
                        return None;
                    }
                    Err(_) => return Some((Opening::Foreign(Foreign::Garbage), stream)),
                }
            }
            // The port serves no other protocol, so this is a method of HTTP that no resource has.
            Opening::Foreign(Foreign::Garbage)
                if speaking == DefaultService::Only(Service::Rest)
                    && stream.bytes().first().is_some_and(u8::is_ascii_alphabetic) =>
            {
                return Some((Opening::Http, stream));
            }
            opening => {
                tracing::trace!(%peer, ?opening, "connection recognised");
                return Some((opening, stream));
            }
        }
    }
}

/// Serves a connection whose protocol is known.
///
/// The future of each protocol is boxed, so that an idle connection holds only the memory of its own protocol, and a
/// connection that has sent nothing yet holds that of none.
async fn serve_opening<S: AsyncRead + AsyncWrite + Registered + Reset + Unpin + Send + 'static>(
    dispatcher: &Arc<Dispatcher>,
    opening: Opening,
    stream: BufferedStream<S>,
    speaking: DefaultService,
    client: &Client,
) -> Option<Next> {
    let peer = client.caller.peer;
    match opening {
        Opening::Thrift(dialect) => match &client.refusal {
            None if client.access.is_enforced() && client.caller.login().is_none() => {
                let certificate = client.certificate.as_deref();
                let error = if certificate.is_some() { ClientError::LoginFailed } else { ClientError::LoginMissing };
                dispatcher.runner.client_errors.count(error);
                client.access.log_failed_login(None, peer, certificate.unwrap_or("the connection has no login"));
                let refusal = Refusal::login_required(certificate);
                let refused = Box::pin(session::turn_away(dispatcher, stream, dialect, speaking, &refusal.fault));
                let _ = timeout(REFUSAL_MAX, refused).await;
            }
            None => {
                let serving = session::serve(dispatcher.clone(), stream, dialect, speaking, client.caller.clone());
                return Some(Next::Here(serving));
            }
            Some(refusal) => {
                let refused = Box::pin(session::turn_away(dispatcher, stream, dialect, speaking, &refusal.fault));
                // After this time the connection is closed, whether or not it has been answered.
                let _ = timeout(REFUSAL_MAX, refused).await;
            }
        },
        Opening::Http => {
            let (stream, read) = stream.into_parts();
            let served = Box::pin(http::serve(dispatcher, stream, read, speaking, client));
            if client.refusal.is_some() {
                let _ = timeout(REFUSAL_MAX, served).await;
            } else {
                served.await;
            }
        }
        Opening::Sasl => return Box::pin(serve_sasl(dispatcher, stream, speaking, client)).await,
        Opening::Tls if client.tls => tracing::info!(%peer, "connection closed: it opened TLS inside TLS"),
        Opening::Tls => {
            client_error!(
                dispatcher.runner.client_errors,
                ForeignProtocol,
                info,
                %peer,
                "connection closed: it looked like TLS; start the server with --tls-cert and --tls-key, or disable TLS in the client"
            );
        }
        Opening::Foreign(foreign) => {
            let first = stream.bytes().get(..8).unwrap_or(stream.bytes()).escape_ascii().to_string();
            let errors = &dispatcher.runner.client_errors;
            client_error!(errors, ForeignProtocol, info, %peer, first, "connection closed: it looked like {foreign}");
        }
        // `recognise_opening` never returns this.
        Opening::Unclear => {}
    }
    None
}
