//! The short writes of the connections of one event loop, which run on that loop and are committed together.
//!
//! While the loop serves the connections whose calls have arrived, their writes are staged. The task of the first
//! staged call runs again behind the others, until no more calls have been staged meanwhile, and commits the writes of
//! all of them. Then each answers its own call: at once, or when the journal has been synced if the call requires that.
//! The thread never waits: a call that would have to wait, and calls whose commit would have to wait, are put into the
//! queue of the write lane.

use std::cell::{Cell, RefCell};
use std::future::poll_fn;
use std::mem::take;
use std::rc::Rc;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Poll, Waker};
use std::time::{Duration, Instant};

use hjall_engine::group::{CallWrites, Group, JournalSync, Outcome};
use hjall_engine::{Error, ErrorKind};
use tokio::sync::Notify;

use super::job::Rerun;
use super::lane::{Lane, Permit};

/// The largest number of calls whose writes are committed together.
const CALLS_MAX: usize = 128;

/// The number of staged calls that are committed early if the last commit had to be synced and its sync has ended. The
/// disk then syncs while the loop runs the next calls.
const SYNCED_CALLS: usize = 16;

/// The duration of a short sync. While syncs are short, the only connection of a loop syncs its writes on the thread of
/// the loop, and the task of the only call looks for the end of its sync instead of letting the thread sleep: waking
/// threads would take a large part of the duration of a short sync.
const SHORT_SYNC: Duration = Duration::from_micros(500);

/// The writes of the event loop of the current thread.
pub struct LoopWrites {
    group: Group,
    lane: Arc<Lane>,
    commits: Rc<Commits>,
    /// Whether the duration of commits decides where calls run.
    is_measured: Cell<bool>,
}

/// The commits of an event loop, which are identified by numbers.
#[derive(Default)]
struct Commits {
    /// The number of the next commit.
    next: Cell<u64>,
    /// The syncs that have ended.
    syncs: Arc<EndedSyncs>,
    /// The calls whose writes are staged for the next commit.
    staged: RefCell<StagedCalls>,
    /// The tasks of these calls, except the first one.
    tasks: RefCell<Vec<Waker>>,
    /// When the last commit ended.
    ended: Cell<Option<Instant>>,
    /// Whether any call of the last commit has to be synced.
    is_synced: Cell<bool>,
    /// The number of commits that are being synced.
    syncing: Cell<usize>,
    /// How long the last sync took. `None` before the first one.
    sync_took: Cell<Option<Duration>>,
    /// The number of calls of this loop when the last sync ended.
    calls_before: Cell<u64>,
    /// The earlier commits that have calls which do not know their outcome yet. Commits that succeeded at once for all
    /// of their calls are not included.
    earlier: RefCell<Vec<EarlierCommit>>,
}

/// The permits of calls whose writes are staged.
#[derive(Default)]
struct StagedCalls {
    /// The permits of calls that have to be synced.
    synced: Vec<Permit>,
    /// The permits of the other calls.
    unsynced: Vec<Permit>,
}

/// A commit that did not succeed at once for all of its calls.
struct EarlierCommit {
    number: u64,
    state: CommitState,
    /// Whether the commit succeeded at once for the calls that need no sync.
    is_of_synced: bool,
    /// The permits of the calls that do not know the outcome yet.
    permits: Vec<Permit>,
    /// The tasks of the calls that wait for a sync.
    tasks: Vec<Waker>,
}

enum CommitState {
    /// The commit has taken effect, and is being synced.
    Syncing,
    /// The commit became durable at this time.
    Durable(Instant),
    /// The commit did not succeed. Contains how its calls have to be run again.
    Undone(Rerun),
}

/// The syncs of an event loop's commits that have ended on other threads.
#[derive(Default)]
struct EndedSyncs {
    /// The numbers of the commits, and the outcomes.
    ended: Mutex<Vec<(u64, Result<(), Error>)>>,
    added: Notify,
}

impl EndedSyncs {
    fn add(&self, commit: u64, synced: Result<(), Error>) {
        self.lock().push((commit, synced));
        self.added.notify_one();
    }

