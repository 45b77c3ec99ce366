//! Tests of the writes of an event loop: several calls share a commit and a sync, even if the commit does not succeed
//! or the client of one of them disconnects.

use std::pin::pin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Wake, Waker};

use bytes::Bytes;
use hjall_engine::clock::SystemClock;
use hjall_engine::mutation::{Durability, Put, PutCell};
use hjall_engine::name::TableName;
use hjall_engine::request::Get;
use hjall_engine::schema::{FamilyDescriptor, TableDescriptor};
use hjall_engine::store::fault::{Call as StoreCall, Counted, FaultStore, InjectedFault, When};
use hjall_engine::store::{FjallStore, StoreOptions};
use hjall_engine::{Engine, ErrorKind, LATEST, Table};
use thrift::protocol::{TFieldIdentifier, TInputProtocol, TType};

use super::call::{Call, DefaultService, Services};
use super::call_scope::CallScope;
use super::caller::Caller;
use super::dispatcher::{AtOnce, Dispatcher, StagedWrite, ToQueue};
use super::identity::Identity;
use super::loop_writes::{LoopConnection, LoopWrites, LoopWritesGuard};
use super::runner::ActiveSettings;
use crate::observe::{CallEnd, CallReport, Observer};
use crate::settings::config::{Config, FastPath};
use crate::wire::Encoding;
use crate::wire::fault::Fault;
use crate::wire::method::{LaneKind, Method, Service};
use crate::wire::reply::Output;

/// Puts a cell into a row of its own for each call, and answers with a result without fields.
#[derive(Debug)]
struct Puts {
    table: Table,
    /// The durability of the put into this row.
    durability: fn(u64) -> Durability,
    rows: AtomicU64,
}

impl Services for Puts {
    fn call(
        &self,
        _: &CallScope<'_>,
        _: Method,
        input: &mut dyn TInputProtocol,
        output: &mut Output<'_>,
    ) -> Result<(), Fault> {
        input.skip(TType::Struct)?;
        let row = self.rows.fetch_add(1, Ordering::Relaxed);
        let durability = (self.durability)(row);
        let cell = PutCell { family: "f".into(), qualifier: "q".into(), timestamp: LATEST, value: "v".into() };
        let put = Put { row: row.to_string().into(), cells: vec![cell], durability, ..Put::default() };
        self.table.put(&put).map_err(|error| Fault::internal(error.to_string()))?;
        Ok(output.generated(|output| {
            output.write_field_begin(&TFieldIdentifier::new("success", TType::Bool, 0))?;
            output.write_bool(true)?;
            output.write_field_stop()
        })?)
    }
}

