//! HTTP/1.1. A message of Thrift is the body of a POST request, its reply the body of the response. All other requests
//! are for the REST gateway (`rest.rs`).

use std::borrow::Cow;
use std::convert::Infallible;
use std::error::Error;
use std::io::{self, ErrorKind};
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt;
use hyper::body::{Body, Incoming};
use hyper::header::{self, ALLOW, CONTENT_TYPE, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};

use super::authorization::{self, Credentials};
use super::connection::Client;
use super::http_stream::{Exchange, HttpStream, Reset, Unsent};
use super::loop_turn::{LoopTurn, ReceivingTurn};
use super::pace::{MinimumRate, Pace};
use super::reply_body::ReplyBody;
use super::rewind::Rewind;
use super::web_pages::{self, printable};
use crate::access::{Login, Refused};
use crate::dispatch::call::{Call, DefaultService};
use crate::dispatch::caller::Caller;
use crate::dispatch::dispatcher::Dispatcher;
use crate::dispatch::job::Reply;
use crate::dispatch::memory_quota::MemoryClaim;
use crate::observe::ClientError;
use crate::wire::fault::Fault;
use crate::wire::method::Service;
use crate::wire::rest::answer::RETRY_AFTER_SECONDS;
use crate::wire::{Encoding, Transport};

/// The limit on the head of a request in bytes, like that of Jetty in HBase's gateway.
const HEADER_BYTES_MAX: usize = 64 << 10;
/// The longest body that is received from a client whose login is missing or refused.
const DISCARDED_BYTES_MAX: usize = 64 << 10;
/// The value of `Retry-After` after too many failed logins, which count for a minute.
const LOGIN_AFTER_SECONDS: &str = "60";

/// The state that the requests of a connection share.
pub(super) struct Connection<'a> {
    pub(super) dispatcher: &'a Arc<Dispatcher>,
    pub(super) client: &'a Client,
    /// Requests of a connection are handled one after the other, so the lock is never contended.
    speaking: Mutex<DefaultService>,
    /// The client of the last request with credentials.
    logged_in: Mutex<Option<Arc<Caller>>>,
    pub(super) exchange: Arc<Exchange>,
    /// The turns of the connection. Each request has its own.
    turn: tokio::sync::Mutex<LoopTurn>,
}

/// The status and the text of a request that is refused.
pub(super) type Denied = (StatusCode, Cow<'static, str>);

/// Serves an HTTP connection, of which `read` has been read already.
pub async fn serve<S: AsyncRead + AsyncWrite + Reset + Unpin + Send + 'static>(
    dispatcher: &Arc<Dispatcher>,
    stream: S,
    read: BytesMut,
    speaking: DefaultService,
    client: &Client,
) {
    let peer = client.caller.peer;
    let exchange = Exchange::new();
    let (rate, header_timeout, keep_alive) = {
        let config = &dispatcher.live().config;
        let keep_alive = config.http.keep_alive.min(config.limits.idle_max.unwrap_or(Duration::MAX));
        (MinimumRate::of(&config.limits), config.http.header_timeout, keep_alive)
    };
    let shared = Connection {
        dispatcher,
        client,
        speaking: Mutex::new(speaking),
        logged_in: Mutex::default(),
        exchange: exchange.clone(),
        turn: tokio::sync::Mutex::new(LoopTurn::new(peer.ip())),
    };
    let service = service_fn(|request| shared.answer(request));
    let claim = dispatcher.claim_memory(&client.caller);
    let stream = HttpStream::new(Rewind::new(read, stream), exchange, rate, header_timeout, claim);
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        // For hyper, the time between requests is part of it. The stream limits the time from the first byte of a head
        // to its end.
        .header_read_timeout(keep_alive.saturating_add(header_timeout))
        .max_buf_size(HEADER_BYTES_MAX)
        // A client that has closed its sending side still waits for the response.
        .half_close(true)
        .serve_connection(TokioIo::new(stream), service);
    let mut connection = std::pin::pin!(connection);
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = dispatcher.shutdown.stopped() => {
            shared.exchange.stop();
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%peer, %error, "HTTP connection ended early");
    }
}

