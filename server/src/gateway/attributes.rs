//! The attributes of an operation: arbitrary bytes by name. A few of them change what HBase does.

use std::collections::BTreeMap;

use hjall_engine::{Error, ErrorKind, Result};

/// Attributes as a client sends them.
pub type Sent = Option<BTreeMap<Vec<u8>, Vec<u8>>>;

/// The attributes sent with one operation.
#[derive(Clone, Copy)]
pub struct Attributes<'a>(Option<&'a BTreeMap<Vec<u8>, Vec<u8>>>);

impl<'a> Attributes<'a> {
    /// The attributes in a struct of the contract.
    pub fn new(sent: &'a Sent) -> Self {
        Self(sent.as_ref())
    }

    fn get(self, name: &str) -> Option<&'a [u8]> {
        self.0.and_then(|map| map.get(name.as_bytes())).map(Vec::as_slice)
    }

    /// Checks `_isolationlevel_` of a read, of which only the first byte counts. Both levels are equal here,
    /// because reads never see a part of a write.
    ///
    /// # Errors
    /// `Unprocessable` for any other value, which a region server refuses. For scans, HBase's client already refuses
    /// it.
    pub fn check_isolation(self) -> Result<()> {
        match self.get("_isolationlevel_") {
            None | Some([0 | 1, ..]) => Ok(()),
            Some(_) => {
                Err(unprocessable("the attribute _isolationlevel_ has to begin with a byte 0 or 1, or to be left out"))
            }
        }
    }

    /// Checks `scan.attributes.metrics.enable` of a scan, which HBase's client reads. It has no effect.
    ///
    /// # Errors
    /// `InvalidArgument` unless the value is one byte.
    pub fn check_metrics(self) -> Result<()> {
        match self.get("scan.attributes.metrics.enable") {
            None | Some([_]) => Ok(()),
            Some(_) => Err(Error::invalid(
                "the attribute scan.attributes.metrics.enable has to be one byte, 0 or 1, or to be left out",
            )),
        }
    }

    /// `_raw_` of a read: whether delete markers and hidden cells are returned.
    ///
    /// # Errors
    /// `Unprocessable` unless the value is one byte.
    pub fn raw(self) -> Result<bool> {
        match self.get("_raw_") {
            None => Ok(false),
            Some([flag]) => Ok(*flag != 0),
            Some(_) => Err(unprocessable("the attribute _raw_ has to be one byte, 0 or 1, or to be left out")),
        }
    }

    /// `_ttl` of a mutation: the time to live of its cells, in milliseconds. Bytes after the eighth are
    /// ignored; 2^63 - 1 means no limit.
    ///
    /// # Errors
    /// `Unprocessable` for fewer than eight bytes.
    pub fn ttl_ms(self) -> Result<Option<i64>> {
        let Some(value) = self.get("_ttl") else { return Ok(None) };
        match value.first_chunk::<8>() {
            Some(ms) => Ok(Some(i64::from_be_bytes(*ms)).filter(|ms| *ms != i64::MAX)),
            None => Err(unprocessable("the attribute _ttl has to be 8 bytes, milliseconds in big-endian order")),
        }
    }

    /// `_rr_`: whether an increment or append returns the new cells.
    pub fn returns_results(self) -> bool {
        self.get("_rr_") != Some(&[0])
    }
}

/// The error for a request that a region server can never process.
fn unprocessable(text: &str) -> Error {
    Error::new(ErrorKind::Unprocessable, text)
}
