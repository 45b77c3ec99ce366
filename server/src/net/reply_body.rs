//! The body of an HTTP response: the bytes of a reply, or the pages of an answer that is produced while it is sent.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use hyper::body::{Body, Frame, SizeHint};

use super::http_stream::{Exchange, Unsent};
use crate::dispatch::call::Call;
use crate::dispatch::caller::Caller;
use crate::dispatch::dispatcher::Dispatcher;
use crate::dispatch::job::Reply;
use crate::wire::method::Service;
use crate::wire::rest::Request;
use crate::wire::rest::answer::Head;

/// A reply is handed on in pieces of this size, so that the layers below do not copy all of it.
const PIECE_BYTES: usize = 64 << 10;
/// The number of attempts for a page that the server has no room for, and the first interval between them, which
/// doubles.
const TRIES: u32 = 8;
const FIRST_INTERVAL: Duration = Duration::from_millis(20);

/// The body of a response. Its call is in flight, and its bytes count as held, until the stream has sent it.
pub struct ReplyBody {
    bytes: Bytes,
    unsent: Option<Unsent>,
    exchange: Arc<Exchange>,
    is_given: bool,
    /// Whether the length is unknown, though there are no further pages: for the answer to HEAD.
    is_open_ended: bool,
    pages: Option<Pages>,
}

/// The pages that follow.
struct Pages {
    source: Arc<Source>,
    scanner: i32,
    /// The call for the next page, once the current one has been taken.
    next: Option<Pin<Box<dyn Future<Output = io::Result<Page>> + Send>>>,
}

/// The data from which pages are produced.
pub struct Source {
    /// Runs the calls.
    pub dispatcher: Arc<Dispatcher>,
    /// The client.
    pub caller: Arc<Caller>,
    /// The request whose answer they are.
    pub request: Arc<Request>,
    /// Whether the client can tell the end of the body from a closed connection: not in HTTP/1.0.
    pub has_end: bool,
}

struct Page {
    bytes: Bytes,
    reply: Reply,
    next: Option<i32>,
}

impl ReplyBody {
    /// A body of these bytes, which holds `unsent` until all of them have been sent.
    pub fn new(bytes: Bytes, unsent: Option<Unsent>, exchange: Arc<Exchange>) -> Self {
        let mut body = Self { bytes, unsent, exchange, is_given: false, is_open_ended: false, pages: None };
        // The body of an empty reply is never polled.
        body.check_given();
        body
    }

    /// The body of an answer to HEAD, for which GET has pages: these bytes are the first one, which is not sent.
    pub fn open_ended(bytes: Bytes, unsent: Unsent, exchange: Arc<Exchange>) -> Self {
        let mut body = Self::new(bytes, Some(unsent), exchange);
        body.is_open_ended = true;
        body
    }

    /// A body that begins with these bytes and goes on with the rows of this scanner.
    pub fn of_pages(bytes: Bytes, unsent: Unsent, exchange: Arc<Exchange>, source: Arc<Source>, scanner: i32) -> Self {
        source.dispatcher.runner.services.keep(Service::Rest, scanner);
        if !source.has_end {
            exchange.begin_open_ended();
        }
        let pages = Some(Pages { source, scanner, next: None });
        Self { bytes, unsent: Some(unsent), exchange, is_given: false, is_open_ended: false, pages }
    }

    /// If no bytes remain, leaves it to the stream to tell when all of them have been sent.
    fn check_given(&mut self) {
        if self.bytes.is_empty() && self.pages.is_none() {
            self.give();
        }
    }

    fn give(&mut self) {
        if !std::mem::replace(&mut self.is_given, true) {
            self.exchange.reply_given(self.unsent.take());
        }
    }

    /// Continues with the next page, if there is one.
    fn poll_page(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let Some(Pages { source, scanner, next }) = &mut self.pages else { return Poll::Ready(Ok(())) };
        let call = next.get_or_insert_with(|| Box::pin(source.clone().page(*scanner)));
        let Poll::Ready(page) = call.as_mut().poll(cx) else { return Poll::Pending };
        *next = None;
        let Page { bytes, reply, next } = page?;
        self.bytes = bytes;
        if let Some(unsent) = &mut self.unsent {
            // The previous page has been handed on.
            unsent.claim = reply.claim;
        }
        match (next, &mut self.pages) {
            (Some(scanner), Some(pages)) => pages.scanner = scanner,
            _ => self.pages = None,
        }
        Poll::Ready(Ok(()))
    }
}

impl Source {
    async fn page(self: Arc<Self>, scanner: i32) -> io::Result<Page> {
        let mut interval = FIRST_INTERVAL;
        for _ in 0..TRIES {
            let call = Call::of_rest(self.request.next_page(scanner));
            let run = self.dispatcher.run(call, Bytes::new(), Vec::new(), &self.caller, std::future::pending());
            let stopped = || io::Error::new(io::ErrorKind::ConnectionAborted, "the server is stopping");
            let mut reply = run.await.ok_or_else(stopped)?;
            let bytes = Bytes::from(std::mem::take(&mut reply.bytes));
            let Some((head, length)) = Head::read(&bytes) else { break };
            if head.status == 200 {
                return Ok(Page { bytes: bytes.slice(length..), reply, next: head.continues });
            }
            if !head.can_retry {
                let text = String::from_utf8_lossy(bytes.get(length..).unwrap_or_default()).into_owned();
                return Err(io::Error::other(text));
            }
            tokio::time::sleep(interval).await;
            interval *= 2;
        }
        Err(io::Error::other("the server has no room for the next page of the answer"))
    }
}

impl Body for ReplyBody {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        let this = &mut *self;
        while this.bytes.is_empty() {
            if this.pages.is_none() {
                this.give();
                return Poll::Ready(None);
            }
            match this.poll_page(cx) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(Ok(())) => {}
                Poll::Ready(Err(error)) => return Poll::Ready(Some(Err(error))),
            }
        }
        let piece = PIECE_BYTES.min(this.bytes.len());
        let piece = this.bytes.split_to(piece);
        this.check_given();
        Poll::Ready(Some(Ok(Frame::data(piece))))
    }

    fn is_end_stream(&self) -> bool {
        self.bytes.is_empty() && self.pages.is_none()
    }

    fn size_hint(&self) -> SizeHint {
        match self.pages {
            None if !self.is_open_ended => SizeHint::with_exact(self.bytes.len() as u64),
            _ => SizeHint::default(),
        }
    }
}

impl Drop for ReplyBody {
    fn drop(&mut self) {
        // The body of an answer to HEAD, to a client that has disconnected, or whose next page has failed.
        if let Some(Pages { source, scanner, .. }) = self.pages.take() {
            if !source.has_end {
                self.exchange.reset();
            }
            source.dispatcher.runner.services.abandon(Service::Rest, scanner);
        }
        self.give();
    }
}
