//! The writes of several calls of one thread, committed together.
//!
//! A thread that has several calls to run opens a [`Group`] and runs them one after the other. Their transactions are
//! staged: their bodies are run, and their rows and tables stay locked until the group is committed. Then all of them
//! take effect at once, and the group's function is called with the [`Outcome`]. A call must not be answered before
//! that.
//!
//! A transaction that would have to wait is not staged. The group is committed first, so that no call waits while it
//! holds the locks of other calls; then the transaction is tried again, and if it still has to wait, it is committed
//! separately. This includes transactions of rows that the group has locked, so their bodies see the writes of earlier
//! calls.
//!
//! Reads see only committed writes, even on the thread of the group.
//!
//! The group of an event loop never waits ([`Group::open_without_waiting`]): a call that would have to wait, or that
//! reads more than a few cells, is left to another thread ([`CallWrites::MustWait`]).

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::marker::PhantomData;
use std::rc::Rc;
use std::sync::Arc;

use bytes::Bytes;

use crate::durability::Durability;
use crate::error::{Error, ErrorKind, Result};
pub use crate::store::{GroupOutcome as Outcome, JournalSync};
use crate::store::{Staged, Store, Transaction, TransactionGroup};

/// The largest number of rows of a transaction that is staged. A larger one is committed separately, so that others do
/// not wait for it.
const ROWS_MAX: usize = 16;

/// As [`ROWS_MAX`], for calls that must not wait, whose messages are short.
const SHORT_ROWS_MAX: usize = 32;

/// The largest number of reads of a call that must not wait. A call that reads more has to wait.
const READS_MAX: usize = 16;

/// The size of the staged writes at which they are committed, in bytes.
const BYTES_MAX: u64 = 256 << 10;

/// The writes of a call that was run in a group.
#[derive(Debug)]
pub enum CallWrites {
    /// The call has no writes that still have to be committed: its result is final.
    Done,
    /// The result of the call is valid if the next commit succeeds.
    Staged {
        /// Whether its writes have to be synced. If not, they are as durable as required when the commit is
        /// [`Outcome::Written`], and the call need not wait for the sync.
        is_synced: bool,
    },
    /// The commit of some of its writes did not succeed, so the result of the call is invalid. The outcome is
    /// [`Outcome::NotWritten`] or [`Outcome::Failed`].
    Undone(Outcome),
    /// The call would have had to wait, and has written nothing. Its result is invalid: the call has to be run by a
    /// thread that may wait.
    MustWait,
}

/// An open group of the current thread. When it is dropped, staged transactions are committed.
#[derive(Debug)]
pub struct Group(PhantomData<*const ()>);

struct OpenGroup {
    /// Whether calls and commits of the group may wait.
    may_wait: bool,
    transactions: Transactions,
    /// The number of staged transactions.
    staged: usize,
    /// Locks that are held until the commit, with the addresses of the locked objects.
    kept: Locks,
    /// The values that callers keep until the end of the commit, at most one of each type.
    after: Vec<Box<dyn AfterCommit>>,
    /// Called with the outcome of each commit.
    ended: Rc<dyn Fn(&Outcome)>,
    /// The transactions of the running call that are staged.
    by_call: StagedByCall,
    /// Whether transactions of the running call have been committed. No more of them are staged then: a call whose
    /// writes are [`Outcome::NotWritten`] is run again, and must not repeat the ones that have taken effect.
    has_committed: bool,
    /// The outcome of a commit of transactions of the running call, unless it was successful.
    undone: Option<Outcome>,
}

/// The transactions of a call that are staged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum StagedByCall {
    #[default]
    None,
    /// At least one is staged, and none has to be synced.
    Unsynced,
    /// At least one staged transaction has to be synced.
    Synced,
}

/// A value that is notified of the outcome of a commit.
pub(crate) trait AfterCommit: Any {
    /// Called after the commit and before the locks are released. `succeeded` tells whether the commit has succeeded.
    /// The value is reused for the next commit.
    fn ended(&mut self, succeeded: bool);
}

