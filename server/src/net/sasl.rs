//! Logins with SASL on a socket, as in libthrift's `TSaslServerTransport`.
//!
//! A negotiation message is a status, a length in four bytes, and a payload. The client begins with START and the name
//! of the mechanism, then sends its response. After the server's COMPLETE, both sides send frames: a length in four
//! bytes, and bytes of the Thrift stream. Messages and frames need not coincide.

use std::fmt;
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::timeout;

use super::buffered_stream::{BufferedStream, Ended, ReadTimeout};
use super::connection::Client;
use super::moving::Registered;
use super::pace::MinimumRate;
use crate::dispatch::caller::Caller;
use crate::dispatch::dispatcher::Dispatcher;
use crate::observe::{Brief, ClientError, client_error};

const START: u8 = 1;
const OK: u8 = 2;
const BAD: u8 = 3;
const COMPLETE: u8 = 5;

/// Status and length of a negotiation message.
const HEAD_BYTES: usize = 5;
/// The longest name of a mechanism (RFC 4422).
const MECHANISM_BYTES_MAX: usize = 20;
/// The longest response: three fields of the mechanism PLAIN.
const RESPONSE_BYTES_MAX: usize = 2048;
/// The longest frame that is sent. Longer replies are sent in several frames.
const SENT_BYTES_MAX: usize = 1 << 20;
/// The largest number of bytes that is read at once into memory that has to be cleared first.
const READ_BYTES_MAX: usize = 16 << 10;

/// The largest number of consecutive empty frames. A client that flushes an empty buffer sends such a frame, but not
/// repeatedly.
const EMPTY_FRAMES_MAX: usize = 8;

/// Why a client is not logged in.
enum Failed {
    /// The connection has ended.
    Ended,
    /// The reason, which the client is told, and the user that it has named.
    Login(Option<String>, String),
    /// The connection is not served, for this reason. It is not counted as a login.
    Refused(String),
}

impl From<Ended> for Failed {
    fn from(_: Ended) -> Self {
        Self::Ended
    }
}

/// Logs a client in. Returns `None` after closing the connection if the client cannot be logged in.
pub async fn log_in<S: AsyncRead + AsyncWrite + Unpin>(
    dispatcher: &Arc<Dispatcher>,
    mut stream: BufferedStream<S>,
    client: &Client,
) -> Option<(BufferedStream<S>, Arc<Caller>)> {
    let rate = MinimumRate::of(&dispatcher.live().config.limits);
    let (answer, caller) = match negotiate(dispatcher, &mut stream, client).await {
        Ok(caller) => (message(COMPLETE, b""), Some(caller)),
        Err(Failed::Ended) => return None,
        Err(Failed::Refused(why)) => (message(BAD, why.as_bytes()), None),
        // The server has no users, so the login protects nothing, and the audit log has no line about it.
        Err(Failed::Login(_, why)) if !client.access.is_enforced() => {
            let (errors, peer) = (&dispatcher.runner.client_errors, client.caller.peer);
            client_error!(errors, LoginFailed, info, %peer, reason = Brief(&why).to_string(), "login failed");
            (message(BAD, why.as_bytes()), None)
        }
        Err(Failed::Login(user, why)) => {
            dispatcher.runner.client_errors.count(ClientError::LoginFailed);
            client.access.log_failed_login(user.as_deref(), client.caller.peer, &why);
            (message(BAD, why.as_bytes()), None)
        }
    };
    let sent = stream.send(&answer, rate).await;
    match (caller, sent) {
        (Some(caller), Ok(())) => Some((stream, caller)),
        _ => {
            stream.close().await;
            None
        }
    }
}

