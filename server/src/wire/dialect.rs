//! Recognises transport and protocol of a connection from its first bytes.

use std::fmt;

use super::NAME_BYTES_MAX;

/// The encoding of values. Binary covers strict and old message headers, which may alternate on a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// TBinaryProtocol.
    Binary,
    /// TCompactProtocol.
    Compact,
}

/// How messages are delimited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Transport {
    /// Not at all: they follow each other (TBufferedTransport).
    Buffered,
    /// Each is preceded by its length (TFramedTransport).
    Framed,
    /// Each is the body of an HTTP request.
    Http,
    /// None: the calls are requests to the REST gateway.
    Rest,
}

/// The names of all combinations of transport and encoding, by [`number`]. REST has one.
pub const NAMES: [&str; 7] =
    ["buffered-binary", "buffered-compact", "framed-binary", "framed-compact", "http-binary", "http-compact", "rest"];

/// The number of a combination of transport and encoding.
pub fn number(transport: Transport, encoding: Encoding) -> usize {
    let compact = encoding == Encoding::Compact && transport != Transport::Rest;
    transport as usize * 2 + usize::from(compact)
}

/// Transport and encoding of a Thrift connection, which stay the same until it ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dialect {
    /// Whether each message is preceded by its length in four bytes (TFramedTransport).
    pub framed: bool,
    /// The encoding.
    pub encoding: Encoding,
}

/// The name, as in [`NAMES`].
impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let transport = if self.framed { Transport::Framed } else { Transport::Buffered };
        f.write_str(NAMES.get(number(transport, self.encoding)).copied().unwrap_or_default())
    }
}

/// What the first bytes of a connection are the beginning of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Opening {
    /// There are too few bytes to tell.
    Unclear,
    /// Thrift over TCP.
    Thrift(Dialect),
    /// An HTTP/1 request.
    Http,
    /// A TLS handshake.
    Tls,
    /// A SASL negotiation, as libthrift frames it.
    Sasl,
    /// A protocol that this server does not support.
    Foreign(Foreign),
}

/// Protocols that are sent to a Thrift port by mistake.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Foreign {
    /// HBase's own RPC.
    HBaseRpc,
    /// ZooKeeper's protocol or one of its four-letter words.
    ZooKeeper,
    /// Redis.
    Redis,
    /// HTTP/2 without TLS.
    Http2,
    /// Thrift's header transport.
    HeaderTransport,
    /// SSH.
    Ssh,
    /// A frame longer than any limit, a Thrift message of an unknown version, or anything else.
    Garbage,
}

impl fmt::Display for Foreign {
    /// The name of the protocol, and what to use instead.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::HBaseRpc => {
                "HBase's native RPC (the Java client's default); use a Thrift client, or set \
                 hbase.client.connection.impl=org.apache.hadoop.hbase.thrift2.client.ThriftConnection in the Java client"
            }
            Self::ZooKeeper => {
                "ZooKeeper's protocol; there is no ZooKeeper here, connect a Thrift client to this address directly (Java: \
                 hbase.client.connection.impl=org.apache.hadoop.hbase.thrift2.client.ThriftConnection)"
            }
            Self::Redis => "Redis; use an HBase Thrift client such as HappyBase",
            Self::Http2 => "HTTP/2; use HTTP/1.1 with POST, or Thrift over plain TCP",
            Self::HeaderTransport => "Thrift's header transport; use buffered or framed transport",
            Self::Ssh => "SSH; use an HBase Thrift client",
            Self::Garbage => {
                "an unknown protocol; use Thrift with buffered or framed transport and binary or compact protocol, or HTTP/1.1 with \
                 POST for Thrift, and GET, HEAD, PUT, POST and DELETE for REST"
            }
        })
    }
}

const ZOOKEEPER_WORDS: [&[u8; 4]; 12] =
    [b"ruok", b"stat", b"srvr", b"mntr", b"conf", b"cons", b"envi", b"dump", b"wchs", b"isro", b"crst", b"srst"];

const HTTP_METHODS: [&[u8]; 9] =
    [b"POST ", b"GET ", b"HEAD ", b"PUT ", b"DELETE ", b"OPTIONS ", b"PATCH ", b"TRACE ", b"CONNECT "];