/// Whether a body arrives unencoded or in chunks. hyper also accepts other codings before `chunked`, such as another
/// `chunked`, and does not decode them.
fn is_plain_or_chunked(headers: &header::HeaderMap) -> bool {
    let mut codings = headers.get_all(header::TRANSFER_ENCODING).iter();
    codings.next().is_none_or(|coding| coding.as_bytes().eq_ignore_ascii_case(b"chunked")) && codings.next().is_none()
}

/// Whether the client sends the body only after an answer with the status 100, which hyper sends when the body is read.
fn awaits_continue(headers: &header::HeaderMap) -> bool {
    headers.get(header::EXPECT).is_some_and(|expected| expected.as_bytes().eq_ignore_ascii_case(b"100-continue"))
}

/// The coding of a body; `None` if it is not encoded.
fn content_coding(headers: &header::HeaderMap) -> Option<&HeaderValue> {
    headers.get_all(header::CONTENT_ENCODING).iter().find(|coding| !coding.as_bytes().eq_ignore_ascii_case(b"identity"))
}

impl Connection<'_> {
    async fn answer(&self, request: Request<Incoming>) -> Result<Response<ReplyBody>, Infallible> {
        self.exchange.begin_body();
        // A client that does not wait for responses always has a next request; other connections go first.
        tokio::task::yield_now().await;
        let mut turn = self.turn.lock().await;
        turn.go_on().await;
        let response = turn.during(pin!(self.in_turn(request))).await;
        turn.answered(usize::try_from(response.body().size_hint().lower()).unwrap_or(usize::MAX));
        turn.end();
        Ok(response)
    }

    /// Answers a request in its turn.
    async fn in_turn(&self, request: Request<Incoming>) -> Response<ReplyBody> {
        if let Some(refusal) = &self.client.refusal {
            let mut refused = self.text(refusal.status, format!("{}\n", refusal.text));
            refused.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
            return refused;
        }
        let origin = {
            let live = self.dispatcher.live();
            let checks_host = web_pages::may_be_rebound(self.client.local.ip(), self.client.tls);
            let own_host = live.config.host.as_deref();
            web_pages::origin(
                request.method(),
                request.headers(),
                request.uri(),
                &live.config.http,
                checks_host,
                own_host,
            )
        };
        let mut response = match origin {
            Ok(None) => self.serve(request).await,
            Ok(Some(origin)) => {
                let mut response = match *request.method() {
                    Method::OPTIONS => self.preflight(request.headers()),
                    _ => self.serve(request).await,
                };
                let headers = response.headers_mut();
                headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
                let exposed = HeaderValue::from_static("Location, X-Row, X-Column, X-Timestamp");
                headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, exposed);
                response
            }
            Err((status, why)) => self.text(status, why),
        };
        // The response depends on these headers, which caches need to know.
        response.headers_mut().append(header::VARY, HeaderValue::from_static("Origin, Sec-Fetch-Site"));
        response
    }

    /// Answers a browser that asks whether a web page of an allowed origin may send calls.
    fn preflight(&self, asked: &header::HeaderMap) -> Response<ReplyBody> {
        let mut response = self.text(StatusCode::NO_CONTENT, "");
        let headers = response.headers_mut();
        headers.remove(CONTENT_TYPE);
        headers.insert(header::ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static("POST, GET, PUT, DELETE"));
        let allowed = "Content-Type, Content-Encoding, Authorization, Accept, Encoding, X-Timestamp";
        headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, HeaderValue::from_static(allowed));
        headers.insert(header::ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("600"));
        if asked.contains_key("access-control-request-private-network") {
            headers.insert("access-control-allow-private-network", HeaderValue::from_static("true"));
        }
        response
    }

    /// Answers a request whose origin has been checked. On a port of both, a POST of a Thrift message is for Thrift.
    async fn serve(&self, request: Request<Incoming>) -> Response<ReplyBody> {
        if !is_plain_or_chunked(request.headers()) {
            let why = "The server decodes no transfer coding but chunked; send the body without Transfer-Encoding, or with \
                       chunked alone.\n";
            return self.text(StatusCode::NOT_IMPLEMENTED, why);
        }
        let speaking = *self.speaking.lock().unwrap_or_else(PoisonError::into_inner);
        let is_thrift = match speaking {
            DefaultService::Only(service) => service != Service::Rest,
            _ => request.method() == Method::POST && web_pages::content_type(request.headers()).is_ok(),
        };
        if is_thrift { self.post(request).await } else { self.rest(request).await }
    }

    /// Runs the call of Thrift in a request.
    async fn post(&self, request: Request<Incoming>) -> Response<ReplyBody> {
        if request.method() != Method::POST {
            let mut refusal = self.text(
                StatusCode::METHOD_NOT_ALLOWED,
                "This is an HBase Thrift server (hjall). Send Thrift messages (binary or compact protocol) with POST and \
                 Content-Type application/x-thrift.\n",
            );
            refusal.headers_mut().insert(ALLOW, HeaderValue::from_static("POST"));
            return refusal;
        }
        let caller = match self.caller(request.headers()).await {
            Ok(caller) => caller,
            Err(denied) => {
                let (head, body) = request.into_parts();
                self.discard(&head.headers, body).await;
                return self.denied(denied);
            }
        };
        if let Err((status, why)) = web_pages::content_type(request.headers()) {
            return self.text(status, why);
        }
        if let Some(coding) = content_coding(request.headers()) {
            let why = format!(
                "The body of a Thrift message must not have the Content-Encoding {}; send the message unencoded.\n",
                printable(coding.as_bytes())
            );
            return self.text(StatusCode::UNSUPPORTED_MEDIA_TYPE, why);
        }
        match self.body(&caller, request.into_body(), 0).await {
            Ok(Received { message, claim }) => self.run(message, claim, &caller).await,
            Err((status, why)) => self.text(status, why.into_owned()),
        }
    }

    /// The client of a request, after its login. Nothing of the body is received before.
    pub(super) async fn caller(&self, headers: &header::HeaderMap) -> Result<Arc<Caller>, Denied> {
        let Client { caller, access, .. } = self.client;
        if headers.contains_key("doas") {
            // As in HBase, where impersonation has to be configured.
            return Err((StatusCode::INTERNAL_SERVER_ERROR, "Support for proxyuser is not configured\n".into()));
        }
        if !access.is_enforced() {
            return Ok(caller.clone());
        }
        let credentials = authorization::credentials(headers);
        let user = match &credentials {
            Ok(Some(Credentials::Password { name, .. })) => Some(name.clone()),
            _ => None,
        };
        // Many clients send a password only after an answer that demands it.
        let error = match &credentials {
            Ok(None) if self.client.certificate.is_none() => ClientError::LoginMissing,
            _ => ClientError::LoginFailed,
        };
        self.log_in(credentials).await.map_err(|(status, why)| {
            self.dispatcher.runner.client_errors.count(error);
            access.log_failed_login(user.as_deref(), caller.peer, &why);
            // A sentence.
            let mut characters = why.chars();
            let first = characters.next().map(|first| first.to_ascii_uppercase());
            (status, format!("{}{}.\n", first.map(String::from).unwrap_or_default(), characters.as_str()).into())
        })
    }

    /// Logs a client in. The reason of a failure is for the client and the log.
    async fn log_in(
        &self,
        credentials: Result<Option<Credentials>, (StatusCode, &'static str)>,
    ) -> Result<Arc<Caller>, Denied> {
        let Client { caller, access, tls, certificate, .. } = self.client;
        let login = match credentials.map_err(|(status, why)| (status, why.into()))? {
            // The certificate of the connection.
            None if caller.login().is_some() => return Ok(caller.clone()),
            None => {
                let why = match certificate {
                    None => "this server has users; send a user and a password, or a token".into(),
                    Some(why) => {
                        format!("this server has users: {why}, or send a user and a password, or a token").into()
                    }
                };
                return Err((StatusCode::UNAUTHORIZED, why));
            }
            Some(_) if !tls && !access.allows_without_tls(caller.peer.ip()) => {
                let why = "passwords and tokens are accepted only over TLS (auth.without_tls)";
                return Err((StatusCode::FORBIDDEN, why.into()));
            }
            Some(Credentials::Password { name, password }) => access.password(caller.peer.ip(), &name, &password).await,
            Some(Credentials::Token(token)) => access.token(caller.peer.ip(), &token),
        };
        login.map(|login| self.logged_in(login)).map_err(|refused| {
            let status = match refused {
                Refused::Wrong => StatusCode::UNAUTHORIZED,
                Refused::TooManyOfName | Refused::TooManyFromAddress => StatusCode::TOO_MANY_REQUESTS,
                Refused::Busy => StatusCode::SERVICE_UNAVAILABLE,
            };
            (status, refused.to_string().into())
        })
    }

    /// The client with this login. Consecutive requests with the same login share one.
    fn logged_in(&self, login: Login) -> Arc<Caller> {
        let mut last = self.logged_in.lock().unwrap_or_else(PoisonError::into_inner);
        match last.as_ref().filter(|caller| caller.login() == Some(&login)) {
            Some(caller) => caller.clone(),
            None => last.insert(self.client.caller.logged_in(Arc::new(login))).clone(),
        }
    }

    /// The answer to a request whose login is missing or refused.
    pub(super) fn denied(&self, (status, why): Denied) -> Response<ReplyBody> {
        let mut response = self.text(status, why.into_owned());
        if status == StatusCode::UNAUTHORIZED {
            for challenge in authorization::CHALLENGES {
                response.headers_mut().append(header::WWW_AUTHENTICATE, HeaderValue::from_static(challenge));
            }
        }
        response
    }

    async fn run(&self, message: Bytes, claim: MemoryClaim, caller: &Arc<Caller>) -> Response<ReplyBody> {
        let encoding = if message.first() == Some(&0x82) { Encoding::Compact } else { Encoding::Binary };
        let call = {
            let mut speaking = self.speaking.lock().unwrap_or_else(PoisonError::into_inner);
            Call::recognise(encoding, &message, &mut speaking)
        };
        let call = match call {
            Ok(call) => call.over(Transport::Http),
            Err(Fault::Protocol(why)) => {
                return self.text(StatusCode::BAD_REQUEST, format!("The body is not a Thrift message: {why}.\n"));
            }
            Err(other) => return self.text(StatusCode::BAD_REQUEST, format!("{other}\n")),
        };
        let reply = match self.dispatcher.shutdown.begin() {
            Some(busy) => {
                let run = self.dispatcher.run(call, message, Vec::new(), caller, self.exchange.client_left());
                let reply = run.await;
                // The message is no longer in use.
                drop(claim);
                reply.map(|reply| (reply, busy))
            }
            None => None,
        };
        match reply {
            Some((Reply { bytes, claim }, busy)) => {
                let mut response = self.response(bytes.into(), Some(Unsent { busy, claim }));
                response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/x-thrift"));
                response
            }
            None => self.text(StatusCode::SERVICE_UNAVAILABLE, "The server is stopping.\n"),
        }
    }

    /// Receives a small body and discards it. A response before the end of the request closes the connection, and a
    /// client that is still sending may lose the response. A client that asks before it sends is not told to.
    pub(super) async fn discard(&self, headers: &header::HeaderMap, mut body: Incoming) {
        if awaits_continue(headers) {
            return;
        }
        let rate = MinimumRate::of(&self.dispatcher.live().config.limits);
        let (mut receiving, mut left) = (Pace::default(), DISCARDED_BYTES_MAX);
        if body.size_hint().lower() > left as u64 {
            return;
        }
        while let Ok(Some(Ok(frame))) = receiving.keep(rate, body.frame()).await {
            let received = frame.data_ref().map_or(0, Bytes::len);
            receiving.moved(received);
            let Some(more) = left.checked_sub(received) else { return };
            left = more;
        }
    }

    /// Receives the complete body, with a length or chunked. The claim includes the memory of the head.
    pub(super) async fn body(&self, caller: &Caller, body: Incoming, head_bytes: usize) -> Result<Received, Denied> {
        let claim = self.dispatcher.claim_memory(caller);
        let received = self.receive_body(caller, body, head_bytes, claim).await;
        if let Err((StatusCode::PAYLOAD_TOO_LARGE | StatusCode::SERVICE_UNAVAILABLE, _)) = received {
            caller.count_refused();
        }
        received
    }

    async fn receive_body(
        &self,
        caller: &Caller,
        mut body: Incoming,
        head_bytes: usize,
        mut claim: MemoryClaim,
    ) -> Result<Received, Denied> {
        const TOO_SLOW: (StatusCode, Cow<'static, str>) = (
            StatusCode::REQUEST_TIMEOUT,
            Cow::Borrowed("The body arrives too slowly (limits.stall, limits.min_rate).\n"),
        );
        let (bytes_max, rate) = {
            let limits = &self.dispatcher.live().config.limits;
            (limits.message_bytes_max, MinimumRate::of(limits))
        };
        let too_large = || {
            let why = format!(
                "The body is larger than {bytes_max} bytes, the limit of the server (limits.message); send less at a time, or \
                 raise the limit.\n"
            );
            Err((StatusCode::PAYLOAD_TOO_LARGE, why.into()))
        };
        if body.size_hint().lower() > bytes_max as u64 {
            return too_large();
        }
        let hold = |claim: &mut MemoryClaim, bytes: usize| {
            if claim.try_resize(bytes) {
                return Ok(());
            }
            if !claim.can_resize(bytes) {
                let why = format!("The body is too large: {}.\n", Fault::more_than_share_text(claim.alone_max()));
                return Err((StatusCode::PAYLOAD_TOO_LARGE, why.into()));
            }
            let why = "The calls in flight hold too many bytes (limits.bytes_in_flight); try again.\n";
            Err((StatusCode::SERVICE_UNAVAILABLE, why.into()))
        };
        hold(&mut claim, head_bytes)?;
        let mut message = BytesMut::new();
        let (mut receiving, mut turn) = (Pace::default(), ReceivingTurn::new(caller.peer.ip()));
        loop {
            if turn.left() == 0 {
                turn.next().await;
            }
            let frame = match receiving.keep(rate, body.frame()).await {
                Ok(Some(Ok(frame))) => frame,
                Ok(None) => {
                    self.exchange.begin_call();
                    return Ok(Received { message: message.freeze(), claim });
                }
                Ok(Some(Err(error))) => return Err((StatusCode::BAD_REQUEST, damaged(&error))),
                Err(_) => return Err(TOO_SLOW),
            };
            let Ok(data) = frame.into_data() else { continue };
            if message.len() + data.len() > bytes_max {
                return too_large();
            }
            receiving.moved(data.len());
            turn.count(data.len());
            message.extend_from_slice(&data);
            hold(&mut claim, head_bytes + message.capacity())?;
        }
    }

    pub(super) fn text(&self, status: StatusCode, text: impl Into<Bytes>) -> Response<ReplyBody> {
        let mut response = self.response(text.into(), None);
        *response.status_mut() = status;
        response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
        let retry_after = match status {
            StatusCode::SERVICE_UNAVAILABLE => Some(RETRY_AFTER_SECONDS),
            StatusCode::TOO_MANY_REQUESTS => Some(LOGIN_AFTER_SECONDS),
            _ => None,
        };
        if let Some(seconds) = retry_after {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static(seconds));
        }
        response
    }

    /// A response with this body, which holds `unsent` until all of it has been sent.
    pub(super) fn response(&self, bytes: Bytes, unsent: Option<Unsent>) -> Response<ReplyBody> {
        Response::new(ReplyBody::new(bytes, unsent, self.exchange.clone()))
    }
}

/// Why a body cannot be read.
fn damaged(error: &hyper::Error) -> Cow<'static, str> {
    let mut causes = std::iter::successors(Some(error as &(dyn Error + 'static)), |error| (*error).source());
    match causes.find_map(|cause| cause.downcast_ref::<io::Error>()) {
        Some(cause) if matches!(cause.kind(), ErrorKind::InvalidData | ErrorKind::InvalidInput) => {
            format!("The chunks of the body cannot be read: {cause}.\n").into()
        }
        _ => "The body ends early.\n".into(),
    }
}

/// The body of a request, and the memory that it uses.
pub(super) struct Received {
    pub(super) message: Bytes,
    pub(super) claim: MemoryClaim,
}