async fn negotiate<S: AsyncRead + AsyncWrite + Unpin>(
    dispatcher: &Arc<Dispatcher>,
    stream: &mut BufferedStream<S>,
    client: &Client,
) -> Result<Arc<Caller>, Failed> {
    let refused = |why: &str| Failed::Login(None, why.to_owned());
    let reading = async {
        let (status, mechanism) = receive(dispatcher, stream, MECHANISM_BYTES_MAX, |length| {
            unsupported(format_args!(", whose name has {length} bytes"))
        })
        .await?;
        if let Some(refusal) = &client.refusal {
            return Err(Failed::Refused(refusal.fault.to_string()));
        }
        if status != START {
            return Err(refused("the first message of SASL must have the status START"));
        }
        if mechanism != b"PLAIN" {
            return Err(Failed::Login(None, unsupported(format_args!(" {}", mechanism.escape_ascii()))));
        }
        if !client.access.is_enforced() {
            return Err(refused("this server has no users (auth.users); connect without SASL"));
        }
        if !client.tls && !client.access.allows_without_tls(client.caller.peer.ip()) {
            return Err(refused(
                "passwords are accepted only inside TLS; enable TLS in the client (on the server, auth.without_tls permits others)",
            ));
        }
        let (status, response) = receive(dispatcher, stream, RESPONSE_BYTES_MAX, |length| {
            format!("the response of SASL has {length} bytes; at most {RESPONSE_BYTES_MAX} are allowed")
        })
        .await?;
        // Clients whose mechanism is complete after its first response say so.
        if !matches!(status, OK | COMPLETE) {
            return Err(refused("the response of SASL must have the status OK or COMPLETE"));
        }
        Ok(response)
    };
    // The whole negotiation, not only each read, has to end in time.
    let response = timeout(dispatcher.stall_max(), reading).await.map_err(|_| Failed::Ended)??;
    let (name, password) = plain(&response).map_err(refused)?;
    match client.access.password(client.caller.peer.ip(), name, password).await {
        Ok(login) => Ok(client.caller.logged_in(Arc::new(login))),
        Err(why) => Err(Failed::Login(Some(name.to_owned()), why.to_string())),
    }
}

/// The user and the password in a response of PLAIN (RFC 4616).
fn plain(response: &[u8]) -> Result<(&str, &[u8]), &'static str> {
    let mut fields = response.split(|byte| *byte == 0);
    let (Some(wanted), Some(name), Some(password), None) = (fields.next(), fields.next(), fields.next(), fields.next())
    else {
        return Err("the response of PLAIN must be an identity, a user and a password, separated by zero bytes");
    };
    if !wanted.is_empty() && wanted != name {
        return Err("a user cannot act for another user");
    }
    Ok((std::str::from_utf8(name).map_err(|_| "the name of the user is not UTF-8")?, password))
}

fn message(status: u8, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).unwrap_or(u32::MAX);
    [&[status], &length.to_be_bytes()[..], payload].concat()
}

/// The refusal of a mechanism, which follows the word.
fn unsupported(mechanism: fmt::Arguments<'_>) -> String {
    format!("Unsupported mechanism type{mechanism}: this server supports PLAIN (Kerberos is not supported)")
}

/// Receives a negotiation message: its status and payload. Memory is taken for bytes that have arrived, not for the
/// length that is announced. `too_long` makes the refusal of a longer message from its length.
async fn receive<S: AsyncRead + AsyncWrite + Unpin>(
    dispatcher: &Arc<Dispatcher>,
    stream: &mut BufferedStream<S>,
    bytes_max: usize,
    too_long: impl Fn(usize) -> String,
) -> Result<(u8, Vec<u8>), Failed> {
    loop {
        let needed = match stream.bytes().first_chunk::<HEAD_BYTES>() {
            None => HEAD_BYTES,
            Some([_, length @ ..]) => {
                let length = u32::from_be_bytes(*length) as usize;
                if length > bytes_max {
                    return Err(Failed::Login(None, too_long(length)));
                }
                HEAD_BYTES + length
            }
        };
        if stream.bytes().len() >= needed && needed >= HEAD_BYTES && stream.bytes().len() >= HEAD_BYTES {
            let message = stream.take(needed);
            stream.finished();
            let (head, payload) = message.split_at(HEAD_BYTES);
            return Ok((head.first().copied().unwrap_or_default(), payload.to_vec()));
        }
        let rate = MinimumRate::of(&dispatcher.live().config.limits);
        stream.receive(ReadTimeout::WithinMessage(rate)).await?;
    }
}

