//! Messages over a socket: buffered or framed transport, binary or compact protocol, TLS, login with SASL PLAIN.

use std::io::{self, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::time::{Duration, Instant};

use thrift::protocol::{
    TBinaryInputProtocol, TBinaryOutputProtocol, TCompactInputProtocol, TCompactOutputProtocol, TInputProtocol,
    TMessageIdentifier, TMessageType, TOutputProtocol, TSerializable,
};
use thrift::{ApplicationErrorKind, Error};

use super::super::{Answer, Failure, Reason};
use super::exception::failure;
use super::{Login, ServerOptions, tls};
use crate::interrupt::Interrupt;

/// The longest frame, in bytes.
const FRAME_MAX: u32 = 256 << 20;
/// How long a connection may take to be opened.
const CONNECT_WAIT: Duration = Duration::from_secs(10);
/// How often a call that waits looks for Ctrl-C.
const GLANCE: Duration = Duration::from_millis(50);

/// The bytes of a connection.
pub trait Stream: Read + Write {}
impl<T: Read + Write> Stream for T {}

/// A connection that carries one call at a time.
pub struct Wire {
    stream: Option<Patient>,
    address: String,
    framed: bool,
    compact: bool,
    sequence: i32,
}

/// A stream whose reads wait for bytes, for Ctrl-C, or for the end of their time.
struct Patient {
    stream: Box<dyn Stream>,
    buffer: Vec<u8>,
    at: usize,
    interrupt: Interrupt,
    timeout: Duration,
    deadline: Instant,
}

impl Patient {
    fn fill(&mut self) -> io::Result<usize> {
        self.buffer.resize(16 << 10, 0);
        loop {
            match self.stream.read(&mut self.buffer) {
                Ok(count) => {
                    self.buffer.truncate(count);
                    self.at = 0;
                    // Bytes arrive: the answer is under way.
                    self.deadline = Instant::now() + self.timeout;
                    return Ok(count);
                }
                Err(error)
                    if matches!(
                        error.kind(),
                        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut | io::ErrorKind::Interrupted
                    ) =>
                {
                    if self.interrupt.is_pending() {
                        return Err(io::Error::new(io::ErrorKind::Interrupted, "ended by Ctrl-C"));
                    }
                    if Instant::now() >= self.deadline {
                        let seconds = self.timeout.as_secs();
                        return Err(io::Error::new(
                            io::ErrorKind::TimedOut,
                            format!("no answer within {seconds} s (--timeout)"),
                        ));
                    }
                }
                Err(error) => return Err(error),
            }
        }
    }
}

impl Read for Patient {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.at >= self.buffer.len() && self.fill()? == 0 {
            self.buffer.clear();
            return Ok(0);
        }
        let available = &self.buffer[self.at..];
        let count = available.len().min(out.len());
        out[..count].copy_from_slice(&available[..count]);
        self.at += count;
        Ok(count)
    }
}

impl Wire {
    /// Connects and logs in.
    pub fn connect(options: &ServerOptions, interrupt: Interrupt) -> Answer<Self> {
        let address = format!("{}:{}", options.host, options.port);
        let failed = |error: &dyn std::fmt::Display| {
            failure(
                Reason::Connection,
                format!("cannot reach {address}: {error}; is a Thrift2 server running there? (--server HOST:PORT)"),
            )
        };
        let candidates = (&options.host[..], options.port).to_socket_addrs().map_err(|error| failed(&error))?;
        let mut last = None;
        let mut found = None;
        for candidate in candidates {
            match TcpStream::connect_timeout(&candidate, CONNECT_WAIT) {
                Ok(stream) => {
                    found = Some(stream);
                    break;
                }
                Err(error) => last = Some(error),
            }
        }
        let Some(stream) = found else {
            return Err(match last {
                Some(error) => failed(&error),
                None => failed(&"the name has no address"),
            });
        };
        let prepared = stream.set_nodelay(true).and_then(|()| stream.set_read_timeout(Some(CONNECT_WAIT)));
        prepared.map_err(|error| failed(&error))?;
        let glance = stream.try_clone().map_err(|error| failed(&error))?;
        let mut stream: Box<dyn Stream> = if options.tls {
            Box::new(tls::connect(options, stream).map_err(|error| failed(&error))?)
        } else {
            Box::new(stream)
        };
        if let Some(login) = &options.login {
            log_in(&mut *stream, login).map_err(|error| {
                failure(Reason::Connection, format!("cannot log in to {address} as {}: {error}", login.user))
            })?;
        }
        glance.set_read_timeout(Some(GLANCE)).map_err(|error| failed(&error))?;
        let patient = Patient {
            stream,
            buffer: Vec::new(),
            at: 0,
            interrupt,
            timeout: options.timeout,
            deadline: Instant::now(),
        };
        let framed = options.framed || options.login.is_some();
        Ok(Self { stream: Some(patient), address, framed, compact: options.compact, sequence: 0 })
    }

