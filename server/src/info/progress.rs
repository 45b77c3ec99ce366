//! A connection that ends if its client takes nothing of an answer for too long.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

/// A stream whose writes fail with `TimedOut` if one has to wait longer than a limit.
#[derive(Debug)]
pub struct Progress<S> {
    stream: S,
    limit: Duration,
    /// The timer of the write that waits. `None` while no write does.
    timer: Option<Pin<Box<Sleep>>>,
}

impl<S> Progress<S> {
    /// A stream with this limit.
    pub fn new(stream: S, limit: Duration) -> Self {
        Self { stream, limit, timer: None }
    }

    /// The outcome of a write, or its failure if it has waited too long.
    fn within_limit<T>(&mut self, outcome: Poll<io::Result<T>>, cx: &mut Context<'_>) -> Poll<io::Result<T>> {
        if outcome.is_ready() {
            self.timer = None;
            return outcome;
        }
        let limit = self.limit;
        let timer = self.timer.get_or_insert_with(|| Box::pin(sleep(limit)));
        timer.as_mut().poll(cx).map(|()| Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Progress<S> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Progress<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, data: &[u8]) -> Poll<io::Result<usize>> {
        let outcome = Pin::new(&mut self.stream).poll_write(cx, data);
        self.within_limit(outcome, cx)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        data: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let outcome = Pin::new(&mut self.stream).poll_write_vectored(cx, data);
        self.within_limit(outcome, cx)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let outcome = Pin::new(&mut self.stream).poll_flush(cx);
        self.within_limit(outcome, cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};
    use tokio::time::timeout;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_write_fails_only_after_its_client_has_taken_nothing_for_long() {
        let (mut client, server) = duplex(10);
        let mut server = Progress::new(server, Duration::from_secs(30));
        // The client takes one byte in 20 s.
        let mut slow = Box::pin(server.write_all(&[0; 20]));
        for _ in 0..10 {
            assert!(timeout(Duration::from_secs(20), &mut slow).await.is_err());
            assert_eq!(client.read_u8().await.unwrap(), 0);
        }
        slow.await.unwrap();
        let stalled = timeout(Duration::from_secs(31), server.write_all(&[0; 20])).await.unwrap();
        assert_eq!(stalled.unwrap_err().kind(), io::ErrorKind::TimedOut);
    }
}
