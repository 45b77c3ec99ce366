//! Reading requests, which `node/lib/embedded/request-writer.js` writes: little-endian numbers, and byte strings
//! preceded by their length (u32).

use bytes::Bytes;
use hjall_engine::{Error, Result};

/// A request and the position up to which it has been read. Byte strings share the request's memory.
pub struct Request {
    bytes: Bytes,
    at: usize,
}

fn truncated() -> Error {
    Error::invalid(
        "a request ends too early: the package's JavaScript and its native module are of different versions; reinstall the \
         package",
    )
}

impl Request {
    /// Starts at the beginning of a request.
    pub fn new(bytes: Bytes) -> Self {
        Self { bytes, at: 0 }
    }

    fn take(&mut self, n: usize) -> Result<Bytes> {
        let end = self.at.checked_add(n).filter(|end| *end <= self.bytes.len());
        let end = end.ok_or_else(truncated)?;
        let piece = self.bytes.slice(self.at..end);
        self.at = end;
        Ok(piece)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        let array = self.bytes.get(self.at..).and_then(<[u8]>::first_chunk).ok_or_else(truncated)?;
        self.at += N;
        Ok(*array)
    }

    /// A number of the vocabulary (u8).
    ///
    /// # Errors
    /// `InvalidArgument` for an unknown number.
    pub fn code<T: TryFrom<u8, Error = Error>>(&mut self) -> Result<T> {
        T::try_from(self.u8()?)
    }

    fn u8(&mut self) -> Result<u8> {
        let value = self.bytes.get(self.at).copied().ok_or_else(truncated)?;
        self.at += 1;
        Ok(value)
    }

    /// A boolean, as 0 or 1 (u8).
    pub fn flag(&mut self) -> Result<bool> {
        Ok(self.u8()? != 0)
    }

    /// An unsigned 32-bit number.
    pub fn u32(&mut self) -> Result<u32> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    /// A signed 32-bit number.
    pub fn i32(&mut self) -> Result<i32> {
        Ok(i32::from_le_bytes(self.array()?))
    }

    /// A signed 64-bit number.
    pub fn i64(&mut self) -> Result<i64> {
        Ok(i64::from_le_bytes(self.array()?))
    }

    /// A byte string, after its length (u32).
    pub fn bytes(&mut self) -> Result<Bytes> {
        let n = self.u32()? as usize;
        self.take(n)
    }

    /// A string, as a byte string of UTF-8.
    pub fn text(&mut self) -> Result<String> {
        Ok(String::from_utf8_lossy(&self.bytes()?).into_owned())
    }

    /// An optional value, after a flag that says whether it is present.
    pub fn maybe<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T>) -> Result<Option<T>> {
        if self.flag()? { read(self).map(Some) } else { Ok(None) }
    }

    /// A list: its length (u32), then each element.
    pub fn list<T>(&mut self, mut read: impl FnMut(&mut Self) -> Result<T>) -> Result<Vec<T>> {
        self.list_after(|from, _| read(from))
    }

    /// A list of which each element is read with the one before it.
    pub fn list_after<T>(&mut self, mut read: impl FnMut(&mut Self, Option<&T>) -> Result<T>) -> Result<Vec<T>> {
        let n = self.u32()? as usize;
        // The length is not trusted: an element takes at least one byte of what is left.
        let mut out = Vec::with_capacity(n.min(self.bytes.len() - self.at));
        for _ in 0..n {
            let element = read(self, out.last())?;
            out.push(element);
        }
        Ok(out)
    }
}