/// The staged transactions, all of one store.
enum Transactions {
    None,
    /// Used for all commits, unless one of another store follows.
    In {
        store: Arc<dyn Store>,
        group: Box<dyn TransactionGroup>,
    },
    /// The store has no groups.
    Impossible,
}

thread_local! {
    static OPEN: RefCell<Option<OpenGroup>> = const { RefCell::new(None) };
    /// The error of all transactions; see [`failing`].
    static FAILING: RefCell<Option<Error>> = const { RefCell::new(None) };
    /// Whether this thread has a group.
    static EXISTS: Cell<bool> = const { Cell::new(false) };
    /// Whether transactions of this thread are staged.
    static IS_OPEN: Cell<bool> = const { Cell::new(false) };
    static WAITING: Cell<Waiting> = const { Cell::new(Waiting::Allowed) };
    /// The number of reads of the running call, or of the last one, if it must not wait.
    static READS: Cell<usize> = const { Cell::new(0) };
}

/// Whether the running call may wait.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Waiting {
    Allowed,
    /// The call must not wait, unless it has staged a transaction, because such a call must not be repeated.
    Refused,
    /// The call had to wait, and was refused: it fails.
    Needed,
}

impl Group {
    /// Opens a group on this thread, which must not have one. `ended` is called with the outcome of each commit of
    /// calls that have returned; it may be called while a later call runs, with locks held, and must not call the
    /// engine.
    pub fn open(ended: impl Fn(&Outcome) + 'static) -> Self {
        Self::new(true, ended)
    }

    /// Opens a group as [`Self::open`] does, for a thread that must not wait. A call that would have to wait for
    /// another thread or for a disk ends with [`CallWrites::MustWait`], and a commit that would have to wait with
    /// [`Outcome::NotWritten`]. Commits still hand their bytes to the operating system, and wait for commits of other
    /// threads for up to a millisecond.
    ///
    /// Only the transactions of [`Self::run`] are staged. A call that makes several transactions has to begin with
    /// [`begin_several`]; otherwise those after the first one wait.
    pub fn open_without_waiting(ended: impl Fn(&Outcome) + 'static) -> Self {
        Self::new(false, ended)
    }

    fn new(may_wait: bool, ended: impl Fn(&Outcome) + 'static) -> Self {
        let open = OpenGroup {
            may_wait,
            transactions: Transactions::None,
            staged: 0,
            kept: Vec::new(),
            after: Vec::new(),
            ended: Rc::new(ended),
            by_call: StagedByCall::None,
            has_committed: false,
            undone: None,
        };
        OPEN.with_borrow_mut(|group| *group = Some(open));
        EXISTS.set(true);
        IS_OPEN.set(may_wait);
        Self(PhantomData)
    }

    /// Runs a call. A group that does not wait has to be committed soon, even if nothing was staged: it may hold the
    /// lock of a table.
    pub fn run<T>(&self, call: impl FnOnce() -> T) -> (T, CallWrites) {
        struct Ended(bool);
        impl Drop for Ended {
            fn drop(&mut self) {
                IS_OPEN.set(self.0);
                WAITING.set(Waiting::Allowed);
            }
        }
        let may_wait = OPEN.with_borrow_mut(|group| {
            let Some(group) = group else { return true };
            (group.by_call, group.has_committed, group.undone) = (StagedByCall::None, false, None);
            group.may_wait
        });
        let ended = Ended(may_wait);
        if !may_wait {
            IS_OPEN.set(true);
            WAITING.set(Waiting::Refused);
            READS.set(0);
        }
        let result = call();
        let must_wait = WAITING.get() == Waiting::Needed;
        drop(ended);
        let writes = OPEN.with_borrow_mut(|group| {
            let Some(group) = group else { return CallWrites::Done };
            match (group.undone.take(), std::mem::take(&mut group.by_call)) {
                (Some(outcome), _) => CallWrites::Undone(outcome),
                (None, StagedByCall::Synced) => CallWrites::Staged { is_synced: true },
                (None, StagedByCall::Unsynced) => CallWrites::Staged { is_synced: false },
                (None, StagedByCall::None) if must_wait => CallWrites::MustWait,
                (None, StagedByCall::None) => CallWrites::Done,
            }
        });
        (result, writes)
    }

