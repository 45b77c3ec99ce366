//! Thrift over HTTP/1.1: one message is the body of a POST, its reply the body of the answer.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt;
use hyper::body::{Body, Frame, Incoming, SizeHint};
use hyper::header::{self, ALLOW, CONTENT_TYPE, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::timeout;

use super::connection::Client;
use super::rewind::Rewind;
use super::web_pages;
use crate::dispatch::call::{Call, Speaking};
use crate::dispatch::dispatcher::Dispatcher;
use crate::dispatch::memory_quota::MemoryClaim;
use crate::dispatch::shutdown::CallGuard;
use crate::wire::fault::Fault;
use crate::wire::{Encoding, Transport};

/// Jetty's limit on headers, about which HBase's gateway has, in bytes.
const HEADER_BYTES_MAX: usize = 64 << 10;

/// Serves an HTTP connection whose first bytes were read already.
pub async fn serve<S: AsyncRead + AsyncWrite + Unpin + Send + 'static>(
    dispatcher: &Arc<Dispatcher>,
    stream: S,
    read: BytesMut,
    speaking: Speaking,
    client: &Client,
) {
    let peer = client.caller.peer;
    // Requests of a connection come one after the other; the lock is never waited for.
    let speaking = Mutex::new(speaking);
    let service = service_fn(|request| answer(dispatcher, request, &speaking, client));
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(
            dispatcher.silent_max(true).unwrap_or(Duration::from_secs(600)).max(dispatcher.stall_max()),
        )
        .max_buf_size(HEADER_BYTES_MAX)
        .auto_date_header(false)
        // Who says that no further request follows still waits for the answer to this one.
        .half_close(true)
        .serve_connection(TokioIo::new(Rewind::new(read, stream)), service);
    let mut connection = std::pin::pin!(connection);
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = dispatcher.shutdown.stopped() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%peer, %error, "HTTP connection ended early");
    }
}

async fn answer(
    dispatcher: &Arc<Dispatcher>,
    request: Request<Incoming>,
    speaking: &Mutex<Speaking>,
    client: &Client,
) -> Result<Response<Reply>, Infallible> {
    if let Some(refusal) = &client.refusal {
        let mut refused = text(refusal.status, format!("{}\n", refusal.fault));
        refused.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
        return Ok(refused);
    }
    let origin = {
        let live = dispatcher.live();
        let checks_host = client.local.ip().to_canonical().is_loopback() && !client.tls;
        let own_host = live.config.host.as_deref();
        web_pages::origin(request.headers(), request.uri(), &live.config.http, checks_host, own_host)
    };
    let mut response = match origin {
        Ok(None) => post(dispatcher, request, speaking, client).await,
        Ok(Some(origin)) => {
            let mut response = match *request.method() {
                Method::OPTIONS => preflight(request.headers()),
                _ => post(dispatcher, request, speaking, client).await,
            };
            response.headers_mut().insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
            response
        }
        Err((status, why)) => text(status, why),
    };
    // The answer depends on it, which caches need to know.
    response.headers_mut().insert(header::VARY, HeaderValue::from_static("Origin"));
    Ok(response)
}

/// Answers a browser that asks whether a web page of an allowed origin may send calls.
fn preflight(asked: &header::HeaderMap) -> Response<Reply> {
    let mut response = text(StatusCode::NO_CONTENT, "");
    let headers = response.headers_mut();
    headers.remove(CONTENT_TYPE);
    headers.insert(header::ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static("POST"));
    headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, HeaderValue::from_static("Content-Type, Authorization"));
    headers.insert(header::ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("600"));
    if asked.contains_key("access-control-request-private-network") {
        headers.insert("access-control-allow-private-network", HeaderValue::from_static("true"));
    }
    response
}

/// Runs the call of a request whose origin has been checked.
async fn post(
    dispatcher: &Arc<Dispatcher>,
    request: Request<Incoming>,
    speaking: &Mutex<Speaking>,
    client: &Client,
) -> Response<Reply> {
    if request.method() != Method::POST {
        let mut refusal = text(
            StatusCode::METHOD_NOT_ALLOWED,
            "This is an HBase Thrift server (hjall). Send Thrift messages (binary or compact protocol) with POST and Content-Type \
             application/x-thrift.\n",
        );
        refusal.headers_mut().insert(ALLOW, HeaderValue::from_static("POST"));
        return refusal;
    }
    if let Err((status, why)) = web_pages::content_type(request.headers()) {
        return text(status, why);
    }
    match body(dispatcher, request.into_body()).await {
        Ok((message, claim)) => run(dispatcher, message, claim, speaking, client).await,
        Err((status, why)) => text(status, why),
    }
}

