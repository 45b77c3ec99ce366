//! The report of each call, and the observer that receives it.

use std::net::SocketAddr;
use std::time::Duration;

use crate::wire::fault::Fault;
use crate::wire::method::{LaneKind, Method, Service};
use crate::wire::{Encoding, Transport};

/// Receives a report of each call when it has ended.
///
/// Reports are made on the thread that ran the call, before the reply is sent: an observer must be quick and must not block.
pub trait Observer: std::fmt::Debug + Send + Sync {
    /// A call has ended.
    fn call_ended(&self, call: &CallReport<'_>);
}

/// The report of a call.
#[derive(Debug)]
pub struct CallReport<'a> {
    /// The method; `None`: its service has none of that name.
    pub method: Option<Method>,
    /// The service that it was for.
    pub service: Service,
    /// How it was written.
    pub encoding: Encoding,
    /// How it came in.
    pub transport: Transport,
    /// The lane that it ran in.
    pub lane: LaneKind,
    /// Who called.
    pub peer: SocketAddr,
    /// How long it waited before it ran, or until it was dropped.
    pub waited: Duration,
    /// How long it ran; nothing for a call that did not.
    pub took: Duration,
    /// The length of its message, in bytes.
    pub message_bytes: usize,
    /// Its arguments, as they came.
    pub arguments: &'a [u8],
    /// Its reply, as it goes.
    pub reply: &'a [u8],
    /// How it ended.
    pub end: CallEnd<'a>,
}

/// How a call ended.
#[derive(Debug, Clone, Copy)]
pub enum CallEnd<'a> {
    /// With the method's result, which may be an exception that the method declares.
    Answered,
    /// With this fault.
    Failed(&'a Fault),
    /// It was not taken.
    Refused(Refusal),
    /// It was taken and not run.
    Dropped(Dropped),
}

/// Why a lane does not take a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// No handler and no place is free.
    Length,
    /// The calls under way hold too many bytes.
    Bytes,
}

/// Why a call that waited was not run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dropped {
    /// Its client has hung up.
    Gone,
    /// Its queue is overloaded (codel).
    Overloaded,
    /// It has waited for longer than its client does.
    Late,
}
