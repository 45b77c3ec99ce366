//! A stream whose first bytes have been read and are read again.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::{Buf, BytesMut};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::moving::Registered;

/// Yields the bytes that have been read before, then those of the stream.
pub struct Rewind<S> {
    before: BytesMut,
    stream: S,
    has_written: bool,
}

impl<S> Rewind<S> {
    /// A stream that begins with `before`.
    pub fn new(before: BytesMut, stream: S) -> Self {
        Self { before, stream, has_written: false }
    }

    /// The stream itself.
    pub fn inner(&self) -> &S {
        &self.stream
    }

    /// Whether anything has been written.
    pub fn has_written(&self) -> bool {
        self.has_written
    }

    /// The number of bytes that have been read before.
    pub fn len(&self) -> usize {
        self.before.len()
    }
}

impl<S: AsyncRead + Unpin> Rewind<S> {
    /// Reads up to `N` bytes ahead, which are read again later. Returns their number, 0 at the end of the stream.
    pub fn poll_ahead<const N: usize>(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<usize>> {
        let mut buffer = [0; N];
        let mut into = ReadBuf::new(&mut buffer);
        ready!(Pin::new(&mut self.stream).poll_read(cx, &mut into))?;
        self.before.extend_from_slice(into.filled());
        Poll::Ready(Ok(into.filled().len()))
    }
}

impl<S: Registered> Registered for Rewind<S> {
    fn deregister(&mut self) -> io::Result<()> {
        self.stream.deregister()
    }

    fn register(&mut self) -> io::Result<()> {
        self.stream.register()
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Rewind<S> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        if self.before.is_empty() {
            return Pin::new(&mut self.stream).poll_read(cx, into);
        }
        let n = self.before.len().min(into.remaining());
        into.put_slice(self.before.get(..n).unwrap_or_default());
        self.before.advance(n);
        if self.before.is_empty() {
            self.before = BytesMut::new();
        }
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Rewind<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.has_written = true;
        Pin::new(&mut self.stream).poll_write(cx, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.has_written = true;
        Pin::new(&mut self.stream).poll_write_vectored(cx, bytes)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