/// How calls have ended.
#[derive(Debug, Default)]
struct Ends(Mutex<Vec<&'static str>>);

impl Observer for Ends {
    fn call_ended(&self, call: &CallReport<'_>) {
        let end = match call.end {
            CallEnd::Answered => "answered",
            CallEnd::Failed(_) => "failed",
            CallEnd::Refused(_) => "refused",
            CallEnd::Dropped(_) => "dropped",
        };
        self.0.lock().unwrap().push(end);
    }
}

/// An event loop without a socket.
struct World {
    dispatcher: Dispatcher,
    store: Arc<FaultStore>,
    table: Table,
    ends: Arc<Ends>,
    call: Call,
    caller: Arc<Caller>,
    writes: LoopWritesGuard,
    folder: tempfile::TempDir,
}

/// `mutateRow` without arguments.
const MESSAGE: &[u8] = b"\x80\x01\x00\x01\x00\x00\x00\x09mutateRow\x00\x00\x00\x07\x00";

impl World {
    fn new() -> Self {
        Self::with(|_| Durability::SyncWal)
    }

    /// The calls put with the durability of their row. Nothing else is synced, because a sync in progress may send
    /// calls to the queue.
    fn with(durability: fn(u64) -> Durability) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let options =
            StoreOptions { clock: Some(Arc::new(SystemClock)), sync_interval: None, ..StoreOptions::default() };
        let store = Arc::new(FaultStore::new(FjallStore::open(folder.path(), options).unwrap()));
        let engine = Engine::with_store(store.clone()).unwrap();
        let name = TableName::parse(b"t").unwrap();
        let mut descriptor = TableDescriptor::new(name.clone());
        descriptor.add_family(FamilyDescriptor::new("f").unwrap()).unwrap();
        engine.create_table(descriptor, vec![]).unwrap();
        let (table, ends) = (engine.table(&name), Arc::<Ends>::default());
        let mut config = Config { fast_path: FastPath::Always, observer: Some(ends.clone()), ..Config::default() };
        // There is no runtime whose timers could end a wait.
        config.queues.wait_max = None;
        let identity = Identity { host: "host".to_owned(), port: 9090, start_code: 7 };
        let services = Arc::new(Puts { table: table.clone(), durability, rows: AtomicU64::new(0) });
        let dispatcher = Dispatcher::new(services, identity, ActiveSettings::new(config));
        let mut service = DefaultService::Only(Service::Thrift1);
        Self {
            call: Call::recognise(Encoding::Binary, MESSAGE, &mut service).unwrap(),
            caller: Caller::new(([127, 0, 0, 1], 1).into()),
            writes: LoopWrites::enter(dispatcher.write_lane().clone()),
            dispatcher,
            store,
            table,
            ends,
            folder,
        }
    }

    /// All calls have to be synced.
    fn synced() -> Self {
        Self::with(|_| Durability::FsyncWal)
    }

    /// Those of even rows have to be synced.
    fn mixed() -> Self {
        Self::with(|row| if row % 2 == 0 { Durability::FsyncWal } else { Durability::SyncWal })
    }

    /// Runs a put, which has to be staged.
    fn stage(&self, out: &mut Vec<u8>) -> StagedWrite {
        match self.dispatcher.try_at_once(&self.dispatcher.live(), &self.call, MESSAGE, out, &self.caller) {
            AtOnce::Staged(staged) => staged,
            _ => panic!("the write was not staged"),
        }
    }

    /// Polls the end of staged puts in turn until each has ended, with the event loop's task that tells them of syncs.
    /// Returns their replies; `None` for those that have to be queued.
    fn finish(&self, staged: Vec<(StagedWrite, Vec<u8>)>) -> Vec<Option<Vec<u8>>> {
        let mut context = Context::from_waker(Waker::noop());
        let ends = staged.into_iter().map(|(staged, mut out)| {
            Box::pin(async move {
                let ended = self.dispatcher.finish(staged, &self.call, MESSAGE, &mut out, &self.caller).await;
                ended.is_ok().then_some(out)
            })
        });
        let mut ends: Vec<_> = ends.map(|end| (end, None)).collect();
        let mut syncs = pin!(self.writes.deliver_syncs());
        while ends.iter().any(|(_, reply)| reply.is_none()) {
            assert!(syncs.as_mut().poll(&mut context).is_pending());
            for (end, reply) in ends.iter_mut().filter(|(_, reply)| reply.is_none()) {
                if let Poll::Ready(ended) = end.as_mut().poll(&mut context) {
                    *reply = Some(ended);
                }
            }
            std::thread::yield_now();
        }
        ends.into_iter().filter_map(|(_, reply)| reply).collect()
    }

    fn stage_all(&self, calls: usize) -> Vec<(StagedWrite, Vec<u8>)> {
        let stage = |_| {
            let mut out = Vec::new();
            (self.stage(&mut out), out)
        };
        (0..calls).map(stage).collect()
    }

    /// Puts whose sync fails, which have to be queued to be answered.
    fn failed(&self, calls: usize) -> Vec<ToQueue> {
        let staged = self.stage_all(calls);
        // The sync looks for the newest journal.
        for entry in walk(self.folder.path()) {
            if entry.extension().is_some_and(|extension| extension == "jnl") {
                std::fs::remove_file(entry).unwrap();
            }
        }
        let mut context = Context::from_waker(Waker::noop());
        let ends = staged.into_iter().map(|(staged, mut out)| {
            Box::pin(
                async move { self.dispatcher.finish(staged, &self.call, MESSAGE, &mut out, &self.caller).await.err() },
            )
        });
        let (mut ends, mut failed): (Vec<_>, Vec<_>) = (ends.collect(), Vec::new());
        let mut syncs = pin!(self.writes.deliver_syncs());
        while !ends.is_empty() {
            assert!(syncs.as_mut().poll(&mut context).is_pending());
            ends.retain_mut(|end| match end.as_mut().poll(&mut context) {
                Poll::Ready(Some(queued)) => {
                    failed.push(queued);
                    false
                }
                Poll::Ready(None) => panic!("a write that was not synced was answered"),
                Poll::Pending => true,
            });
            std::thread::yield_now();
        }
        failed
    }

    fn is_written(&self, row: usize) -> bool {
        !self.table.get(&Get::new(row.to_string())).unwrap().cells.is_empty()
    }

    fn ends(&self) -> Vec<&'static str> {
        std::mem::take(&mut *self.ends.0.lock().unwrap())
    }

    fn running(&self) -> usize {
        self.dispatcher.lane(LaneKind::Write).metrics().running
    }
}

