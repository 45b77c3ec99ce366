//! A store that injects faults: it fails or blocks chosen calls, for tests of the layers above the store.
//!
//! It counts calls of one kind or of all kinds and fails the n-th one, either before or after its effect. Callers have
//! to handle both, because a failed write may have been applied.

use std::error::Error as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytes::Bytes;
use parking_lot::{Condvar, Mutex};

use super::{
    BulkLoad, CompactionControl, CompactionFilterFactory, Cursor, FilterPause, GroupOutcome, JournalSync, LoadedPair,
    LoadedSpace, Order, Pair, Snapshot, SpaceFiles, SpaceId, SpaceOptions, Staged, Statistics, Store, Transaction,
    TransactionGroup, Upcoming, row_locks,
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
    /// [`Store::begin_load`].
    BeginLoad,
    /// [`BulkLoad::add`].
    AddToLoad,
    /// [`BulkLoad::prepare`].
    PrepareLoad,
    /// [`BulkLoad::commit`].
    CommitLoad,
    /// [`Store::flush`].
    Flush,
    /// [`Store::compact`].
    Compact,
    /// [`Store::files`].
    Files,
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
    /// Whether the call changes the stored data.
    pub fn writes(self) -> bool {
        matches!(self, Self::CreateSpace | Self::DropSpace | Self::Transact | Self::CommitLoad)
    }
}

/// Which calls are counted to find the one that fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counted {
    /// Calls of one kind.
    Only(Call),
    /// Calls that change the stored data; see [`Call::writes`].
    Writes,
    /// All calls.
    All,
}

/// Whether a call fails before or after its effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum When {
    /// The call has no effect.
    Before,
    /// The call has its effect.
    After,
}

/// A fault to inject.
#[derive(Debug, Clone, Copy)]
pub struct InjectedFault {
    /// Which calls are counted.
    pub counted: Counted,
    /// The number of the counted call that fails, from 1.
    pub nth: u64,
    /// Whether the call fails before or after its effect.
    pub when: When,
    /// The kind of the error.
    pub kind: ErrorKind,
    /// Whether every later call fails too, without effect, as if the process had ended.
    pub lasting: bool,
}

#[derive(Default)]
struct FaultInjector {
    state: Mutex<Injection>,
    released: Condvar,
}

#[derive(Default)]
struct Injection {
    fault: Option<InjectedFault>,
    counted: u64,
    lasting_failure: Option<ErrorKind>,
    /// The kind of calls that block.
    held: Option<Call>,
    /// The number of calls that block or have blocked.
    waiting: usize,
}

impl FaultInjector {
    /// Performs a call, unless it has to fail.
    fn call<T>(&self, call: Call, effect: impl FnOnce() -> Result<T>) -> Result<T> {
        let mut state = self.state.lock();
        if state.held == Some(call) {
            state.waiting += 1;
            self.released.wait_while(&mut state, |state| state.held == Some(call));
        }
        drop(state);
        match self.next_outcome(call) {
            None => effect(),
            Some((When::Before, error)) => Err(error),
            Some((When::After, error)) => effect().and(Err(error)),
        }
    }

    fn next_outcome(&self, call: Call) -> Option<(When, Error)> {
        let mut state = self.state.lock();
        let failed = |kind, nth| Error::new(kind, format!("injected fault: {call:?} (call {nth}) failed"));
        if let Some(kind) = state.lasting_failure {
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
        state.lasting_failure = fault.lasting.then_some(fault.kind);
        Some((fault.when, failed(fault.kind, fault.nth)))
    }
}

/// A store that forwards calls to another store and injects faults.
pub struct FaultStore {
    inner: Arc<dyn Store>,
    injector: Arc<FaultInjector>,
}

impl FaultStore {
    /// A store over `inner`, without a fault.
    pub fn new(inner: Arc<dyn Store>) -> Self {
        Self { inner, injector: Arc::default() }
    }

    /// Arms a fault in place of any other, and starts counting calls.
    pub fn fail(&self, fault: InjectedFault) {
        *self.injector.state.lock() = Injection { fault: Some(fault), ..Injection::default() };
        self.injector.released.notify_all();
    }

    /// Makes calls of one kind block until [`Self::heal`].
    pub fn hold(&self, call: Call) {
        self.injector.state.lock().held = Some(call);
    }

    /// The number of calls that have blocked since [`Self::heal`] was last called.
    pub fn waiting(&self) -> usize {
        self.injector.state.lock().waiting
    }

