//! A Thrift connection, from its first message to its end: one call at a time, in the order of arrival.

use std::mem::take;
use std::pin::pin;
use std::sync::Arc;

use bytes::Bytes;
use tokio::io::{AsyncRead, AsyncWrite};

use super::buffered_stream::{BufferedStream, Ended, ReadTimeout};
use super::loop_turn::LoopTurn;
use super::loops::load::LoopHandle;
use super::moving::{Next, Registered, Serving};
use super::pace::MinimumRate;
use crate::dispatch::call::{Call, DefaultService};
use crate::dispatch::caller::Caller;
use crate::dispatch::dispatcher::{AtOnce, Dispatcher};
use crate::dispatch::job::Reply;
use crate::dispatch::loop_writes::LoopConnection;
use crate::dispatch::runner::SettingsView;
use crate::observe::{Brief, ClientErrors, client_error};
use crate::wire::fault::Fault;
use crate::wire::measure::{Measure, Progress, length_at_once};
use crate::wire::{Dialect, Transport};

/// A larger reply buffer is released after use.
const KEPT_BYTES: usize = 8 << 10;
/// The most that is read of a message that cannot be accepted: its header, and the arguments that identify its service.
const REFUSED_BYTES_MAX: usize = 64 << 10;
/// The length before each frame.
const FRAME_HEAD: usize = 4;

/// Why no message was received.
enum Missing {
    /// The connection has ended.
    Ended(Ended),
    /// The message cannot be accepted. The text is for the client and the log.
    Refused(Fault),
}

impl From<Ended> for Missing {
    fn from(ended: Ended) -> Self {
        Self::Ended(ended)
    }
}

/// Serves a connection that speaks Thrift over a byte stream, until it ends or goes to another event loop.
pub fn serve<S: AsyncRead + AsyncWrite + Registered + Unpin + Send + 'static>(
    dispatcher: Arc<Dispatcher>,
    stream: BufferedStream<S>,
    dialect: Dialect,
    speaking: DefaultService,
    caller: Arc<Caller>,
) -> Serving {
    Box::pin(answer_calls(dispatcher, stream, dialect, speaking, caller))
}

async fn answer_calls<S: AsyncRead + AsyncWrite + Registered + Unpin + Send + 'static>(
    dispatcher: Arc<Dispatcher>,
    mut stream: BufferedStream<S>,
    dialect: Dialect,
    mut speaking: DefaultService,
    caller: Arc<Caller>,
) -> Option<Next> {
    let _connection = LoopConnection::open();
    let peer = caller.peer;
    tracing::debug!(%peer, %dialect, "connection speaks Thrift");
    let mut settings = dispatcher.runner.view();
    let mut out = Vec::new();
    let mut turn = LoopTurn::new(peer.ip());
    loop {
        let received = match dialect.framed {
            true => turn.during(pin!(framed(&mut settings, &mut stream))).await,
            false => turn.during(pin!(measured(&mut settings, &mut stream, dialect))).await,
        };
        let length = match received {
            Ok(length) => length,
            Err(missing) => {
                let fault = match missing {
                    Missing::Ended(Ended::Closed) => return None,
                    Missing::Ended(Ended::Silent) => {
                        tracing::debug!(%peer, "connection closed: the client was silent for too long, or too slow");
                        return None;
                    }
                    Missing::Ended(Ended::NoRoom) => Fault::queue_bytes_full(&dispatcher.runner.identity),
                    Missing::Ended(Ended::MoreThanShare(max)) => Fault::more_than_share(max),
                    Missing::Refused(fault) => fault,
                };
                closing(&dispatcher.runner.client_errors, &caller, dialect, &fault);
                drop(turn);
                Box::pin(refuse(&dispatcher, stream, dialect, speaking, &fault)).await;
                return None;
            }
        };
        turn.go_on().await;
        // A call that is answered at once reads its message where it was received.
        let message = stream.first(length);
        let call = match Call::recognise(dialect.encoding, message, &mut speaking) {
            Ok(call) if dialect.framed => call.over(Transport::Framed),
            Ok(call) => call,
            Err(fault) => {
                // It cannot be answered, and what follows is not read.
                drop(turn);
                closing(&dispatcher.runner.client_errors, &caller, dialect, &fault);
                stream.close().await;
                return None;
            }
        };
        let busy = dispatcher.shutdown.begin()?;
        let one_way = call.one_way;
        out.clear();
        if dialect.framed {
            out.extend_from_slice(&[0; FRAME_HEAD]);
        }
        // The reply counts as held until the client has taken it.
        let tried = match dispatcher.try_at_once(settings.load(), &call, message, &mut out, &caller) {
            AtOnce::Answered(claim) => Ok(claim),
            AtOnce::Staged(staged) => {
                // Other connections stage writes for the same commit.
                turn.end();
                dispatcher.finish(staged, &call, message, &mut out, &caller).await
            }
            AtOnce::Queue(tried) => Err(tried),
        };
        let claim = match tried {
            Ok(claim) => {
                stream.skip_message(length);
                claim
            }
            Err(tried) => {
                let message = stream.take_message(length);
                let gone = stream.hang_up();
                let queued = dispatcher.run_queued(tried, call, message, take(&mut out), &caller, gone);
                let Reply { bytes, claim } = turn.during(pin!(queued)).await?;
                out = bytes;
                claim
            }
        };
        stream.finished();
        if !one_way {
            turn.after_others().await;
            if dialect.framed {
                frame(&mut out);
            }
            let rate = MinimumRate::of(&settings.load().config.limits);
            turn.during(pin!(stream.send(&out, rate))).await.ok()?;
        }
        turn.answered(out.len());
        drop(busy);
        if out.capacity() > KEPT_BYTES {
            out = Vec::new();
        }
        drop(claim);
        if let Some(to) = turn.next_loop(stream.bytes().is_empty()) {
            drop(turn);
            return leave(&dispatcher, stream, dialect, speaking, &caller, to);
        }
    }
}

