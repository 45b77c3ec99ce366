//! Busy polling: after a call, an event loop looks for the next one for some microseconds before it sleeps.
//!
//! Waking a sleeping thread takes 10 to 20 µs on each side of a connection, several times as long as a short call. A
//! client that sends its next call soon after the reply is answered without that time. Polling uses a core meanwhile,
//! so it ends when it does not help: when clients take longer, when so many call at once that the loop does not sleep
//! anyway, and when other threads need the core. One of these can be the client: the system may run it on the core of
//! the loop, where it can only go on when the loop sleeps or is interrupted.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use tokio::task::yield_now;

use super::call_threshold::CallThreshold;

/// A loop that answers more calls between two looks has enough to do.
const FEW_CALLS: u64 = 2;
/// A look takes a few microseconds. If one without a call takes longer, another thread has used the core.
const PREEMPTED: Duration = Duration::from_micros(100);
/// The number of calls found by polling after which the involuntary context switches of the thread are looked at.
const CHECK_CALLS: u64 = 16;
/// With one of them for this number of calls, the clients or other threads use the core.
const CALLS_PER_SWITCH: u64 = 4;
/// The most failed polls that earlier successful ones outweigh, times [`MISS`].
const CREDIT_MAX: u32 = 16;
/// The number of calls found by polling that one failed poll cancels.
const MISS: u32 = 2;
/// The number of calls after which a loop that has stopped polling tries again.
const RETRY_CALLS: u64 = 256;
/// That number while calls run on workers. Such a call may be a single one between short ones.
const OCCUPIED_CALLS: u64 = 8;
/// That number after the core was needed by others several times in a row.
const RETRY_CALLS_MAX: u64 = 4 << 10;

/// What the connections of an event loop tell its polling task.
#[derive(Debug)]
pub struct BusyPoll {
    /// The number of calls that the loop has answered. Only the thread of the loop changes it.
    calls: AtomicU64,
    /// The number of calls after which polling begins. Passed while the task polls.
    begin: CallThreshold,
    /// How long the loop has looked for calls without finding any, in nanoseconds.
    polled_ns: AtomicU64,
}

impl Default for BusyPoll {
    fn default() -> Self {
        Self { calls: AtomicU64::new(0), begin: CallThreshold::new(1, Arc::default()), polled_ns: AtomicU64::new(0) }
    }
}

/// How polling ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    /// No call arrived in time.
    Miss,
    /// The loop has enough to do, or polling is switched off.
    Needless,
    /// Calls run on workers, which may need the core.
    Occupied,
    /// Another thread has used the core.
    Preempted,
}

/// What the loop has found since the last look.
struct Look {
    calls: u64,
    took: Duration,
}

/// The decision when to poll, from the outcomes of earlier polls.
#[derive(Debug)]
struct Policy {
    credit: u32,
    retry_calls: u64,
    /// The calls found by polling, and the involuntary context switches, since the last check.
    found: u64,
    switches: u64,
}

impl Default for Policy {
    fn default() -> Self {
        Self { credit: CREDIT_MAX, retry_calls: RETRY_CALLS, found: 0, switches: 0 }
    }
}

impl Policy {
    /// Counts what a look has found. Returns the end if polling must end.
    fn looked(&mut self, look: &Look) -> Option<End> {
        match look.calls {
            0 if look.took > PREEMPTED => Some(End::Preempted),
            0 => None,
            1..=FEW_CALLS => {
                self.credit = (self.credit + 1).min(CREDIT_MAX);
                None
            }
            _ => Some(End::Needless),
        }
    }

    /// Counts calls found by polling, and the involuntary context switches of the thread meanwhile. Returns whether
    /// others use the core.
    fn checked(&mut self, found: u64, switches: u64) -> bool {
        self.found += found;
        self.switches += switches;
        if self.found < CHECK_CALLS {
            return false;
        }
        let is_shared = self.switches * CALLS_PER_SWITCH >= self.found;
        (self.found, self.switches) = (0, 0);
        if !is_shared {
            self.retry_calls = RETRY_CALLS;
        }
        is_shared
    }