    /// Whether the store of the calls has groups, as far as is known. If it has none, no call is ever staged.
    pub fn is_possible(&self) -> bool {
        OPEN.with_borrow(|group| {
            group.as_ref().is_some_and(|group| !matches!(group.transactions, Transactions::Impossible))
        })
    }

    /// Commits the group, and runs a call outside of it: each transaction of the call is committed separately, and may
    /// wait.
    pub fn run_alone<T>(&self, call: impl FnOnce() -> T) -> T {
        struct Reopen;
        impl Drop for Reopen {
            fn drop(&mut self) {
                IS_OPEN.set(true);
            }
        }
        self.commit();
        IS_OPEN.set(false);
        let _reopen = Reopen;
        call()
    }

    /// Whether transactions of the last call of a group that does not wait have read from the store.
    pub fn has_read(&self) -> bool {
        READS.get() > 0
    }

    /// Whether so much is staged that it has to be committed before another call is run. A group that may wait commits
    /// without being asked.
    pub fn is_full(&self) -> bool {
        is_full()
    }

    /// Commits what is staged, and releases all locks. Must be called before the thread waits for a call to run.
    pub fn commit(&self) {
        let _ = commit();
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.commit();
        IS_OPEN.set(false);
        EXISTS.set(false);
        OPEN.with_borrow_mut(|group| *group = None);
    }
}

/// Runs a call whose transactions all fail with this error before their bodies are run. Used for the answer of a call
/// whose writes failed after it had returned. The call is not run in a group of this thread, because the group would
/// keep the locks of the call's tables until its next commit.
pub fn failing<T>(error: &Error, call: impl FnOnce() -> T) -> T {
    struct Reset {
        is_open: bool,
    }
    impl Drop for Reset {
        fn drop(&mut self) {
            IS_OPEN.set(self.is_open);
            FAILING.with_borrow_mut(|failing| *failing = None);
        }
    }
    FAILING.with_borrow_mut(|failing| *failing = Some(error.again()));
    let _reset = Reset { is_open: IS_OPEN.replace(false) };
    call()
}

/// Must be called before the first transaction of a call that makes several.
///
/// # Errors
/// `Busy` in a group that does not wait: the call is [`CallWrites::MustWait`].
pub fn begin_several() -> Result<()> {
    before_waiting()
}

/// Must be called before this thread waits for the running call.
///
/// # Errors
/// `Busy` if the call must not wait. The call has to fail then.
pub(crate) fn before_waiting() -> Result<()> {
    if WAITING.get() == Waiting::Allowed {
        return Ok(());
    }
    Err(must_wait())
}

/// Records that the running call has to wait. Returns the error with which it has to fail.
pub(crate) fn must_wait() -> Error {
    WAITING.set(Waiting::Needed);
    Error::new(ErrorKind::Busy, "the call has to wait, and runs on a thread that must not")
}

/// Must be called before a transaction reads. Returns whether the running call must not wait: then the read has to be
/// short, or the call has to fail with [`must_wait`].
///
/// # Errors
/// `Busy` if the call must not wait and has read too often.
pub(crate) fn before_reading() -> Result<bool> {
    if WAITING.get() == Waiting::Allowed {
        return Ok(false);
    }
    let reads = READS.get() + 1;
    READS.set(reads);
    if reads <= READS_MAX { Ok(true) } else { Err(must_wait()) }
}

/// Whether transactions of this thread are staged.
pub(crate) fn is_open() -> bool {
    IS_OPEN.get()
}

