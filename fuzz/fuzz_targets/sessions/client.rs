//! A Thrift1 client whose steps can be taken one by one.

use std::collections::VecDeque;
use std::io::{self, BufReader, ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::time::Duration;

use hjall_idl::hbase1::ScannerOpenResult;
use thrift::protocol::{
    TBinaryInputProtocol, TBinaryOutputProtocol, TCompactInputProtocol, TCompactOutputProtocol, TInputProtocol,
    TMessageIdentifier, TMessageType, TOutputProtocol, TSerializable, TType,
};

use crate::model::MESSAGE_BYTES;

/// The time in which the server has to answer or to close the connection.
const PATIENCE: Duration = Duration::from_secs(20);

/// How messages are written.
#[derive(Clone, Copy)]
pub struct Form {
    pub compact: bool,
    pub framed: bool,
}

/// A call that has been sent, or a part of it.
struct Sent {
    method: &'static str,
    sequence: i32,
}

/// An answer to a call.
pub enum Answer {
    /// A scanner was opened.
    Scanner(i32),
    /// A reply with another result.
    Other,
    /// An exception of the protocol.
    Exception,
    /// The connection has been closed.
    Closed,
}

/// A connection.
pub struct Client {
    stream: BufReader<TcpStream>,
    form: Form,
    sequence: i32,
    /// Calls whose answers have not been read.
    owed: VecDeque<Sent>,
    /// The rest of a call of which a part has been sent.
    rest: Vec<u8>,
    closed: bool,
    excused: bool,
}

impl Client {
    pub fn connect(address: SocketAddr, form: Form) -> Self {
        let stream = TcpStream::connect(address).expect("the server listens");
        stream.set_read_timeout(Some(PATIENCE)).expect("a time limit");
        stream.set_write_timeout(Some(PATIENCE)).expect("a time limit");
        stream.set_nodelay(true).expect("no delay");
        let stream = BufReader::new(stream);
        Self { stream, form, sequence: 0, owed: VecDeque::new(), rest: Vec::new(), closed: false, excused: false }
    }

    /// Whether the server has closed the connection.
    pub fn is_closed(&self) -> bool {
        self.closed
    }

    /// Whether the server may close the connection: it has answered a call with an exception, a message was too long,
    /// or several calls were under way, of which a close may lose the answers.
    pub fn is_excused(&self) -> bool {
        self.excused
    }

    /// The number of answers that have not been read.
    pub fn owed(&self) -> usize {
        self.owed.len()
    }

    /// Calls that open a scanner and whose answers have not been read.
    pub fn opening(&self) -> usize {
        self.owed.iter().filter(|call| call.method == "scannerOpen").count()
    }

    /// Sends a call. `percent` of it goes out now, and the rest with [`Self::finish`].
    pub fn send(&mut self, method: &'static str, arguments: &impl TSerializable, percent: usize) {
        self.finish();
        self.sequence += 1;
        let head = TMessageIdentifier::new(method, TMessageType::Call, self.sequence);
        let mut message = Vec::new();
        let written = if self.form.compact {
            write(&mut TCompactOutputProtocol::new(&mut message), &head, arguments)
        } else {
            write(&mut TBinaryOutputProtocol::new(&mut message, true), &head, arguments)
        };
        written.expect("a vector takes everything");
        if self.form.framed {
            let length = u32::try_from(message.len()).expect("messages are short");
            message.splice(..0, length.to_be_bytes());
        }
        self.excused |= message.len() > MESSAGE_BYTES || !self.owed.is_empty();
        self.owed.push_back(Sent { method, sequence: self.sequence });
        self.rest = message.split_off(message.len() * percent.min(100) / 100);
        self.write(&message);
    }

    /// Sends the rest of the last call.
    pub fn finish(&mut self) {
        let rest = std::mem::take(&mut self.rest);
        self.write(&rest);
    }

    /// Reads the answer to the oldest call without one.
    pub fn receive(&mut self) -> Answer {
        self.finish();
        let Some(call) = self.owed.pop_front() else { return Answer::Other };
        if self.closed {
            return Answer::Closed;
        }
        match self.answer(&call) {
            Ok(answer) => {
                self.excused |= matches!(answer, Answer::Exception);
                answer
            }
            Err(error) => {
                // Only the end of a connection is allowed, not a damaged reply.
                let ended = match &error {
                    thrift::Error::Transport(error) => ended(&error.message),
                    _ => false,
                };
                assert!(ended, "{}: {error:?}", call.method);
                self.closed = true;
                Answer::Closed
            }
        }
    }

    fn answer(&mut self, call: &Sent) -> thrift::Result<Answer> {
        if self.form.framed {
            self.stream.read_exact(&mut [0; 4])?;
        }
        if self.form.compact {
            read(&mut TCompactInputProtocol::new(&mut self.stream), call)
        } else {
            read(&mut TBinaryInputProtocol::new(&mut self.stream, true), call)
        }
    }

    /// Sends arbitrary bytes and no more, and reads until the server closes the connection.
    pub fn damage(&mut self, bytes: &[u8]) {
        self.write(bytes);
        let _ = self.stream.get_ref().shutdown(Shutdown::Write);
        if let Err(error) = io::copy(&mut self.stream, &mut io::sink()) {
            assert!(is_end(error.kind()), "neither an answer nor an end: {error}");
        }
        self.owed.clear();
        self.rest.clear();
        self.closed = true;
        self.excused = true;
    }

    fn write(&mut self, bytes: &[u8]) {
        if self.closed || bytes.is_empty() {
            return;
        }
        if let Err(error) = self.stream.get_ref().write_all(bytes) {
            assert!(is_end(error.kind()), "the server does not read: {error}");
            self.closed = true;
        }
    }
}

fn is_end(kind: ErrorKind) -> bool {
    !matches!(kind, ErrorKind::WouldBlock | ErrorKind::TimedOut)
}

/// The thrift crate turns an I/O error into its text. A time limit that has passed is not an end.
fn ended(text: &str) -> bool {
    !text.contains("timed out") && !text.contains("temporarily unavailable") && !text.contains("would block")
}

fn write(
    out: &mut impl TOutputProtocol,
    head: &TMessageIdentifier,
    arguments: &impl TSerializable,
) -> thrift::Result<()> {
    out.write_message_begin(head)?;
    arguments.write_to_out_protocol(out)?;
    out.write_message_end()?;
    out.flush()
}

fn read(input: &mut impl TInputProtocol, call: &Sent) -> thrift::Result<Answer> {
    let head = input.read_message_begin()?;
    assert_eq!((head.name.as_str(), head.sequence_number), (call.method, call.sequence), "the answer to another call");
    let opened = match head.message_type {
        TMessageType::Reply if call.method == "scannerOpen" => ScannerOpenResult::read_from_in_protocol(input)?.success,
        TMessageType::Reply => {
            input.skip(TType::Struct)?;
            None
        }
        TMessageType::Exception => {
            input.skip(TType::Struct)?;
            return Ok(Answer::Exception);
        }
        other => panic!("{} is answered with a {other:?}", call.method),
    };
    input.read_message_end()?;
    Ok(opened.map_or(Answer::Other, Answer::Scanner))
}
