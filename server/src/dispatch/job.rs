//! A call in the queue of its lane.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::{Duration, Instant};

use bytes::Bytes;
use hjall_engine::read::Stop;
use tokio::sync::oneshot;

use super::call::Call;
use super::call_scope::Remains;
use super::caller::Caller;
use super::lane::Permit;
use super::mailbox::Mailbox;
use super::memory_quota::{MemoryClaim, MemoryHolder};
use super::queue::Waiting;

/// A queued call.
pub struct Job {
    /// The call.
    pub call: Call,
    /// Its complete message.
    pub message: Bytes,
    /// The buffer that the reply is appended to.
    pub out: Vec<u8>,
    /// Its permit of the lane.
    pub permit: Permit,
    /// The client.
    pub caller: Arc<Caller>,
    /// Where its reply claims memory.
    pub memory: Arc<MemoryHolder>,
    /// When it arrived, or was paused.
    pub arrived: Instant,
    /// The same time by the clock of the queue, in milliseconds.
    pub received_ms: i64,
    /// The number of earlier fetches from the scanner that this call reads.
    pub fetches: u64,
    /// Decides whether a worker runs the call or its connection abandons it.
    pub ownership: Arc<Ownership>,
    /// The progress of a call that was paused or is run again.
    pub progress: Option<Progress>,
    /// How a worker of the write lane runs the call.
    pub rerun: Rerun,
    /// Receives the reply.
    pub reply: oneshot::Sender<Reply>,
    /// The mailbox of the event loop that receives the reply, if it has one.
    pub mailbox: Option<Arc<Mailbox>>,
}

/// How a worker of the write lane runs a call.
#[derive(Debug, Default)]
pub enum Rerun {
    /// The call's writes may share a commit with those of other calls.
    #[default]
    Shared,
    /// The call's writes are committed without those of other calls, and may wait.
    Alone,
    /// The call is run only for its answer: its writes have failed with this error.
    Failed(hjall_engine::Error),
}

impl Rerun {
    /// A copy, for another call of the same commit.
    pub fn again(&self) -> Self {
        match self {
            Self::Shared => Self::Shared,
            Self::Alone => Self::Alone,
            Self::Failed(error) => Self::Failed(error.again()),
        }
    }
}

/// The progress of a call that was paused, or that was run without an effect.
#[derive(Default)]
pub struct Progress {
    /// How long the call has waited, without its current wait.
    pub waited: Duration,
    /// How long the call has run.
    pub took: Duration,
    /// The state with which the call continues.
    pub remains: Remains,
}

/// A reply, and the memory that it uses until it has been sent.
#[derive(Debug)]
pub struct Reply {
    /// The reply, after what the buffer contained before.
    pub bytes: Vec<u8>,
    /// The memory of the reply. `None` for a small reply.
    pub claim: Option<MemoryClaim>,
}

impl Job {
    /// Starts the call, unless it is run again and has been started before. Returns `false` if its connection has
    /// abandoned it.
    pub fn start(&self) -> bool {
        self.progress.is_some() || self.ownership.start()
    }
}

impl Waiting for Job {
    fn received_ms(&self) -> i64 {
        self.received_ms
    }

    fn fetches(&self) -> u64 {
        self.fetches
    }

    fn client(&self) -> u64 {
        self.memory.account.number
    }

    fn may_be_refused(&self) -> bool {
        !matches!(self.rerun, Rerun::Failed(_))
    }

    fn may_be_dropped(&self) -> bool {
        self.progress.is_none()
    }
}

/// Whether a queued call is run by a worker or abandoned by its connection, whichever comes first; and the
/// flag that stops it.
#[derive(Debug, Default)]
pub struct Ownership {
    state: AtomicU8,
    stop: Stop,
}

const OPEN: u8 = 0;
const STARTED: u8 = 1;
const ABANDONED: u8 = 2;

impl Ownership {
    /// Called by a worker before it runs the call. Returns `false` if the connection has abandoned it.
    pub fn start(&self) -> bool {
        self.state.compare_exchange(OPEN, STARTED, Ordering::AcqRel, Ordering::Acquire).is_ok()
    }

    /// Called by the connection when its client has disconnected. Returns `false` if the call has started.
    pub fn abandon(&self) -> bool {
        self.state.compare_exchange(OPEN, ABANDONED, Ordering::AcqRel, Ordering::Acquire).is_ok()
    }

    /// The flag that stops the call while it runs.
    pub fn stopper(&self) -> Stop {
        self.stop.clone()
    }
}
