//! The stream below an HTTP connection: it times requests and replies, and knows when a reply has been sent.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, ReadBuf};
use tokio::sync::Notify;
use tokio::time::{Sleep, sleep};

use super::lingering_close::LingeringClose;
use super::pace::{MinimumRate, Pace};
use super::rewind::Rewind;
use crate::dispatch::memory_quota::MemoryClaim;
use crate::dispatch::shutdown::CallGuard;
use crate::wire::rest::answer::RETRY_AFTER_SECONDS;

/// The state of a connection: waiting for a request, receiving its head, receiving its body, or any other state.
const WAITING: u8 = 0;
const HEAD: u8 = 1;
const BODY: u8 = 2;
const CALL: u8 = 3;

/// The state that a stream and the service above it share.
pub struct Exchange {
    phase: AtomicU8,
    /// The resources that the last replies hold until they have been sent. There may be several replies, since a client
    /// can send requests ahead.
    unsent: Mutex<Vec<Unsent>>,
    /// Whether the server is stopping. Closing then does not wait for the client.
    is_stopping: AtomicBool,
    /// Whether the reply is incomplete, which the client learns only from a reset.
    is_broken: AtomicBool,
    /// Whether a reply is being sent whose end the client cannot tell from a closed connection.
    is_open_ended: AtomicBool,
    /// Whether the client has closed its sending side.
    has_ended: AtomicBool,
    /// Notifies of that.
    ended: Notify,
}

/// A stream whose connection can be reset instead of closed, which clients take for a failure.
pub trait Reset {
    /// Resets the connection when the stream is dropped.
    fn reset(&self);
}

impl<S: Reset> Reset for Rewind<S> {
    fn reset(&self) {
        self.inner().reset();
    }
}

/// The largest number of bytes that is read at once. hyper doubles its buffer when a read has filled the 8 KiB that it
/// begins with, and keeps it while the connection is idle.
const READ_BYTES_MAX: u64 = (8 << 10) - 1;
/// The text of the answer to a head that there is no memory for.
const NO_ROOM: &str =
    "The calls in flight hold too many bytes (limits.bytes_in_flight) for a head of this length; try again.\n";
/// How long a client that has closed its sending side may wait for the reply. One that has disconnected cannot be told
/// from it before something is sent.
const HALF_CLOSED: Duration = Duration::from_secs(5);
/// The bytes that are read ahead while a call runs, to notice that the client has reset the connection.
const AHEAD_BYTES: usize = 512;

/// The resources that a reply holds until it has been sent.
pub struct Unsent {
    /// The call of the reply, which ends when the reply has been sent.
    #[expect(dead_code, reason = "held until it is dropped")]
    pub busy: CallGuard,
    /// Its memory.
    pub claim: Option<MemoryClaim>,
}

impl Exchange {
    /// An exchange whose first request has begun to arrive.
    pub fn new() -> Arc<Self> {
        Arc::new(Self {
            phase: AtomicU8::new(HEAD),
            unsent: Mutex::default(),
            is_stopping: AtomicBool::new(false),
            is_broken: AtomicBool::new(false),
            is_open_ended: AtomicBool::new(false),
            has_ended: AtomicBool::new(false),
            ended: Notify::new(),
        })
    }

    /// The head of a request has arrived.
    pub fn begin_body(&self) {
        self.phase.store(BODY, Ordering::Relaxed);
    }

    /// A request has arrived.
    pub fn begin_call(&self) {
        self.phase.store(CALL, Ordering::Relaxed);
    }

    /// All of the reply has been given to the layer above the stream, which will flush it.
    pub fn reply_given(&self, unsent: Option<Unsent>) {
        self.unsent.lock().unwrap_or_else(PoisonError::into_inner).extend(unsent);
        self.phase.store(WAITING, Ordering::Relaxed);
    }

    /// The server is stopping.
    pub fn stop(&self) {
        self.is_stopping.store(true, Ordering::Relaxed);
    }

