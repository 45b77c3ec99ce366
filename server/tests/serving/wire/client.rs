//! A client that can send anything. It uses the thrift crate's codecs, so that client and server cannot share a
//! mistake.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use thrift::protocol::{
    TBinaryInputProtocol, TBinaryOutputProtocol, TCompactInputProtocol, TCompactOutputProtocol, TFieldIdentifier,
    TInputProtocol, TMessageIdentifier, TMessageType, TOutputProtocol, TStructIdentifier, TType,
};

/// The protocol of a client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protocol {
    Strict,
    Old,
    Compact,
}

/// All protocols, without and with frames.
pub const WAYS: [(bool, Protocol); 6] = [
    (false, Protocol::Strict),
    (false, Protocol::Old),
    (false, Protocol::Compact),
    (true, Protocol::Strict),
    (true, Protocol::Old),
    (true, Protocol::Compact),
];

/// An argument: its number and value.
#[derive(Debug, Clone)]
pub enum Arg {
    Bytes(i16, Vec<u8>),
    I32(i16, i32),
    Bool(i16, bool),
    Struct(i16, Vec<Arg>),
    Strings(i16, Vec<String>),
}

/// The answer to a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// Field 0 of the result, a string.
    Success(String),
    /// Field 1 of the result, an `IOError`.
    IoError(String, bool),
    /// A `TApplicationException`.
    Exception(i32, String),
}

/// No arguments, which every method accepts.
pub const NO_ARGS: &[Arg] = &[];

fn write_args(args: &[Arg], out: &mut dyn TOutputProtocol) {
    out.write_struct_begin(&TStructIdentifier::new("args")).unwrap();
    for arg in args {
        let (id, of) = match arg {
            Arg::Bytes(id, _) => (*id, TType::String),
            Arg::I32(id, _) => (*id, TType::I32),
            Arg::Bool(id, _) => (*id, TType::Bool),
            Arg::Struct(id, _) => (*id, TType::Struct),
            Arg::Strings(id, _) => (*id, TType::List),
        };
        out.write_field_begin(&TFieldIdentifier::new("f", of, id)).unwrap();
        match arg {
            Arg::Bytes(_, bytes) => out.write_bytes(bytes).unwrap(),
            Arg::I32(_, number) => out.write_i32(*number).unwrap(),
            Arg::Bool(_, value) => out.write_bool(*value).unwrap(),
            Arg::Struct(_, fields) => write_args(fields, out),
            Arg::Strings(_, all) => {
                let size = i32::try_from(all.len()).unwrap();
                out.write_list_begin(&thrift::protocol::TListIdentifier::new(TType::String, size)).unwrap();
                all.iter().for_each(|one| out.write_string(one).unwrap());
                out.write_list_end().unwrap();
            }
        }
        out.write_field_end().unwrap();
    }
    out.write_field_stop().unwrap();
    out.write_struct_end().unwrap();
}

/// A message without frame.
pub fn message(protocol: Protocol, name: &str, sequence: i32, args: &[Arg]) -> Vec<u8> {
    let mut bytes = Vec::new();
    {
        let mut out: Box<dyn TOutputProtocol> = match protocol {
            Protocol::Strict => Box::new(TBinaryOutputProtocol::new(&mut bytes, true)),
            Protocol::Old => Box::new(TBinaryOutputProtocol::new(&mut bytes, false)),
            Protocol::Compact => Box::new(TCompactOutputProtocol::new(&mut bytes)),
        };
        out.write_message_begin(&TMessageIdentifier::new(name, TMessageType::Call, sequence)).unwrap();
        write_args(args, &mut *out);
        out.write_message_end().unwrap();
    }
    bytes
}

/// A message preceded by its length.
pub fn framed(message: &[u8]) -> Vec<u8> {
    [&u32::try_from(message.len()).unwrap().to_be_bytes(), message].concat()
}

/// A connection.
pub struct Client<S = TcpStream> {
    pub stream: S,
    framed: bool,
    protocol: Protocol,
    sequence: i32,
}

/// Connects to this address. The time limit on reads is longer than any answer takes.
pub fn connect(addr: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(addr).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    stream
}