/// Whether a task has been woken.
#[derive(Default)]
struct Woken(AtomicBool);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[test]
fn the_first_call_waits_until_no_more_calls_are_staged() {
    let world = World::new();
    let World { dispatcher, call, caller, .. } = &world;
    let mut outs = [Vec::new(), Vec::new()];
    let [first, second] = &mut outs;
    let woken = Arc::<Woken>::default();
    let other = Waker::from(woken.clone());
    let [mut idle, mut other] = [Waker::noop(), &other].map(Context::from_waker);

    let mut first = pin!(dispatcher.finish(world.stage(first), call, MESSAGE, first, caller));
    assert!(first.as_mut().poll(&mut idle).is_pending(), "others go first");
    let mut second = pin!(dispatcher.finish(world.stage(second), call, MESSAGE, second, caller));
    assert!(second.as_mut().poll(&mut other).is_pending());
    assert!(first.as_mut().poll(&mut idle).is_pending(), "another call has been staged");
    assert!(!world.is_written(0) && !woken.0.load(Ordering::Relaxed));
    assert!(first.as_mut().poll(&mut idle).is_ready());
    assert!(world.is_written(0) && world.is_written(1) && woken.0.load(Ordering::Relaxed));
    assert!(second.as_mut().poll(&mut other).is_ready());
}

#[test]
fn the_first_call_commits_for_all() {
    let world = World::new();
    let staged = world.stage_all(3);
    assert!(!world.is_written(0), "not before the commit");
    assert_eq!((world.ends(), world.running()), (vec![], 3));
    let replies = world.finish(staged);
    assert!(replies.iter().all(|reply| reply.as_ref().is_some_and(|reply| reply.ends_with(b"\x02\x00\x00\x01\x00"))));
    assert!((0..3).all(|row| world.is_written(row)));
    assert_eq!((world.ends(), world.running()), (vec!["answered"; 3], 0));
}

#[test]
fn many_calls_are_committed_in_parts() {
    let world = World::new();
    let staged = world.stage_all(300);
    assert!(world.is_written(0) && !world.is_written(299), "some commits were needed");
    assert!(world.finish(staged).iter().all(Option::is_some));
    assert!(world.is_written(299));
    assert_eq!((world.ends(), world.running()), (vec!["answered"; 300], 0));
}

