//! A store that fails, or stalls, when told to: for tests of everything that stands on a store.
//!
//! It counts the calls that reach it, of one kind or of all, and fails the n-th, before or after it has had its effect: a write that failed
//! may have happened all the same, and callers have to live with both.

use std::sync::Arc;

use bytes::Bytes;
use parking_lot::{Condvar, Mutex};

use super::{
    CompactionControl, CompactionFilterFactory, Cursor, Order, Pair, Snapshot, SpaceFiles, SpaceId, SpaceOptions,
    Statistics, Store, Transaction, Upcoming,
};
use crate::durability::Durability;
use crate::error::{Error, ErrorKind, Result};

/// A kind of call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Call {
    /// [`Store::create_space`].
    CreateSpace,
    /// [`Store::drop_space`].
    DropSpace,
    /// [`Store::spaces`].
    Spaces,
    /// [`Store::snapshot`].
    Snapshot,
    /// [`Store::transact`].
    Transact,
    /// [`Store::flush`].
    Flush,
    /// [`Store::compact`].
    Compact,
    /// [`Store::statistics`].
    Statistics,
    /// [`Store::close`].
    Close,
    /// [`Snapshot::get`].
    Get,
    /// [`Snapshot::scan`].
    Scan,
    /// [`Cursor::next`].
    Next,
    /// [`Cursor::seek`].
    Seek,
}

impl Call {
    /// Whether it changes what is stored.
    pub fn writes(self) -> bool {
        matches!(self, Self::CreateSpace | Self::DropSpace | Self::Transact)
    }
}

/// Which calls a fault counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counted {
    /// Those of one kind.
    Only(Call),
    /// Those that change what is stored.
    Writes,
    /// All.
    All,
}

/// When, in a call, it fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum When {
    /// It has had no effect.
    Before,
    /// It has had its effect.
    After,
}

/// What is to fail.
#[derive(Debug, Clone, Copy)]
pub struct Fault {
    /// Which calls are counted.
    pub counted: Counted,
    /// Which of them fails, from 1.
    pub nth: u64,
    /// Before or after its effect.
    pub when: When,
    /// With which error.
    pub kind: ErrorKind,
    /// Whether every call after it fails too, without effect, as if the process had ended there.
    pub lasting: bool,
}

#[derive(Default)]
struct Plan {
    state: Mutex<State>,
    released: Condvar,
}

#[derive(Default)]
struct State {
    fault: Option<Fault>,
    counted: u64,
    dead: Option<ErrorKind>,
    held: Option<Call>,
    /// How many calls wait.
    waiting: usize,
}

impl Plan {
    /// Carries out a call, or fails it.
    fn call<T>(&self, call: Call, effect: impl FnOnce() -> Result<T>) -> Result<T> {
        let mut state = self.state.lock();
        if state.held == Some(call) {
            state.waiting += 1;
            self.released.wait_while(&mut state, |state| state.held == Some(call));
        }
        drop(state);
        match self.judge(call) {
            None => effect(),
            Some((When::Before, error)) => Err(error),
            Some((When::After, error)) => effect().and(Err(error)),
        }
    }

    fn judge(&self, call: Call) -> Option<(When, Error)> {
        let mut state = self.state.lock();
        let failed = |kind, nth| Error::new(kind, format!("{call:?} was told to fail (call {nth})"));
        if let Some(kind) = state.dead {
            return Some((When::Before, failed(kind, state.counted)));
        }
        let fault = state.fault?;
        let counts = match fault.counted {
            Counted::Only(only) => only == call,
            Counted::Writes => call.writes(),
            Counted::All => true,
        };
        if !counts {
            return None;
        }
        state.counted += 1;
        if state.counted != fault.nth {
            return None;
        }
        state.fault = None;
        state.dead = fault.lasting.then_some(fault.kind);
        Some((fault.when, failed(fault.kind, fault.nth)))
    }
}

/// A store that does what another does until it is told to fail.
pub struct FaultStore {
    inner: Arc<dyn Store>,
    plan: Arc<Plan>,
}

impl FaultStore {
    /// Over another store; nothing fails yet.
    pub fn new(inner: Arc<dyn Store>) -> Self {
        Self { inner, plan: Arc::default() }
    }

    /// From here on counts calls for this fault, in place of any other.
    pub fn fail(&self, fault: Fault) {
        *self.plan.state.lock() = State { fault: Some(fault), ..State::default() };
        self.plan.released.notify_all();
    }

    /// From here on calls of one kind wait, until [`Self::heal`].
    pub fn hold(&self, call: Call) {
        self.plan.state.lock().held = Some(call);
    }

    /// How many calls have had to wait since [`Self::heal`] was last called.
    pub fn waiting(&self) -> usize {
        self.plan.state.lock().waiting
    }

    /// Nothing fails or waits any more. Whether the fault had struck.
    pub fn heal(&self) -> bool {
        let before = std::mem::take(&mut *self.plan.state.lock());
        self.plan.released.notify_all();
        before.counted > 0 && before.fault.is_none()
    }

