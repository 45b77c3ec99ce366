//! The stream of a connection with a buffer of the bytes that have arrived and have not been taken as messages.

use std::future::poll_fn;
use std::io;
use std::net::IpAddr;
use std::time::Duration;

use bytes::{Buf, BufMut, Bytes, BytesMut};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::time::timeout;

use super::lingering_close::LingeringClose;
use super::loop_turn::ReceivingTurn;
use super::pace::{MinimumRate, Pace, TooSlow};
use crate::dispatch::memory_quota::MemoryClaim;

/// Capacity for the first bytes of a message, which an idle connection keeps.
const FIRST_BYTES: usize = 2 << 10;
/// A buffer with less room than this is used from its beginning again when it is empty.
const REUSED_BYTES: usize = FIRST_BYTES / 4;
/// The largest capacity that is reserved for bytes that have not arrived.
const AHEAD_BYTES_MAX: usize = 1 << 20;
/// The most that is read ahead while a call is queued or running.
const AWAITED_BYTES_MAX: usize = 8 << 10;
/// A larger buffer is released when it is empty.
const KEPT_BYTES: usize = 8 << 10;

/// The number of bytes that a shorter read counts in the turn of its connection. A stream of short frames needs several
/// reads for a few bytes.
const READ_BYTES_MIN: usize = 256;

/// Why nothing more can be received or sent.
#[derive(Debug)]
pub enum Ended {
    /// The client closed the connection, or it broke.
    Closed,
    /// The client was silent for too long, or too slow.
    Silent,
    /// All connections together hold too many bytes.
    NoRoom,
    /// The message takes more than a connection may hold, which is this number of bytes.
    MoreThanShare(usize),
}

impl From<io::Error> for Ended {
    fn from(_: io::Error) -> Self {
        Self::Closed
    }
}

impl From<TooSlow> for Ended {
    fn from(_: TooSlow) -> Self {
        Self::Silent
    }
}

/// How long to wait for bytes of the client.
#[derive(Debug, Clone, Copy)]
pub enum ReadTimeout {
    /// No message has begun. Wait for this time, or without a limit.
    BetweenMessages(Option<Duration>),
    /// A message has begun. Wait while it keeps the minimum rate.
    WithinMessage(MinimumRate),
}

/// A stream with a read buffer, whose memory counts towards the memory quota.
pub struct BufferedStream<S> {
    stream: S,
    bytes: BytesMut,
    /// The length of the message that was taken and is still in use.
    taken: usize,
    claim: MemoryClaim,
    /// The received bytes.
    turn: ReceivingTurn,
    /// The progress of the message that is arriving.
    receiving: Pace,
}

impl<S: AsyncRead + AsyncWrite + Unpin> BufferedStream<S> {
    /// A buffered stream of a client at this address. Must be called on the event loop of the connection.
    pub fn new(stream: S, claim: MemoryClaim, address: IpAddr) -> Self {
        let turn = ReceivingTurn::new(address);
        Self { stream, bytes: BytesMut::new(), taken: 0, claim, turn, receiving: Pace::default() }
    }

    /// The bytes that have arrived and have not been taken.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The first `n` bytes, or all if there are fewer.
    pub fn first(&self, n: usize) -> &[u8] {
        self.bytes.get(..n).unwrap_or(&self.bytes)
    }

    /// Waits for more bytes. The capacity grows with what has arrived, never with what a message announces.
    pub async fn receive(&mut self, read_timeout: ReadTimeout) -> Result<(), Ended> {
        if self.turn.left() == 0 {
            self.turn.next().await;
        }
        if self.bytes.is_empty() {
            if self.bytes.capacity() > KEPT_BYTES {
                self.bytes = BytesMut::new();
            }
            if self.bytes.capacity() < REUSED_BYTES {
                // If the buffer is not in use, this only makes the room in front of its end usable again.
                self.bytes.reserve(FIRST_BYTES);
            }
        } else if self.bytes.capacity() == self.bytes.len() {
            self.bytes.reserve(self.bytes.len().clamp(FIRST_BYTES, AHEAD_BYTES_MAX));
        }
        if !self.claim.try_resize(self.taken + self.bytes.capacity()) {
            return Err(match self.claim.can_resize(self.taken + self.bytes.capacity()) {
                true => Ended::NoRoom,
                false => Ended::MoreThanShare(self.claim.alone_max()),
            });
        }
        let mut space = (&mut self.bytes).limit(self.turn.left());
        let read = self.stream.read_buf(&mut space);
        let read = match read_timeout {
            ReadTimeout::BetweenMessages(None) => read.await?,
            ReadTimeout::BetweenMessages(Some(longest)) => {
                timeout(longest, read).await.map_err(|_| Ended::Silent)??
            }
            ReadTimeout::WithinMessage(rate) => self.receiving.keep(rate, read).await??,
        };
        self.receiving.moved(read);
        self.turn.count(read.max(READ_BYTES_MIN));
        if read == 0 { Err(Ended::Closed) } else { Ok(()) }
    }

    /// Drops the first `n` bytes, or all if there are fewer.
    pub fn skip(&mut self, n: usize) {
        self.bytes.advance(n.min(self.bytes.len()));
    }

    /// Drops the message of `n` bytes at the beginning. What arrives from now on belongs to the next message.
    pub fn skip_message(&mut self, n: usize) {
        self.receiving.reset();
        self.skip(n);
    }

