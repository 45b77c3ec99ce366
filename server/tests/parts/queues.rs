//! Queues compared with models of their orders: random entries, times and takers. No entry is lost or returned twice.

use std::sync::Arc;
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender, unbounded};
use hjall_engine::clock::{Clock, ManualClock};
use hjall_server::dispatch::queue::{self, Concurrency, Queue, Taken, Taker, Tuning, Waiting};
use hjall_server::settings::config::{QueueOrder, QueueSettings};
use hjall_server::settings::lane_size::Lanes;
use hjall_server::wire::method::{CallKind, LaneKind};
use proptest::collection::vec;
use proptest::prelude::*;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Entry {
    number: usize,
    received_ms: i64,
    fetches: u64,
    client: u64,
}

impl Waiting for Entry {
    fn received_ms(&self) -> i64 {
        self.received_ms
    }

    fn fetches(&self) -> u64 {
        self.fetches
    }

    fn client(&self) -> u64 {
        self.client
    }
}

#[derive(Debug, Clone)]
enum Step {
    Put {
        fetches: u64,
        client: u64,
    },
    /// Another call of this client finds no room.
    Evict(u64),
    Take,
    Wait(i64),
    Retire,
    Tune(Tuning),
}

fn tuning() -> impl Strategy<Value = Tuning> {
    (1..200i64, 1..200i64, 0.0..=1.0f64, 1..12usize, 0..100i64, 0.0..10.0f32).prop_map(
        |(target_ms, interval_ms, lifo_threshold, capacity, delay_ms_max, fetch_weight)| Tuning {
            target_ms,
            interval_ms,
            lifo_threshold,
            capacity,
            delay_ms_max,
            fetch_weight,
        },
    )
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        8 => (prop_oneof![Just(0u64), 1..100_000u64], 0..4u64)
            .prop_map(|(fetches, client)| Step::Put { fetches, client }),
        2 => (0..4u64).prop_map(Step::Evict),
        8 => Just(Step::Take),
        4 => (0..150i64).prop_map(Step::Wait),
        1 => Just(Step::Retire),
        1 => tuning().prop_map(Step::Tune),
    ]
}

/// The simplest model of the orders: all waiting entries in order of arrival.
struct Model {
    order: QueueOrder,
    tuning: Tuning,
    /// Each with the time when it is due (deadline), or its turn (fifo).
    waiting: Vec<(Entry, i64)>,
    turn: i64,
    shortest_ms: i64,
    interval_end_ms: i64,
    fresh: bool,
    overloaded: bool,
}

impl Model {
    fn put(&mut self, entry: Entry) {
        let delay_ms = (f64::from(entry.fetches as f32 * self.tuning.fetch_weight).sqrt()).round() as i64;
        let of_client: Vec<i64> =
            self.waiting.iter().filter(|(other, _)| other.client == entry.client).map(|(_, place)| *place).collect();
        let last = of_client.iter().max().copied().unwrap_or_default();
        let place = match self.order {
            QueueOrder::Fifo => (self.turn + of_client.len() as i64).max(last),
            QueueOrder::Deadline | QueueOrder::Codel => entry.received_ms + delay_ms.min(self.tuning.delay_ms_max),
        };
        self.waiting.push((entry, place));
    }

    fn take(&mut self, now_ms: i64) -> Option<Taken<Entry>> {
        let at = match self.order {
            QueueOrder::Fifo | QueueOrder::Deadline => (0..self.waiting.len()).min_by_key(|&i| self.waiting[i].1)?,
            QueueOrder::Codel => {
                let share = self.waiting.len() as f64 / self.tuning.capacity as f64;
                if share > self.tuning.lifo_threshold { self.waiting.len() - 1 } else { 0 }
            }
        };
        if self.waiting.is_empty() {
            return None;
        }
        let (entry, place) = self.waiting.remove(at);
        self.turn = place;
        let dropped = self.order == QueueOrder::Codel && self.drops(now_ms - entry.received_ms, now_ms);
        Some(if dropped { Taken::Drop(entry) } else { Taken::Run(entry) })
    }