/// The error with which all transactions of this thread have to fail, if any.
pub(crate) fn injected_failure() -> Option<Error> {
    FAILING.with_borrow(|failing| failing.as_ref().map(Error::again))
}

/// The error of a commit of the running call that has not succeeded. No further transaction of the call may be run: the
/// call is run again as a whole, or has failed.
pub(crate) fn undone() -> Option<Error> {
    OPEN.with_borrow(|group| error_of(group.as_ref()?.undone.as_ref()?))
}

/// The error of a call whose writes have not been committed; `None` if they have been.
fn error_of(outcome: &Outcome) -> Option<Error> {
    match outcome {
        Outcome::Committed | Outcome::Written(_) => None,
        Outcome::NotWritten => Some(Error::new(ErrorKind::Busy, "the writes of several calls could not be committed")),
        Outcome::Failed(error) => Some(error.again()),
    }
}

/// The lock that the group holds on the object at this address, if any.
pub(crate) fn kept<T: 'static>(address: usize) -> Option<Rc<T>> {
    let held = OPEN.with_borrow(|group| {
        let group = group.as_ref()?;
        group.kept.iter().find(|(of, _)| *of == address).map(|(_, lock)| Rc::clone(lock))
    });
    held?.downcast().ok()
}

/// Holds a lock until the commit, and longer while a caller has a reference.
pub(crate) fn keep(address: usize, lock: Rc<dyn Any>) {
    OPEN.with_borrow_mut(|group| {
        if let Some(group) = group {
            group.kept.push((address, lock));
        }
    });
}

/// Passes the value of type `T` that the group keeps until the end of the commit to `add`, which may change it.
pub(crate) fn after_commit<T: AfterCommit + Default>(add: impl FnOnce(&mut T)) {
    OPEN.with_borrow_mut(|group| {
        let Some(OpenGroup { after, .. }) = group else { return };
        let position = after.iter().position(|kept| (&**kept as &dyn Any).is::<T>());
        let at = position.unwrap_or_else(|| {
            after.push(Box::new(T::default()));
            after.len() - 1
        });
        if let Some(kept) = after.get_mut(at).and_then(|kept| (&mut **kept as &mut dyn Any).downcast_mut()) {
            add(kept);
        }
    });
}

/// Stages a transaction of the running call.
///
/// # Errors
/// Those of [`TransactionGroup::stage`].
pub(crate) fn stage(
    store: &Arc<dyn Store>,
    rows: &[Bytes],
    durability: Durability,
    body: &mut dyn FnMut(&mut dyn Transaction) -> Result<()>,
) -> Result<Staged> {
    let rows_max = if WAITING.get() == Waiting::Allowed { ROWS_MAX } else { SHORT_ROWS_MAX };
    if rows.len() > rows_max {
        before_waiting()?;
        return Ok(Staged::Refused);
    }
    OPEN.with_borrow_mut(|group| {
        let Some(group) = group.as_mut().filter(|group| !group.has_committed) else { return Ok(Staged::Refused) };
        let is_of_another = match &group.transactions {
            Transactions::None => true,
            Transactions::In { store: current, .. } => !Arc::ptr_eq(current, store),
            Transactions::Impossible => false,
        };
        if is_of_another {
            if group.staged > 0 {
                return Ok(Staged::Refused);
            }
            group.transactions = match Arc::clone(store).group() {
                Some(mut transactions) => {
                    if !group.may_wait {
                        transactions.never_wait();
                    }
                    Transactions::In { store: Arc::clone(store), group: transactions }
                }
                None => Transactions::Impossible,
            };
        }
        let Transactions::In { group: transactions, .. } = &mut group.transactions else {
            return Ok(Staged::Refused);
        };
        // Mutations of a list fail one by one. If one of them has to wait, none may be staged.
        let staged = transactions.stage(rows, durability, &mut |tx| {
            body(tx)?;
            if WAITING.get() == Waiting::Needed { Err(must_wait()) } else { Ok(()) }
        })?;
        if let Staged::Added { is_synced } = staged {
            group.staged += 1;
            if is_synced {
                group.by_call = StagedByCall::Synced;
            } else if group.by_call == StagedByCall::None {
                group.by_call = StagedByCall::Unsynced;
            }
            WAITING.set(Waiting::Allowed);
        }
        Ok(staged)
    })
}