    /// Takes the first `n` bytes, or all if there are fewer. They count as held until [`Self::finished`].
    pub fn take(&mut self, n: usize) -> Bytes {
        let n = n.min(self.bytes.len());
        self.taken += n;
        self.bytes.split_to(n).freeze()
    }

    /// Takes a message of `n` bytes, like [`Self::take`]. What arrives from now on belongs to the next message.
    pub fn take_message(&mut self, n: usize) -> Bytes {
        self.receiving.reset();
        self.take(n)
    }

    /// Declares that the bytes taken are no longer in use.
    pub fn finished(&mut self) {
        self.taken = 0;
        self.claim.resize(self.bytes.capacity());
    }

    /// Waits until the client hangs up. Bytes that it sends meanwhile are kept, up to a bound. A client that sends more
    /// is considered to be connected.
    pub async fn hang_up(&mut self) {
        while self.bytes.len() < AWAITED_BYTES_MAX {
            match self.receive(ReadTimeout::BetweenMessages(None)).await {
                Ok(()) => {}
                Err(Ended::NoRoom | Ended::MoreThanShare(_)) => break,
                Err(Ended::Closed | Ended::Silent) => return,
            }
        }
        std::future::pending().await
    }

    /// Sends bytes. The client has to take them at a minimum rate.
    pub async fn send(&mut self, mut bytes: &[u8], rate: MinimumRate) -> Result<(), Ended> {
        let mut sending = Pace::default();
        while !bytes.is_empty() {
            let sent = sending.keep(rate, self.stream.write(bytes)).await??;
            sending.moved(sent);
            bytes = bytes.get(sent..).filter(|_| sent > 0).ok_or(Ended::Closed)?;
        }
        Ok(sending.keep(rate, self.stream.flush()).await??)
    }

    /// Closes the connection so that the client receives the last reply.
    pub async fn close(mut self) {
        self.bytes = BytesMut::new();
        self.claim.resize(0);
        let mut closing = LingeringClose::default();
        let _ = poll_fn(|cx| closing.poll(&mut self.stream, cx)).await;
    }

    /// The stream and the bytes read from it.
    pub fn into_parts(self) -> (S, BytesMut) {
        (self.stream, self.bytes)
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::rc::Rc;
    use std::sync::Arc;

    use tokio::io::{join, repeat, sink};
    use tokio::task::{LocalSet, spawn_local, yield_now};

    use super::*;
    use crate::dispatch::account::Accounts;
    use crate::dispatch::memory_quota::{MemoryHolder, MemoryQuota};
    use crate::net::loop_turn::{LoopTurn, RECEIVED_BYTES_MAX};

    const LENGTH: usize = 8 << 20;

    fn run(test: impl Future<Output = ()>) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        LocalSet::new().block_on(&runtime, test);
    }

    /// A client that always has something to send.
    fn sending(of: u8) -> BufferedStream<impl AsyncRead + AsyncWrite + Unpin> {
        let quota = Arc::new(MemoryQuota::new(1 << 30));
        let claim = MemoryHolder::new(quota, Accounts::default().of(&"client".into(), true)).claim();
        BufferedStream::new(join(repeat(1), sink()), claim, [127, 0, 0, of].into())
    }

    #[test]
    fn a_long_message_leaves_turns_of_the_event_loop_to_others() {
        let turns = Rc::new(Cell::new(0));
        let others = turns.clone();
        run(async move {
            spawn_local(async move {
                loop {
                    others.set(others.get() + 1);
                    yield_now().await;
                }
            });
            let mut stream = sending(1);
            while stream.bytes().len() < LENGTH {
                stream.receive(ReadTimeout::BetweenMessages(None)).await.unwrap();
            }
        });
        let least = LENGTH / RECEIVED_BYTES_MAX - 1;
        assert!(turns.get() >= least, "{} turns of others, at least {least} expected", turns.get());
    }

    /// A hundred connections of one address and one of another address send long messages. As much is received from
    /// either address.
    #[test]
    fn an_address_with_many_connections_receives_in_the_turns_of_one() {
        run(async {
            let received = Rc::new([1, 2].map(|_| Cell::new(0)));
            // Returns what has been received from either address at its end.
            let receive = |of: u8| {
                let (mut stream, turn) = (sending(of), LoopTurn::new([127, 0, 0, of].into()));
                let received = received.clone();
                spawn_local(async move {
                    let own = &received[usize::from(of) - 1];
                    while stream.bytes().len() < LENGTH {
                        let before = stream.bytes().len();
                        stream.receive(ReadTimeout::BetweenMessages(None)).await.unwrap();
                        own.set(own.get() + stream.bytes().len() - before);
                    }
                    drop(turn);
                    received.each_ref().map(Cell::get)
                })
            };
            let many: Vec<_> = (0..100).map(|_| receive(1)).collect();
            let [greedy, own] = receive(2).await.unwrap();
            // Each of them has begun with a turn that nothing preceded.
            let later = greedy - 100 * RECEIVED_BYTES_MAX;
            assert!(own == LENGTH && (own * 9 / 10..=own * 11 / 10).contains(&later), "{later} bytes beside {own}");
            many.iter().for_each(tokio::task::JoinHandle::abort);
        });
    }
}
