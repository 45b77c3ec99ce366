//! The HTTP server of the info port. It is read-only, and its connections and waits are bounded.
//!
//! Health is answered on the server's own thread. Pages with figures are made on other threads, because collecting
//! figures waits for locks of the store; if that takes too long, the answer is an error.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

use bytes::Bytes;
use http_body_util::Full;
use hyper::header::{ACCESS_CONTROL_ALLOW_ORIGIN, ALLOW, CONTENT_TYPE, HeaderValue, VARY};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, oneshot};
use tokio::time::timeout;

use super::progress::Progress;
use super::query::parameter;
use super::traffic::{SeriesLimits, TrafficSeries};
use super::unsent::{Client, UnsentPages, giving_way};
use super::{jmx, page, prometheus};
use crate::access::network;
use crate::net::{acceptor, web_pages};
use crate::server::view::{STOPPING, View};

/// The largest number of connections. A further one replaces the oldest that is not being answered, of the address that
/// has the most.
const CONNECTIONS_MAX: usize = 64;
/// Limit on the request line and headers.
const HEADER_BYTES_MAX: usize = 16 << 10;
/// A connection is closed if the headers of its next request take longer than this.
const HEADER_TIME_MAX: Duration = Duration::from_secs(10);
/// A connection is closed if its client takes nothing of an answer for this long.
const STALL_MAX: Duration = Duration::from_secs(30);
/// A connection is closed after this time, even while it is active, because answers are small.
const CONNECTION_TIME_MAX: Duration = Duration::from_secs(600);
/// How long a page with figures may take.
const FIGURES_TIME_MAX: Duration = Duration::from_secs(8);
/// How long the store may take to report whether it is ready. Shorter than the usual timeout of a load balancer's
/// check.
const READINESS_TIME_MAX: Duration = Duration::from_secs(2);
/// The largest number of pages with figures that are made at once.
const FIGURES_AT_ONCE: usize = 2;