    fn wrap(&self, snapshot: Arc<dyn Snapshot>) -> Arc<dyn Snapshot> {
        Arc::new(FaultSnapshot { inner: snapshot, plan: Arc::clone(&self.plan) })
    }
}

impl Store for FaultStore {
    fn create_space(&self, space: SpaceId, options: &SpaceOptions) -> Result<()> {
        self.plan.call(Call::CreateSpace, || self.inner.create_space(space, options))
    }

    fn drop_space(&self, space: SpaceId) -> Result<()> {
        self.plan.call(Call::DropSpace, || self.inner.drop_space(space))
    }

    fn spaces(&self) -> Result<Vec<SpaceId>> {
        self.plan.call(Call::Spaces, || self.inner.spaces())
    }

    fn generation(&self) -> u64 {
        self.inner.generation()
    }

    fn snapshot(&self) -> Result<Arc<dyn Snapshot>> {
        self.plan.call(Call::Snapshot, || Ok(self.wrap(self.inner.snapshot()?)))
    }

    fn transact(
        &self,
        rows: &[Bytes],
        durability: Durability,
        body: &mut dyn FnMut(&mut dyn Transaction) -> Result<()>,
    ) -> Result<()> {
        self.plan.call(Call::Transact, || {
            self.inner.transact(rows, durability, &mut |inner| {
                let snapshot = self.wrap(Arc::clone(inner.snapshot()));
                body(&mut FaultTransaction { inner, snapshot })
            })
        })
    }

    fn now_ms(&self) -> i64 {
        self.inner.now_ms()
    }

    fn upcoming(&self) -> Upcoming {
        self.inner.upcoming()
    }

    fn flush(&self, space: SpaceId) -> Result<()> {
        self.plan.call(Call::Flush, || self.inner.flush(space))
    }

    fn compact_with(&self, space: SpaceId, major: bool, control: &Arc<CompactionControl>) -> Result<()> {
        self.plan.call(Call::Compact, || self.inner.compact_with(space, major, control))
    }

    fn files(&self, space: SpaceId) -> Result<SpaceFiles> {
        self.inner.files(space)
    }

    fn set_compaction_filters(&self, filters: Arc<dyn CompactionFilterFactory>) {
        self.inner.set_compaction_filters(filters);
    }

    fn statistics(&self) -> Result<Statistics> {
        self.plan.call(Call::Statistics, || self.inner.statistics())
    }

    fn close(&self) -> Result<()> {
        self.plan.call(Call::Close, || self.inner.close())
    }
}

struct FaultSnapshot {
    inner: Arc<dyn Snapshot>,
    plan: Arc<Plan>,
}

impl Snapshot for FaultSnapshot {
    fn get(&self, space: SpaceId, key: &[u8]) -> Result<Option<Bytes>> {
        self.plan.call(Call::Get, || self.inner.get(space, key))
    }

    fn scan(&self, space: SpaceId, from: &[u8], to: &[u8], order: Order, fetch: usize) -> Result<Box<dyn Cursor>> {
        self.plan.call(Call::Scan, || {
            let inner = self.inner.scan(space, from, to, order, fetch)?;
            Ok(Box::new(FaultCursor { inner, plan: Arc::clone(&self.plan) }) as Box<dyn Cursor>)
        })
    }
}

struct FaultCursor {
    inner: Box<dyn Cursor>,
    plan: Arc<Plan>,
}

impl Cursor for FaultCursor {
    fn next(&mut self) -> Result<Option<Pair>> {
        self.plan.call(Call::Next, || self.inner.next())
    }

    fn seek(&mut self, key: &[u8]) -> Result<()> {
        self.plan.call(Call::Seek, || self.inner.seek(key))
    }
}

struct FaultTransaction<'a> {
    inner: &'a mut dyn Transaction,
    snapshot: Arc<dyn Snapshot>,
}

impl Transaction for FaultTransaction<'_> {
    fn snapshot(&self) -> &Arc<dyn Snapshot> {
        &self.snapshot
    }

    fn now_ms(&self) -> i64 {
        self.inner.now_ms()
    }

    fn clock_ms(&self) -> i64 {
        self.inner.clock_ms()
    }

    fn version_after(&self, old_ms: i64) -> i64 {
        self.inner.version_after(old_ms)
    }

    fn assigned(&mut self, timestamp: i64, delete: bool) {
        self.inner.assigned(timestamp, delete);
    }

    fn sequence(&self) -> u64 {
        self.inner.sequence()
    }

    fn written(&mut self, space: SpaceId, key: &Bytes) -> Option<Bytes> {
        self.inner.written(space, key)
    }

    fn put(&mut self, space: SpaceId, key: Bytes, value: Bytes) {
        self.inner.put(space, key, value);
    }

    fn delete(&mut self, space: SpaceId, key: Bytes) {
        self.inner.delete(space, key);
    }
}
