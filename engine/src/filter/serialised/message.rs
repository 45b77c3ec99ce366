//! The protobuf messages that several classes share. A class's own message stands in the class's file.
//!
//! All fields are optional here: fields that HBase requires are checked with [`required`](super::required). Enums are
//! plain numbers, since HBase treats an unknown number as an absent field.

use bytes::Bytes;
use prost::Message;

/// HBase's Filter and Comparator: a class's full name and the class's own message.
#[derive(Clone, PartialEq, Message)]
pub(in crate::filter) struct Named {
    #[prost(string, optional, tag = "1")]
    pub name: Option<String>,
    #[prost(bytes = "bytes", optional, tag = "2")]
    pub body: Option<Bytes>,
}

/// A message with one field of bytes.
#[derive(Clone, PartialEq, Message)]
pub(in crate::filter) struct OneBytes {
    #[prost(bytes = "bytes", optional, tag = "1")]
    pub bytes: Option<Bytes>,
}

/// A message with one filter.
#[derive(Clone, PartialEq, Message)]
pub(in crate::filter) struct OneFilter {
    #[prost(message, optional, tag = "1")]
    pub filter: Option<Named>,
}

/// A message with a list of bytes.
#[derive(Clone, PartialEq, Message)]
pub(in crate::filter) struct ManyBytes {
    #[prost(bytes = "bytes", repeated, tag = "1")]
    pub bytes: Vec<Bytes>,
}

/// A message without fields.
#[derive(Clone, PartialEq, Message)]
pub(in crate::filter) struct Empty {}
