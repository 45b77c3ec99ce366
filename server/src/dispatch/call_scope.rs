//! The resources of one running call.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::sync::Arc;
use std::time::Instant;

use hjall_engine::read::{Budget, Stop};
use hjall_engine::{Error, ErrorKind, Result};

use super::caller::Caller;
use super::job::Job;
use super::memory_quota::{MemoryClaim, MemoryHolder};
use super::queue::Queue;
use crate::wire::fault::Fault;
use crate::wire::method::{Effect, Method};
use crate::wire::reply::{ReplyMemory, too_large};
use crate::wire::types::DecodedMemory;

/// Claims grow in steps of this many bytes.
const CLAIM_STEP: usize = 16 << 10;

/// Calls that gather less than this many bytes do not claim from the quota.
pub(crate) const UNCLAIMED_BYTES: usize = 4 << 10;
/// The clock is read once for this number of rows that a scan has passed over, or work of its filter that is worth as
/// much.
const PAUSE_CHECK_INTERVAL: u32 = 16;

/// A running call: its client, the memory that its request uses and that it may gather for its reply, and the flag
/// that ends it.
///
/// Two limits bound what a call gathers: the limit on replies, because all of it is sent, and the share of its client
/// in the memory quota, from which it is claimed until the call ends. A scan gives way to the calls that wait for its
/// worker when its time slice has ended.
pub struct CallScope<'a> {
    /// The client.
    pub caller: &'a Arc<Caller>,
    reply_bytes_max: usize,
    memory: Option<&'a Arc<MemoryHolder>>,
    stop: Stop,
    cells: Cell<usize>,
    bytes: Cell<usize>,
    claim: RefCell<Option<MemoryClaim>>,
    effect: Effect,
    /// The memory of the reply of a change while it is written.
    reply_claim: RefCell<Option<MemoryClaim>>,
    /// The memory of the request: decoded arguments, and what they are converted to.
    request_bytes: Cell<usize>,
    request_claim: RefCell<Option<MemoryClaim>>,
    exceeded: Cell<Option<Exceeded>>,
    /// Whether the arguments exceeded the limit, so that the method was not run.
    by_arguments: Cell<bool>,
    slice: Option<Slice>,
    /// The rows of [`Budget::must_pause`] since the clock was read.
    passed_rows: Cell<u32>,
    paused: Cell<bool>,
    state: RefCell<Option<State>>,
    after_reply: RefCell<Option<AfterReply>>,
    /// The scanner from which the call has taken rows.
    fetched_from: Cell<Option<i32>>,
}

/// Work that the thread of a call does after it has answered the call, while its argument returns true.
pub type AfterReply = Box<dyn FnOnce(&dyn Fn() -> bool) + Send + Sync>;

/// What a method keeps while its call is paused.
pub type State = Box<dyn Any + Send>;

/// The time that a call may run while others wait for its worker.
pub(crate) struct Slice {
    pub(crate) until: Instant,
    pub(crate) queue: Arc<dyn Queue<Job>>,
}

/// What a paused call keeps until it continues.
#[derive(Default)]
pub(crate) struct Remains {
    /// The memory of what the call has gathered.
    pub(crate) claim: Option<MemoryClaim>,
    pub(crate) state: Option<State>,
}

/// The limit that a call has exceeded.
#[derive(Debug, Clone, Copy)]
enum Exceeded {
    Reply,
    Quota,
    /// The largest part of the quota that a connection may hold, regardless of other connections.
    Share,
}

/// The limit that prevents a claim from being changed to this size.
fn exceeded(claim: &MemoryClaim, bytes: usize) -> Exceeded {
    if claim.can_resize(bytes) { Exceeded::Quota } else { Exceeded::Share }
}

