//! One connection of the load generator.

use std::io::{ErrorKind, Read, Write};
use std::net::SocketAddr;
use std::time::Instant;

use mio::net::TcpStream;
use mio::{Interest, Registry, Token};

use super::reply::EndSearch;
use super::{Caller, Protocol, Step};
use crate::Outcome;

/// Bytes that a connection can receive at once at first.
const RECEIVED_BYTES: usize = 16 << 10;

/// A connection, and the operation that it waits for.
pub struct Connection<'a> {
    address: SocketAddr,
    stream: TcpStream,
    protocol: Protocol,
    caller: Box<dyn Caller + 'a>,
    /// The kind and the intended start of the operation.
    operation: Option<(usize, Instant)>,
    /// The call, of which the first `sent` bytes have been sent. In frames, it begins with its length.
    out: Vec<u8>,
    sent: usize,
    /// The first `received` bytes are those of the reply.
    reply: Vec<u8>,
    received: usize,
    search: EndSearch,
}

/// What an event has changed.
pub enum Progress {
    /// The operation has not ended, or there is none.
    Waiting,
    /// The operation has ended.
    Answered { kind: usize, intended: Instant, rows: u64 },
}

impl<'a> Connection<'a> {
    /// Connects, and registers the connection for events.
    pub fn open(
        address: SocketAddr,
        protocol: Protocol,
        caller: Box<dyn Caller + 'a>,
        registry: &Registry,
        token: Token,
    ) -> Outcome<Self> {
        let stream = std::net::TcpStream::connect(address).map_err(|error| format!("{address}: {error}"))?;
        stream.set_nodelay(true)?;
        stream.set_nonblocking(true)?;
        let mut stream = TcpStream::from_std(stream);
        registry.register(&mut stream, token, Interest::READABLE | Interest::WRITABLE)?;
        Ok(Self {
            address,
            stream,
            protocol,
            caller,
            operation: None,
            out: Vec::new(),
            sent: 0,
            reply: vec![0; RECEIVED_BYTES],
            received: 0,
            search: EndSearch::default(),
        })
    }

    /// The kind and the intended start of the operation that has not been answered.
    pub fn pending(&self) -> Option<(usize, Instant)> {
        self.operation
    }

    /// Begins the next operation. Returns whether there is one.
    pub fn begin(&mut self, intended: Instant) -> Outcome<bool> {
        self.clear_call();
        self.operation = self.caller.begin(&mut self.out).map(|kind| (kind, intended));
        if self.operation.is_some() {
            self.send_call()?;
        }
        Ok(self.operation.is_some())
    }

    /// Sends and receives what can be sent and received at once.
    pub fn proceed(&mut self) -> Outcome<Progress> {
        let Some((kind, intended)) = self.operation else { return Ok(Progress::Waiting) };
        if self.sent < self.out.len() {
            self.send()?;
        }
        loop {
            if self.received == self.reply.len() {
                self.reply.resize(self.reply.len() * 2, 0);
            }
            match self.stream.read(&mut self.reply[self.received..]) {
                Ok(0) => return Err(format!("{} closed the connection", self.address).into()),
                Ok(n) => self.received += n,
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(Progress::Waiting),
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => return Err(format!("{}: {error}", self.address).into()),
            }
            // There was more room than bytes, so the next ones are a new event.
            let drained = self.received < self.reply.len();
            let Some(end) = self.search.end(self.protocol, &self.reply[..self.received])? else {
                if drained {
                    return Ok(Progress::Waiting);
                }
                continue;
            };
            if end < self.received {
                return Err(format!("{} sent more than one reply", self.address).into());
            }
            self.clear_call();
            let head = if self.protocol == Protocol::Framed { 4 } else { 0 };
            let step = self.caller.answered(&self.reply[head..end], &mut self.out)?;
            self.received = 0;
            self.search.reset();
            match step {
                Step::Done { rows } => {
                    self.operation = None;
                    return Ok(Progress::Answered { kind, intended, rows });
                }
                Step::More => self.send_call()?,
            }
        }
    }

    /// Makes room for a call.
    fn clear_call(&mut self) {
        self.out.clear();
        self.sent = 0;
        if self.protocol == Protocol::Framed {
            self.out.extend_from_slice(&[0; 4]);
        }
    }

    fn send_call(&mut self) -> Outcome<()> {
        if self.protocol == Protocol::Framed {
            let length = u32::try_from(self.out.len() - 4)?;
            self.out[..4].copy_from_slice(&length.to_be_bytes());
        }
        self.send()
    }

    fn send(&mut self) -> Outcome<()> {
        while self.sent < self.out.len() {
            match self.stream.write(&self.out[self.sent..]) {
                Ok(n) => self.sent += n,
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(format!("{}: {error}", self.address).into()),
            }
        }
        Ok(())
    }
}