    /// Of the client with the most entries (of two the one with the larger number) the newest, if the other client has
    /// fewer also with one more.
    fn evict_for(&mut self, client: u64) -> Option<Entry> {
        let count = |of: u64| self.waiting.iter().filter(|(entry, _)| entry.client == of).count();
        let most = (0..4).max_by_key(|of| (count(*of), *of)).filter(|of| count(*of) > count(client) + 1)?;
        let of_client = self.waiting.iter().enumerate().filter(|(_, (entry, _))| entry.client == most);
        let (index, _) = of_client.max_by_key(|(_, (entry, _))| entry.number)?;
        Some(self.waiting.remove(index).0)
    }

    /// HBase's rule, in its order: at the beginning of an interval, the shortest wait of the previous one decides, and
    /// the first call always runs.
    fn drops(&mut self, waited_ms: i64, now_ms: i64) -> bool {
        let shortest_ms = self.shortest_ms;
        if now_ms > self.interval_end_ms && !self.fresh {
            (self.fresh, self.interval_end_ms) = (true, now_ms + self.tuning.interval_ms);
            self.overloaded = shortest_ms > self.tuning.target_ms;
        }
        if self.fresh {
            (self.fresh, self.shortest_ms) = (false, waited_ms);
            return false;
        }
        if waited_ms < shortest_ms {
            self.shortest_ms = waited_ms;
        }
        self.overloaded && waited_ms > 2 * self.tuning.target_ms
    }
}

fn agrees(order: QueueOrder, first: Tuning, steps: Vec<Step>) -> Result<(), TestCaseError> {
    let clock = Arc::new(ManualClock::at(1_000_000));
    let queue = queue::new::<Entry>(order, Concurrency::of(1), first, clock.clone());
    let mut model = Model {
        order,
        tuning: first,
        waiting: Vec::new(),
        turn: 0,
        shortest_ms: 0,
        interval_end_ms: clock.now_ms(),
        fresh: true,
        overloaded: false,
    };
    let (mut number, mut retiring) = (0, 0);
    for step in steps {
        match step {
            Step::Evict(client) => prop_assert_eq!(queue.evict_for(client), model.evict_for(client)),
            Step::Put { fetches, client } => {
                let entry = Entry { number, received_ms: clock.now_ms(), fetches, client };
                number += 1;
                model.put(entry);
                queue.put(entry);
            }
            Step::Wait(ms) => clock.advance(ms),
            Step::Tune(tuning) => {
                model.tuning = tuning;
                queue.tune(tuning);
            }
            Step::Retire => {
                queue.retire(1, 0);
                retiring += 1;
            }
            Step::Take => match queue.try_take() {
                Some(Taken::Retire) => {
                    prop_assert!(retiring > 0, "no taker was told to retire");
                    retiring -= 1;
                }
                taken => prop_assert_eq!(taken, model.take(clock.now_ms())),
            },
        }
        prop_assert_eq!(queue.len(), model.waiting.len());
    }
    // Emptying the queue returns all remaining entries and retirements.
    while let Some(taken) = queue.try_take() {
        match taken {
            Taken::Retire => retiring -= 1,
            taken => prop_assert_eq!(Some(taken), model.take(clock.now_ms())),
        }
    }
    prop_assert_eq!((retiring, model.waiting.len()), (0, 0));
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

    #[test]
    fn each_order_is_its_model(first in tuning(), steps in vec(step(), 0..80)) {
        for order in QueueOrder::ALL {
            agrees(order, first, steps.clone())?;
        }
    }

    #[test]
    fn every_kind_of_call_has_handlers_and_no_handler_is_assigned_twice(
        handlers in 1..500usize, factor in 0.0..=1.0f32, reads in 0.0..=1.0f32, scans in 0.0..=1.0f32,
        length in proptest::option::of(1..2000usize), cores in 1..128usize,
    ) {
        let settings = QueueSettings {
            handlers, handler_factor: factor, read_ratio: reads, scan_ratio: scans, length_max: length, ..QueueSettings::default()
        };
        let lanes = Lanes::on(&settings, cores);
        for kind in CallKind::ALL {
            let size = lanes.size(lanes.of_calls(kind)).unwrap();
            prop_assert!(size.running_max >= 1 && size.calls_max() > size.running_max, "{kind:?} {size:?}");
        }
        let shared: usize = lanes.iter().filter(|(kind, _)| *kind != LaneKind::Admin).map(|(_, size)| size.handlers).sum();
        let queues: usize = lanes.iter().filter(|(kind, _)| *kind != LaneKind::Admin).map(|(_, size)| size.queues).sum();
        prop_assert!(shared >= handlers && shared <= handlers.max(2).max(queues), "{lanes:?}");
        if let Some(scan) = lanes.size(LaneKind::Scan) {
            prop_assert!(scan.running_max < cores.max(2), "{scan:?}");
        }
    }
}