    /// Disarms the fault and releases blocked calls. Returns whether the fault had been injected.
    pub fn heal(&self) -> bool {
        let before = std::mem::take(&mut *self.injector.state.lock());
        self.injector.released.notify_all();
        before.counted > 0 && before.fault.is_none()
    }

    fn wrap(&self, snapshot: Arc<dyn Snapshot>) -> Arc<dyn Snapshot> {
        Arc::new(FaultSnapshot { inner: snapshot, injector: Arc::clone(&self.injector) })
    }
}

impl Store for FaultStore {
    fn create_space(&self, space: SpaceId, options: &SpaceOptions) -> Result<()> {
        self.injector.call(Call::CreateSpace, || self.inner.create_space(space, options))
    }

    fn drop_space(&self, space: SpaceId) -> Result<()> {
        self.injector.call(Call::DropSpace, || self.inner.drop_space(space))
    }

    fn spaces(&self) -> Result<Vec<SpaceId>> {
        self.injector.call(Call::Spaces, || self.inner.spaces())
    }

    fn generation(&self) -> u64 {
        self.inner.generation()
    }

    fn snapshot(&self) -> Result<Arc<dyn Snapshot>> {
        self.injector.call(Call::Snapshot, || Ok(self.wrap(self.inner.snapshot()?)))
    }

    fn transact_unsynced(
        &self,
        rows: &[Bytes],
        durability: Durability,
        body: &mut dyn FnMut(&mut dyn Transaction) -> Result<()>,
    ) -> Result<Option<Arc<dyn JournalSync>>> {
        let done = self.injector.call(Call::Transact, || {
            self.inner.transact_unsynced(rows, durability, &mut |inner| {
                let snapshot = self.wrap(Arc::clone(inner.snapshot()));
                body(&mut FaultTransaction { inner, snapshot })
            })
        });
        // Like other stores, the error names the busy rows.
        done.map_err(|error| match (error.kind(), error.source()) {
            (ErrorKind::Busy, None) => row_locks::busy(rows.to_vec(), error.message().to_owned()),
            _ => error,
        })
    }

    fn group(self: Arc<Self>) -> Option<Box<dyn TransactionGroup>> {
        let group = Arc::clone(&self.inner).group()?;
        Some(Box::new(FaultGroup { inner: group, store: self }))
    }

    fn begin_load(self: Arc<Self>, spaces: &[LoadedSpace]) -> Result<Box<dyn BulkLoad>> {
        let injector = Arc::clone(&self.injector);
        self.injector.call(Call::BeginLoad, || {
            let inner = Arc::clone(&self.inner).begin_load(spaces)?;
            Ok(Box::new(FaultLoad { inner, injector }) as Box<dyn BulkLoad>)
        })
    }

    fn now_ms(&self) -> i64 {
        self.inner.now_ms()
    }

    fn upcoming(&self) -> Upcoming {
        self.inner.upcoming()
    }

    fn written_bytes(&self) -> u64 {
        self.inner.written_bytes()
    }

    fn flush(&self, space: SpaceId) -> Result<()> {
        self.injector.call(Call::Flush, || self.inner.flush(space))
    }

    fn compact_with(&self, space: SpaceId, major: bool, control: &Arc<CompactionControl>) -> Result<()> {
        self.injector.call(Call::Compact, || self.inner.compact_with(space, major, control))
    }

    fn pause_filters(&self, spaces: &[SpaceId], goes_on: &dyn Fn() -> Result<()>) -> Result<FilterPause> {
        self.inner.pause_filters(spaces, goes_on)
    }

    fn recent_garbage(&self, space: SpaceId, budget: &mut u64) -> Result<Vec<Bytes>> {
        self.inner.recent_garbage(space, budget)
    }

    fn end_recent(&self, space: SpaceId) {
        self.inner.end_recent(space);
    }

    fn should_merge(&self, space: SpaceId) -> Result<bool> {
        self.inner.should_merge(space)
    }

    fn change_options(&self, space: SpaceId, options: &SpaceOptions, control: &Arc<CompactionControl>) -> Result<()> {
        self.inner.change_options(space, options, control)
    }

    fn files(&self, space: SpaceId) -> Result<SpaceFiles> {
        self.injector.call(Call::Files, || self.inner.files(space))
    }

    fn set_compaction_filters(&self, filters: Arc<dyn CompactionFilterFactory>) {
        self.inner.set_compaction_filters(filters);
    }

    fn copy_files(
        &self,
        folder: &Path,
        earlier: Option<&Path>,
        report: &mut dyn FnMut(u64) -> Result<()>,
    ) -> Result<bool> {
        self.inner.copy_files(folder, earlier, report)
    }

