//! Messages over a socket: buffered or framed transport, binary or compact protocol, TLS, login with SASL PLAIN.

use std::io::{self, BufReader, Read, Write};
use std::rc::Rc;
use std::time::Duration;

use hjall_idl::method::{Effect, Name, Service};
use thrift::protocol::{
    TBinaryInputProtocol, TBinaryOutputProtocol, TCompactInputProtocol, TCompactOutputProtocol, TInputProtocol,
    TMessageIdentifier, TMessageType, TOutputProtocol, TSerializable,
};
use thrift::{ApplicationErrorKind, Error, TransportErrorKind};

use super::super::{Answer, Failure, Reason};
use super::socket::{Patience, Socket};
use super::{Login, ServerOptions, tls};
use crate::interrupt::Interrupt;

/// The longest frame, in bytes.
const FRAME_MAX: u32 = 256 << 20;
/// How long a connection may take to be opened.
const CONNECT_WAIT: Duration = Duration::from_secs(10);

/// The bytes of a connection.
pub trait Stream: Read + Write {}
impl<T: Read + Write> Stream for T {}

/// A connection that carries one call at a time. One that was lost is opened again by the next call.
pub struct Wire {
    options: ServerOptions,
    interrupt: Interrupt,
    open: Option<Open>,
    /// How often a connection has been opened.
    generation: u64,
    sequence: i32,
}

struct Open {
    stream: BufReader<Box<dyn Stream>>,
    patience: Rc<Patience>,
}

impl Open {
    /// Whether the server has closed the connection, or sent what no call waits for.
    fn is_stale(&mut self) -> bool {
        if !self.stream.buffer().is_empty() {
            return true;
        }
        self.patience.set_probing(true);
        let done = self.stream.get_mut().read(&mut [0]);
        self.patience.set_probing(false);
        !done.is_err_and(|error| error.kind() == io::ErrorKind::WouldBlock)
    }
}

impl Wire {
    /// Connects and logs in.
    pub fn connect(options: &ServerOptions, interrupt: Interrupt) -> Answer<Self> {
        let mut wire = Self { options: options.clone(), interrupt, open: None, generation: 0, sequence: 0 };
        wire.reopen()?;
        Ok(wire)
    }

    /// The number of the connection that the last call used. State that a server keeps, such as a scanner, belongs to
    /// one connection: a server that was restarted numbers its scanners from the beginning.
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// Whether the next call uses the connection with this number.
    pub fn is_open(&mut self, generation: u64) -> bool {
        self.generation == generation && self.open.as_mut().is_some_and(|open| !open.is_stale())
    }

    fn address(&self) -> String {
        format!("{}:{}", self.options.host, self.options.port)
    }

    fn reopen(&mut self) -> Answer<()> {
        let address = self.address();
        let options = &self.options;
        let patience = Patience::new(self.interrupt.clone(), CONNECT_WAIT);
        let failed = |text: String| {
            let reason = if patience.was_interrupted() { Reason::Interrupted } else { Reason::Connection };
            Failure::plain(reason, text)
        };
        let client = if options.tls { Some(tls::Client::new(options).map_err(failed)?) } else { None };
        let socket = Socket::connect(&options.host, options.port, &patience).map_err(|error| {
            failed(format!("cannot reach {address}: {error}; is a Thrift2 server running there? (--server HOST:PORT)"))
        })?;
        let mut stream: Box<dyn Stream> = match client {
            Some(client) => Box::new(
                client.handshake(socket).map_err(|reason| failed(format!("TLS with {address} failed: {reason}")))?,
            ),
            None => Box::new(socket),
        };
        if let Some(login) = &options.login {
            log_in(&mut *stream, login).map_err(|error| {
                let hint = self.hint();
                failed(format!("cannot log in to {address} as {}: {error}{hint}", login.user))
            })?;
        }
        self.open = Some(Open { stream: BufReader::with_capacity(16 << 10, stream), patience });
        self.generation += 1;
        Ok(())
    }