#[test]
fn clients_take_turns_in_a_fifo_queue() {
    let queue = shared(QueueOrder::Fifo, 1, Arc::new(ManualClock::at(0)));
    let put = |number, client| queue.put(Entry { number, received_ms: 0, fetches: 0, client });
    let take = || match queue.try_take() {
        Some(Taken::Run(entry)) => entry.number,
        other => panic!("{other:?}"),
    };
    (0..100).for_each(|number| put(number, 1));
    put(100, 2);
    put(101, 2);
    put(102, 3);
    assert_eq!([take(), take(), take()], [0, 100, 102], "each client has one taken");
    assert_eq!([take(), take(), take()], [1, 101, 2]);
    // A client whose calls come one after the other has every second one taken.
    for number in 0..20 {
        put(200 + number, 2);
        let both = [take(), take()];
        assert!(both.contains(&(200 + number)), "{both:?}");
    }
}

#[test]
fn calls_of_a_client_do_not_overtake_each_other_in_a_fifo_queue() {
    let queue = shared(QueueOrder::Fifo, 1, Arc::new(ManualClock::at(0)));
    let put = |number, client| queue.put(Entry { number, received_ms: 0, fetches: 0, client });
    let take = || match queue.try_take() {
        Some(Taken::Run(entry)) => entry.number,
        other => panic!("{other:?}"),
    };
    let arrive = |entries: &[(usize, u64)]| entries.iter().for_each(|(number, client)| put(*number, *client));
    let taken = |count: usize| (0..count).map(|_| take()).collect::<Vec<_>>();
    arrive(&[(0, 3), (1, 2), (2, 1)]);
    assert_eq!(taken(1), [0]);
    arrive(&[(3, 0), (4, 2), (5, 0)]);
    assert_eq!(taken(1), [1]);
    arrive(&[(6, 1), (7, 1)]);
    assert_eq!(taken(1), [2]);
    // It belongs to the same turn as the one before it.
    arrive(&[(8, 1)]);
    assert_eq!(taken(3), [3, 4, 5]);
    arrive(&[(9, 1)]);
    assert_eq!(taken(3), [6, 7, 8]);
    arrive(&[(10, 1)]);
    assert_eq!(taken(2), [9, 10]);
}

const TAKERS: usize = 4;

/// A queue for takers that run at most `at_once` calls at once.
fn shared(order: QueueOrder, at_once: usize, clock: Arc<ManualClock>) -> Arc<dyn Queue<Entry>> {
    let lanes = Lanes::on(&QueueSettings::default(), 2);
    let tuning = Tuning::new(&QueueSettings::default(), &lanes.size(LaneKind::Read).unwrap());
    queue::new(order, Concurrency::of(at_once), tuning, clock)
}