/// Answers until it is dropped.
pub struct Info {
    addr: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Info {
    /// Binds an address, to be served by [`Self::start`]. Port 0 takes any free port.
    ///
    /// # Errors
    /// The address cannot be bound.
    pub fn bind(addr: SocketAddr) -> io::Result<std::net::TcpListener> {
        acceptor::bind(addr)
    }

    /// Serves an address that was bound.
    ///
    /// # Errors
    /// The operating system provides no thread.
    pub fn start(bound: std::net::TcpListener, view: View, series: SeriesLimits) -> io::Result<Self> {
        let addr = bound.local_addr()?;
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .thread_name("hjall-info")
            .max_blocking_threads(FIGURES_AT_ONCE + 1)
            .build()?;
        let (stop, stopped) = oneshot::channel::<()>();
        let thread = Builder::new().name("hjall-info".to_owned()).spawn(move || {
            runtime.block_on(async {
                match TcpListener::from_std(bound) {
                    Ok(listener) => tokio::select! {
                        () = accept(listener, Pages::new(view, series)) => {}
                        // A message and the drop of the sender both end the server.
                        _ = stopped => {}
                    },
                    Err(error) => tracing::error!(%error, %addr, "the info port cannot be listened on"),
                }
            });
            // A page that still waits for the store must not delay the end of the server.
            runtime.shutdown_background();
        })?;
        Ok(Self { addr, stop: Some(stop), thread: Some(thread) })
    }

    /// The address, with the port that was bound.
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

/// An open connection, as the acceptor sees it.
struct Connection {
    client: Arc<Client>,
    /// Closes the connection when it is dropped; is closed itself once the connection has ended.
    close: oneshot::Sender<()>,
}

async fn accept(listener: TcpListener, pages: Pages) {
    let mut open: VecDeque<Connection> = VecDeque::new();
    loop {
        let (stream, peer) = match listener.accept().await {
            Ok(accepted) => accepted,
            Err(error) => {
                tracing::warn!(%error, "the info port cannot accept a connection");
                tokio::time::sleep(Duration::from_millis(100)).await;
                continue;
            }
        };
        open.retain(|connection| !connection.close.is_closed());
        // Silent connections must not keep health checks out.
        if open.len() >= CONNECTIONS_MAX
            && let Some(at) = giving_way(open.iter().map(|connection| &connection.client))
        {
            open.remove(at);
        }
        let (close, closed) = oneshot::channel();
        let client = Client::new(network(peer.ip()));
        open.push_back(Connection { client: client.clone(), close });
        let pages = pages.clone();
        tokio::spawn(async move {
            tokio::select! {
                () = serve(stream, peer, pages, &client) => {}
                () = client.closed() => {}
                _ = closed => tracing::debug!(%peer, "a connection to the info port made room for a newer one"),
            }
        });
    }
}

async fn serve(stream: TcpStream, peer: SocketAddr, pages: Pages, client: &Arc<Client>) {
    let pages = &pages;
    // Without a known address, the host name is checked.
    let checks_host = stream.local_addr().map_or(true, |local| web_pages::may_be_rebound(local.ip(), false));
    let service = service_fn(move |request| async move {
        client.set_busy(true);
        let answer = pages.answer(&request, client, checks_host).await;
        client.set_busy(false);
        Ok::<_, Infallible>(answer)
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER_TIME_MAX)
        .max_buf_size(HEADER_BYTES_MAX)
        .half_close(true)
        .serve_connection(TokioIo::new(Progress::new(stream, STALL_MAX)), service);
    match timeout(CONNECTION_TIME_MAX, connection).await {
        Ok(Ok(())) | Err(_) => {}
        Ok(Err(error)) => tracing::debug!(%peer, %error, "a connection to the info port ended early"),
    }
}

const PLAIN: &str = "text/plain; charset=utf-8";

/// Makes the pages.
#[derive(Clone)]
struct Pages {
    view: View,
    series: Arc<Mutex<TrafficSeries>>,
    figures: Arc<Semaphore>,
    readiness: Arc<Semaphore>,
    unsent: Arc<UnsentPages>,
}

impl Pages {
    fn new(view: View, series: SeriesLimits) -> Self {
        let (figures, readiness) = (Semaphore::new(FIGURES_AT_ONCE), Semaphore::new(1));
        let series = Arc::new(Mutex::new(TrafficSeries::new(series)));
        Self { view, series, figures: Arc::new(figures), readiness: Arc::new(readiness), unsent: Arc::default() }
    }

    /// Answers a request. `checks_host` is whether it could be the result of DNS rebinding.
    async fn answer<B>(&self, request: &Request<B>, client: &Arc<Client>, checks_host: bool) -> Response<Full<Bytes>> {
        if request.method() != Method::GET && request.method() != Method::HEAD {
            let mut refusal = text(StatusCode::METHOD_NOT_ALLOWED, PLAIN, "The info port is read-only: use GET.\n");
            refusal.headers_mut().insert(ALLOW, HeaderValue::from_static("GET, HEAD"));
            return refusal;
        }
        match request.uri().path() {
            // Load balancers use any host name, and web pages learn nothing that the open port does not reveal.
            "/healthz" => return text(StatusCode::OK, PLAIN, "ok\n"),
            "/readyz" => return self.readiness().await,
            _ => {}
        }
        let (settings, own_host) = self.view.http();
        let (method, headers, uri) = (request.method(), request.headers(), request.uri());
        let mut answer = match web_pages::origin(method, headers, uri, &settings, checks_host, own_host.as_deref()) {
            Ok(None) => self.figures(request, client).await,
            Ok(Some(origin)) => {
                let mut answer = self.figures(request, client).await;
                answer.headers_mut().insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin);
                answer
            }
            Err((status, why)) => text(status, PLAIN, why),
        };
        answer.headers_mut().insert(VARY, HeaderValue::from_static("Origin, Sec-Fetch-Site"));
        answer
    }

    /// Answers a request for a page with figures.
    async fn figures<B>(&self, request: &Request<B>, client: &Arc<Client>) -> Response<Full<Bytes>> {
        match request.uri().path() {
            "/" => self.page(client, "text/html; charset=utf-8", |view| page::of(view, &view.figures())).await,
            "/metrics" | "/prometheus" => {
                let kind = "text/plain; version=0.0.4; charset=utf-8";
                let series = self.series.clone();
                let metrics = move |view: &View| {
                    let figures = view.figures();
                    let mut series = series.lock().unwrap_or_else(PoisonError::into_inner);
                    prometheus::of(view, &figures, &mut series)
                };
                self.page(client, kind, metrics).await
            }
            "/jmx" => {
                let pattern = parameter(request.uri().query().unwrap_or_default(), "qry");
                let beans = move |view: &View| jmx::of(view, &view.figures(), pattern.as_deref());
                self.page(client, "application/json; charset=utf-8", beans).await
            }
            _ => text(StatusCode::NOT_FOUND, PLAIN, "Available: /metrics, /jmx, /healthz and /readyz.\n"),
        }
    }

    async fn readiness(&self) -> Response<Full<Bytes>> {
        let view = self.view.clone();
        let ready = match self.view.is_stopping() {
            true => Err(STOPPING.to_owned()),
            false => within(READINESS_TIME_MAX, &self.readiness, move || view.ready())
                .await
                .unwrap_or_else(|| Err(format!("the store has not answered within {READINESS_TIME_MAX:?}"))),
        };
        match ready {
            Ok(()) => text(StatusCode::OK, PLAIN, "ready\n"),
            Err(why) => text(StatusCode::SERVICE_UNAVAILABLE, PLAIN, format!("not ready: {why}\n")),
        }
    }

    async fn page(
        &self,
        client: &Arc<Client>,
        kind: &'static str,
        make: impl FnOnce(&View) -> String + Send + 'static,
    ) -> Response<Full<Bytes>> {
        let view = self.view.clone();
        match within(FIGURES_TIME_MAX, &self.figures, move || make(&view)).await {
            Some(page) => text(StatusCode::OK, kind, self.unsent.keep(page, client)),
            None => {
                let why = format!("The figures could not be collected within {FIGURES_TIME_MAX:?}; try again.\n");
                text(StatusCode::SERVICE_UNAVAILABLE, PLAIN, why)
            }
        }
    }
}

/// Runs blocking work on another thread when its turn comes. Returns `None` if it takes too long or panics; work that
/// has begun keeps its turn until it ends.
async fn within<T: Send + 'static>(
    limit: Duration,
    turns: &Arc<Semaphore>,
    work: impl FnOnce() -> T + Send + 'static,
) -> Option<T> {
    let done = async {
        let turn = turns.clone().acquire_owned().await.ok()?;
        let work = tokio::task::spawn_blocking(move || {
            let done = work();
            drop(turn);
            done
        });
        work.await.ok()
    };
    timeout(limit, done).await.ok().flatten()
}

fn text(status: StatusCode, kind: &'static str, body: impl Into<Bytes>) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(body.into()));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, mpsc};
    use std::time::Duration;

    use tokio::sync::Semaphore;

    use super::within;

    #[tokio::test]
    async fn work_that_is_blocked_keeps_its_turn_and_delays_no_one_else() {
        let turns = Arc::new(Semaphore::new(1));
        let (release, released) = mpsc::channel::<()>();
        let blocked = within(Duration::from_millis(1), &turns, move || released.recv().is_ok()).await;
        assert_eq!(blocked, None);
        // Its turn is taken, or it never began.
        assert!(within(Duration::ZERO, &turns, || ()).await.is_none() || turns.available_permits() == 1);
        drop(release);
        assert_eq!(within(Duration::from_secs(60), &turns, || 7).await, Some(7));
    }
}