    /// The number of calls after which polling begins again.
    fn ended(&mut self, end: End) -> u64 {
        match end {
            End::Preempted => {
                let calls = self.retry_calls;
                self.retry_calls = (calls * 4).min(RETRY_CALLS_MAX);
                return calls;
            }
            End::Needless => return RETRY_CALLS,
            End::Occupied => return OCCUPIED_CALLS,
            End::Miss => self.credit = self.credit.saturating_sub(MISS),
        }
        if self.credit > 0 { 1 } else { RETRY_CALLS }
    }
}

impl BusyPoll {
    /// Counts a call that the loop has answered. Returns the number of all of them. Must be called on the thread of the
    /// loop.
    pub fn answered(&self) -> u64 {
        let calls = self.calls() + 1;
        self.calls.store(calls, Ordering::Relaxed);
        self.begin.answered(calls);
        calls
    }

    /// The number of calls that the loop has answered.
    pub fn calls(&self) -> u64 {
        self.calls.load(Ordering::Relaxed)
    }

    /// How long the loop has looked for calls without finding any.
    pub fn polled(&self) -> Duration {
        Duration::from_nanos(self.polled_ns.load(Ordering::Relaxed))
    }

    /// Polls whenever that promises to help. Must run as a task of the event loop. `window` returns how long the loop
    /// waits for a call without sleeping; zero if it never polls, `None` if it must not poll now.
    pub async fn run(self: Arc<Self>, window: impl Fn() -> Option<Duration>) {
        let mut policy = Policy::default();
        loop {
            self.begin.reached().await;
            let end = self.poll(&mut policy, &window).await;
            let next = self.calls.load(Ordering::Relaxed) + policy.ended(end);
            self.begin.set(next);
        }
    }

    /// Keeps the loop from sleeping until a poll has failed.
    async fn poll(&self, policy: &mut Policy, window: &impl Fn() -> Option<Duration>) -> End {
        let mut calls_before = self.calls.load(Ordering::Relaxed);
        let mut looked_at = Instant::now();
        let mut began_at = looked_at;
        let (mut found, mut switches) = (0, None);
        let end = loop {
            let window = match window() {
                None => break End::Occupied,
                Some(Duration::ZERO) => break End::Needless,
                Some(window) => window,
            };
            switches.get_or_insert_with(involuntary_switches);
            // The loop checks for events without waiting, and runs the tasks that they wake, before it continues here.
            yield_now().await;
            let (now, calls) = (Instant::now(), self.calls.load(Ordering::Relaxed));
            let look = Look { calls: calls - calls_before, took: now - looked_at };
            (calls_before, looked_at) = (calls, now);
            if let Some(end) = policy.looked(&look) {
                break end;
            }
            if look.calls > 0 {
                began_at = now;
                found += look.calls;
            } else {
                // The rest was used by another thread.
                let took = u64::try_from(look.took.min(PREEMPTED).as_nanos()).unwrap_or(u64::MAX);
                self.polled_ns.fetch_add(took, Ordering::Relaxed);
                if now - began_at >= window {
                    break End::Miss;
                }
            }
            if found >= CHECK_CALLS {
                let now = involuntary_switches();
                let before = switches.replace(now).unwrap_or(now);
                if policy.checked(std::mem::take(&mut found), now.saturating_sub(before)) {
                    return End::Preempted;
                }
            }
        };
        let is_shared =
            switches.is_some_and(|before| policy.checked(found, involuntary_switches().saturating_sub(before)));
        if is_shared { End::Preempted } else { end }
    }
}