    /// Sends one call and reads its answer. A failure in between closes the connection, since the answer could be
    /// taken for that of the next call.
    pub fn call<R: TSerializable>(&mut self, method: &'static str, args: &impl TSerializable) -> Answer<R> {
        let address = self.address.clone();
        let Some(mut stream) = self.stream.take() else {
            return Err(failure(
                Reason::Connection,
                format!("the connection to {address} was lost; start the shell again"),
            ));
        };
        self.sequence = self.sequence.wrapping_add(1);
        stream.deadline = Instant::now() + stream.timeout;
        match self.exchange(&mut stream, method, args) {
            Ok(answer) => {
                self.stream = Some(stream);
                answer
            }
            Err(Error::Transport(error)) if stream.interrupt.is_pending() => Err(failure(
                Reason::Interrupted,
                format!("{method} was ended by Ctrl-C: {}; the connection was closed", error.message),
            )),
            Err(error) => Err(failure(
                Reason::Connection,
                format!("the connection to {address} was lost in {method}: {}", reason(&error)),
            )),
        }
    }

    fn exchange<R: TSerializable>(
        &self,
        stream: &mut Patient,
        method: &str,
        args: &impl TSerializable,
    ) -> thrift::Result<Answer<R>> {
        let mut message = Vec::new();
        {
            let mut binary;
            let mut compact;
            let out: &mut dyn TOutputProtocol = if self.compact {
                compact = TCompactOutputProtocol::new(&mut message);
                &mut compact
            } else {
                binary = TBinaryOutputProtocol::new(&mut message, true);
                &mut binary
            };
            out.write_message_begin(&TMessageIdentifier::new(method, TMessageType::Call, self.sequence))?;
            args.write_to_out_protocol(out)?;
            out.write_message_end()?;
        }
        let frame = if self.framed { (message.len() as u32).to_be_bytes().to_vec() } else { Vec::new() };
        stream.stream.write_all(&[frame, message].concat())?;
        stream.stream.flush()?;
        if !self.framed {
            return self.answer(stream, method);
        }
        let mut length = [0; 4];
        stream.read_exact(&mut length)?;
        let length = u32::from_be_bytes(length);
        if length > FRAME_MAX {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                format!("the answer announces {length} bytes, more than {FRAME_MAX}"),
            )
            .into());
        }
        // Grows with what arrives, not with what is announced.
        let mut frame = Vec::new();
        stream.take(u64::from(length)).read_to_end(&mut frame)?;
        if frame.len() < length as usize {
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the answer ends early").into());
        }
        self.answer(&frame[..], method)
    }

    fn answer<R: TSerializable>(&self, input: impl Read, method: &str) -> thrift::Result<Answer<R>> {
        let mut binary;
        let mut compact;
        let input: &mut dyn TInputProtocol = if self.compact {
            compact = TCompactInputProtocol::new(input);
            &mut compact
        } else {
            binary = TBinaryInputProtocol::new(input, true);
            &mut binary
        };
        let head = input.read_message_begin()?;
        if head.message_type == TMessageType::Exception {
            let error = Error::read_application_error_from_in_protocol(input)?;
            input.read_message_end()?;
            return Ok(Err(self.refused(method, error.kind, &error.message)));
        }
        if head.name != method || head.sequence_number != self.sequence {
            let text = format!("the answer is one to {}", head.name);
            return Err(io::Error::new(io::ErrorKind::InvalidData, text).into());
        }
        let answer = R::read_from_in_protocol(input)?;
        input.read_message_end()?;
        Ok(Ok(answer))
    }

    fn refused(&self, method: &str, kind: ApplicationErrorKind, message: &str) -> Failure {
        let address = &self.address;
        match kind {
            ApplicationErrorKind::UnknownMethod => failure(
                Reason::Unsupported,
                format!("{address} has no method {method}: is it a Thrift2 server, and recent enough?"),
            ),
            ApplicationErrorKind::InternalError => {
                failure(Reason::Refused, format!("{address} rejected the arguments of {method}: {message}"))
            }
            _ => failure(Reason::Refused, format!("{address} cannot serve {method}: {message}")),
        }
    }
}

fn reason(error: &Error) -> String {
    match error {
        Error::Transport(error) => error.message.clone(),
        Error::Protocol(error) => error.message.clone(),
        other => other.to_string(),
    }
}

/// Thrift's SASL negotiation with the mechanism PLAIN.
fn log_in(stream: &mut dyn Stream, login: &Login) -> io::Result<()> {
    const START: u8 = 1;
    const OK: u8 = 2;
    const COMPLETE: u8 = 5;
    let mut send = |status: u8, payload: &[u8]| -> io::Result<()> {
        let length = (payload.len() as u32).to_be_bytes();
        stream.write_all(&[&[status], &length[..], payload].concat())
    };
    send(START, b"PLAIN")?;
    send(OK, format!("\0{}\0{}", login.user, login.password).as_bytes())?;
    stream.flush()?;
    let mut head = [0; 5];
    stream.read_exact(&mut head)?;
    let length = u32::from_be_bytes([head[1], head[2], head[3], head[4]]);
    let mut text = Vec::new();
    stream.take(u64::from(length.min(4096))).read_to_end(&mut text)?;
    match head[0] {
        COMPLETE => Ok(()),
        _ => Err(io::Error::new(io::ErrorKind::PermissionDenied, String::from_utf8_lossy(&text).into_owned())),
    }
}
