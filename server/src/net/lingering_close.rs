//! Closing a connection without losing its last reply.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

const TIME_MAX: Duration = Duration::from_secs(5);
const DISCARDED_BYTES_MAX: usize = 64 << 20;

/// Shuts down the sending side of a connection, then discards what the client is still sending, until the client closes
/// the connection too or a limit is reached. Closing a socket with unread bytes resets the connection, and the client
/// may lose a reply that it has not read yet.
#[derive(Default)]
pub struct LingeringClose {
    is_shut_down: bool,
    discarded: usize,
    ending: Option<Pin<Box<Sleep>>>,
}

impl LingeringClose {
    /// Continues to close `stream`.
    pub fn poll<S>(&mut self, stream: &mut S, cx: &mut Context<'_>) -> Poll<io::Result<()>>
    where
        S: AsyncRead + AsyncWrite + Unpin,
    {
        let ending = self.ending.get_or_insert_with(|| Box::pin(sleep(TIME_MAX)));
        if ending.as_mut().poll(cx).is_ready() {
            return Poll::Ready(Ok(()));
        }
        if !self.is_shut_down {
            ready!(Pin::new(&mut *stream).poll_shutdown(cx))?;
            self.is_shut_down = true;
        }
        let mut buffer = [0; 4096];
        while self.discarded < DISCARDED_BYTES_MAX {
            let mut into = ReadBuf::new(&mut buffer);
            ready!(Pin::new(&mut *stream).poll_read(cx, &mut into))?;
            if into.filled().is_empty() {
                break;
            }
            self.discarded += into.filled().len();
        }
        Poll::Ready(Ok(()))
    }
}
