//! The streams below and above a TLS connection. They bound the bytes of a client that rustls keeps.
//!
//! rustls joins handshake messages of up to 64 KiB, before and after the handshake, and does not limit the joined
//! bytes. Here, a client may send only as many bytes as an ordinary client needs until the handshake is answered or
//! data arrives.

use std::io::{self, ErrorKind, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncBufRead, AsyncRead, AsyncReadExt, AsyncWrite, ReadBuf};
use tokio_rustls::server::TlsStream;

use super::http_stream::Reset;
use super::moving::Registered;
use super::rewind::Rewind;

/// The most that a client may send before the first answer of the handshake. A ClientHello has less than 2 KiB.
const HELLO_BYTES_MAX: u64 = 16 << 10;
/// The longest record that rustls reads, with its head.
const RECORD_BYTES_MAX: u64 = 5 + (16 << 10) + (2 << 10);
/// The most that a client may send after an answer of the handshake: its certificates, and a record of data.
const ANSWER_BYTES_MAX: u64 = (16 << 10) + RECORD_BYTES_MAX;
/// The most that a client may send after the handshake until data arrives: a record, and some without data, such as
/// changes of keys.
const DATA_BYTES_MAX: u64 = RECORD_BYTES_MAX + (4 << 10);
/// The most that is encrypted at once, in bytes: a record. More makes large replies hardly faster.
const SENT_BYTES_MAX: usize = 16 << 10;

/// The stream below TLS.
pub struct Encrypted<S> {
    stream: Rewind<S>,
    /// The bytes that may be received until the handshake is answered or data arrives.
    left: u64,
    is_handshake: bool,
}

impl<S> Encrypted<S> {
    /// A stream that begins with a handshake.
    pub fn new(stream: Rewind<S>) -> Self {
        Self { stream, left: HELLO_BYTES_MAX, is_handshake: true }
    }

    /// The stream itself.
    pub fn inner(&self) -> &S {
        self.stream.inner()
    }

    /// Whether the handshake has been answered.
    pub fn has_written(&self) -> bool {
        self.stream.has_written()
    }

    fn written(&mut self, polled: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        if self.is_handshake && matches!(polled, Poll::Ready(Ok(_))) {
            self.left = ANSWER_BYTES_MAX;
        }
        polled
    }
}

impl<S: Registered> Registered for Encrypted<S> {
    fn deregister(&mut self) -> io::Result<()> {
        self.stream.deregister()
    }

    fn register(&mut self) -> io::Result<()> {
        self.stream.register()
    }
}

impl<S: Reset> Reset for Encrypted<S> {
    fn reset(&self) {
        self.stream.reset();
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Encrypted<S> {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if this.left == 0 {
            let why = "the client sends more than a handshake and a record need";
            return Poll::Ready(Err(io::Error::new(ErrorKind::InvalidData, why)));
        }
        let before = into.filled().len();
        ready!(Pin::new(&mut (&mut this.stream).take(this.left)).poll_read(cx, into))?;
        this.left = this.left.saturating_sub((into.filled().len() - before) as u64);
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Encrypted<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.written(polled)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.stream).poll_write_vectored(cx, bytes);
        self.written(polled)
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

/// The stream above TLS, after the handshake. It is boxed because it is large, and futures that pass it on would
/// contain several copies.
pub struct Decrypted<S>(Box<TlsStream<Encrypted<S>>>);

impl<S> Decrypted<S> {
    /// The stream of a connection whose handshake has ended.
    pub fn new(mut stream: TlsStream<Encrypted<S>>) -> Self {
        let (below, tls) = stream.get_mut();
        below.is_handshake = false;
        below.left = below.left.max(DATA_BYTES_MAX);
        tls.set_buffer_limit(Some(SENT_BYTES_MAX));
        Self(Box::new(stream))
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> Decrypted<S> {
    /// Waits until the socket has taken the encrypted bytes. Otherwise, several replies would be encrypted ahead.
    fn poll_sent(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.0.get_ref().1.wants_write() {
            true => Pin::new(&mut self.0).poll_flush(cx),
            false => Poll::Ready(Ok(())),
        }
    }
}

impl<S: Registered> Registered for Decrypted<S> {
    fn deregister(&mut self) -> io::Result<()> {
        self.0.get_mut().0.deregister()
    }

    fn register(&mut self) -> io::Result<()> {
        self.0.get_mut().0.register()
    }
}

impl<S: Reset> Reset for Decrypted<S> {
    fn reset(&self) {
        self.0.get_ref().0.reset();
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncRead for Decrypted<S> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        // The `poll_read` of the stream would read record after record until `into` is full, and exceed what the client
        // may send until data arrives.
        let data = ready!(Pin::new(&mut self.0).poll_fill_buf(cx))?;
        let read = data.len().min(into.remaining());
        into.put_slice(data.get(..read).unwrap_or_default());
        Pin::new(&mut self.0).consume(read);
        if read > 0 {
            self.0.get_mut().0.left = DATA_BYTES_MAX;
        }
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Decrypted<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        ready!(self.poll_sent(cx))?;
        Pin::new(&mut self.0).poll_write(cx, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        ready!(self.poll_sent(cx))?;
        Pin::new(&mut self.0).poll_write_vectored(cx, bytes)
    }

    fn is_write_vectored(&self) -> bool {
        self.0.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use bytes::BytesMut;
    use tokio::io::{AsyncWriteExt, join, repeat, sink};

    use super::*;

    /// A client that always has something to send.
    #[test]
    fn a_client_sends_a_limited_number_of_bytes_before_each_answer_of_a_handshake() {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let mut stream = Encrypted::new(Rewind::new(BytesMut::new(), join(repeat(1), sink())));
            for most in [HELLO_BYTES_MAX, ANSWER_BYTES_MAX, ANSWER_BYTES_MAX] {
                let mut received = Vec::new();
                assert!(stream.read_to_end(&mut received).await.is_err());
                assert_eq!(received.len() as u64, most);
                stream.write_all(b"answer").await.unwrap();
            }
            // After the handshake, only data lets the client send more.
            stream.is_handshake = false;
            stream.left = 0;
            stream.write_all(b"reply").await.unwrap();
            assert!(stream.read_u8().await.is_err());
        });
    }
}
