//! The answer of the REST gateway as bytes: a head with the status and the headers, then the body.
//!
//! Calls of all services have replies of bytes, which the dispatcher passes on without looking at them.

use std::borrow::Cow;
use std::io::{self, Write};

use crate::wire::fault::Fault;

/// The head of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// The status.
    pub status: u16,
    /// Names and values of headers.
    pub headers: Vec<(Cow<'static, str>, String)>,
    /// The body is the first page of a longer one, whose next page this scanner has.
    pub continues: Option<i32>,
    /// The same request may succeed a moment later.
    pub can_retry: bool,
    /// The length of the body is not known: the answer to HEAD for an answer that GET sends in pages.
    pub is_open_ended: bool,
}

impl Head {
    /// A head without headers.
    pub fn new(status: u16) -> Self {
        Self { status, headers: Vec::new(), continues: None, can_retry: false, is_open_ended: false }
    }

    /// Adds a header. Characters that a header cannot contain are replaced.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        let value: String = value.into().chars().map(|c| if (' '..='~').contains(&c) { c } else { '?' }).collect();
        self.headers.push((Cow::Borrowed(name), value));
        self
    }

    /// The value of a header.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| &**value)
    }

    /// Writes the head. The body follows it.
    ///
    /// # Errors
    /// The reply would exceed its limit.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut bytes = self.status.to_be_bytes().to_vec();
        let flags = [self.continues.is_some(), self.can_retry, self.is_open_ended];
        bytes.push(flags.iter().enumerate().map(|(bit, set)| u8::from(*set) << bit).sum());
        bytes.extend(self.continues.unwrap_or_default().to_be_bytes());
        bytes.extend(u16::try_from(self.headers.len()).unwrap_or(u16::MAX).to_be_bytes());
        for text in self.headers.iter().flat_map(|(name, value)| [&**name, &**value]) {
            bytes.extend(u32::try_from(text.len()).unwrap_or(u32::MAX).to_be_bytes());
            bytes.extend(text.as_bytes());
        }
        out.write_all(&bytes)
    }

    /// Reads the head at the beginning of an answer. Returns it with its length.
    pub fn read(answer: &[u8]) -> Option<(Self, usize)> {
        let mut rest = answer;
        let status = u16::from_be_bytes(take(&mut rest)?);
        let [flags] = take(&mut rest)?;
        let scanner = i32::from_be_bytes(take(&mut rest)?);
        let count = u16::from_be_bytes(take(&mut rest)?);
        let mut text = || {
            let length = u32::from_be_bytes(take(&mut rest)?) as usize;
            let (text, after) = rest.split_at_checked(length)?;
            rest = after;
            String::from_utf8(text.to_vec()).ok()
        };
        let mut headers = Vec::new();
        for _ in 0..count {
            headers.push((Cow::Owned(text()?), text()?));
        }
        let head = Self {
            status,
            headers,
            continues: (flags & 1 != 0).then_some(scanner),
            can_retry: flags & 2 != 0,
            is_open_ended: flags & 4 != 0,
        };
        Some((head, answer.len() - rest.len()))
    }
}

fn take<const N: usize>(rest: &mut &[u8]) -> Option<[u8; N]> {
    let (taken, after) = rest.split_first_chunk()?;
    *rest = after;
    Some(*taken)
}

/// Appends the answer to a fault that the gateway has not answered.
pub fn refuse(fault: &Fault, out: &mut Vec<u8>) {
    let (status, text, can_retry) = match fault {
        Fault::Io { message, can_retry } => (503, message.as_deref().unwrap_or_default(), *can_retry),
        Fault::IllegalArgument(text) | Fault::AlreadyExists(text) | Fault::Undeclared(text) | Fault::Protocol(text) => {
            (400, &**text, false)
        }
        Fault::Internal(_) => (500, "", false),
        Fault::UnknownMethod => (404, "", false),
    };
    let mut head = Head { can_retry, ..Head::new(status).with("Content-Type", "text/plain") };
    if can_retry {
        head = head.with("Retry-After", RETRY_AFTER_SECONDS);
    }
    // Writing to memory cannot fail.
    let _ = head.write(out).and_then(|()| out.write_all(text_of(status, text).as_bytes()));
}

/// The value of `Retry-After` in the answer to a request that the server has no room for.
pub const RETRY_AFTER_SECONDS: &str = "1";

/// The text of an answer to a request that failed: a line for the status, in the words of HBase's gateway, and the
/// reason.
pub fn text_of(status: u16, reason: &str) -> String {
    let first = match status {
        400 => "Bad request",
        403 => "Forbidden",
        404 => "Not found",
        405 => "Method not allowed",
        406 => "Not acceptable",
        413 => "Payload too large",
        415 => "Unsupported media type",
        503 => "Unavailable",
        _ => "Internal error",
    };
    let reason = reason.trim_end().replace("\r\n", "\n").replace(['\n', '\r', '\t'], " ");
    if reason.is_empty() { format!("{first}\r\n") } else { format!("{first}\r\n{reason}\r\n") }
}

/// The text of a failed call's answer, or `None` if the call has succeeded. A missing row or table is not a failure.
pub fn failure(answer: &[u8]) -> Option<String> {
    let (head, length) = Head::read(answer)?;
    let failed = head.status >= 400 && head.status != 404;
    failed.then(|| String::from_utf8_lossy(answer.get(length..).unwrap_or_default()).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_is_read_as_it_was_written() {
        for head in [
            Head::new(204),
            Head { continues: Some(-1), ..Head::new(200).with("Content-Type", "text/xml") },
            Head { can_retry: true, ..Head::new(503).with("X-Row", "a\r\nInjected: x") },
            Head { is_open_ended: true, ..Head::new(200) },
        ] {
            let mut bytes = Vec::new();
            head.write(&mut bytes).unwrap();
            let length = bytes.len();
            bytes.extend(b"body");
            assert_eq!(Head::read(&bytes), Some((head, length)));
            for cut in 0..length {
                assert_eq!(Head::read(&bytes[..cut]), None);
            }
        }
        assert_eq!(Head::new(200).with("X-Row", "a\r\nb").header("X-Row"), Some("a??b"));
    }

    #[test]
    fn a_body_that_is_too_large_is_no_bad_request() {
        assert_eq!(text_of(413, "shorten it"), "Payload too large\r\nshorten it\r\n");
        assert_eq!(text_of(400, "correct it"), "Bad request\r\ncorrect it\r\n");
    }

    #[test]
    fn a_row_that_does_not_exist_is_no_failure() {
        let answer = |status| {
            let mut bytes = Vec::new();
            Head::new(status).write(&mut bytes).unwrap();
            bytes.extend(b"text");
            failure(&bytes)
        };
        assert_eq!([200, 304, 404, 400, 503].map(|s| answer(s).is_some()), [false, false, false, true, true]);
    }
}
