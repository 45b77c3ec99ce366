//! The report of each call, and the observer that receives it.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use crate::wire::fault::Fault;
use crate::wire::method::{LaneKind, Method, Service};
use crate::wire::recognise::Names;
use crate::wire::{Encoding, Transport};

/// Receives a report of each call when it has ended.
///
/// A report is made before the reply is sent, on the thread that completes the call: the one that ran it, or, for
/// writes that are synced, the one that synced them. An observer must be fast and must not block. Its panics are
/// caught, and the first one is logged.
pub trait Observer: std::fmt::Debug + Send + Sync {
    /// A call has ended.
    fn call_ended(&self, call: &CallReport<'_>);
}

/// The report of a call.
#[derive(Debug)]
pub struct CallReport<'a> {
    /// The method, or `None` if the service has no such method.
    pub method: Option<Method>,
    /// The service.
    pub service: Service,
    /// The encoding of its message.
    pub encoding: Encoding,
    /// The transport of its message.
    pub transport: Transport,
    /// Its lane.
    pub lane: LaneKind,
    /// The address of the client.
    pub peer: SocketAddr,
    /// The user of the client, or `None` without a login.
    pub user: Option<&'a Arc<str>>,
    /// How long it waited until it ran or was dropped.
    pub waited: Duration,
    /// How long it ran; zero if it did not run.
    pub took: Duration,
    /// The length of its message, in bytes.
    pub message_bytes: usize,
    /// Its arguments, encoded.
    pub arguments: &'a [u8],
    /// What it concerns, if that is not in the arguments.
    pub names: Option<&'a Names>,
    /// Its reply, encoded.
    pub reply: &'a [u8],
    /// How it ended.
    pub end: CallEnd<'a>,
}

/// How a call ended.
#[derive(Debug, Clone, Copy)]
pub enum CallEnd<'a> {
    /// It was answered with the result of the method, which may be an exception that the method declares.
    Answered,
    /// It failed with this fault.
    Failed(&'a Fault),
    /// It was refused.
    Refused(Refusal),
    /// It waited, but was not run.
    Dropped(Dropped),
}

/// Why a call was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// No handler and no queue slot was free.
    Length,
    /// The calls in flight held too many bytes.
    Bytes,
    /// The client had more calls in the queue than the client that got the slot.
    Share,
}

/// Why a call that waited was not run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dropped {
    /// Its client disconnected.
    Gone,
    /// Its queue was overloaded (codel).
    Overloaded,
    /// It had waited for longer than `queues.wait`.
    Late,
}
