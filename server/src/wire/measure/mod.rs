//! Finds the end of a message that does not say how long it is.

use thrift::protocol::TType;

mod progress;
mod step;
mod value;

use step::{Short, Step, byte, there, varint};

use super::header;
use super::{DEPTH_MAX, Encoding, binary, compact};

pub use progress::{Endless, Progress};

#[derive(Debug, Clone, Copy)]
enum Open {
    Struct,
    /// Elements left.
    List(TType, u32),
    /// Keys and values left, both counted: even means that a key is next.
    Map(TType, TType, u32),
}

/// One message's measurement. It goes on where it stopped when more bytes are there, without looking at the earlier ones again, and
/// takes no memory but its own.
#[derive(Debug, Clone)]
pub struct Measure {
    encoding: Encoding,
    limit: usize,
    /// Where the next thing begins; beyond the bytes that are there while a long value arrives.
    at: usize,
    open: [Open; DEPTH_MAX],
    depth: usize,
    in_header: bool,
}

impl Measure {
    /// For a message of this encoding with at most so many bytes.
    pub fn new(encoding: Encoding, limit: usize) -> Self {
        Self { encoding, limit, at: 0, open: [Open::Struct; DEPTH_MAX], depth: 0, in_header: true }
    }

    /// Goes on. `bytes` begins where the message does and holds all that has arrived, at least as much as the last time.
    pub fn advance(&mut self, bytes: &[u8]) -> Result<Progress, Endless> {
        loop {
            if !self.in_header && self.depth == 0 {
                return Ok(if self.at <= bytes.len() { Progress::Whole(self.at) } else { Progress::More(self.at) });
            }
            match self.step(bytes)? {
                Ok(()) if self.at > self.limit => return Err(Endless::TooLarge(self.limit)),
                Ok(()) => {}
                Err(Short(needed)) if needed > self.limit => return Err(Endless::TooLarge(self.limit)),
                Err(Short(needed)) => return Ok(Progress::More(needed)),
            }
        }
    }

    /// One header, field header or value; changes nothing if it is not there in full.
    fn step(&mut self, bytes: &[u8]) -> Step<()> {
        if self.in_header {
            let parsed = header::parse(self.encoding, bytes).map_err(|e| Endless::Header(text(e)))?;
            let Some(header) = parsed else { return Ok(Err(Short(bytes.len() + 1))) };
            self.at = header.body;
            self.in_header = false;
            return self.push(Open::Struct).map(Ok);
        }
        let top = self.depth - 1;
        match self.open[top] {
            Open::Struct => self.field(bytes),
            Open::List(_, 0) | Open::Map(_, _, 0) => {
                self.depth = top;
                Ok(Ok(()))
            }
            Open::List(element, left) => {
                // Changed first, since the element may open a place above; put back if it was not there.
                self.open[top] = Open::List(element, left - 1);
                let step = self.value(bytes, self.at, element);
                if let Ok(Err(_)) = step {
                    self.open[top] = Open::List(element, left);
                }
                step
            }
            Open::Map(key, value, left) => {
                self.open[top] = Open::Map(key, value, left - 1);
                let step = self.value(bytes, self.at, if left % 2 == 0 { key } else { value });
                if let Ok(Err(_)) = step {
                    self.open[top] = Open::Map(key, value, left);
                }
                step
            }
        }
    }

    /// A field's header and its value, unless the value opens something.
    fn field(&mut self, bytes: &[u8]) -> Step<()> {
        let first = there!(byte(bytes, self.at));
        let (of, value_at) = match self.encoding {
            Encoding::Binary => {
                (binary::type_of(first).ok_or(Endless::NoSuchType(first))?, self.at + if first == 0 { 1 } else { 3 })
            }
            Encoding::Compact => {
                let of = compact::type_of(first & 0x0f).ok_or(Endless::NoSuchType(first & 0x0f))?;
                let mut value_at = self.at + 1;
                if of != TType::Stop && first >> 4 == 0 {
                    value_at += there!(varint(bytes, value_at)).1;
                }
                (of, value_at)
            }
        };
        if of == TType::Stop {
            self.at = value_at;
            self.depth -= 1;
            return Ok(Ok(()));
        }
        if of == TType::Bool && self.encoding == Encoding::Compact {
            self.at = value_at;
            return Ok(Ok(()));
        }
        self.value(bytes, value_at, of)
    }

    fn push(&mut self, open: Open) -> Result<(), Endless> {
        let place = self.open.get_mut(self.depth).ok_or(Endless::TooDeep)?;
        *place = open;
        self.depth += 1;
        Ok(())
    }
}

fn text(error: thrift::Error) -> String {
    match error {
        thrift::Error::Protocol(e) => e.message,
        other => other.to_string(),
    }
}
