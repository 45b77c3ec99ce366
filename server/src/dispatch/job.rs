//! A call that waits for a handler.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Instant;

use bytes::Bytes;
use hjall_engine::read::Stop;
use tokio::sync::oneshot;

use super::call::Call;
use super::caller::Caller;
use super::lane::Permit;
use super::queue::Waiting;

/// A call on its way to a worker.
pub struct Job {
    /// What to run.
    pub call: Call,
    /// Its whole message.
    pub message: Bytes,
    /// Where the reply goes, behind what is there already.
    pub out: Vec<u8>,
    /// Its right to be here.
    pub permit: Permit,
    /// Who called.
    pub caller: Arc<Caller>,
    /// When it arrived.
    pub arrived: Instant,
    /// The same by the queue's clock, in milliseconds.
    pub received_ms: i64,
    /// How often the scanner was read that this call reads.
    pub fetches: u64,
    /// Whose it is: the worker's that runs it, or the connection's that gives it up.
    pub claim: Arc<Claim>,
    /// Who awaits the reply.
    pub reply: oneshot::Sender<Vec<u8>>,
}

impl Waiting for Job {
    fn received_ms(&self) -> i64 {
        self.received_ms
    }

    fn fetches(&self) -> u64 {
        self.fetches
    }
}

/// Decides once between the worker that would run a call and the connection whose client has gone.
#[derive(Debug, Default)]
pub struct Claim {
    state: AtomicU8,
    stop: Stop,
}

const OPEN: u8 = 0;
const STARTED: u8 = 1;
const ABANDONED: u8 = 2;

impl Claim {
    /// The worker's: `false` where the client has gone.
    pub fn start(&self) -> bool {
        self.state.compare_exchange(OPEN, STARTED, Ordering::AcqRel, Ordering::Acquire).is_ok()
    }

    /// The connection's: `false` where the call runs already, and will be answered.
    pub fn abandon(&self) -> bool {
        self.state.compare_exchange(OPEN, ABANDONED, Ordering::AcqRel, Ordering::Acquire).is_ok()
    }

    /// The flag that ends the call while it runs.
    pub fn stopper(&self) -> Stop {
        self.stop.clone()
    }
}
