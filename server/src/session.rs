//! A Thrift connection, from its first message to its end: one call at a time, in order.

use std::mem::take;
use std::net::SocketAddr;
use std::sync::Arc;

use bytes::Bytes;
use tokio::io::{AsyncRead, AsyncWrite};

use crate::call::{Call, Speaking};
use crate::fault::Fault;
use crate::inbox::{Ended, Inbox};
use crate::shared::Shared;
use crate::wire::Dialect;
use crate::wire::measure::{Measure, Progress};

/// A larger reply buffer is given back after use.
const KEPT_BYTES: usize = 8 << 10;
/// The length before each frame.
const FRAME_HEAD: usize = 4;

/// How receiving a message ends without one.
enum Missing {
    /// The connection has ended.
    Ended(Ended),
    /// The message cannot be taken; the text is for the client and the log.
    Refused(Fault),
}

impl From<Ended> for Missing {
    fn from(ended: Ended) -> Self {
        Self::Ended(ended)
    }
}

/// Serves a connection that speaks Thrift over a byte stream.
pub async fn serve<S: AsyncRead + AsyncWrite + Unpin>(
    shared: &Arc<Shared>,
    mut inbox: Inbox<S>,
    dialect: Dialect,
    mut speaking: Speaking,
    peer: SocketAddr,
) {
    tracing::debug!(%peer, %dialect, "connection speaks Thrift");
    let mut out = Vec::new();
    loop {
        let received = match dialect.framed {
            true => framed(shared, &mut inbox).await,
            false => measured(shared, &mut inbox, dialect).await,
        };
        let message = match received {
            Ok(message) => message,
            Err(Missing::Ended(Ended::Closed)) => return,
            Err(Missing::Ended(Ended::Silent)) => {
                tracing::debug!(%peer, "connection closed: no byte came for too long");
                return;
            }
            Err(Missing::Ended(Ended::NoRoom)) => {
                let fault = Fault::queue_bytes_full(&shared.identity);
                return Box::pin(refuse(shared, inbox, dialect, speaking, peer, &fault)).await;
            }
            Err(Missing::Refused(fault)) => {
                return Box::pin(refuse(shared, inbox, dialect, speaking, peer, &fault)).await;
            }
        };
        let call = match Call::recognise(dialect.encoding, &message, &mut speaking) {
            Ok(call) => call,
            Err(fault) => return Box::pin(refuse(shared, inbox, dialect, speaking, peer, &fault)).await,
        };
        let Some(busy) = shared.begin() else { return };
        let one_way = call.one_way;
        out.clear();
        if dialect.framed {
            out.extend_from_slice(&[0; FRAME_HEAD]);
        }
        let Some(reply) = shared.run(call, message, take(&mut out)).await else { return };
        out = reply;
        if !one_way {
            if dialect.framed {
                frame(&mut out);
            }
            if inbox.send(&out, shared.config.limits.stall_max).await.is_err() {
                return;
            }
        }
        drop(busy);
        if out.capacity() > KEPT_BYTES {
            out = Vec::new();
        }
    }
}

/// Writes a frame's length before it.
fn frame(out: &mut [u8]) {
    let length = u32::try_from(out.len().saturating_sub(FRAME_HEAD)).unwrap_or(u32::MAX);
    if let Some(head) = out.first_chunk_mut::<FRAME_HEAD>() {
        *head = length.to_be_bytes();
    }
}

async fn framed<S: AsyncRead + AsyncWrite + Unpin>(
    shared: &Arc<Shared>,
    inbox: &mut Inbox<S>,
) -> Result<Bytes, Missing> {
    loop {
        let needed = match inbox.bytes().first_chunk::<FRAME_HEAD>() {
            None => FRAME_HEAD,
            Some(head) => {
                let length = u32::from_be_bytes(*head) as usize;
                let max = shared.config.limits.frame_bytes_max;
                if length > max {
                    return Err(Missing::Refused(Fault::protocol(format!(
                        "Frame size ({length}) larger than max length ({max})!"
                    ))));
                }
                FRAME_HEAD + length
            }
        };
        if inbox.bytes().len() >= needed && needed > FRAME_HEAD {
            drop(inbox.take(FRAME_HEAD));
            return Ok(inbox.take(needed - FRAME_HEAD));
        }
        if needed == FRAME_HEAD && inbox.bytes().len() >= FRAME_HEAD {
            return Err(Missing::Refused(Fault::protocol("a frame without a message")));
        }
        wait(shared, inbox).await?;
    }
}

async fn measured<S: AsyncRead + AsyncWrite + Unpin>(
    shared: &Arc<Shared>,
    inbox: &mut Inbox<S>,
    dialect: Dialect,
) -> Result<Bytes, Missing> {
    while inbox.bytes().is_empty() {
        wait(shared, inbox).await?;
    }
    let mut measure = Measure::new(dialect.encoding, shared.config.limits.message_bytes_max);
    loop {
        match measure.advance(inbox.bytes()) {
            Ok(Progress::Whole(length)) => return Ok(inbox.take(length)),
            Ok(Progress::More(needed)) => {
                while inbox.bytes().len() < needed {
                    wait(shared, inbox).await?;
                }
            }
            Err(endless) => return Err(Missing::Refused(Fault::protocol(endless.to_string()))),
        }
    }
}

/// More bytes: between messages they may take as long as connections may idle, within one they must not stall.
async fn wait<S: AsyncRead + AsyncWrite + Unpin>(shared: &Arc<Shared>, inbox: &mut Inbox<S>) -> Result<(), Ended> {
    let longest =
        if inbox.bytes().is_empty() { shared.config.limits.idle_max } else { Some(shared.config.limits.stall_max) };
    inbox.more(longest).await
}

/// The end of a connection whose message cannot be taken: an answer if the message says to which call, and one line in the log.
async fn refuse<S: AsyncRead + AsyncWrite + Unpin>(
    shared: &Arc<Shared>,
    mut inbox: Inbox<S>,
    dialect: Dialect,
    mut speaking: Speaking,
    peer: SocketAddr,
    fault: &Fault,
) {
    tracing::info!(%peer, %dialect, reason = %fault, "connection closed: a message cannot be taken");
    let head = if dialect.framed { FRAME_HEAD } else { 0 };
    let message = inbox.bytes().get(head..).unwrap_or_default();
    if let Ok(call) = Call::recognise(dialect.encoding, message, &mut speaking) {
        let mut out = vec![0; head];
        call.refuse(fault, message, &mut out);
        if dialect.framed {
            frame(&mut out);
        }
        if !call.one_way && inbox.send(&out, shared.config.limits.stall_max).await.is_err() {
            return;
        }
    }
    inbox.close().await;
}