async fn run(
    dispatcher: &Arc<Dispatcher>,
    message: Bytes,
    mut claim: MemoryClaim,
    speaking: &Mutex<Speaking>,
    client: &Client,
) -> Response<Reply> {
    let encoding = if message.first() == Some(&0x82) { Encoding::Compact } else { Encoding::Binary };
    let call = {
        let mut speaking = speaking.lock().unwrap_or_else(PoisonError::into_inner);
        Call::recognise(encoding, &message, &mut speaking)
    };
    let call = match call {
        Ok(call) => call.over(Transport::Http),
        Err(Fault::Protocol(why)) => {
            return text(StatusCode::BAD_REQUEST, format!("The body is not a Thrift message: {why}.\n"));
        }
        Err(other) => return text(StatusCode::BAD_REQUEST, format!("{other}\n")),
    };
    let reply = match dispatcher.shutdown.begin() {
        // Who hangs up cannot be told from who only closes its own side, which HTTP allows.
        Some(busy) => {
            let run = dispatcher.run(call, message, Vec::new(), &client.caller, std::future::pending());
            run.await.map(|reply| (reply, busy))
        }
        None => None,
    };
    match reply {
        Some((reply, busy)) => {
            claim.resize(reply.capacity());
            let mut response = Response::new(Reply { bytes: Some(reply.into()), _under_way: Some((busy, claim)) });
            response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/x-thrift"));
            response
        }
        None => text(StatusCode::SERVICE_UNAVAILABLE, "The server is stopping.\n"),
    }
}

/// The whole body, in one piece or chunked.
async fn body(
    dispatcher: &Arc<Dispatcher>,
    mut body: Incoming,
) -> Result<(Bytes, MemoryClaim), (StatusCode, &'static str)> {
    const TOO_LARGE: (StatusCode, &str) =
        (StatusCode::PAYLOAD_TOO_LARGE, "The message is larger than the server allows; send several smaller ones.\n");
    let bytes_max = dispatcher.live().config.limits.message_bytes_max;
    if body.size_hint().lower() > bytes_max as u64 {
        return Err(TOO_LARGE);
    }
    let mut claim = dispatcher.claim_memory();
    let mut message = BytesMut::new();
    loop {
        let frame = match timeout(dispatcher.stall_max(), body.frame()).await {
            Ok(Some(Ok(frame))) => frame,
            Ok(None) => return Ok((message.freeze(), claim)),
            Ok(Some(Err(_))) => return Err((StatusCode::BAD_REQUEST, "The body ends early.\n")),
            Err(_) => return Err((StatusCode::REQUEST_TIMEOUT, "No byte of the body came for too long.\n")),
        };
        let Ok(data) = frame.into_data() else { continue };
        if message.len() + data.len() > bytes_max {
            return Err(TOO_LARGE);
        }
        message.extend_from_slice(&data);
        if !claim.try_resize(message.capacity()) {
            return Err((StatusCode::SERVICE_UNAVAILABLE, "The calls under way hold too many bytes; try again.\n"));
        }
    }
}

fn text(status: StatusCode, text: impl Into<Bytes>) -> Response<Reply> {
    let mut response = Response::new(Reply { bytes: Some(text.into()), _under_way: None });
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    response
}

/// An answer's body. Its call is under way, and its bytes count, until it has been written.
struct Reply {
    bytes: Option<Bytes>,
    _under_way: Option<(CallGuard, MemoryClaim)>,
}

impl Body for Reply {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Self::Data>, Self::Error>>> {
        Poll::Ready(self.bytes.take().map(|bytes| Ok(Frame::data(bytes))))
    }

    fn is_end_stream(&self) -> bool {
        self.bytes.is_none()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.bytes.as_ref().map_or(0, |bytes| bytes.len() as u64))
    }
}