fn entry(number: usize) -> Entry {
    Entry { number, received_ms: 0, fetches: 0, client: 0 }
}

#[test]
fn waiting_takers_get_entries_and_retire_when_told() {
    const ENTRIES: usize = 2000;
    for (order, at_once) in QueueOrder::ALL.into_iter().flat_map(|order| [(order, 1), (order, 2), (order, usize::MAX)])
    {
        let queue = shared(order, at_once, Arc::new(ManualClock::at(0)));
        let takers: Vec<_> = (0..TAKERS)
            .map(|_| {
                let queue = queue.clone();
                std::thread::spawn(move || {
                    let (taker, mut taken) = (Taker::new(), Vec::new());
                    while let Taken::Run(entry) = queue.take(&taker) {
                        taken.push(entry.number);
                    }
                    taken
                })
            })
            .collect();
        for number in 0..ENTRIES {
            queue.put(entry(number));
        }
        queue.retire(TAKERS, 0);
        let mut all: Vec<_> = takers.into_iter().flat_map(|taker| taker.join().unwrap()).collect();
        all.sort_unstable();
        assert!(all.into_iter().eq(0..ENTRIES), "{order:?}");
    }
}

/// Takers of a queue that runs one call at once. Each tells the test what it takes, and waits for permission to go on.
struct Takers {
    queue: Arc<dyn Queue<Entry>>,
    clock: Arc<ManualClock>,
    threads: Vec<std::thread::JoinHandle<()>>,
    /// The number of the taker and that of the entry.
    taken: Receiver<(usize, usize)>,
    /// For each taker.
    resume: Vec<Sender<Next>>,
}

/// What a taker does next.
enum Next {
    End,
    /// Announces that its call waits.
    Wait,
}

impl Takers {
    fn new() -> Self {
        let clock = Arc::new(ManualClock::at(0));
        let queue = shared(QueueOrder::Fifo, 1, clock.clone());
        let (takes, taken) = unbounded();
        let (resume, threads) = (0..TAKERS)
            .map(|number| {
                let (resume, next) = unbounded();
                let (queue, takes) = (queue.clone(), takes.clone());
                let thread = std::thread::spawn(move || {
                    let taker = Taker::new();
                    while let Taken::Run(entry) = queue.take(&taker) {
                        takes.send((number, entry.number)).unwrap();
                        while let Ok(Next::Wait) = next.recv() {
                            queue.waits(&taker);
                        }
                    }
                });
                (resume, thread)
            })
            .unzip();
        Self { queue, clock, threads, taken, resume }
    }

    /// The taker that takes this entry as the next one.
    fn takes(&self, number: usize) -> usize {
        let (taker, taken) = self.taken.recv().unwrap();
        assert_eq!(taken, number);
        taker
    }

    fn next(&self, taker: usize, next: Next) {
        self.resume[taker].send(next).unwrap();
    }

    fn retire(mut self) {
        self.queue.retire(TAKERS, 0);
        self.resume.clear();
        for thread in self.threads.drain(..) {
            thread.join().unwrap();
        }
        assert!(self.taken.try_recv().is_err());
    }
}

#[test]
fn one_taker_runs_all_short_calls() {
    let takers = Takers::new();
    takers.queue.put(entry(0));
    let first = takers.takes(0);
    (1..100).for_each(|number| takers.queue.put(entry(number)));
    for number in 1..100 {
        takers.next(first, Next::End);
        assert_eq!(takers.takes(number), first);
    }
    takers.next(first, Next::End);
    takers.retire();
}

