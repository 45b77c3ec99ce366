//! Thrift over HTTP/1.1: one message is the body of a POST, its reply the body of the answer.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt;
use hyper::body::{Body, Frame, Incoming, SizeHint};
use hyper::header::{ALLOW, CONTENT_TYPE, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::timeout;

use crate::dispatch::call::{Call, Speaking};
use crate::dispatch::memory_quota::Held;
use crate::dispatch::shared::{Busy, Shared};
use crate::net::connection::Guest;
use crate::net::rewind::Rewind;
use crate::wire::fault::Fault;
use crate::wire::{Encoding, Transport};

/// Jetty's limit on headers, about which HBase's gateway has, in bytes.
const HEADER_BYTES_MAX: usize = 64 << 10;

/// Serves an HTTP connection whose first bytes were read already.
pub async fn serve<S: AsyncRead + AsyncWrite + Unpin + Send + 'static>(
    shared: &Arc<Shared>,
    stream: S,
    read: BytesMut,
    speaking: Speaking,
    guest: &Guest,
) {
    let peer = guest.caller.peer;
    // Requests of a connection come one after the other; the lock is never waited for.
    let speaking = Mutex::new(speaking);
    let service = service_fn(|request| answer(shared, request, &speaking, guest));
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(shared.silent_max(true).unwrap_or(Duration::from_secs(600)).max(shared.stall_max()))
        .max_buf_size(HEADER_BYTES_MAX)
        .auto_date_header(false)
        // Who says that no further request follows still waits for the answer to this one.
        .half_close(true)
        .serve_connection(TokioIo::new(Rewind::new(read, stream)), service);
    let mut connection = std::pin::pin!(connection);
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = shared.stopped() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%peer, %error, "HTTP connection ended early");
    }
}

async fn answer(
    shared: &Arc<Shared>,
    request: Request<Incoming>,
    speaking: &Mutex<Speaking>,
    guest: &Guest,
) -> Result<Response<Reply>, Infallible> {
    if let Some(fault) = &guest.unwelcome {
        return Ok(text(StatusCode::SERVICE_UNAVAILABLE, format!("{fault}\n")));
    }
    if request.method() != Method::POST {
        let mut refusal = text(
            StatusCode::METHOD_NOT_ALLOWED,
            "This is an HBase Thrift server (hjall). Send Thrift messages (binary or compact protocol) with POST and Content-Type \
             application/x-thrift.\n",
        );
        refusal.headers_mut().insert(ALLOW, HeaderValue::from_static("POST"));
        return Ok(refusal);
    }
    Ok(match body(shared, request.into_body()).await {
        Ok((message, held)) => run(shared, message, held, speaking, guest).await,
        Err((status, why)) => text(status, why),
    })
}

async fn run(
    shared: &Arc<Shared>,
    message: Bytes,
    mut held: Held,
    speaking: &Mutex<Speaking>,
    guest: &Guest,
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
    let reply = match shared.begin() {
        // Who hangs up cannot be told from who only closes its own side, which HTTP allows.
        Some(busy) => {
            let run = shared.run(call, message, Vec::new(), &guest.caller, std::future::pending());
            run.await.map(|reply| (reply, busy))
        }
        None => None,
    };
    match reply {
        Some((reply, busy)) => {
            held.force(reply.capacity());
            let mut response = Response::new(Reply { bytes: Some(reply.into()), _under_way: Some((busy, held)) });
            response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/x-thrift"));
            response
        }
        None => text(StatusCode::SERVICE_UNAVAILABLE, "The server is stopping.\n"),
    }
}

/// The whole body, in one piece or chunked.
async fn body(shared: &Arc<Shared>, mut body: Incoming) -> Result<(Bytes, Held), (StatusCode, &'static str)> {
    const TOO_LARGE: (StatusCode, &str) =
        (StatusCode::PAYLOAD_TOO_LARGE, "The message is larger than the server allows; send several smaller ones.\n");
    let bytes_max = shared.live().config.limits.message_bytes_max;
    if body.size_hint().lower() > bytes_max as u64 {
        return Err(TOO_LARGE);
    }
    let mut held = shared.hold();
    let mut message = BytesMut::new();
    loop {
        let frame = match timeout(shared.stall_max(), body.frame()).await {
            Ok(Some(Ok(frame))) => frame,
            Ok(None) => return Ok((message.freeze(), held)),
            Ok(Some(Err(_))) => return Err((StatusCode::BAD_REQUEST, "The body ends early.\n")),
            Err(_) => return Err((StatusCode::REQUEST_TIMEOUT, "No byte of the body came for too long.\n")),
        };
        let Ok(data) = frame.into_data() else { continue };
        if message.len() + data.len() > bytes_max {
            return Err(TOO_LARGE);
        }
        message.extend_from_slice(&data);
        if !held.resize(message.capacity()) {
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
    _under_way: Option<(Busy, Held)>,
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