    fn scratch_folder(&self) -> Result<Option<PathBuf>> {
        self.inner.scratch_folder()
    }

    fn check_writable(&self) -> Result<()> {
        self.inner.check_writable()
    }

    fn recover(&self) -> Result<bool> {
        self.inner.recover()
    }

    fn check_journals(&self) -> Result<()> {
        self.inner.check_journals()
    }

    fn clock_ahead_ms(&self) -> i64 {
        self.inner.clock_ahead_ms()
    }

    fn statistics(&self) -> Result<Statistics> {
        self.injector.call(Call::Statistics, || self.inner.statistics())
    }

    fn close(&self) -> Result<()> {
        self.injector.call(Call::Close, || self.inner.close())
    }
}

/// The commit of a group counts as [`Call::Transact`]. A fault of the kind `Busy` before the effect means that nothing
/// is written.
struct FaultGroup {
    inner: Box<dyn TransactionGroup>,
    store: Arc<FaultStore>,
}

impl TransactionGroup for FaultGroup {
    fn stage(
        &mut self,
        rows: &[Bytes],
        durability: Durability,
        body: &mut dyn FnMut(&mut dyn Transaction) -> Result<()>,
    ) -> Result<Staged> {
        self.inner.stage(rows, durability, &mut |inner| {
            let snapshot = self.store.wrap(Arc::clone(inner.snapshot()));
            body(&mut FaultTransaction { inner, snapshot })
        })
    }

    fn never_wait(&mut self) {
        self.inner.never_wait();
    }

    fn bytes(&self) -> u64 {
        self.inner.bytes()
    }

    fn commit(&mut self) -> GroupOutcome {
        let injector = Arc::clone(&self.store.injector);
        match injector.call(Call::Transact, || Ok(self.inner.commit())) {
            Ok(outcome) => outcome,
            // After a fault before the effect, the transactions are still in the group.
            Err(error) => {
                self.inner.discard();
                if error.kind() == ErrorKind::Busy { GroupOutcome::NotWritten } else { GroupOutcome::Failed(error) }
            }
        }
    }

    fn discard(&mut self) {
        self.inner.discard();
    }
}

struct FaultLoad {
    inner: Box<dyn BulkLoad>,
    injector: Arc<FaultInjector>,
}

impl BulkLoad for FaultLoad {
    fn time_ms(&self) -> i64 {
        self.inner.time_ms()
    }

    fn sequence(&self) -> u64 {
        self.inner.sequence()
    }

    fn add(&mut self, pairs: Vec<LoadedPair>) -> Result<()> {
        self.injector.call(Call::AddToLoad, || self.inner.add(pairs))
    }

    fn prepare(&mut self) -> Result<()> {
        self.injector.call(Call::PrepareLoad, || self.inner.prepare())
    }

    fn commit(&mut self) -> Result<bool> {
        self.injector.call(Call::CommitLoad, || self.inner.commit())
    }
}

struct FaultSnapshot {
    inner: Arc<dyn Snapshot>,
    injector: Arc<FaultInjector>,
}

impl Snapshot for FaultSnapshot {
    fn get(&self, space: SpaceId, key: &[u8]) -> Result<Option<Bytes>> {
        self.injector.call(Call::Get, || self.inner.get(space, key))
    }

    fn scan(&self, space: SpaceId, from: &[u8], to: &[u8], order: Order, fetch: usize) -> Result<Box<dyn Cursor>> {
        self.injector.call(Call::Scan, || {
            let inner = self.inner.scan(space, from, to, order, fetch)?;
            Ok(Box::new(FaultCursor { inner, injector: Arc::clone(&self.injector) }) as Box<dyn Cursor>)
        })
    }
}

struct FaultCursor {
    inner: Box<dyn Cursor>,
    injector: Arc<FaultInjector>,
}

impl Cursor for FaultCursor {
    fn next(&mut self) -> Result<Option<Pair>> {
        self.injector.call(Call::Next, || self.inner.next())
    }

    fn seek(&mut self, key: &[u8]) -> Result<()> {
        self.injector.call(Call::Seek, || self.inner.seek(key))
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

    fn each_write(&self, each: &mut dyn FnMut(SpaceId, &Bytes, Option<&Bytes>)) {
        self.inner.each_write(each);
    }

    fn expect(&mut self, writes: usize) {
        self.inner.expect(writes);
    }

    fn put(&mut self, space: SpaceId, key: Bytes, value: Bytes) {
        self.inner.put(space, key, value);
    }

    fn delete(&mut self, space: SpaceId, key: Bytes) {
        self.inner.delete(space, key);
    }
}