impl Client {
    pub fn new(addr: SocketAddr, (framed, protocol): (bool, Protocol)) -> Self {
        Self::over(connect(addr), (framed, protocol))
    }
}

impl<S: Read + Write> Client<S> {
    pub fn over(stream: S, (framed, protocol): (bool, Protocol)) -> Self {
        Self { stream, framed, protocol, sequence: 0 }
    }

    /// The number of the last call.
    pub fn sequence(&self) -> i32 {
        self.sequence
    }

    /// The bytes of the next call.
    pub fn bytes(&mut self, name: &str, args: &[Arg]) -> Vec<u8> {
        self.sequence += 1;
        let message = message(self.protocol, name, self.sequence, args);
        if self.framed { framed(&message) } else { message }
    }

    pub fn call(&mut self, name: &str, args: &[Arg]) -> Answer {
        let bytes = self.bytes(name, args);
        self.stream.write_all(&bytes).unwrap();
        self.answer(name)
    }

    /// Reads the answer to the last call.
    pub fn answer(&mut self, name: &str) -> Answer {
        let sequence = self.sequence;
        self.answer_to(name, sequence)
    }

    /// Reads the answer to a call.
    pub fn answer_to(&mut self, name: &str, sequence: i32) -> Answer {
        if !self.framed {
            return parse(&mut *reader(self.protocol, &mut self.stream), name, sequence);
        }
        let mut head = [0; 4];
        self.stream.read_exact(&mut head).unwrap();
        let mut frame = vec![0; u32::from_be_bytes(head) as usize];
        self.stream.read_exact(&mut frame).unwrap();
        let mut frame = &frame[..];
        let answer = parse(&mut *reader(self.protocol, &mut frame), name, sequence);
        assert!(frame.is_empty(), "the frame ends with the message");
        answer
    }

    /// Reads until the server closes the connection. Returns the bytes read.
    pub fn rest(&mut self) -> Vec<u8> {
        let mut rest = Vec::new();
        self.stream.read_to_end(&mut rest).unwrap();
        rest
    }
}

/// A reader of answers. Those to old messages are strict.
pub fn reader<'a>(protocol: Protocol, from: impl Read + 'a) -> Box<dyn TInputProtocol + 'a> {
    match protocol {
        Protocol::Strict | Protocol::Old => Box::new(TBinaryInputProtocol::new(from, true)),
        Protocol::Compact => Box::new(TCompactInputProtocol::new(from)),
    }
}

/// Reads one answer to a call of this name and number.
pub fn parse(input: &mut dyn TInputProtocol, name: &str, sequence: i32) -> Answer {
    let head = input.read_message_begin().unwrap();
    assert_eq!((head.name.as_str(), head.sequence_number), (name, sequence));
    input.read_struct_begin().unwrap();
    let answer = match head.message_type {
        TMessageType::Exception => {
            let (message, kind) = text_and(input, |input| input.read_i32().unwrap());
            Answer::Exception(kind, message)
        }
        TMessageType::Reply => {
            let field = input.read_field_begin().unwrap();
            let answer = match field.id {
                Some(0) => Answer::Success(input.read_string().unwrap()),
                Some(1) => {
                    input.read_struct_begin().unwrap();
                    let (message, can_retry) = text_and(input, |input| input.read_bool().unwrap());
                    input.read_struct_end().unwrap();
                    Answer::IoError(message, can_retry)
                }
                other => panic!("unexpected field {other:?}"),
            };
            assert_eq!(input.read_field_begin().unwrap().field_type, TType::Stop);
            answer
        }
        other => panic!("unexpected message type {other:?}"),
    };
    input.read_struct_end().unwrap();
    input.read_message_end().unwrap();
    answer
}

/// Field 1, a string, field 2, and the struct's end.
fn text_and<T>(input: &mut dyn TInputProtocol, second: impl FnOnce(&mut dyn TInputProtocol) -> T) -> (String, T) {
    assert_eq!(input.read_field_begin().unwrap().id, Some(1));
    let text = input.read_string().unwrap();
    assert_eq!(input.read_field_begin().unwrap().id, Some(2));
    let second = second(input);
    assert_eq!(input.read_field_begin().unwrap().field_type, TType::Stop);
    (text, second)
}