    fn lock(&self) -> MutexGuard<'_, Vec<(u64, Result<(), Error>)>> {
        self.ended.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The state of the writes of a call that was run.
pub enum LoopWrite {
    /// There are no writes, or they are committed: the result of the call is final. Contains the permit of the call.
    Done(Permit),
    /// The writes will be committed. The result of the call is valid if that succeeds.
    Staged(StagedWrites),
    /// The writes are not committed, and the result of the call is invalid: a worker has to run the call, as `Rerun`
    /// says.
    Undone(Permit, Rerun),
}

thread_local! {
    static CURRENT: RefCell<Option<Rc<LoopWrites>>> = const { RefCell::new(None) };
    static CALLS: Cell<u64> = const { Cell::new(0) };
    static CONNECTIONS: Cell<usize> = const { Cell::new(0) };
}

/// A connection of the event loop of the current thread, until this is dropped on that thread.
pub struct LoopConnection(());

impl LoopConnection {
    /// Counts a connection.
    pub fn open() -> Self {
        CONNECTIONS.set(CONNECTIONS.get() + 1);
        Self(())
    }
}

impl Drop for LoopConnection {
    fn drop(&mut self) {
        CONNECTIONS.set(CONNECTIONS.get().saturating_sub(1));
    }
}

/// Counts a call that has arrived on the event loop of the current thread.
pub fn count_call() {
    CALLS.set(CALLS.get().wrapping_add(1));
}

/// The right of the current thread to stage writes. When it is dropped, staged writes are committed.
pub struct LoopWritesGuard {
    syncs: Arc<EndedSyncs>,
}

impl LoopWritesGuard {
    /// Notifies calls of the ends of their syncs, until the event loop ends. Must be run on the event loop.
    pub fn deliver_syncs(&self) -> impl Future<Output = ()> + Send + use<> {
        let syncs = self.syncs.clone();
        async move {
            loop {
                syncs.added.notified().await;
                if let Some(writes) = LoopWrites::current() {
                    writes.commits.deliver_syncs();
                }
            }
        }
    }
}

impl Drop for LoopWritesGuard {
    fn drop(&mut self) {
        CURRENT.take();
    }
}

impl LoopWrites {
    /// Lets calls of the write lane run on the event loop of the current thread.
    pub fn enter(lane: Arc<Lane>) -> LoopWritesGuard {
        let commits = Rc::<Commits>::default();
        let ended = commits.clone();
        let group = Group::open_without_waiting(move |outcome| ended.ended(outcome));
        let syncs = commits.syncs.clone();
        CURRENT.set(Some(Rc::new(Self { group, lane, commits, is_measured: Cell::new(true) })));
        LoopWritesGuard { syncs }
    }

    /// The writes of the current thread, if it may stage writes.
    pub fn current() -> Option<Rc<Self>> {
        CURRENT.with_borrow(Clone::clone)
    }

    /// A permit for a call that runs on this loop; `None` if the call has to be queued. Commits the staged calls if
    /// they use all places of the lane. For `always`, see [`Lane::enter_inline`].
    pub fn permit(&self, always: bool) -> Option<Permit> {
        if !self.group.is_possible() {
            return None;
        }
        self.is_measured.set(!always);
        self.lane.enter_inline(always).or_else(|| {
            if self.commits.staged() == 0 {
                return None;
            }
            self.commit();
            self.lane.enter_inline(always)
        })
    }

    /// Lets the next commit be synced on this thread, as if the last sync had been short.
    #[cfg(test)]
    pub fn assume_short_syncs(&self) {
        self.commits.sync_took.set(Some(Duration::ZERO));
    }

    /// The lane of the calls.
    pub fn lane(&self) -> &Arc<Lane> {
        &self.lane
    }

    /// Runs a call, which must be short. The call keeps its permit until its writes have been committed.
    pub fn run<T>(&self, permit: Permit, call: impl FnOnce() -> T) -> (T, LoopWrite) {
        let stopwatch = self.is_measured.get().then(|| self.lane.inline_speed().start());
        let (result, writes) = self.group.run(call);
        // Otherwise the call has only computed, and the commit is measured.
        if let Some(stopwatch) = stopwatch.filter(|_| self.group.has_read()) {
            self.lane.inline_speed().record(&stopwatch, 1);
        }
        let writes = match writes {
            CallWrites::Done => LoopWrite::Done(permit),
            CallWrites::Staged { is_synced } => {
                let mut permit = permit;
                permit.waits_for_commit();
                let is_first = self.commits.staged() == 0;
                let staged = &mut *self.commits.staged.borrow_mut();
                if is_synced { &mut staged.synced } else { &mut staged.unsynced }.push(permit);
                LoopWrite::Staged(StagedWrites { commit: self.commits.next.get(), is_first, is_synced, is_told: false })
            }
            CallWrites::MustWait => LoopWrite::Undone(permit, Rerun::Shared),
            CallWrites::Undone(Outcome::Failed(error)) => LoopWrite::Undone(permit, Rerun::Failed(error)),
            CallWrites::Undone(_) => LoopWrite::Undone(permit, Rerun::Shared),
        };
        let staged = self.commits.staged();
        // Without staged writes, the group may still hold the lock of a table.
        if staged == 0 || staged >= CALLS_MAX || self.group.is_full() || self.commits.can_sync(staged) {
            self.commit();
        }
        (result, writes)
    }

