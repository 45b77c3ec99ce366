//! Reading what JavaScript wrote: numbers little-endian, byte strings behind their length (u32).

use bytes::Bytes;
use hjall_engine::{Error, ErrorKind, Result};

/// A request, and how far it has been read. Byte strings share the request's memory.
pub struct Request {
    bytes: Bytes,
    at: usize,
}

impl Request {
    /// Reads from the beginning.
    pub fn new(bytes: Bytes) -> Self {
        Self { bytes, at: 0 }
    }

    fn take(&mut self, n: usize) -> Result<Bytes> {
        let end = self.at.checked_add(n).filter(|end| *end <= self.bytes.len());
        let Some(end) = end else {
            return Err(Error::new(
                ErrorKind::InvalidArgument,
                "a request ends too soon: the package's JavaScript and its native module differ in version",
            ));
        };
        let piece = self.bytes.slice(self.at..end);
        self.at = end;
        Ok(piece)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        let piece = self.take(N)?;
        let mut out = [0; N];
        out.copy_from_slice(&piece);
        Ok(out)
    }

    /// One byte.
    pub fn u8(&mut self) -> Result<u8> {
        let value = self.bytes.get(self.at).copied();
        self.at += 1;
        value.map_or_else(|| self.take(1).map(|_| 0), Ok)
    }

    /// A truth, as 0 or 1.
    pub fn flag(&mut self) -> Result<bool> {
        Ok(self.u8()? != 0)
    }

    /// Four bytes without sign.
    pub fn u32(&mut self) -> Result<u32> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    /// Four bytes with sign.
    pub fn i32(&mut self) -> Result<i32> {
        Ok(i32::from_le_bytes(self.array()?))
    }

    /// Eight bytes with sign.
    pub fn i64(&mut self) -> Result<i64> {
        Ok(i64::from_le_bytes(self.array()?))
    }

    /// A byte string.
    pub fn bytes(&mut self) -> Result<Bytes> {
        let n = self.u32()? as usize;
        self.take(n)
    }

    /// A text, which JavaScript wrote as UTF-8.
    pub fn text(&mut self) -> Result<String> {
        Ok(String::from_utf8_lossy(&self.bytes()?).into_owned())
    }

    /// What stands behind a byte that says whether it is there.
    pub fn maybe<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T>) -> Result<Option<T>> {
        if self.flag()? { read(self).map(Some) } else { Ok(None) }
    }

    /// As many as a number in front says.
    pub fn list<T>(&mut self, mut read: impl FnMut(&mut Self) -> Result<T>) -> Result<Vec<T>> {
        let n = self.u32()? as usize;
        // Not more room at once than the request itself could fill.
        let mut out = Vec::with_capacity(n.min(self.bytes.len() - self.at.min(self.bytes.len())));
        for _ in 0..n {
            out.push(read(self)?);
        }
        Ok(out)
    }
}