/// Enlarges a claim to at least this size, in steps: the quota is shared by all threads. The error tells whether the
/// quota has no room for the claim now, or never can have.
fn grow(
    claim: &RefCell<Option<MemoryClaim>>,
    memory: &Arc<MemoryHolder>,
    bytes: usize,
) -> std::result::Result<(), Exceeded> {
    let mut claim = claim.borrow_mut();
    let claim = claim.get_or_insert_with(|| memory.claim());
    if bytes <= claim.bytes() || !MemoryClaim::is_counted(bytes) {
        return Ok(());
    }
    let stepped = bytes.checked_next_multiple_of(CLAIM_STEP).unwrap_or(bytes);
    if claim.try_resize(stepped) || claim.try_resize(bytes) { Ok(()) } else { Err(exceeded(claim, bytes)) }
}

impl<'a> CallScope<'a> {
    /// A call that has gathered nothing yet.
    pub(crate) fn new(
        caller: &'a Arc<Caller>,
        reply_bytes_max: usize,
        memory: &'a Arc<MemoryHolder>,
        stop: Stop,
    ) -> Self {
        Self { reply_bytes_max, memory: Some(memory), ..Self::until(caller, stop) }
    }

    /// A call without limits.
    pub fn unlimited(caller: &'a Arc<Caller>) -> Self {
        Self::until(caller, Stop::default())
    }

    fn until(caller: &'a Arc<Caller>, stop: Stop) -> Self {
        Self {
            caller,
            reply_bytes_max: usize::MAX,
            memory: None,
            stop,
            cells: Cell::default(),
            bytes: Cell::default(),
            claim: RefCell::default(),
            effect: Effect::None,
            reply_claim: RefCell::default(),
            request_bytes: Cell::default(),
            request_claim: RefCell::default(),
            exceeded: Cell::default(),
            by_arguments: Cell::default(),
            slice: None,
            passed_rows: Cell::default(),
            paused: Cell::default(),
            state: RefCell::default(),
            after_reply: RefCell::default(),
            fetched_from: Cell::default(),
        }
    }

    /// Makes this the scope of a call of this method.
    pub(crate) fn of_method(self, method: Option<Method>) -> Self {
        Self { effect: method.map_or(Effect::None, |method| method.info().effect), ..self }
    }

    /// Lets the call pause when its time slice has ended, and gives it the state that it has kept.
    pub(crate) fn with_slice(self, slice: Option<Slice>, state: Option<State>) -> Self {
        Self { slice, state: RefCell::new(state), ..self }
    }

    /// Takes the state that the method passed to [`Self::keep`]. `None` if the call has not been paused.
    pub fn take_kept(&self) -> Option<State> {
        self.state.borrow_mut().take()
    }

    /// Keeps a state while the call is paused. It is dropped if the call is not paused.
    pub fn keep(&self, state: State) {
        *self.state.borrow_mut() = Some(state);
    }

    /// Sets what the thread does after the call has been answered, while its lane has no other call: it must not take
    /// processor time from others. It is not done if the call runs on an event loop, and may be left out.
    pub fn after_reply(&self, work: AfterReply) {
        *self.after_reply.borrow_mut() = Some(work);
    }

    /// Takes what is done after the call has been answered.
    pub(crate) fn take_after_reply(&self) -> Option<AfterReply> {
        self.after_reply.take()
    }

    /// Where the call claims memory. `None` for a call without limits.
    pub(crate) fn memory(&self) -> Option<&Arc<MemoryHolder>> {
        self.memory
    }

    /// Releases the memory of what the call has gathered, because it is counted elsewhere.
    pub(crate) fn release_gathered(&self) {
        self.cells.set(0);
        self.bytes.set(0);
        *self.claim.borrow_mut() = None;
    }

    /// Whether the call pauses: its method was told to return early, its result is ignored, and the call is run again.
    pub fn is_paused(&self) -> bool {
        self.paused.get()
    }

    /// Whether the call was ended because the memory quota had no room for what it gathered.
    pub(crate) fn has_exceeded_quota(&self) -> bool {
        matches!(self.exceeded.get(), Some(Exceeded::Quota | Exceeded::Share))
    }

