//! The attributes of an operation: free bytes by name, a few of which change what HBase does.

use std::collections::BTreeMap;

use hjall_engine::{Error, ErrorKind};

use super::error::Answer;
use crate::fault::Fault;

/// The attributes sent with one operation.
#[derive(Clone, Copy)]
pub struct Attributes<'a>(Option<&'a BTreeMap<Vec<u8>, Vec<u8>>>);

impl<'a> Attributes<'a> {
    /// As they came.
    pub fn new(sent: Option<&'a BTreeMap<Vec<u8>, Vec<u8>>>) -> Self {
        Self(sent)
    }

    fn get(self, name: &str) -> Option<&'a [u8]> {
        self.0.and_then(|map| map.get(name.as_bytes())).map(Vec::as_slice)
    }

    /// `_isolationlevel_`: 0 or 1. Both see the same here, since nothing half written can be read.
    pub fn check_isolation(self) -> Answer<()> {
        match self.get("_isolationlevel_") {
            None | Some([0 | 1]) => Ok(()),
            Some(_) => Err(Fault::internal("the attribute _isolationlevel_ has to be one byte, 0 or 1")),
        }
    }

    /// `_raw_`: whether delete markers and hidden cells are shown. What is not one byte fails on the region server, again and again.
    pub fn raw(self) -> Result<bool, Error> {
        match self.get("_raw_") {
            None => Ok(false),
            Some([flag]) => Ok(*flag != 0),
            Some(_) => Err(Error::new(ErrorKind::Unprocessable, "the attribute _raw_ has to be one byte")),
        }
    }

    /// `_ttl`: how long the cells live, in milliseconds, big-endian; bytes after the eighth do not count and 2^63-1 means for ever.
    /// Fewer than eight fail on the region server, again and again.
    pub fn ttl_ms(self) -> Result<Option<i64>, Error> {
        let Some(value) = self.get("_ttl") else { return Ok(None) };
        match value.first_chunk::<8>() {
            Some(ms) => Ok(Some(i64::from_be_bytes(*ms)).filter(|ms| *ms != i64::MAX)),
            None => Err(Error::new(
                ErrorKind::Unprocessable,
                "the attribute _ttl has to be 8 bytes, milliseconds in big-endian order",
            )),
        }
    }

    /// `_rr_`: whether an increment or append returns the new cells.
    pub fn returns_results(self) -> bool {
        self.get("_rr_") != Some(&[0])
    }
}
