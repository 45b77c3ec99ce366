//! The task that measures the load of the event loops and moves connections between them.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::Notify;
use tokio::time::sleep;

use super::Loops;
use super::policy::{BUSY, Load, Policy, WINDOW};
use super::processor_time;

/// The number of calls after which the load is measured. The task of an idle server sleeps.
const CALLS: u64 = 1000;
/// The load of the loops in use, in cores for each, below which measuring ends.
const LITTLE: f64 = 0.3;
/// The number of active connections above its share with which a busy loop gives some away.
const UNEQUAL: usize = 2;

/// What the loops have done so far.
struct Sample {
    at: Instant,
    idle: Duration,
    /// The processor time of each loop, without busy polling.
    busy: Vec<Duration>,
    calls: u64,
}

impl Sample {
    /// `None` if the system does not tell.
    fn now(loops: &Loops) -> Option<Self> {
        let busy = loops.all.iter().map(|each| {
            let used = each.load.thread.get()?.used()?;
            Some(used.saturating_sub(each.load.busy_poll.polled()))
        });
        let calls = loops.all.iter().map(|each| each.load.busy_poll.calls()).sum();
        Some(Self { busy: busy.collect::<Option<_>>()?, idle: processor_time::idle()?, at: Instant::now(), calls })
    }
}

/// Changes how many loops are in use, from `least` on, and moves connections between them. Ends if the system does not
/// tell how busy it is, or if there is only one loop. `measuring` is that of the loops.
pub async fn run(loops: Arc<Loops>, least: usize, measuring: Arc<Notify>) {
    if loops.all.len() < 2 {
        return;
    }
    let mut policy = Policy::new(least, loops.all.len());
    loop {
        let since = Instant::now();
        loops.all.iter().for_each(|each| each.load.measure_after(CALLS));
        measuring.notified().await;
        let windows = since.elapsed().as_nanos() / WINDOW.as_nanos();
        policy.rested(u32::try_from(windows).unwrap_or(u32::MAX));
        if measure(&loops, &mut policy).await.is_none() {
            return tracing::info!(
                "server.loops_max has no effect: the system does not tell how busy threads and cores are (/proc/stat, \
                 /proc/self/task/*/schedstat)"
            );
        }
    }
}

/// Measures until the loops have little to do.
async fn measure(loops: &Loops, policy: &mut Policy) -> Option<()> {
    let active = || loops.all.iter().map(|each| each.load.next_window()).collect::<Vec<_>>();
    let mut before = Sample::now(loops)?;
    active();
    let (mut has_changed, mut has_moved) = (false, false);
    loop {
        sleep(WINDOW).await;
        let (now, active) = (Sample::now(loops)?, active());
        let seconds = (now.at - before.at).as_secs_f64();
        let per_second = |now: Duration, before: Duration| now.saturating_sub(before).as_secs_f64() / seconds;
        let busy: Vec<_> = now.busy.iter().zip(&before.busy).map(|(now, before)| per_second(*now, *before)).collect();
        let load = Load {
            rate: (now.calls - before.calls) as f64 / seconds,
            busy: busy.iter().sum(),
            idle: per_second(now.idle, before.idle),
            active: active.iter().sum(),
        };
        before = now;
        let in_use = policy.measured(&load);
        if in_use != loops.in_use() {
            tracing::debug!(in_use, ?load, "the number of event loops changes");
            loops.set_in_use(in_use);
            has_changed = true;
        }
        loops.all.iter().for_each(|each| each.load.keep_all());
        // Connections that have moved in a window count on both loops.
        if !std::mem::take(&mut has_moved) {
            let moves = moves(&active, &busy, in_use, std::mem::take(&mut has_changed));
            has_moved = !moves.is_empty();
            for Move { from, to, connections } in moves {
                loops.move_connections(from, to, connections);
            }
        }
        if policy.is_at_rest() && !has_moved && load.busy < LITTLE * in_use as f64 {
            return Some(());
        }
    }
}

/// Connections that go from one loop to another.
#[derive(Debug, PartialEq, Eq)]
struct Move {
    from: usize,
    to: usize,
    connections: usize,
}

/// The moves after which the loops in use, which are the first ones, have equally many of the connections that are
/// active. Unless the number of loops in use has changed, only busy loops and those that are not in use give some away.
fn moves(active: &[usize], busy: &[f64], in_use: usize, has_changed: bool) -> Vec<Move> {
    let all: usize = active.iter().sum();
    let fair = |of: usize| if of < in_use { all / in_use + usize::from(of < all % in_use) } else { 0 };
    let mut missing: Vec<_> = active.iter().enumerate().map(|(of, active)| fair(of).saturating_sub(*active)).collect();
    let mut moves = Vec::new();
    for (from, (active, busy)) in active.iter().zip(busy).enumerate() {
        let more = active.saturating_sub(fair(from));
        let gives = has_changed || from >= in_use || (more >= UNEQUAL && *busy >= BUSY);
        let Some((to, missing)) = missing.iter_mut().enumerate().max_by_key(|(_, missing)| **missing) else { break };
        let connections = more.min(*missing);
        if gives && connections > 0 {
            *missing -= connections;
            moves.push(Move { from, to, connections });
        }
    }
    moves
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moved(active: &[usize], busy: &[f64], in_use: usize, has_changed: bool) -> Vec<(usize, usize, usize)> {
        moves(active, busy, in_use, has_changed).iter().map(|each| (each.from, each.to, each.connections)).collect()
    }

    #[test]
    fn another_loop_gets_its_share_of_the_active_connections() {
        assert_eq!(moved(&[50, 0], &[1.0, 0.0], 2, true), [(0, 1, 25)]);
        assert_eq!(moved(&[3, 0], &[1.0, 0.0], 2, true), [(0, 1, 1)]);
        assert_eq!(moved(&[20, 20, 0], &[1.0, 1.0, 0.0], 3, true), [(0, 2, 6), (1, 2, 7)]);
        assert_eq!(moved(&[0, 0], &[0.0, 0.0], 2, true), []);
    }

    #[test]
    fn a_loop_that_is_left_out_gives_all_away() {
        assert_eq!(moved(&[25, 25], &[1.0, 1.0], 1, true), [(1, 0, 25)]);
        // Some had been idle.
        assert_eq!(moved(&[50, 3], &[1.0, 0.0], 1, false), [(1, 0, 3)]);
        assert_eq!(moved(&[4, 4, 4], &[0.2; 3], 2, true), [(2, 1, 2)]);
    }

    #[test]
    fn a_busy_loop_gives_to_one_that_has_fewer() {
        assert_eq!(moved(&[10, 2], &[1.0, 0.2], 2, false), [(0, 1, 4)]);
        assert_eq!(moved(&[10, 2], &[0.5, 0.1], 2, false), [], "each is answered in time");
        assert_eq!(moved(&[6, 5], &[1.0, 0.9], 2, false), []);
        assert_eq!(moved(&[7, 5], &[1.0, 0.9], 2, false), [], "the difference may be by chance");
    }
}