    /// Claims further memory for the request, in bytes, before it is used: for converted arguments or for a filter.
    ///
    /// # Errors
    /// `Busy` if the quota, or the share of the client, has no room. `Refused` if the request alone exceeds that share.
    pub(crate) fn claim_request(&self, bytes: usize) -> Result<()> {
        let bytes = self.request_bytes.get().saturating_add(bytes);
        self.request_bytes.set(bytes);
        let Some(memory) = self.memory.filter(|_| bytes >= UNCLAIMED_BYTES) else { return Ok(()) };
        grow(&self.request_claim, memory, bytes).map_err(|exceeded| self.exceeds(exceeded))
    }

    /// Claims memory as [`Self::claim_request`] does. If there is no room, nothing is claimed, and the call goes on.
    pub(crate) fn try_claim_request(&self, bytes: usize) -> bool {
        let bytes = self.request_bytes.get().saturating_add(bytes);
        if let Some(memory) = self.memory.filter(|_| bytes >= UNCLAIMED_BYTES)
            && grow(&self.request_claim, memory, bytes).is_err()
        {
            return false;
        }
        self.request_bytes.set(bytes);
        true
    }

    /// Claims memory for values of the request that are about to be decoded, as [`Self::claim_request`] does. For a
    /// write, claims twice the size, because the transaction has a copy of the values.
    ///
    /// # Errors
    /// As for [`Self::claim_request`].
    pub(crate) fn claim_decoded(&self, bytes: usize) -> Result<()> {
        self.claim_request(if self.effect == Effect::Data { bytes.saturating_mul(2) } else { bytes })
    }

    /// Releases memory of the request that is no longer in use.
    pub(crate) fn release_request(&self, bytes: usize) {
        self.request_bytes.set(self.request_bytes.get().saturating_sub(bytes));
        if let Some(claim) = self.request_claim.borrow_mut().as_mut() {
            claim.resize(self.request_bytes.get());
        }
    }

    /// Ends the call, because the quota has no room for a claim of this size for its request.
    pub(crate) fn no_room(&self, claim: &MemoryClaim, bytes: usize) -> Error {
        self.exceeds(exceeded(claim, bytes))
    }

    /// Ends the call, because it exceeds a limit.
    fn exceeds(&self, limit: Exceeded) -> Error {
        self.exceeded.set(Some(limit));
        self.error(limit)
    }

    /// Claims memory for a list of the request, as [`Self::claim_request`] does.
    ///
    /// # Errors
    /// As for [`Self::claim_request`].
    pub(crate) fn claim_list<T>(&self, elements: usize) -> Result<()> {
        self.claim_request(elements.saturating_mul(size_of::<T>()))
    }

    /// The memory of the request, for a scanner that keeps the request after the call has ended.
    pub(crate) fn take_request_claim(&self) -> Option<MemoryClaim> {
        let bytes = self.request_bytes.replace(0);
        let mut claim = self.request_claim.take()?;
        // It may have grown by a step, and may be held for long.
        claim.resize(bytes);
        Some(claim)
    }

    /// The answer to a call whose arguments were not read for lack of memory. `None` if they were read.
    pub(crate) fn refused_arguments(&self) -> Option<Fault> {
        let exceeded = self.exceeded.get().filter(|_| self.by_arguments.get())?;
        Some(match exceeded {
            Exceeded::Share => Fault::more_than_share(self.alone_max()),
            Exceeded::Quota | Exceeded::Reply => Fault::no_memory(self.error(exceeded).message()),
        })
    }

    /// The largest reply, in bytes.
    pub fn reply_bytes_max(&self) -> usize {
        self.reply_bytes_max
    }

    /// Notes that the reply has rows of a scanner, which has moved behind them. If it cannot be sent, the scanner is
    /// abandoned, because its next rows would be taken for these.
    pub fn fetched_from(&self, scanner: i32) {
        self.fetched_from.set(Some(scanner));
    }

