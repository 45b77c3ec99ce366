//! A position in a slice of bytes. Taking more bytes than remain is an error.

use thrift::Result;

use super::malformed;

pub(super) struct Slice<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Slice<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    pub(super) fn left(&self) -> usize {
        self.bytes.len() - self.at
    }

    pub(super) fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    pub(super) fn take(&mut self, n: usize) -> Result<&'a [u8]> {
        let taken = self.rest().get(..n).ok_or_else(|| {
            malformed(format!("the message ends after {} of {n} bytes that it announces", self.left()))
        })?;
        self.at += n;
        Ok(taken)
    }

    pub(super) fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N)?);
        Ok(array)
    }

    pub(super) fn byte(&mut self) -> Result<u8> {
        self.array::<1>().map(|[b]| b)
    }

    /// Reads a varint of at most `BITS` bits: seven in each byte, the lowest first.
    pub(super) fn varint<const BITS: u32>(&mut self) -> Result<u64> {
        let mut number = 0;
        let mut shift = 0;
        while shift < BITS {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(number);
            }
            shift += 7;
        }
        Err(malformed(format!("a number is longer than {BITS} bits")))
    }
}