    /// The options of the shell that a server's refusal may be about.
    pub fn hint(&self) -> &'static str {
        match (self.options.tls, &self.options.login) {
            (false, None) => " (options of the shell: --tls, --tls-ca FILE, --user NAME)",
            (false, Some(_)) => " (options of the shell: --tls, --tls-ca FILE)",
            (true, None) => " (options of the shell: --user NAME, or --tls-cert FILE and --tls-key FILE)",
            (true, Some(_)) => "",
        }
    }

    /// Sends one call and reads its answer. A failure in between closes the connection, since the answer could be
    /// taken for that of the next call. A call is never sent twice.
    pub fn call<R: TSerializable>(&mut self, method: &'static str, args: &impl TSerializable) -> Answer<R> {
        // A server that was restarted has closed the connection. This is found before anything is sent.
        let usable = self.open.take().and_then(|mut open| (!open.is_stale()).then_some(open));
        let mut open = match usable {
            Some(open) => open,
            None => {
                self.reopen()?;
                let Some(open) = self.open.take() else { return Err(self.lost(method, "it was not opened")) };
                open
            }
        };
        self.sequence = self.sequence.wrapping_add(1);
        open.patience.restart(self.options.timeout);
        match self.exchange(&mut open.stream, method, args) {
            Ok(answer) => {
                self.open = Some(open);
                answer
            }
            Err(_) if open.patience.was_interrupted() => {
                Err(Failure::plain(Reason::Interrupted, format!("{method} was ended by Ctrl-C")))
            }
            Err(error) => Err(self.lost(method, &reason(&error))),
        }
    }

    /// The failure of a call whose connection was lost.
    fn lost(&self, method: &str, reason: &str) -> Failure {
        let changes = Name::find(method.as_bytes()).is_none_or(|name| {
            [Service::Thrift2, Service::Thrift1]
                .iter()
                .find_map(|service| name.of(*service))
                .is_none_or(|method| method.info().effect != Effect::None)
        });
        let outcome = if changes { "; whether it was executed is not known" } else { "" };
        let address = self.address();
        // Connecting again would not help.
        if let Some(remedy) = tls::refused_certificate(reason) {
            return Failure::plain(Reason::Connection, format!("cannot connect to {address}: {remedy}"));
        }
        Failure::plain(
            Reason::Connection,
            format!(
                "the connection to {address} was lost during {method}: {reason}{outcome}; the next command connects again"
            ),
        )
    }

    fn exchange<R: TSerializable>(
        &self,
        stream: &mut BufReader<Box<dyn Stream>>,
        method: &str,
        args: &impl TSerializable,
    ) -> thrift::Result<Answer<R>> {
        let mut message = Vec::new();
        {
            let mut binary;
            let mut compact;
            let out: &mut dyn TOutputProtocol = if self.options.compact {
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
        let framed = self.options.framed || self.options.login.is_some();
        let frame = if framed { (message.len() as u32).to_be_bytes().to_vec() } else { Vec::new() };
        stream.get_mut().write_all(&[frame, message].concat())?;
        stream.get_mut().flush()?;
        if !framed {
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
        let input: &mut dyn TInputProtocol = if self.options.compact {
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
            let text = format!("the answer belongs to another call ({}, number {})", head.name, head.sequence_number);
            return Err(io::Error::new(io::ErrorKind::InvalidData, text).into());
        }
        let answer = R::read_from_in_protocol(input)?;
        input.read_message_end()?;
        Ok(Ok(answer))
    }

    fn refused(&self, method: &str, kind: ApplicationErrorKind, message: &str) -> Failure {
        let address = self.address();
        match kind {
            ApplicationErrorKind::UnknownMethod => Failure::plain(
                Reason::Unsupported,
                format!("{address} has no method {method}: is it a Thrift2 server, and recent enough?"),
            ),
            ApplicationErrorKind::InternalError => {
                Failure::plain(Reason::Refused, format!("{address} rejected the arguments of {method}: {message}"))
            }
            _ => Failure::plain(Reason::Refused, format!("{address} cannot serve {method}: {message}")),
        }
    }
}

fn reason(error: &Error) -> String {
    match error {
        Error::Transport(error)
            if matches!(error.kind, TransportErrorKind::EndOfFile | TransportErrorKind::NotOpen) =>
        {
            "the server closed it".to_owned()
        }
        Error::Transport(error) if error.kind == TransportErrorKind::TimedOut => {
            format!("{} (--timeout SECONDS)", error.message)
        }
        Error::Transport(error) => error.message.clone(),
        Error::Protocol(error) => format!("the answer is not a message of Thrift ({})", error.message),
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
    stream.read_exact(&mut head).map_err(|error| match error.kind() {
        io::ErrorKind::UnexpectedEof => io::Error::new(error.kind(), "the server closed the connection"),
        _ => error,
    })?;
    let length = u32::from_be_bytes([head[1], head[2], head[3], head[4]]);
    let mut text = Vec::new();
    stream.take(u64::from(length.min(4096))).read_to_end(&mut text)?;
    match head[0] {
        COMPLETE => Ok(()),
        _ => Err(io::Error::new(io::ErrorKind::PermissionDenied, String::from_utf8_lossy(&text).into_owned())),
    }
}