    /// The reply cannot be completed, and the client cannot tell its end from a closed connection.
    pub fn reset(&self) {
        self.is_broken.store(true, Ordering::Relaxed);
    }

    /// A reply begins whose end the client cannot tell from a closed connection. If the connection ends before the
    /// reply has been sent, it is reset.
    pub fn begin_open_ended(&self) {
        self.is_open_ended.store(true, Ordering::Relaxed);
    }

    /// Completes when the client has probably disconnected: [`HALF_CLOSED`] after it has closed its sending side.
    pub async fn client_left(&self) {
        let ended = self.ended.notified();
        // Registers for the notification before the flag is read.
        if !self.has_ended.load(Ordering::Acquire) {
            ended.await;
        }
        sleep(HALF_CLOSED).await;
    }

    /// The client has closed its sending side.
    fn end(&self) {
        self.has_ended.store(true, Ordering::Release);
        self.ended.notify_waiters();
    }

    /// Whether no reply that holds resources is being sent.
    fn has_sent_all(&self) -> bool {
        self.unsent.lock().unwrap_or_else(PoisonError::into_inner).is_empty()
    }

    /// Everything that was given to the stream has been sent.
    fn flushed(&self) {
        if self.phase.load(Ordering::Relaxed) == WAITING {
            self.is_open_ended.store(false, Ordering::Relaxed);
        }
        self.unsent.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

/// A stream with a time limit on heads of requests and a minimum rate of replies.
pub struct HttpStream<S: Reset> {
    stream: Rewind<S>,
    exchange: Arc<Exchange>,
    rate: MinimumRate,
    header_timeout: Duration,
    /// Ends when the head of the request should have arrived.
    head: Option<Pin<Box<Sleep>>>,
    /// The bytes of the head that have been received.
    head_bytes: usize,
    /// The memory of the head, which hyper keeps until the reply has been given to it.
    claim: MemoryClaim,
    /// The progress of the reply.
    sending: Pace,
    closing: LingeringClose,
    /// Whether the client has closed its sending side.
    has_ended: bool,
}

impl<S: Reset> Drop for HttpStream<S> {
    fn drop(&mut self) {
        let Exchange { is_broken, is_open_ended, .. } = &*self.exchange;
        if is_broken.load(Ordering::Relaxed) || is_open_ended.load(Ordering::Relaxed) {
            self.stream.reset();
        }
    }
}

impl<S: Reset> HttpStream<S> {
    /// A stream whose replies have to keep this rate, and whose heads have to arrive within this time. Long heads take
    /// their memory from `claim`.
    pub fn new(
        stream: Rewind<S>,
        exchange: Arc<Exchange>,
        rate: MinimumRate,
        header_timeout: Duration,
        claim: MemoryClaim,
    ) -> Self {
        Self {
            stream,
            exchange,
            rate,
            header_timeout,
            head: None,
            head_bytes: 0,
            claim,
            sending: Pace::default(),
            closing: LingeringClose::default(),
            has_ended: false,
        }
    }

    fn poll_sent<T>(&mut self, cx: &mut Context<'_>, polled: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        match polled {
            Poll::Ready(done) => Poll::Ready(done),
            Poll::Pending => self
                .sending
                .poll_too_slow(self.rate, cx)
                .map(|_| Err(io::Error::new(io::ErrorKind::TimedOut, "the client takes the reply too slowly"))),
        }
    }
}

impl<S: AsyncRead + Reset + Unpin> HttpStream<S> {
    /// While a call runs, nothing else reads from the stream, and a client that has reset the connection would not be
    /// noticed. A client that has closed only its sending side may still wait for the reply.
    fn check_client(&mut self, cx: &mut Context<'_>) -> io::Result<()> {
        let is_calling = self.exchange.phase.load(Ordering::Relaxed) == CALL;
        if !is_calling || self.has_ended || self.stream.len() >= AHEAD_BYTES {
            return Ok(());
        }
        match self.stream.poll_ahead::<AHEAD_BYTES>(cx) {
            Poll::Ready(Ok(0)) => {
                self.has_ended = true;
                self.exchange.end();
            }
            // More may follow, or a reset.
            Poll::Ready(Ok(_)) => cx.waker().wake_by_ref(),
            Poll::Ready(Err(error)) => return Err(error),
            Poll::Pending => {}
        }
        Ok(())
    }
}

impl<S: AsyncRead + AsyncWrite + Reset + Unpin> HttpStream<S> {
    /// Claims the memory of the head that is arriving.
    ///
    /// # Errors
    /// The quota has no room for it. The client has been answered, unless earlier replies are still being sent.
    fn claim_head(&mut self, cx: &mut Context<'_>) -> io::Result<()> {
        if self.claim.try_resize(self.head_bytes) {
            return Ok(());
        }
        if self.exchange.has_sent_all() {
            let answer = format!(
                "HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/plain; charset=utf-8\r\n\
                 Retry-After: {RETRY_AFTER_SECONDS}\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{NO_ROOM}",
                NO_ROOM.len()
            );
            // The socket takes so few bytes at once, or the client does not read.
            let _ = Pin::new(&mut self.stream).poll_write(cx, answer.as_bytes());
            let _ = Pin::new(&mut self.stream).poll_flush(cx);
        }
        Err(io::Error::new(io::ErrorKind::OutOfMemory, "no memory for the head of the request"))
    }
}

impl<S: AsyncRead + AsyncWrite + Reset + Unpin> AsyncRead for HttpStream<S> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = &mut *self;
        let before = into.filled().len();
        let polled = Pin::new(&mut (&mut this.stream).take(READ_BYTES_MAX)).poll_read(cx, into);
        let read = into.filled().len() - before;
        if this.exchange.phase.load(Ordering::Relaxed) == WAITING {
            // The head of the last request is no longer in use.
            this.head_bytes = 0;
            this.claim.resize(0);
            if read > 0 {
                // The first bytes after a reply begin the next request.
                this.exchange.phase.store(HEAD, Ordering::Relaxed);
            }
        }
        if this.exchange.phase.load(Ordering::Relaxed) != HEAD {
            this.head = None;
            return polled;
        }
        this.head_bytes += read;
        this.claim_head(cx)?;
        if polled.is_pending() {
            let timeout = this.header_timeout;
            let head = this.head.get_or_insert_with(|| Box::pin(sleep(timeout)));
            if head.as_mut().poll(cx).is_ready() {
                let late = io::Error::new(io::ErrorKind::TimedOut, "the head of the request took too long");
                return Poll::Ready(Err(late));
            }
        }
        polled
    }
}

impl<S: AsyncRead + AsyncWrite + Reset + Unpin> AsyncWrite for HttpStream<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let this = &mut *self;
        let polled = Pin::new(&mut this.stream).poll_write(cx, bytes);
        if let Poll::Ready(Ok(sent)) = &polled {
            this.sending.moved(*sent);
        }
        this.poll_sent(cx, polled)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = &mut *self;
        let polled = Pin::new(&mut this.stream).poll_write_vectored(cx, bytes);
        if let Poll::Ready(Ok(sent)) = &polled {
            this.sending.moved(*sent);
        }
        this.poll_sent(cx, polled)
    }

    /// Otherwise, hyper copies replies into a buffer of its own, which it keeps.
    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = &mut *self;
        this.check_client(cx)?;
        let polled = Pin::new(&mut this.stream).poll_flush(cx);
        if let Poll::Ready(Ok(())) = &polled {
            this.sending.reset();
            this.exchange.flushed();
        }
        this.poll_sent(cx, polled)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = &mut *self;
        if this.exchange.is_stopping.load(Ordering::Relaxed) {
            let polled = Pin::new(&mut this.stream).poll_shutdown(cx);
            return this.poll_sent(cx, polled);
        }
        this.closing.poll(&mut this.stream, cx)
    }
}
