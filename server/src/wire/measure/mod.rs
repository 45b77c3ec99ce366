//! Finds the end of a message that is not preceded by its length.

use thrift::protocol::TType;

mod progress;
mod step;
mod value;

use step::{Step, Unfinished, byte, varint};

use super::containers::{Container, Containers, Next};
use super::{Encoding, binary, compact, header};

pub use progress::{Endless, Progress};

/// The measurement of one message. When more bytes have arrived it continues where it stopped, without reading the earlier ones again.
/// It does not allocate.
#[derive(Debug, Clone)]
pub struct Measure {
    encoding: Encoding,
    limit: usize,
    /// Where the next item begins. Beyond the bytes received while a long value is arriving.
    at: usize,
    containers: Containers,
    in_header: bool,
}

impl Measure {
    /// A measurement of a message of this encoding, which may have at most `limit` bytes.
    pub fn new(encoding: Encoding, limit: usize) -> Self {
        Self { encoding, limit, at: 0, containers: Containers::new(), in_header: true }
    }

    /// Continues the measurement. `bytes` is everything received of the message so far, from its beginning.
    ///
    /// # Errors
    /// The end of the message cannot be found or exceeds the limit.
    pub fn advance(&mut self, bytes: &[u8]) -> Result<Progress, Endless> {
        loop {
            if !self.in_header && self.containers.is_empty() {
                return Ok(if self.at <= bytes.len() { Progress::Whole(self.at) } else { Progress::More(self.at) });
            }
            match self.step(bytes) {
                Ok(()) if self.at > self.limit => return Err(Endless::TooLarge(self.limit)),
                Ok(()) => {}
                Err(Unfinished::Short(needed)) if needed > self.limit => return Err(Endless::TooLarge(self.limit)),
                Err(Unfinished::Short(needed)) => return Ok(Progress::More(needed)),
                Err(Unfinished::Endless(endless)) => return Err(endless),
            }
        }
    }

    /// Moves past one header, field header or value. Changes nothing if some of its bytes have not arrived.
    fn step(&mut self, bytes: &[u8]) -> Step<()> {
        if self.in_header {
            let parsed = header::parse(self.encoding, bytes).map_err(|e| Endless::Header(text(e)))?;
            let header = parsed.ok_or(Unfinished::Short(bytes.len() + 1))?;
            self.at = header.body;
            self.in_header = false;
            return self.push(Container::Struct);
        }
        match self.containers.take_next() {
            Next::Nothing => Ok(()),
            Next::Field => self.field(bytes),
            Next::End => {
                self.containers.pop();
                Ok(())
            }
            Next::Element(element) => {
                // The element has been taken already, since it may open a container.
                let step = self.value(bytes, self.at, element);
                if let Err(Unfinished::Short(_)) = step {
                    self.containers.put_back();
                }
                step
            }
        }
    }

    /// Moves past the header of a field and its value, or only past the beginning of the value if that is a container.
    fn field(&mut self, bytes: &[u8]) -> Step<()> {
        let first = byte(bytes, self.at)?;
        let (of, value_at) = match self.encoding {
            Encoding::Binary => {
                (binary::type_of(first).ok_or(Endless::NoSuchType(first))?, self.at + if first == 0 { 1 } else { 3 })
            }
            Encoding::Compact => {
                let of = compact::type_of(first & 0x0f).ok_or(Endless::NoSuchType(first & 0x0f))?;
                let mut value_at = self.at + 1;
                if of != TType::Stop && first >> 4 == 0 {
                    value_at += varint(bytes, value_at)?.1;
                }
                (of, value_at)
            }
        };
        if of == TType::Stop {
            self.at = value_at;
            self.containers.pop();
            return Ok(());
        }
        if of == TType::Bool && self.encoding == Encoding::Compact {
            self.at = value_at;
            return Ok(());
        }
        self.value(bytes, value_at, of)
    }

    fn push(&mut self, container: Container) -> Step<()> {
        self.containers.push(container).map_err(|_| Endless::TooDeep.into())
    }
}

fn text(error: thrift::Error) -> String {
    match error {
        thrift::Error::Protocol(e) => e.message,
        other => other.to_string(),
    }
}