/// Takes a connection from its event loop, between two messages.
fn leave<S: AsyncRead + AsyncWrite + Registered + Unpin + Send + 'static>(
    dispatcher: &Arc<Dispatcher>,
    stream: BufferedStream<S>,
    dialect: Dialect,
    speaking: DefaultService,
    caller: &Arc<Caller>,
    to: Arc<LoopHandle>,
) -> Option<Next> {
    let (mut stream, _) = stream.into_parts();
    stream.deregister().ok()?;
    let (dispatcher, caller) = (dispatcher.clone(), caller.clone());
    let serve = move || -> Serving {
        if stream.register().is_err() {
            return Box::pin(async { None });
        }
        let stream = BufferedStream::new(stream, dispatcher.claim_memory(&caller), caller.peer.ip());
        serve(dispatcher, stream, dialect, speaking, caller)
    };
    Some(Next::On(to, Box::new(serve)))
}

/// Answers the first call of a connection that is not served, and closes the connection. Reads no more of the message
/// than the answer needs.
pub async fn turn_away<S: AsyncRead + AsyncWrite + Unpin>(
    dispatcher: &Arc<Dispatcher>,
    mut stream: BufferedStream<S>,
    dialect: Dialect,
    speaking: DefaultService,
    fault: &Fault,
) {
    let mut measure = Measure::new(dialect.encoding, REFUSED_BYTES_MAX);
    let mut needed = 1;
    loop {
        while stream.bytes().len() < needed {
            if wait(&mut dispatcher.runner.view(), &mut stream).await.is_err() {
                return;
            }
        }
        let message = stream.bytes().get(if dialect.framed { FRAME_HEAD } else { 0 }..).unwrap_or_default();
        let progress = if message.is_empty() { Ok(Progress::More(0)) } else { measure.advance(message) };
        match progress {
            Ok(Progress::More(_)) => needed = stream.bytes().len() + 1,
            Ok(Progress::Whole(_)) | Err(_) => break,
        }
    }
    refuse(dispatcher, stream, dialect, speaking, fault).await;
}

/// Counts a message that is refused, and logs why its connection is closed.
fn closing(errors: &ClientErrors, caller: &Caller, dialect: Dialect, fault: &Fault) {
    let peer = caller.peer;
    caller.count_refused();
    client_error!(
        errors,
        InvalidMessage,
        info,
        %peer,
        %dialect,
        reason = Brief(fault).to_string(),
        "connection closed: a message cannot be accepted"
    );
}

/// Writes the length of a frame into its first bytes.
fn frame(out: &mut [u8]) {
    let length = u32::try_from(out.len().saturating_sub(FRAME_HEAD)).unwrap_or(u32::MAX);
    if let Some(head) = out.first_chunk_mut::<FRAME_HEAD>() {
        *head = length.to_be_bytes();
    }
}

