//! The attributes of an operation: free bytes by name, a few of which change what HBase does.

use std::collections::BTreeMap;

use hjall_engine::{Error, ErrorKind, Result};

/// As a client sends them.
pub type Sent = Option<BTreeMap<Vec<u8>, Vec<u8>>>;

/// `_ttl` of a mutation: how long its cells live, in milliseconds. Bytes after the eighth do not count, 2^63-1 means for ever.
///
/// # Errors
/// `Unprocessable` for fewer bytes: the region server fails over them whenever it is asked.
pub fn ttl_ms(sent: &Sent) -> Result<Option<i64>> {
    let Some(value) = value(sent, "_ttl") else { return Ok(None) };
    let Some(ms) = value.first_chunk::<8>() else {
        return Err(unprocessable("the attribute _ttl must be 8 bytes: milliseconds, big-endian"));
    };
    Ok(Some(i64::from_be_bytes(*ms)).filter(|&ms| ms != i64::MAX))
}

/// `_isolationlevel_` of a read, of which only the first byte counts. Both levels read the same here, where nothing half written can
/// be seen.
///
/// # Errors
/// `Unprocessable` for anything else than a level: a region server fails over it, though scanners are not even opened with it.
pub fn isolation(sent: &Sent) -> Result<()> {
    match value(sent, "_isolationlevel_") {
        None | Some([0 | 1, ..]) => Ok(()),
        Some(_) => Err(unprocessable("the attribute _isolationlevel_ must begin with a byte 0 or 1")),
    }
}

/// `_raw_` of a read: whether to show what is deleted or in excess.
///
/// # Errors
/// `Unprocessable` for anything else than one byte.
pub fn raw(sent: &Sent) -> Result<bool> {
    match value(sent, "_raw_") {
        None => Ok(false),
        Some([flag]) => Ok(*flag != 0),
        Some(_) => Err(unprocessable("the attribute _raw_ must be one byte, 0 or not")),
    }
}

fn value<'a>(sent: &'a Sent, name: &str) -> Option<&'a [u8]> {
    sent.as_ref()?.get(name.as_bytes()).map(Vec::as_slice)
}

fn unprocessable(text: &str) -> Error {
    Error::new(ErrorKind::Unprocessable, text)
}