    /// Commits staged writes, and releases all locks.
    fn commit(&self) {
        let calls = u32::try_from(self.commits.staged()).unwrap_or(u32::MAX);
        let stopwatch = (calls > 0 && self.is_measured.get()).then(|| self.lane.inline_speed().start());
        self.group.commit();
        if let (Some(stopwatch), Some(ended)) = (stopwatch, self.commits.ended.get()) {
            self.lane.inline_speed().record_until(&stopwatch, ended, calls);
        }
    }
}

impl Commits {
    /// The number of calls whose writes are staged.
    fn staged(&self) -> usize {
        let staged = self.staged.borrow();
        staged.synced.len() + staged.unsynced.len()
    }

    /// Whether this number of staged calls should be committed so that they are synced while further calls run.
    fn can_sync(&self, staged: usize) -> bool {
        staged >= SYNCED_CALLS && self.is_synced.get() && self.syncing.get() == 0
    }

    /// Records the end of the next commit.
    fn ended(&self, outcome: &Outcome) {
        let number = self.next.replace(self.next.get() + 1);
        self.ended.set(Some(Instant::now()));
        let synced_here = match outcome {
            Outcome::Written(sync) if self.syncs_here() => self.sync_here(&**sync),
            _ => None,
        };
        let state = match outcome {
            Outcome::Committed => None,
            Outcome::Written(_) => Some(match &synced_here {
                None => CommitState::Syncing,
                Some(Ok(())) => CommitState::Durable(Instant::now()),
                Some(Err(error)) => CommitState::Undone(Rerun::Failed(error.again())),
            }),
            Outcome::NotWritten => Some(CommitState::Undone(Rerun::Shared)),
            Outcome::Failed(error) => Some(CommitState::Undone(Rerun::Failed(error.again()))),
        };
        let StagedCalls { synced, unsynced } = &mut *self.staged.borrow_mut();
        let is_of_synced = matches!(outcome, Outcome::Committed | Outcome::Written(_));
        if !is_of_synced {
            synced.append(unsynced);
        } else if state.is_none() {
            synced.clear();
        }
        unsynced.clear();
        let calls = synced.len();
        if let Some(state) = state.filter(|_| !synced.is_empty()) {
            let commit = EarlierCommit { number, state, is_of_synced, permits: take(synced), tasks: Vec::new() };
            self.earlier.borrow_mut().push(commit);
        }
        self.is_synced.set(matches!(outcome, Outcome::Written(_)));
        if let Outcome::Written(sync) = outcome
            && synced_here.is_none()
        {
            self.syncing.update(|syncing| syncing + 1);
            let syncs = self.syncs.clone();
            sync.when_ended(calls, Box::new(move |synced| syncs.add(number, synced)));
        }
        for task in self.tasks.take() {
            task.wake();
        }
    }

    /// Whether a commit may be synced on this thread: no other connection of the loop would wait for it, and syncs are
    /// short.
    fn syncs_here(&self) -> bool {
        CONNECTIONS.get() == 1 && self.syncing.get() == 0 && self.sync_took.get().is_some_and(|took| took < SHORT_SYNC)
    }

    fn sync_here(&self, sync: &dyn JournalSync) -> Option<Result<(), Error>> {
        let synced = sync.sync_here()?;
        self.sync_took.set(self.ended.get().map(|ended| ended.elapsed()));
        self.calls_before.set(CALLS.get());
        Some(synced)
    }

    /// Notifies calls of the ends of their syncs.
    fn deliver_syncs(&self) {
        let ended = take(&mut *self.syncs.lock());
        ended.into_iter().for_each(|(commit, synced)| self.synced(commit, synced));
    }

    /// Whether the task of a call that waits for a sync should look for its end: the call is the only one of this loop
    /// since the last sync ended, and that sync was short.
    fn looks_for_sync(&self) -> bool {
        CALLS.get() == self.calls_before.get().wrapping_add(1)
            && self.syncing.get() == 1
            && self.sync_took.get().is_some_and(|took| took < SHORT_SYNC)
            && self.ended.get().is_some_and(|ended| ended.elapsed() < SHORT_SYNC)
    }

    /// Records the end of the sync of an earlier commit.
    fn synced(&self, commit: u64, synced: Result<(), Error>) {
        self.syncing.update(|syncing| syncing - 1);
        self.sync_took.set(self.ended.get().map(|ended| ended.elapsed()));
        self.calls_before.set(CALLS.get());
        let earlier = &mut *self.earlier.borrow_mut();
        let Some(commit) = earlier.iter_mut().find(|earlier| earlier.number == commit) else { return };
        commit.state = match synced {
            Ok(()) => CommitState::Durable(Instant::now()),
            Err(error) => CommitState::Undone(Rerun::Failed(error)),
        };
        for task in take(&mut commit.tasks) {
            task.wake();
        }
    }