/// Receives a framed message. Returns its length; its bytes are the first ones of the stream.
async fn framed<S: AsyncRead + AsyncWrite + Unpin>(
    settings: &mut SettingsView<'_>,
    stream: &mut BufferedStream<S>,
) -> Result<usize, Missing> {
    loop {
        let needed = match stream.bytes().first_chunk::<FRAME_HEAD>() {
            None => FRAME_HEAD,
            Some(head) => {
                let length = u32::from_be_bytes(*head) as usize;
                let max = settings.load().config.limits.frame_bytes_max;
                if length > max {
                    return Err(Missing::Refused(Fault::protocol(format!(
                        "Frame size ({length}) larger than max length ({max})!"
                    ))));
                }
                FRAME_HEAD + length
            }
        };
        if stream.bytes().len() >= needed && needed > FRAME_HEAD {
            stream.skip(FRAME_HEAD);
            return Ok(needed - FRAME_HEAD);
        }
        if needed == FRAME_HEAD && stream.bytes().len() >= FRAME_HEAD {
            return Err(Missing::Refused(Fault::protocol("a frame without a message")));
        }
        wait(settings, stream).await?;
    }
}

/// Receives a message without a frame. Returns its length; its bytes are the first ones of the stream.
async fn measured<S: AsyncRead + AsyncWrite + Unpin>(
    settings: &mut SettingsView<'_>,
    stream: &mut BufferedStream<S>,
    dialect: Dialect,
) -> Result<usize, Missing> {
    while stream.bytes().is_empty() {
        wait(settings, stream).await?;
    }
    let limit = settings.load().config.limits.message_bytes_max;
    if let Some(length) = length_at_once(dialect.encoding, stream.bytes(), limit) {
        return Ok(length);
    }
    let mut measure = Measure::new(dialect.encoding, limit);
    loop {
        match measure.advance(stream.bytes()) {
            Ok(Progress::Whole(length)) => return Ok(length),
            Ok(Progress::More(needed)) => {
                while stream.bytes().len() < needed {
                    wait(settings, stream).await?;
                }
            }
            Err(endless) => return Err(Missing::Refused(Fault::protocol(endless.to_string()))),
        }
    }
}

/// Waits for more bytes: between messages as long as connections may be idle, within a message as long as it keeps the
/// minimum rate.
async fn wait<S: AsyncRead + AsyncWrite + Unpin>(
    settings: &mut SettingsView<'_>,
    stream: &mut BufferedStream<S>,
) -> Result<(), Ended> {
    let limits = &settings.load().config.limits;
    let read_timeout = match stream.bytes().is_empty() {
        true => ReadTimeout::BetweenMessages(limits.idle_max),
        false => ReadTimeout::WithinMessage(MinimumRate::of(limits)),
    };
    stream.receive(read_timeout).await
}

/// Ends a connection whose message cannot be accepted: with an answer if enough of the message has arrived to tell
/// which call it is.
async fn refuse<S: AsyncRead + AsyncWrite + Unpin>(
    dispatcher: &Arc<Dispatcher>,
    stream: BufferedStream<S>,
    dialect: Dialect,
    mut speaking: DefaultService,
    fault: &Fault,
) {
    let head = if dialect.framed { FRAME_HEAD } else { 0 };
    let message = stream.bytes().get(head..).unwrap_or_default();
    let message = Bytes::copy_from_slice(message.get(..REFUSED_BYTES_MAX).unwrap_or(message));
    let rate = MinimumRate::of(&dispatcher.live().config.limits);
    match Call::recognise(dialect.encoding, &message, &mut speaking) {
        Ok(call) => reply_and_close(stream, dialect, &call, &message, fault, rate).await,
        Err(_) => stream.close().await,
    }
}

/// Answers a call with a fault, and closes the connection.
async fn reply_and_close<S: AsyncRead + AsyncWrite + Unpin>(
    mut stream: BufferedStream<S>,
    dialect: Dialect,
    call: &Call,
    message: &[u8],
    fault: &Fault,
    rate: MinimumRate,
) {
    let mut out = vec![0; if dialect.framed { FRAME_HEAD } else { 0 }];
    call.refuse(fault, message, &mut out);
    if dialect.framed {
        frame(&mut out);
    }
    if call.one_way || stream.send(&out, rate).await.is_ok() {
        stream.close().await;
    }
}
