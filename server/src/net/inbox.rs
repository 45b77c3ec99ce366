//! What a connection has received and not yet understood.

use std::future::poll_fn;
use std::io;
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::time::timeout;

use crate::dispatch::memory_quota::MemoryClaim;

/// Room for the first bytes of a message; what an idle connection holds.
const FIRST_BYTES: usize = 2 << 10;
/// The most room made for bytes that have not come yet.
const AHEAD_BYTES_MAX: usize = 1 << 20;
/// The most that is read ahead while a call waits for its turn.
const AWAITED_BYTES_MAX: usize = 8 << 10;
/// A larger buffer is given back when nothing is in it.
const KEPT_BYTES: usize = 8 << 10;

/// Why no more can be received.
#[derive(Debug)]
pub enum Ended {
    /// The client closed the connection, or it broke.
    Closed,
    /// Nothing came for too long.
    Silent,
    /// All connections together hold too many bytes.
    NoRoom,
}

impl From<io::Error> for Ended {
    fn from(_: io::Error) -> Self {
        Self::Closed
    }
}

/// A stream with the bytes read from it so far.
pub struct Inbox<S> {
    stream: S,
    bytes: BytesMut,
    /// The length of the message that was taken and is still being worked on.
    taken: usize,
    claim: MemoryClaim,
}

impl<S: AsyncRead + AsyncWrite + Unpin> Inbox<S> {
    /// An inbox of a stream that gave these bytes already.
    pub fn new(stream: S, bytes: BytesMut, claim: MemoryClaim) -> Self {
        Self { stream, bytes, taken: 0, claim }
    }

    /// What is there.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Waits for more bytes. Room grows with what came, never with what a message says will come.
    pub async fn more(&mut self, silent_max: Option<Duration>) -> Result<(), Ended> {
        if self.bytes.is_empty() && self.bytes.capacity() > KEPT_BYTES {
            self.bytes = BytesMut::new();
        }
        if self.bytes.capacity() == self.bytes.len() {
            self.bytes.reserve(self.bytes.len().clamp(FIRST_BYTES, AHEAD_BYTES_MAX));
        }
        if !self.claim.try_resize(self.taken + self.bytes.capacity()) {
            return Err(Ended::NoRoom);
        }
        let read = self.stream.read_buf(&mut self.bytes);
        let read = match silent_max {
            Some(longest) => within(longest, read).await?,
            None => read.await?,
        };
        if read == 0 { Err(Ended::Closed) } else { Ok(()) }
    }

    /// Takes the first bytes, of those that are there. They count until [`Self::finished`].
    pub fn take(&mut self, n: usize) -> Bytes {
        self.taken += n.min(self.bytes.len());
        self.bytes.split_to(n.min(self.bytes.len())).freeze()
    }

    /// Says that what was taken is no longer there.
    pub fn finished(&mut self) {
        self.taken = 0;
        self.claim.resize(self.bytes.capacity());
    }

    /// Waits until the client hangs up. What it sends meanwhile is kept, up to a bound; a client that sends more than that is taken
    /// to be there.
    pub async fn hang_up(&mut self) {
        while self.bytes.len() < AWAITED_BYTES_MAX {
            match self.more(None).await {
                Ok(()) => {}
                Err(Ended::NoRoom) => break,
                Err(Ended::Closed | Ended::Silent) => return,
            }
        }
        std::future::pending().await
    }

    /// Sends bytes, as long as the client takes some within the time.
    pub async fn send(&mut self, mut bytes: &[u8], stall_max: Duration) -> Result<(), Ended> {
        while !bytes.is_empty() {
            let sent = within(stall_max, self.stream.write(bytes)).await?;
            bytes = bytes.get(sent..).filter(|_| sent > 0).ok_or(Ended::Closed)?;
        }
        within(stall_max, self.stream.flush()).await
    }

    /// Says that nothing more will be sent, then lets what the client is still sending run into nothing for a while: closing over unread
    /// bytes would reset the connection, and the client might lose the last answer.
    pub async fn close(mut self) {
        const DISCARDED_BYTES_MAX: usize = 16 << 20;
        self.bytes = BytesMut::new();
        self.claim.resize(0);
        let _ = timeout(Duration::from_secs(2), async {
            self.stream.shutdown().await?;
            let mut discarded = 0;
            // Not inside the future, which is as large as the largest thing it may ever hold.
            let mut into = vec![0; 4096];
            while discarded < DISCARDED_BYTES_MAX {
                match self.stream.read(&mut into).await? {
                    0 => break,
                    n => discarded += n,
                }
            }
            io::Result::Ok(())
        })
        .await;
    }

    /// The stream and what was read from it.
    pub fn into_parts(self) -> (S, BytesMut) {
        (self.stream, self.bytes)
    }
}

/// Waits for the stream, with a timer only where it is not ready at once: replies mostly go out so.
async fn within<T>(longest: Duration, io: impl Future<Output = io::Result<T>>) -> Result<T, Ended> {
    let mut io = pin!(io);
    match poll_fn(|cx| Poll::Ready(io.as_mut().poll(cx))).await {
        Poll::Ready(done) => Ok(done?),
        Poll::Pending => Ok(timeout(longest, io).await.map_err(|_| Ended::Silent)??),
    }
}