    /// Whether a commit is being synced.
    fn is_syncing(&self, commit: u64) -> bool {
        let earlier = self.earlier.borrow();
        earlier.iter().any(|earlier| earlier.number == commit && matches!(earlier.state, CommitState::Syncing))
    }

    /// Wakes a task when a commit that is being synced has been synced.
    fn wait_for_sync(&self, commit: u64, task: &Waker) {
        let earlier = &mut *self.earlier.borrow_mut();
        if let Some(earlier) = earlier.iter_mut().find(|earlier| earlier.number == commit) {
            earlier.tasks.push(task.clone());
        }
    }

    /// Returns when the commit of a call ended. If the commit did not succeed, returns how the call has to be run
    /// again, and a permit for it. A commit whose sync has not ended counts as successful.
    fn tell(&self, commit: u64, is_synced: bool) -> Result<Instant, (Option<Permit>, Rerun)> {
        let committed = self.ended.get().unwrap_or_else(Instant::now);
        let earlier = &mut *self.earlier.borrow_mut();
        let is_it = |earlier: &EarlierCommit| earlier.number == commit && (is_synced || !earlier.is_of_synced);
        let Some(at) = earlier.iter().position(is_it) else { return Ok(committed) };
        let permit = earlier[at].permits.pop();
        let told = match &earlier[at].state {
            CommitState::Syncing => Ok(committed),
            CommitState::Durable(since) => Ok(*since),
            CommitState::Undone(rerun) => Err((permit, rerun.again())),
        };
        if earlier[at].permits.is_empty() {
            earlier.swap_remove(at);
        }
        told
    }
}

/// The staged writes of a call. If this is dropped before [`Self::finish`], the writes are committed.
pub struct StagedWrites {
    commit: u64,
    /// Whether this call was the first one that was staged for its commit.
    is_first: bool,
    /// Whether the writes have to be synced.
    is_synced: bool,
    is_told: bool,
}

impl StagedWrites {
    /// Waits until the writes should be committed, or have been committed. The first call waits until all tasks that
    /// are ready have run and none of them has staged another one. The other calls wait for that commit.
    pub async fn gathered(&self) {
        let mut gathered = 0;
        poll_fn(|context| {
            let Some(writes) = LoopWrites::current() else { return Poll::Ready(()) };
            let commits = &*writes.commits;
            if commits.next.get() != self.commit {
                return Poll::Ready(());
            }
            if !self.is_first {
                commits.tasks.borrow_mut().push(context.waker().clone());
            } else if gathered == commits.staged() {
                return Poll::Ready(());
            } else {
                gathered = commits.staged();
                // Tokio's `yield_now` would also wait for new events.
                context.waker().wake_by_ref();
            }
            Poll::Pending
        })
        .await;
    }

    /// Commits the writes, unless they have been committed with those of other calls, and waits for their sync if they
    /// have to be synced. Must be called on the thread of their event loop.
    pub async fn commit(&self) {
        let mut looked = false;
        poll_fn(|context| {
            let Some(writes) = LoopWrites::current() else { return Poll::Ready(()) };
            let commits = &*writes.commits;
            if commits.next.get() == self.commit {
                writes.commit();
            }
            if looked {
                commits.deliver_syncs();
            }
            if !self.is_synced || !commits.is_syncing(self.commit) {
                return Poll::Ready(());
            }
            looked = commits.looks_for_sync();
            if looked {
                std::thread::yield_now();
                context.waker().wake_by_ref();
            } else {
                commits.wait_for_sync(self.commit, context.waker());
            }
            Poll::Pending
        })
        .await;
    }

    /// Completes the call after [`Self::commit`]. If it is called earlier, it commits the writes. Must be called on the
    /// thread of their event loop, and only once. Returns when the writes were committed, or synced if they have to be
    /// synced.
    ///
    /// # Errors
    /// The writes have not been committed. The error contains how the call has to be run again, and its permit.
    pub fn finish(&mut self) -> Result<Instant, (Option<Permit>, Rerun)> {
        self.is_told = true;
        let Some(writes) = LoopWrites::current() else {
            let text = "the server has stopped before it could tell whether it has written";
            return Err((None, Rerun::Failed(Error::new(ErrorKind::Closed, text))));
        };
        if writes.commits.next.get() == self.commit {
            writes.commit();
        }
        writes.commits.tell(self.commit, self.is_synced)
    }
}

impl Drop for StagedWrites {
    fn drop(&mut self) {
        if !self.is_told {
            let _ = self.finish();
        }
    }
}