#[test]
fn a_long_call_occupies_only_its_own_taker() {
    let takers = Takers::new();
    let mut long = Vec::new();
    for number in 0..3 {
        takers.queue.put(entry(number));
        long.push(takers.takes(number));
        takers.queue.put(entry(100 + number));
        takers.clock.advance(Concurrency::of(1).stall_ms);
        let other = takers.takes(100 + number);
        assert!(!long.contains(&other));
        // The other taker runs short calls without another delay, and the end of a long call changes nothing.
        takers.queue.put(entry(200 + number));
        if number == 1 {
            takers.next(long.remove(0), Next::End);
        }
        takers.next(other, Next::End);
        assert_eq!(takers.takes(200 + number), other);
        takers.next(other, Next::End);
    }
    for taker in &long {
        takers.next(*taker, Next::End);
    }
    takers.retire();
}

/// While its calls take long, a client has at most half of the takers, and leaves one for each client that comes.
#[test]
fn the_long_calls_of_a_client_leave_takers_for_others() {
    for order in QueueOrder::ALL {
        let clock = Arc::new(ManualClock::at(0));
        let queue = shared(order, 2, clock.clone());
        queue.limit(Concurrency { at_once: 2, stall_ms: 50, threads: 6 });
        let takers: Vec<_> = (0..6).map(|_| Taker::new()).collect();
        let put = |number, client| queue.put(Entry { number, received_ms: clock.now_ms(), fetches: 0, client });
        // An idle taker takes an entry, if there is one that it may take.
        let take = |taker: &Taker| match queue.take_next(taker) {
            Some(Taken::Run(entry)) => Some(entry.number),
            None => None,
            taken => panic!("{taken:?}"),
        };
        let wait = |taker: &Taker| queue.waits(taker);
        (0..6).for_each(|number| put(number, 1));
        let mut long = Vec::new();
        for taker in &takers[..3] {
            long.push(take(taker));
            // Its call no longer counts, as if it took long.
            wait(taker);
        }
        assert_eq!(long, [Some(0), Some(1), Some(2)], "{order:?}");
        assert_eq!(take(&takers[3]), None, "{order:?}: as many calls of the client as idle takers");
        put(10, 2);
        assert_eq!(take(&takers[3]), Some(10), "{order:?}");
        wait(&takers[3]);
        put(11, 2);
        assert_eq!(take(&takers[4]), Some(11), "{order:?}: fewer calls of the client than idle takers");
        wait(&takers[4]);
        put(12, 2);
        assert_eq!(take(&takers[5]), None, "{order:?}");
        put(20, 3);
        assert_eq!(take(&takers[5]), Some(20), "{order:?}: a client without calls");
        // A call that ends makes room.
        assert_eq!(take(&takers[3]), None, "{order:?}: one taker is idle, and each client has a call");
        assert_eq!(take(&takers[5]), Some(12), "{order:?}: two takers were idle");
        assert_eq!(queue.len(), 3);
    }
}

/// A lane that becomes smaller serves other clients while as many calls run as it has takers left.
#[test]
fn idle_takers_retire_only_when_fewer_calls_run_than_takers_remain() {
    for order in QueueOrder::ALL {
        let queue = shared(order, 2, Arc::new(ManualClock::at(0)));
        queue.limit(Concurrency { at_once: 6, stall_ms: 50, threads: 8 });
        let takers: Vec<_> = (0..8).map(|_| Taker::new()).collect();
        let put = |number, client| queue.put(Entry { number, received_ms: 0, fetches: 0, client });
        let runs = |taker: &Taker, number| {
            assert!(matches!(queue.take(taker), Taken::Run(entry) if entry.number == number), "{order:?}: {number}");
        };
        for (number, taker) in takers[..4].iter().enumerate() {
            put(number, 1);
            runs(taker, number);
            queue.waits(taker);
        }
        queue.limit(Concurrency { at_once: 1, stall_ms: 50, threads: 3 });
        queue.retire(5, 3);
        for number in 10..13 {
            put(number, 2);
            runs(&takers[4], number);
        }
        queue.waits(&takers[4]);
        put(4, 1);
        // The client of the long calls may not begin another one. Each taker ends its call.
        for taker in [4, 0, 1] {
            assert_eq!(queue.take_next(&takers[taker]), None, "{order:?}: {taker}");
        }
        for taker in [0, 1, 4, 5, 6] {
            assert_eq!(queue.take(&takers[taker]), Taken::Retire, "{order:?}: {taker}");
        }
        put(20, 3);
        runs(&takers[7], 20);
    }
}