/// How often the system has taken the core from this thread.
fn involuntary_switches() -> u64 {
    #[cfg(target_os = "linux")]
    {
        use nix::sys::resource::{UsageWho, getrusage};
        let switches = getrusage(UsageWho::RUSAGE_THREAD).map_or(0, |usage| usage.involuntary_context_switches());
        u64::try_from(switches).unwrap_or_default()
    }
    #[cfg(not(target_os = "linux"))]
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    const QUICK: Duration = Duration::from_micros(2);

    /// The polls of a loop that looks `hits` times with this result, and then finds nothing.
    fn poll(policy: &mut Policy, hits: u64, calls: u64) -> u64 {
        for _ in 0..hits {
            if let Some(end) = policy.looked(&Look { calls, took: QUICK }) {
                return policy.ended(end);
            }
        }
        assert_eq!(policy.looked(&Look { calls: 0, took: QUICK }), None);
        policy.ended(End::Miss)
    }

    #[test]
    fn a_client_that_calls_again_soon_is_polled_for_after_every_call() {
        let mut policy = Policy::default();
        for _ in 0..100 {
            assert_eq!(poll(&mut policy, 10, 1), 1);
        }
    }

    #[test]
    fn polls_that_find_nothing_become_rare_until_one_finds_a_call() {
        let mut policy = Policy::default();
        let failed = (0..100).filter(|_| poll(&mut policy, 0, 0) == 1).count();
        assert!(failed < 10, "{failed} polls in a row were followed by another one");
        assert_eq!(poll(&mut policy, 10, 1), 1);
    }

    /// One call in two comes within the window: the core would be used for nothing half of the time.
    #[test]
    fn polling_that_finds_a_call_every_second_time_becomes_rare() {
        let mut policy = Policy::default();
        let polls = (0..1000).filter(|_| poll(&mut policy, 1, 1) == 1).count();
        assert!(polls < 100, "{polls} of 1,000 polls were followed by another one");
    }

    #[test]
    fn a_loop_that_many_clients_keep_busy_does_not_poll() {
        let mut policy = Policy::default();
        assert_eq!(poll(&mut policy, 1, 8), RETRY_CALLS);
    }

    /// A scan between gets.
    #[test]
    fn a_loop_polls_again_soon_after_a_call_has_run_on_a_worker() {
        let mut policy = Policy::default();
        assert_eq!(policy.ended(End::Occupied), OCCUPIED_CALLS);
        assert_eq!(poll(&mut policy, 1, 1), 1);
    }

    #[test]
    fn a_loop_whose_core_others_need_polls_ever_more_rarely() {
        let mut policy = Policy::default();
        let preempted = Look { calls: 0, took: Duration::from_millis(3) };
        let mut waits = Vec::new();
        for _ in 0..4 {
            assert_eq!(policy.looked(&preempted), Some(End::Preempted));
            waits.push(policy.ended(End::Preempted));
        }
        assert_eq!(waits, [256, 1 << 10, 4 << 10, 4 << 10]);
        assert_eq!(poll(&mut policy, 1, 1), 1);
        assert!(!policy.checked(CHECK_CALLS, 0), "the core is free again");
        assert_eq!(policy.ended(End::Preempted), RETRY_CALLS);
    }

    /// The client runs on the core of the loop: it sends most of its calls after it has interrupted the loop.
    #[test]
    fn a_loop_that_shares_its_core_with_the_client_stops_polling() {
        let mut policy = Policy::default();
        let polls = (1..).find(|_| {
            assert_eq!(poll(&mut policy, 3, 1), 1);
            policy.checked(3, 2)
        });
        assert!(polls.is_some_and(|polls| polls <= 6), "{polls:?}");
    }

    /// A thread in the background uses the core from time to time.
    #[test]
    fn a_few_context_switches_do_not_end_polling() {
        let mut policy = Policy::default();
        assert!((0..100).all(|n| !policy.checked(CHECK_CALLS, n % 3)));
    }

    /// A look that answers a long call is not a preemption.
    #[test]
    fn a_long_call_is_not_taken_for_another_thread() {
        let long = Look { calls: 1, took: Duration::from_millis(3) };
        assert_eq!(Policy::default().looked(&long), None);
    }

    /// The task polls while calls arrive, sleeps afterwards, and begins again with the next call.
    #[test]
    fn a_call_begins_a_poll() {
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
        runtime.block_on(async {
            let shared = Arc::new(BusyPoll::default());
            tokio::spawn(shared.clone().run(|| Some(Duration::from_nanos(1))));
            for _ in 0..3 {
                // Usually one call. More if another thread used the core during the last poll.
                let calls = (0..RETRY_CALLS_MAX).find(|_| {
                    shared.answered();
                    shared.begin.calls() == u64::MAX
                });
                assert!(calls.is_some(), "polling begins");
                while shared.begin.calls() == u64::MAX {
                    yield_now().await;
                }
                assert!(shared.begin.calls() > shared.calls());
            }
        });
    }
}