/// The Thrift stream inside the frames of SASL.
pub struct SaslStream<S> {
    stream: S,
    frame_bytes_max: usize,
    reading: Frame,
    /// The number of empty frames before the present one.
    empty_frames: usize,
    writing: Frame,
}

/// A frame, of which a part has been read or written.
#[derive(Default)]
struct Frame {
    head: [u8; 4],
    head_done: usize,
    left: usize,
}

impl<S> SaslStream<S> {
    /// The stream inside another one, whose next byte begins a frame. Longer frames than `frame_bytes_max` are errors.
    pub fn new(stream: S, frame_bytes_max: usize) -> Self {
        Self { stream, frame_bytes_max, reading: Frame::default(), empty_frames: 0, writing: Frame::default() }
    }
}

impl<S: Registered> Registered for SaslStream<S> {
    fn deregister(&mut self) -> io::Result<()> {
        self.stream.deregister()
    }

    fn register(&mut self) -> io::Result<()> {
        self.stream.register()
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for SaslStream<S> {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let Self { stream, frame_bytes_max, reading, empty_frames, .. } = self.get_mut();
        while reading.left == 0 {
            let mut head = ReadBuf::new(reading.head.get_mut(reading.head_done..).unwrap_or_default());
            ready!(Pin::new(&mut *stream).poll_read(cx, &mut head))?;
            let read = head.filled().len();
            if read == 0 {
                return Poll::Ready(Ok(()));
            }
            reading.head_done += read;
            if reading.head_done == reading.head.len() {
                let length = u32::from_be_bytes(reading.head) as usize;
                if length > *frame_bytes_max {
                    let why = format!("a frame of SASL has {length} bytes; at most {frame_bytes_max} are allowed");
                    return Poll::Ready(Err(io::Error::new(io::ErrorKind::InvalidData, why)));
                }
                *reading = Frame { left: length, ..Frame::default() };
                *empty_frames = if length == 0 { *empty_frames + 1 } else { 0 };
                if *empty_frames > EMPTY_FRAMES_MAX {
                    let why = format!("more than {EMPTY_FRAMES_MAX} frames of SASL in a row are empty");
                    return Poll::Ready(Err(io::Error::new(io::ErrorKind::InvalidData, why)));
                }
            }
        }
        let most = reading.left.min(into.remaining()).min(READ_BYTES_MAX);
        let mut part = ReadBuf::new(into.initialize_unfilled_to(most));
        ready!(Pin::new(stream).poll_read(cx, &mut part))?;
        let read = part.filled().len();
        reading.left -= read;
        into.advance(read);
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for SaslStream<S> {
    /// Writes one frame of up to [`SENT_BYTES_MAX`] bytes. The caller has to write the rest of `bytes` next, as
    /// [`BufferedStream::send`] does, because the length of the frame has been sent.
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let Self { stream, writing, .. } = self.get_mut();
        if bytes.is_empty() {
            return Poll::Ready(Ok(0));
        }
        if writing.left == 0 {
            let left = bytes.len().min(SENT_BYTES_MAX);
            let head = u32::try_from(left).unwrap_or(u32::MAX).to_be_bytes();
            *writing = Frame { head, head_done: 0, left };
        }
        let payload = bytes.get(..writing.left).unwrap_or(bytes);
        loop {
            let head = writing.head.get(writing.head_done..).unwrap_or_default();
            let head_left = head.len();
            // Together, so that a short reply is one packet.
            let both = [IoSlice::new(head), IoSlice::new(payload)];
            let mut written = match head_left {
                0 => ready!(Pin::new(&mut *stream).poll_write(cx, payload))?,
                _ => ready!(Pin::new(&mut *stream).poll_write_vectored(cx, &both))?,
            };
            if written == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            writing.head_done += written.min(head_left);
            written = written.saturating_sub(head_left);
            if written > 0 {
                writing.left -= written;
                return Poll::Ready(Ok(written));
            }
        }
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_flush(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex, join, sink};

    use super::*;

    fn run<T>(future: impl Future<Output = T>) -> T {
        tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
    }

    #[test]
    fn plain_names_one_user_with_a_password() {
        assert_eq!(plain(b"\0alice\0secret").unwrap(), ("alice", &b"secret"[..]));
        assert_eq!(plain(b"alice\0alice\0").unwrap(), ("alice", &b""[..]));
        for wrong in [&b""[..], b"alice", b"\0alice", b"bob\0alice\0secret", b"\0alice\0secret\0", b"\0\xff\0secret"] {
            assert!(plain(wrong).is_err(), "{}", wrong.escape_ascii());
        }
    }

    #[test]
    fn long_replies_are_cut_into_frames() {
        run(async {
            let (near, mut far) = duplex(1000);
            let reply = vec![7; SENT_BYTES_MAX + 5];
            let sent = reply.clone();
            let sending = tokio::spawn(async move {
                let mut stream = SaslStream::new(near, 10);
                stream.write_all(&sent).await.unwrap();
                stream.write_all(b"next").await.unwrap();
            });
            let mut received = Vec::new();
            far.read_to_end(&mut received).await.unwrap();
            sending.await.unwrap();
            let frame = |bytes: &[u8]| [&(bytes.len() as u32).to_be_bytes(), bytes].concat();
            let expected = [frame(&reply[..SENT_BYTES_MAX]), frame(&reply[SENT_BYTES_MAX..]), frame(b"next")].concat();
            assert!(received == expected);
        });
    }

    /// Nothing of them would be counted as received.
    #[test]
    fn empty_frames_without_end_are_refused() {
        let read = |frames: usize| {
            let sent = [vec![0; frames * 4], vec![0, 0, 0, 1, 7]].concat();
            run(async { SaslStream::new(join(&sent[..], sink()), 10).read_u8().await })
        };
        assert_eq!(read(EMPTY_FRAMES_MAX).unwrap(), 7);
        assert_eq!(read(EMPTY_FRAMES_MAX + 1).unwrap_err().kind(), io::ErrorKind::InvalidData);
    }

    proptest! {
        /// Frames of any lengths, which arrive in pieces of any lengths, are the stream that they contain.
        #[test]
        fn frames_are_taken_apart(frames in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..50), 0..=EMPTY_FRAMES_MAX), pieces in 1_usize..40) {
            let stream = frames.concat();
            let mut sent = Vec::new();
            for frame in &frames {
                sent.extend((frame.len() as u32).to_be_bytes());
                sent.extend(frame);
            }
            let received = run(async {
                let (near, mut far) = duplex(pieces);
                tokio::spawn(async move { far.write_all(&sent).await.unwrap() });
                let mut received = Vec::new();
                SaslStream::new(near, 50).read_to_end(&mut received).await.unwrap();
                received
            });
            prop_assert_eq!(received, stream);
        }

        /// Foreign bytes end in an error or at their end. No more is delivered than has arrived.
        #[test]
        fn foreign_bytes_are_bounded(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            let (most, received) = (bytes.len(), run(async {
                let (near, mut far) = duplex(64);
                tokio::spawn(async move { let _ = far.write_all(&bytes).await; });
                let mut received = Vec::new();
                let _ = SaslStream::new(near, 1000).read_to_end(&mut received).await;
                received
            }));
            prop_assert!(received.len() <= most);
        }
    }
}