    /// The scanner of [`Self::fetched_from`].
    pub(crate) fn scanner(&self) -> Option<i32> {
        self.fetched_from.get()
    }

    /// The memory of the reply, once the reply has been written.
    pub(crate) fn take_reply_claim(&self) -> Option<MemoryClaim> {
        self.reply_claim.take()
    }

    /// Tells the method to pause.
    #[cfg(test)]
    pub(crate) fn pause(&self) {
        self.paused.set(true);
    }

    /// The state with which a paused call continues.
    pub(crate) fn into_remains(self) -> Remains {
        Remains { claim: self.claim.into_inner(), state: self.state.into_inner() }
    }

    /// The most memory that the call may take while no other one takes any, in bytes.
    pub(crate) fn alone_max(&self) -> usize {
        self.memory.map_or(usize::MAX, |memory| memory.alone_max())
    }

    /// The memory of the gathered cells, in bytes.
    fn gathered_bytes(&self) -> usize {
        self.cells.get().saturating_mul(size_of::<hjall_engine::Cell>()).saturating_add(self.bytes.get())
    }

    fn error(&self, exceeded: Exceeded) -> Error {
        match exceeded {
            Exceeded::Reply => Error::new(ErrorKind::Refused, too_large(self.reply_bytes_max)),
            Exceeded::Share => Error::new(ErrorKind::Refused, Fault::more_than_share_text(self.alone_max())),
            Exceeded::Quota => Error::new(
                ErrorKind::Busy,
                "the messages and replies in flight use all of their memory, or this client its share of it \
                 (limits.bytes_in_flight); try again later, or request less at once",
            ),
        }
    }
}

impl ReplyMemory for CallScope<'_> {
    fn claim_reply(&self, bytes: usize) {
        // What a read has gathered stays claimed until its reply has been written, and may take all of its share. The
        // reply of a change that has taken effect can no longer be refused.
        if let Some(memory) = self.memory.filter(|_| self.effect != Effect::None) {
            self.reply_claim.borrow_mut().get_or_insert_with(|| memory.claim()).resize(bytes);
        }
    }
}

impl DecodedMemory for CallScope<'_> {
    fn claim(&self, bytes: usize) -> bool {
        let claimed = self.claim_decoded(bytes).is_ok();
        self.by_arguments.set(self.by_arguments.get() || !claimed);
        claimed
    }
}

impl Budget for CallScope<'_> {
    fn take(&self, cells: usize, bytes: usize) -> Result<()> {
        if let Some(exceeded) = self.exceeded.get() {
            return Err(self.error(exceeded));
        }
        self.cells.set(self.cells.get().saturating_add(cells));
        self.bytes.set(self.bytes.get().saturating_add(bytes));
        let bytes = self.gathered_bytes();
        if self.bytes.get() > self.reply_bytes_max {
            return Err(self.exceeds(Exceeded::Reply));
        }
        let Some(memory) = self.memory.filter(|_| bytes >= UNCLAIMED_BYTES) else { return Ok(()) };
        grow(&self.claim, memory, bytes).map_err(|exceeded| self.exceeds(exceeded))
    }

    fn release(&self, cells: usize, bytes: usize) {
        self.cells.set(self.cells.get().saturating_sub(cells));
        self.bytes.set(self.bytes.get().saturating_sub(bytes));
        if let Some(claim) = self.claim.borrow_mut().as_mut() {
            claim.resize(self.gathered_bytes());
        }
    }

    fn must_pause(&self, rows: u32) -> bool {
        let Some(slice) = self.slice.as_ref().filter(|_| !self.paused.get()) else { return self.paused.get() };
        self.passed_rows.set(self.passed_rows.get().saturating_add(rows));
        if self.passed_rows.get() >= PAUSE_CHECK_INTERVAL {
            self.passed_rows.set(0);
            self.paused.set(Instant::now() >= slice.until && !slice.queue.is_empty());
        }
        self.paused.get()
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