#[test]
fn takers_can_be_kept_until_they_have_retired() {
    for order in QueueOrder::ALL {
        let queue = shared(order, 1, Arc::new(ManualClock::at(0)));
        let takers: Vec<_> = (0..2).map(|_| Taker::new()).collect();
        queue.retire(4, 1);
        assert_eq!(queue.take(&takers[0]), Taken::Retire);
        assert_eq!([queue.keep(2), queue.keep(2)], [2, 1], "{order:?}");
        queue.put(entry(0));
        assert_eq!(queue.take(&takers[1]), Taken::Run(entry(0)), "{order:?}");
    }
}

/// Calls that have waited for too long are found while no taker is idle.
#[test]
fn late_entries_can_be_taken_out() {
    for order in QueueOrder::ALL {
        let clock = Arc::new(ManualClock::at(1_000));
        let queue = shared(order, 1, clock.clone());
        let late = || queue.take_late(Duration::from_secs(60)).map(|entry| entry.number);
        for number in 0..3 {
            queue.put(Entry { number, received_ms: clock.now_ms(), fetches: 0, client: number as u64 });
            clock.advance(1_000);
        }
        assert_eq!(late(), None, "{order:?}");
        clock.advance(58_500);
        assert_eq!([late(), late(), late()], [Some(0), Some(1), None], "{order:?}");
        assert_eq!(queue.try_take(), Some(Taken::Run(Entry { number: 2, received_ms: 3_000, fetches: 0, client: 2 })));
        assert_eq!(queue.evict_for(7), None, "the counts of the clients are right");
    }
}

#[test]
fn a_call_that_waits_lets_another_one_run() {
    let takers = Takers::new();
    takers.queue.put(entry(0));
    let first = takers.takes(0);
    takers.queue.put(entry(1));
    takers.next(first, Next::Wait);
    let second = takers.takes(1);
    assert_ne!(first, second);
    // A call that waits again gives nothing away: the second taker's call still counts.
    takers.queue.put(entry(2));
    takers.next(first, Next::Wait);
    takers.next(first, Next::End);
    takers.next(second, Next::End);
    let third = takers.takes(2);
    takers.next(third, Next::End);
    takers.retire();
}

#[test]
fn a_taker_that_goes_on_keeps_its_place_until_its_call_waits() {
    for order in QueueOrder::ALL {
        let queue = shared(order, 1, Arc::new(ManualClock::at(0)));
        let (first, second) = (Taker::new(), Taker::new());
        (0..3).for_each(|number| queue.put(entry(number)));
        assert_eq!(queue.take(&first), Taken::Run(entry(0)));
        assert_eq!(queue.take_next(&second), None, "one call runs");
        assert_eq!(queue.take_next(&first), Some(Taken::Run(entry(1))));
        queue.waits(&first);
        assert_eq!(queue.take_next(&second), Some(Taken::Run(entry(2))));
        assert_eq!(queue.take_next(&second), None, "the queue is empty");
        queue.put(entry(3));
        assert_eq!(queue.take_next(&first), None, "the call of the other taker runs");
        queue.retire(1, 0);
        assert_eq!(queue.take_next(&second), Some(Taken::Run(entry(3))), "entries that wait are taken before");
        queue.put(entry(4));
        assert_eq!(queue.take_next(&second), None, "a taker has to retire first");
        assert_eq!(queue.take(&first), Taken::Retire);
        assert_eq!(queue.take(&second), Taken::Run(entry(4)));
    }
}