#[test]
fn a_call_whose_client_disconnects_is_written_and_reported() {
    let world = World::new();
    let mut staged = world.stage_all(2);
    {
        let (dropped, mut out) = staged.remove(0);
        let mut end = pin!(world.dispatcher.finish(dropped, &world.call, MESSAGE, &mut out, &world.caller));
        assert!(end.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
    }
    assert!(world.is_written(0) && world.is_written(1));
    assert_eq!(world.ends(), ["answered"]);
    assert!(world.finish(staged).iter().all(Option::is_some));
    assert_eq!((world.ends(), world.running()), (vec!["answered"], 0));
    drop(world.stage_all(1));
    assert!(world.is_written(2), "a write that nothing waits for is committed");
}

#[test]
fn calls_of_a_commit_that_did_not_succeed_are_queued_and_only_those() {
    let world = World::new();
    let counted = Counted::Only(StoreCall::Transact);
    for round in 0..3 {
        let fault = InjectedFault { counted, nth: 1, when: When::Before, kind: ErrorKind::Busy, lasting: false };
        world.store.fail(fault);
        let undone = world.stage_all(2);
        // Commits the two.
        drop(world.finish(undone).into_iter().map(|reply| assert_eq!(reply, None)).collect::<Vec<_>>());
        assert!(world.store.heal(), "the fault was injected");
        assert!(world.finish(world.stage_all(1)).iter().all(Option::is_some));
        assert!(world.is_written(round * 3 + 2) && !world.is_written(round * 3));
        assert_eq!((world.ends(), world.running()), (vec!["answered"], 0));
    }
}

#[test]
fn a_call_whose_client_disconnects_and_whose_commit_does_not_succeed_is_dropped() {
    let world = World::new();
    let counted = Counted::Only(StoreCall::Transact);
    world.store.fail(InjectedFault { counted, nth: 1, when: When::Before, kind: ErrorKind::Busy, lasting: false });
    {
        let mut out = Vec::new();
        let staged = world.stage(&mut out);
        let mut end = pin!(world.dispatcher.finish(staged, &world.call, MESSAGE, &mut out, &world.caller));
        assert!(end.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
    }
    assert!(world.store.heal(), "the fault was injected");
    assert!(!world.is_written(0));
    assert_eq!((world.ends(), world.running()), (vec!["dropped"], 0));
    assert_eq!(world.dispatcher.lane(LaneKind::Write).metrics().dropped_gone, 1);
}

#[test]
fn calls_that_are_synced_share_a_commit_and_are_answered_after_the_sync() {
    let world = World::synced();
    for round in 0..3 {
        let mut staged = world.stage_all(3);
        let (first, mut out) = staged.remove(0);
        let mut first = pin!(world.dispatcher.finish(first, &world.call, MESSAGE, &mut out, &world.caller));
        let woken = Arc::<Woken>::default();
        let waker = Waker::from(woken.clone());
        let mut task = Context::from_waker(&waker);
        while !world.is_written(round * 3 + 2) {
            assert!(first.as_mut().poll(&mut task).is_pending());
        }
        woken.0.store(false, Ordering::Relaxed);
        // The sync ends on another thread, but the calls are only told by their event loop.
        assert!(first.as_mut().poll(&mut task).is_pending(), "not synced, or not told");
        assert_eq!((world.ends(), world.running()), (vec![], 3));
        let replies = world.finish(staged);
        assert!(replies.iter().all(|reply| reply.as_ref().is_some_and(|reply| !reply.is_empty())));
        assert!(woken.0.load(Ordering::Relaxed));
        assert!(matches!(first.as_mut().poll(&mut task), Poll::Ready(Ok(_))));
        assert_eq!((world.ends(), world.running()), (vec!["answered"; 3], 0));
    }
}

/// While syncs are short, a put of the only connection does not wait for another thread. If other connections are open,
/// they must not wait for the disk.
#[test]
fn the_only_connection_syncs_on_its_event_loop() {
    let world = World::synced();
    let mut task = Context::from_waker(Waker::noop());
    let _only = LoopConnection::open();
    for alone in [true, false] {
        let _other = (!alone).then(LoopConnection::open);
        let mut out = Vec::new();
        let staged = world.stage(&mut out);
        let writes = LoopWrites::current().unwrap();
        writes.assume_short_syncs();
        let mut put = pin!(world.dispatcher.finish(staged, &world.call, MESSAGE, &mut out, &world.caller));
        assert!(put.as_mut().poll(&mut task).is_pending(), "others go first");
        assert_eq!(put.as_mut().poll(&mut task).is_ready(), alone);
    }
    assert!(world.is_written(1));
}

/// Both kinds share a commit. Those that need no sync are answered before it has ended.
#[test]
fn calls_that_need_no_sync_do_not_wait_for_that_of_others() {
    let world = World::mixed();
    for round in 0..3 {
        let mut staged = world.stage_all(4);
        let (first, mut out) = staged.remove(0);
        let mut first = pin!(world.dispatcher.finish(first, &world.call, MESSAGE, &mut out, &world.caller));
        let mut context = Context::from_waker(Waker::noop());
        while !world.is_written(round * 4) {
            assert!(first.as_mut().poll(&mut context).is_pending());
        }
        assert!((1..4).all(|row| world.is_written(round * 4 + row)), "by the same commit");
        assert_eq!((world.ends(), world.running()), (vec![], 2));
        // Nothing tells of the sync.
        for at in [2, 0] {
            let (unsynced, mut out) = staged.remove(at);
            let mut end = pin!(world.dispatcher.finish(unsynced, &world.call, MESSAGE, &mut out, &world.caller));
            assert!(matches!(end.as_mut().poll(&mut context), Poll::Ready(Ok(_))));
        }
        assert!(first.as_mut().poll(&mut context).is_pending());
        assert_eq!((world.ends(), world.running()), (vec!["answered"; 2], 2));
        assert!(world.finish(staged).iter().all(Option::is_some));
        assert!(matches!(first.as_mut().poll(&mut context), Poll::Ready(Ok(_))));
        assert_eq!((world.ends(), world.running()), (vec!["answered"; 2], 0));
    }
}

#[test]
fn calls_of_both_kinds_whose_commit_does_not_succeed_are_queued() {
    let world = World::mixed();
    let counted = Counted::Only(StoreCall::Transact);
    world.store.fail(InjectedFault { counted, nth: 1, when: When::Before, kind: ErrorKind::Busy, lasting: false });
    let replies = world.finish(world.stage_all(4));
    assert!(world.store.heal(), "the fault was injected");
    assert!(replies.len() == 4 && replies.iter().all(Option::is_none));
    assert_eq!((world.ends(), world.running()), (vec![], 0));
    assert_eq!(world.dispatcher.write_lane().under_way(), 0);
}

#[test]
fn a_call_whose_client_disconnects_during_the_sync_is_reported_and_leaves_nothing() {
    let world = World::synced();
    let mut staged = world.stage_all(2);
    {
        let (dropped, mut out) = staged.remove(0);
        let mut end = pin!(world.dispatcher.finish(dropped, &world.call, MESSAGE, &mut out, &world.caller));
        for _ in 0..3 {
            assert!(end.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
        }
    }
    assert!(world.is_written(0) && world.is_written(1));
    assert_eq!((world.ends(), world.running()), (vec!["answered"], 1));
    assert!(world.finish(staged).iter().all(Option::is_some));
    assert_eq!((world.ends(), world.running()), (vec!["answered"], 0));
    assert_eq!(world.dispatcher.write_lane().under_way(), 0);
}

#[test]
fn calls_whose_sync_fails_have_failed() {
    let world = World::synced();
    let failed = world.failed(2);
    assert!(failed.len() == 2 && failed.iter().all(ToQueue::has_failed));
    assert_eq!(world.running(), 0);
}

/// A client may repeat a call that was refused, because that has had no effect. The writes of these may have been
/// applied.
#[test]
fn calls_that_have_failed_are_not_refused_while_they_wait_to_be_answered() {
    let world = World::synced();
    let mut context = Context::from_waker(Waker::noop());
    let run = |failed| {
        let (call, message) = (world.call.clone(), Bytes::from_static(MESSAGE));
        Box::pin(world.dispatcher.run_queued(failed, call, message, Vec::new(), &world.caller, std::future::pending()))
    };
    let mut ends: Vec<_> = world.failed(2).into_iter().map(run).collect();
    assert!(ends.iter_mut().all(|end| end.as_mut().poll(&mut context).is_pending()), "there are no workers");
    // The lane is full, and another client needs a place.
    if let Some(job) = world.dispatcher.write_lane().queue().evict_for(u64::MAX) {
        drop(world.dispatcher.runner.displace(job));
    }
    for end in &mut ends {
        if let Poll::Ready(reply) = end.as_mut().poll(&mut context) {
            let reply = String::from_utf8_lossy(&reply.unwrap().bytes).into_owned();
            assert!(!reply.contains("CallQueueTooBigException"), "{reply}");
        }
    }
}

fn walk(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { walk(&path) } else { vec![path] }).collect()
}

/// One commit or sync serves all calls that wait for it, so they do not occupy the handlers.
#[test]
fn calls_that_wait_for_a_commit_leave_the_handlers_to_others() {
    let world = World::new();
    let lane = world.dispatcher.write_lane();
    let mut permits: Vec<_> = std::iter::from_fn(|| lane.enter_inline(true)).collect();
    let handlers = permits.len();
    permits.iter_mut().for_each(super::lane::Permit::begins);
    assert!(handlers > 0 && lane.enter_inline(true).is_none());
    permits.iter_mut().for_each(super::lane::Permit::waits_for_commit);
    let more: Vec<_> = std::iter::from_fn(|| lane.enter_inline(true)).collect();
    assert_eq!(more.len(), handlers);
    drop((permits, more));
    assert_eq!((lane.under_way(), world.running()), (0, 0));
}
