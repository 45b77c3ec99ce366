//! The HTTP server of the info port: small, bounded, read only.

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

use bytes::Bytes;
use http_body_util::Full;
use hyper::header::{ALLOW, CONTENT_TYPE, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, oneshot};

use super::query::parameter;
use super::{jmx, page, prometheus};
use crate::net::acceptor;
use crate::server::view::View;

/// Whoever watches needs few; one more waits.
const CONNECTIONS_MAX: usize = 32;
/// A request's first line and headers.
const HEADER_BYTES_MAX: usize = 16 << 10;
/// A client that sends no request for so long is let go.
const SILENT_MAX: Duration = Duration::from_secs(60);
/// A connection is let go after so long, whatever it does: answers are small.
const LASTS_MAX: Duration = Duration::from_secs(600);

/// Answers until it is dropped.
pub struct Info {
    addr: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Info {
    /// Takes an address, to be answered on later; port 0 takes any free one.
    ///
    /// # Errors
    /// The address cannot be had.
    pub fn bind(addr: SocketAddr) -> io::Result<std::net::TcpListener> {
        acceptor::bind(addr)
    }

    /// Answers on an address that was taken.
    ///
    /// # Errors
    /// The system gives no thread.
    pub fn start(bound: std::net::TcpListener, view: View) -> io::Result<Self> {
        let addr = bound.local_addr()?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let (stop, stopped) = oneshot::channel::<()>();
        let thread = Builder::new().name("hjall-info".to_owned()).spawn(move || {
            runtime.block_on(async {
                match TcpListener::from_std(bound) {
                    Ok(listener) => tokio::select! {
                        () = accept(listener, view) => {}
                        // Either way it is the end: a message or the sender's drop.
                        _ = stopped => {}
                    },
                    Err(error) => tracing::error!(%error, %addr, "the info port cannot be listened on"),
                }
            });
        })?;
        Ok(Self { addr, stop: Some(stop), thread: Some(thread) })
    }

    /// Where, with the port it got.
    pub fn addr(&self) -> SocketAddr {
        self.addr
    }
}

impl Drop for Info {
    fn drop(&mut self) {
        self.stop = None;
        if self.thread.take().is_some_and(|thread| thread.join().is_err()) {
            tracing::error!("the thread of the info port panicked");
        }
    }
}

async fn accept(listener: TcpListener, view: View) {
    let places = Arc::new(Semaphore::new(CONNECTIONS_MAX));
    loop {
        let Ok(place) = places.clone().acquire_owned().await else { return };
        match listener.accept().await {
            Ok((stream, peer)) => {
                let view = view.clone();
                tokio::spawn(async move {
                    serve(stream, peer, view).await;
                    drop(place);
                });
            }
            Err(error) => {
                tracing::warn!(%error, "the info port cannot accept a connection");
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
        }
    }
}

async fn serve(stream: TcpStream, peer: SocketAddr, view: View) {
    let service = service_fn(|request| {
        let answer = answer(&request, &view);
        async move { Ok::<_, Infallible>(answer) }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(SILENT_MAX)
        .max_buf_size(HEADER_BYTES_MAX)
        .half_close(true)
        .serve_connection(TokioIo::new(stream), service);
    match tokio::time::timeout(LASTS_MAX, connection).await {
        Ok(Ok(())) | Err(_) => {}
        Ok(Err(error)) => tracing::debug!(%peer, %error, "a connection to the info port ended early"),
    }
}

const PLAIN: &str = "text/plain; charset=utf-8";

fn answer<B>(request: &Request<B>, view: &View) -> Response<Full<Bytes>> {
    if request.method() != Method::GET && request.method() != Method::HEAD {
        let mut refusal = text(StatusCode::METHOD_NOT_ALLOWED, PLAIN, "Nothing can be changed here: use GET.\n");
        refusal.headers_mut().insert(ALLOW, HeaderValue::from_static("GET, HEAD"));
        return refusal;
    }
    let query = request.uri().query().unwrap_or_default();
    match request.uri().path() {
        "/" => text(StatusCode::OK, "text/html; charset=utf-8", page::of(view, &view.figures())),
        "/metrics" | "/prometheus" => {
            let kind = "text/plain; version=0.0.4; charset=utf-8";
            text(StatusCode::OK, kind, prometheus::of(view, &view.figures()))
        }
        "/jmx" => {
            let beans = jmx::of(view, &view.figures(), parameter(query, "qry").as_deref());
            text(StatusCode::OK, "application/json; charset=utf-8", beans)
        }
        "/healthz" => text(StatusCode::OK, PLAIN, "ok\n"),
        "/readyz" => match view.figures().ready() {
            Ok(()) => text(StatusCode::OK, PLAIN, "ready\n"),
            Err(why) => text(StatusCode::SERVICE_UNAVAILABLE, PLAIN, format!("not ready: {why}\n")),
        },
        _ => text(StatusCode::NOT_FOUND, PLAIN, "There are /metrics, /jmx, /healthz and /readyz.\n"),
    }
}

fn text(status: StatusCode, kind: &'static str, body: impl Into<Bytes>) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(body.into()));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}
