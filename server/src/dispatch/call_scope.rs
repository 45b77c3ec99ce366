//! The resources of one running call.

use std::cell::{Cell, RefCell};
use std::sync::Arc;

use hjall_engine::read::{Budget, Stop};
use hjall_engine::{Error, ErrorKind, Result};

use super::caller::Caller;
use super::memory_quota::{MemoryClaim, MemoryQuota};
use crate::wire::reply::too_large;

/// Calls that gather less than this many bytes leave the quota alone.
const UNCLAIMED_BYTES: usize = 4 << 10;

/// A running call: its client, the memory that it may gather for its reply, and the flag that ends it.
///
/// Two limits bound what a call gathers: the limit on replies, because all of it is sent, and the memory
/// quota, from which it is claimed until the call ends.
pub struct CallScope<'a> {
    /// The client.
    pub caller: &'a Arc<Caller>,
    reply_bytes_max: usize,
    quota: Option<&'a Arc<MemoryQuota>>,
    stop: Stop,
    cells: Cell<usize>,
    bytes: Cell<usize>,
    claim: RefCell<Option<MemoryClaim>>,
    exceeded: Cell<Option<Exceeded>>,
}

/// The limit that a call has exceeded.
#[derive(Debug, Clone, Copy)]
enum Exceeded {
    Reply,
    Quota,
}

impl<'a> CallScope<'a> {
    /// A call that has gathered nothing yet.
    pub(crate) fn new(
        caller: &'a Arc<Caller>,
        reply_bytes_max: usize,
        quota: &'a Arc<MemoryQuota>,
        stop: Stop,
    ) -> Self {
        Self { reply_bytes_max, quota: Some(quota), stop, ..Self::unlimited(caller) }
    }

    /// A call without limits.
    pub fn unlimited(caller: &'a Arc<Caller>) -> Self {
        Self {
            caller,
            reply_bytes_max: usize::MAX,
            quota: None,
            stop: Stop::default(),
            cells: Cell::default(),
            bytes: Cell::default(),
            claim: RefCell::default(),
            exceeded: Cell::default(),
        }
    }

    /// The memory that the gathered cells take, in bytes.
    fn memory(&self) -> usize {
        self.cells.get().saturating_mul(size_of::<hjall_engine::Cell>()).saturating_add(self.bytes.get())
    }

    fn error(&self, exceeded: Exceeded) -> Error {
        match exceeded {
            Exceeded::Reply => Error::new(ErrorKind::Refused, too_large(self.reply_bytes_max)),
            Exceeded::Quota => Error::new(
                ErrorKind::Busy,
                "the messages and replies in flight use all of their memory (limits.bytes_in_flight); \
                 try again later, or request less at once",
            ),
        }
    }
}

impl Budget for CallScope<'_> {
    fn take(&self, cells: usize, bytes: usize) -> Result<()> {
        if let Some(exceeded) = self.exceeded.get() {
            return Err(self.error(exceeded));
        }
        self.cells.set(self.cells.get().saturating_add(cells));
        self.bytes.set(self.bytes.get().saturating_add(bytes));
        let memory = self.memory();
        let claimed = || {
            let Some(quota) = self.quota.filter(|_| memory >= UNCLAIMED_BYTES) else { return true };
            self.claim.borrow_mut().get_or_insert_with(|| quota.claim()).try_resize(memory)
        };
        let exceeded = if self.bytes.get() > self.reply_bytes_max {
            Exceeded::Reply
        } else if !claimed() {
            Exceeded::Quota
        } else {
            return Ok(());
        };
        self.exceeded.set(Some(exceeded));
        Err(self.error(exceeded))
    }

    fn release(&self, cells: usize, bytes: usize) {
        self.cells.set(self.cells.get().saturating_sub(cells));
        self.bytes.set(self.bytes.get().saturating_sub(bytes));
        if let Some(claim) = self.claim.borrow_mut().as_mut() {
            claim.resize(self.memory());
        }
    }

    fn check(&self) -> Result<()> {
        if self.stop.is_stopped() {
            return Err(Error::new(
                ErrorKind::Cancelled,
                "the call was stopped, because its client has disconnected or the server is stopping",
            ));
        }
        self.exceeded.get().map_or(Ok(()), |exceeded| Err(self.error(exceeded)))
    }

    fn stop(&self) -> Stop {
        self.stop.clone()
    }
}