/// Recognises the beginning of a connection. Needs at most 8 bytes, and returns [`Opening::Unclear`] only while further
/// bytes can make a difference.
pub fn recognise(first: &[u8]) -> Opening {
    match first {
        [] => Opening::Unclear,
        [0x80, 0x01, ..] => thrift(false, Encoding::Binary),
        [0x82, second, ..] if second & 0x1f == 1 => thrift(false, Encoding::Compact),
        [0x16, 0x03, ..] => Opening::Tls,
        [0x80 | 0x82 | 0x16] => Opening::Unclear,
        [0x80.. | 0x16, ..] => Opening::Foreign(Foreign::Garbage),
        [b'A'..=b'Z' | b'a'..=b'z' | b'*' | b'\r' | b'\n', ..] => text(first),
        _ => counted(first),
    }
}

fn thrift(framed: bool, encoding: Encoding) -> Opening {
    Opening::Thrift(Dialect { framed, encoding })
}

/// A text protocol. A first byte that is a letter does not begin a length, since lengths that large are refused.
fn text(first: &[u8]) -> Opening {
    let starts = |word: &[u8]| first.starts_with(word);
    let may_become = |word: &[u8]| first.len() < word.len() && word.starts_with(first);
    if HTTP_METHODS.iter().any(|m| starts(m)) {
        return Opening::Http;
    }
    let foreign = if starts(b"HBas") {
        Foreign::HBaseRpc
    } else if starts(b"PRI * H") {
        Foreign::Http2
    } else if starts(b"SSH-") {
        Foreign::Ssh
    } else if ZOOKEEPER_WORDS.iter().any(|w| starts(*w)) {
        Foreign::ZooKeeper
    } else if matches!(first, [b'*', b'0'..=b'9', ..]) || starts(b"PING\r") || starts(b"INFO\r") {
        Foreign::Redis
    } else if HTTP_METHODS.iter().any(|m| may_become(m))
        || [b"HBas".as_slice(), b"PRI * H", b"SSH-", b"PING\r", b"INFO\r"].iter().any(|w| may_become(w))
        || ZOOKEEPER_WORDS.iter().any(|w| may_become(*w))
        || first == b"*"
    {
        return Opening::Unclear;
    } else {
        Foreign::Garbage
    };
    Opening::Foreign(foreign)
}

/// A length: of a frame, or of the method name in an old message header.
fn counted(first: &[u8]) -> Opening {
    let Some((length, rest)) = first.split_first_chunk::<4>() else { return Opening::Unclear };
    let length = u32::from_be_bytes(*length) as usize;
    match rest {
        [] => Opening::Unclear,
        [b'A'..=b'Z' | b'a'..=b'z' | b'_', ..] if (1..=NAME_BYTES_MAX).contains(&length) => {
            thrift(false, Encoding::Binary)
        }
        _ => match framed(length, rest) {
            // SASL's status START, and the length of the mechanism's name.
            Opening::Foreign(Foreign::Garbage) if first.starts_with(&[0x01]) => Opening::Sasl,
            opening => opening,
        },
    }
}

fn framed(length: usize, rest: &[u8]) -> Opening {
    match rest {
        [0x80, 0x01, ..] => thrift(true, Encoding::Binary),
        [0x82, second, ..] if second & 0x1f == 1 => thrift(true, Encoding::Compact),
        [0x80 | 0x82 | 0x0f] => Opening::Unclear,
        [0x0f, 0xff, ..] => Opening::Foreign(Foreign::HeaderTransport),
        // The protocol version 0 of ZooKeeper's first request. An old Thrift message has the method name here.
        [0, 0, 0, 0, ..] if (28..=64).contains(&length) => Opening::Foreign(Foreign::ZooKeeper),
        [0, 0, high, low, ..] if name_fits(u16::from_be_bytes([*high, *low]), length) => thrift(true, Encoding::Binary),
        [0] | [0, 0] | [0, 0, _] if length > 8 => Opening::Unclear,
        _ => Opening::Foreign(Foreign::Garbage),
    }
}

fn name_fits(name: u16, frame: usize) -> bool {
    let name = usize::from(name);
    (1..=NAME_BYTES_MAX).contains(&name) && name + 9 <= frame
}