/// Records that a transaction of the running call has been committed separately.
pub(crate) fn committed_alone() {
    OPEN.with_borrow_mut(|group| {
        if let Some(group) = group {
            group.has_committed = true;
        }
    });
}

/// Commits what is staged on this thread if the group is full and may wait.
///
/// # Errors
/// Those of [`commit`].
pub(crate) fn commit_if_full() -> Result<()> {
    let may_wait = OPEN.with_borrow(|group| group.as_ref().is_some_and(|group| group.may_wait));
    if may_wait && is_full() { commit().map(|_| ()) } else { Ok(()) }
}

fn is_full() -> bool {
    OPEN.with_borrow(|group| match group {
        Some(OpenGroup { transactions: Transactions::In { group, .. }, .. }) => group.bytes() >= BYTES_MAX,
        _ => false,
    })
}

/// Commits what is staged on this thread, if anything. Returns whether there was anything.
///
/// # Errors
/// Transactions of the running call were not committed, or it is unknown whether they were. The result of the call is
/// invalid.
pub(crate) fn commit() -> Result<bool> {
    if !EXISTS.get() {
        return Ok(false);
    }
    let Some(Commit { outcome, mut after, mut locks, ended }) =
        OPEN.with_borrow_mut(|group| group.as_mut().map(OpenGroup::commit))
    else {
        return Ok(false);
    };
    let succeeded = matches!(outcome, Some(Outcome::Committed | Outcome::Written(_)));
    after.iter_mut().for_each(|kept| kept.ended(succeeded));
    locks.clear();
    if let Some(outcome) = &outcome {
        ended(outcome);
    }
    OPEN.with_borrow_mut(|group| {
        let Some(group) = group else { return Ok(outcome.is_some()) };
        group.after = after;
        locks.append(&mut group.kept);
        group.kept = locks;
        let Some(outcome) = outcome else { return Ok(false) };
        if std::mem::take(&mut group.by_call) == StagedByCall::None {
            return Ok(true);
        }
        let Some(error) = error_of(&outcome) else {
            group.has_committed = true;
            return Ok(true);
        };
        group.undone = Some(outcome);
        Err(error)
    })
}

type Locks = Vec<(usize, Rc<dyn Any>)>;

/// A commit that has ended.
struct Commit {
    /// `None` if nothing was staged.
    outcome: Option<Outcome>,
    after: Vec<Box<dyn AfterCommit>>,
    /// The locks to release.
    locks: Locks,
    ended: Rc<dyn Fn(&Outcome)>,
}

impl OpenGroup {
    /// Commits what is staged.
    fn commit(&mut self) -> Commit {
        let outcome = match &mut self.transactions {
            Transactions::In { group, .. } if self.staged > 0 => Some(match group.commit() {
                // The running call is not notified of the end of the sync, so it waits here. It may wait for its
                // further transactions, too.
                Outcome::Written(sync) if self.by_call == StagedByCall::Synced => {
                    sync.wait().map_or_else(Outcome::Failed, |()| Outcome::Committed)
                }
                outcome => outcome,
            }),
            _ => None,
        };
        self.staged = 0;
        // The running call still needs the locks that it refers to.
        let mut locks = std::mem::take(&mut self.kept);
        self.kept.extend(locks.extract_if(.., |(_, lock)| Rc::strong_count(lock) > 1));
        Commit { outcome, after: std::mem::take(&mut self.after), locks, ended: Rc::clone(&self.ended) }
    }
}
