//! The decision how many event loops share the connections, from measurements of their load.
//!
//! One more loop helps when the loops in use are busy and cores are idle, which is so when the clients are on other
//! machines or wait for most of the time. It harms when the clients need the cores. What happens depends on more than
//! can be measured beforehand, so a change is tried, and kept if the server then answers more calls.

use std::collections::VecDeque;
use std::time::Duration;

/// The time of one measurement.
pub const WINDOW: Duration = Duration::from_millis(50);

/// A loop that uses this share of a core is busy.
pub const BUSY: f64 = 0.8;
/// The number of idle cores with which one more loop is tried. With more loops, each call takes longer, since threads
/// are woken more often.
const IDLE: f64 = 0.4;
/// Loops in use that get a smaller share of a core may be too many: the clients or other programs may need the cores.
const FULL: f64 = 0.95;
/// If the loops would be this busy, or less, there is one less.
const FITS: f64 = 0.6;
/// The number of windows with the same need before a change is tried, which also measure the rate before it.
const WINDOWS_BEFORE: u32 = 10;
/// The number of windows after a change in which connections move. They are not measured.
const WINDOWS_OF_CHANGE: u32 = 1;
/// The number of windows that measure the rate after a change.
const WINDOWS_AFTER: u32 = 5;
/// One more loop stays in use if the rate of calls grows by this factor.
const GAIN: f64 = 1.05;
/// One less stays if it falls to no less than this part.
const LOSS: f64 = 0.98;
/// The number of windows until the next trial of the same kind. Doubled after each trial without success.
const PAUSE: u32 = 20;
const PAUSE_MAX: u32 = 1280;
/// The number of windows with little load after which earlier trials say nothing about the next load.
const REST: u32 = 20;
/// Calls that take so many times as long as those of a trial, or so many times less, are another load.
const OTHER: f64 = 1.3;

/// The load of the loops in one window.
#[derive(Debug, Clone, Copy)]
pub struct Load {
    /// The calls that were answered, per second.
    pub rate: f64,
    /// The cores that the loops used, without busy polling.
    pub busy: f64,
    /// The cores that were idle.
    pub idle: f64,
    /// The number of connections that had an answer.
    pub active: usize,
}

impl Load {
    /// The time that a loop takes for a call, in seconds.
    fn cost(&self) -> f64 {
        self.busy / self.rate.max(1.0)
    }

    /// The mean of several windows, and the most connections of one. One window is too short for the time that cores
    /// are idle, which the system may count in steps of 10 ms.
    fn mean(windows: &VecDeque<Load>) -> Self {
        let mean = |of: fn(&Load) -> f64| windows.iter().map(of).sum::<f64>() / windows.len().max(1) as f64;
        let active = windows.iter().map(|load| load.active).max().unwrap_or_default();
        Self { rate: mean(|load| load.rate), busy: mean(|load| load.busy), idle: mean(|load| load.idle), active }
    }
}

/// Decides how many loops are in use.
#[derive(Debug)]
pub struct Policy {
    least: usize,
    most: usize,
    in_use: usize,
    more: Trials,
    fewer: Trials,
    /// The number of windows in a row with little load.
    rest: u32,
    phase: Phase,
}

/// When a kind of change is tried.
#[derive(Debug)]
struct Trials {
    /// The number of windows until the next one.
    wait: u32,
    /// That number after one without success.
    pause: u32,
    /// The time that calls took in the last one without success, in seconds.
    cost: Option<f64>,
}

#[derive(Debug)]
enum Phase {
    /// No change is being tried. The loads of the last windows, [`WINDOWS_BEFORE`] at most.
    Steady(VecDeque<Load>),
    /// A change is being tried. The load before it, and the sum of the rates since then.
    Trial { change: Change, before: Load, windows: u32, rates: f64 },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Change {
    More,
    Fewer,
}

impl Trials {
    fn new() -> Self {
        Self { wait: 0, pause: PAUSE, cost: None }
    }

    /// Counts a trial that changed nothing, with calls that take this time.
    fn failed(&mut self, cost: f64) {
        self.wait = self.pause;
        self.pause = (self.pause * 2).min(PAUSE_MAX);
        self.cost = Some(cost);
    }

    /// Begins again if calls that take this time are another load than that of the last trial.
    fn loaded(&mut self, cost: f64) {
        if self.cost.is_some_and(|before| cost > before * OTHER || cost * OTHER < before) {
            *self = Self::new();
        }
    }
}

impl Policy {
    /// Between `least` and `most` loops are in use, `least` of them at first.
    pub fn new(least: usize, most: usize) -> Self {
        let phase = Phase::Steady(VecDeque::new());
        Self { least, most, in_use: least, more: Trials::new(), fewer: Trials::new(), rest: 0, phase }
    }

    /// Counts windows with little load that were not measured.
    pub fn rested(&mut self, windows: u32) {
        self.rest = self.rest.saturating_add(windows);
        if self.rest >= REST {
            (self.more, self.fewer) = (Trials::new(), Trials::new());
        }
        self.more.wait = self.more.wait.saturating_sub(windows);
        self.fewer.wait = self.fewer.wait.saturating_sub(windows);
    }

    /// Counts a window. Returns the number of loops that are in use from now on.
    pub fn measured(&mut self, load: &Load) -> usize {
        self.more.wait = self.more.wait.saturating_sub(1);
        self.fewer.wait = self.fewer.wait.saturating_sub(1);
        let in_use = self.in_use as f64;
        if self.in_use > self.least && load.busy <= FITS * (in_use - 1.0) {
            self.in_use -= 1;
            self.phase = Phase::Steady(VecDeque::new());
            return self.in_use;
        }
        if self.in_use == self.least && load.busy < BUSY / 2.0 * in_use {
            self.rested(1);
            self.phase = Phase::Steady(VecDeque::new());
            return self.in_use;
        }
        self.rest = 0;
        match &mut self.phase {
            Phase::Steady(loads) => {
                loads.push_back(*load);
                if loads.len() > WINDOWS_BEFORE as usize {
                    loads.pop_front();
                }
                if loads.len() == WINDOWS_BEFORE as usize {
                    let mean = Load::mean(loads);
                    let cost = mean.cost();
                    self.more.loaded(cost);
                    self.fewer.loaded(cost);
                    if let Some(change) = self.wanted(&mean) {
                        self.apply(change);
                        self.phase = Phase::Trial { change, before: mean, windows: 0, rates: 0.0 };
                    }
                }
            }
            Phase::Trial { change, before, windows, rates } => {
                *windows += 1;
                *rates += if *windows > WINDOWS_OF_CHANGE { load.rate } else { 0.0 };
                if *windows == WINDOWS_OF_CHANGE + WINDOWS_AFTER {
                    let ratio = *rates / f64::from(WINDOWS_AFTER) / before.rate.max(1.0);
                    let (change, cost) = (*change, before.cost());
                    self.tried(change, ratio, cost);
                    self.phase = Phase::Steady(VecDeque::new());
                }
            }
        }
        self.in_use
    }

    /// Whether as few loops as possible are in use, and no change is being tried.
    pub fn is_at_rest(&self) -> bool {
        self.in_use == self.least && matches!(self.phase, Phase::Steady(_))
    }

    /// The change that this load gives a reason for.
    fn wanted(&self, load: &Load) -> Option<Change> {
        let in_use = self.in_use as f64;
        let may_grow = self.in_use < self.most && load.active > self.in_use && self.more.wait == 0;
        if may_grow && load.busy >= BUSY * in_use && load.idle >= IDLE {
            return Some(Change::More);
        }
        let may_shrink = self.in_use > self.least && self.fewer.wait == 0;
        (may_shrink && load.busy < FULL * in_use).then_some(Change::Fewer)
    }

    fn apply(&mut self, change: Change) {
        match change {
            Change::More => self.in_use += 1,
            Change::Fewer => self.in_use -= 1,
        }
    }

    /// Keeps a change that was tried, or takes it back. `ratio`: the rate of calls divided by that before. `cost`: the
    /// time that a call took before.
    fn tried(&mut self, change: Change, ratio: f64, cost: f64) {
        match change {
            // Clients may just have begun to call more often. That is so if as many calls are answered with one less.
            Change::More if ratio >= GAIN => self.fewer = Trials::new(),
            Change::More => {
                self.apply(Change::Fewer);
                self.more.failed(cost);
            }
            // The gain of the loop was by chance, or the load has changed.
            Change::Fewer if ratio >= LOSS => self.more.failed(cost),
            Change::Fewer => {
                self.apply(Change::More);
                self.fewer.failed(cost);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A machine on which the loops answer calls.
    struct Machine {
        cores: f64,
        /// The time that a call takes on a loop and in the client, in core seconds.
        server: f64,
        client: f64,
        /// How much longer calls take on both sides for each loop after the first one.
        slower: f64,
        connections: usize,
    }

    impl Machine {
        /// The load if the clients call without a pause.
        fn load(&self, loops: usize) -> Load {
            let slower = 1.0 + self.slower * (loops - 1) as f64;
            let (server, client) = (self.server * slower, self.client * slower);
            // All cores are used, or all loops, or the client, which has one thread.
            let rate = (self.cores / (server + client)).min(loops as f64 / server);
            let rate = if client > 0.0 { rate.min(1.0 / client) } else { rate };
            let busy = rate * server;
            Load { rate, busy, idle: self.cores - rate * (server + client), active: self.connections }
        }

        /// The numbers of loops in use in these windows.
        fn run(&self, policy: &mut Policy, windows: usize) -> Vec<usize> {
            let mut in_use = policy.in_use;
            (0..windows)
                .map(|_| {
                    in_use = policy.measured(&self.load(in_use));
                    in_use
                })
                .collect()
        }
    }

    /// How many of the last windows have this number of loops, in percent.
    fn share(windows: &[usize], loops: usize) -> usize {
        windows.iter().filter(|in_use| **in_use == loops).count() * 100 / windows.len()
    }

    const REMOTE: Machine = Machine { cores: 2.0, server: 10e-6, client: 0.0, slower: 0.05, connections: 50 };

    #[test]
    fn clients_on_other_machines_get_all_cores() {
        let mut policy = Policy::new(1, 2);
        let windows = REMOTE.run(&mut policy, 100);
        assert_eq!(windows[8..10], [1, 2]);
        assert!(share(&windows[10..], 2) >= 90, "{windows:?}");
        let mut policy = Policy::new(4, 8);
        let windows = Machine { cores: 8.0, ..REMOTE }.run(&mut policy, 100);
        assert_eq!(windows.last(), Some(&8), "{windows:?}");
    }

    /// The client needs as much of the processor as the loop, and two loops wake more often.
    #[test]
    fn clients_that_need_the_other_core_keep_it() {
        let machine = Machine { server: 8e-6, client: 8e-6, slower: 0.4, ..REMOTE };
        assert!(machine.run(&mut Policy::new(1, 2), 2000).iter().all(|in_use| *in_use == 1));
    }

    /// The client leaves half of its core, and another loop makes everything so much slower that nothing is gained.
    #[test]
    fn a_loop_that_gains_nothing_is_tried_ever_more_rarely() {
        let machine = Machine { server: 10e-6, client: 5e-6, slower: 0.4, ..REMOTE };
        let windows = machine.run(&mut Policy::new(1, 2), 5000);
        assert!(windows.contains(&2) && share(&windows, 1) >= 98, "{}", share(&windows, 1));
    }

    #[test]
    fn a_loop_that_gains_something_is_kept_although_no_core_is_idle() {
        let machine = Machine { server: 16e-6, client: 8e-6, slower: 0.05, ..REMOTE };
        let windows = machine.run(&mut Policy::new(1, 2), 5000);
        assert!(share(&windows, 2) >= 98, "{}", share(&windows, 2));
    }

    /// Puts by a client that uses half of its core, then gets, for which it needs all of it.
    #[test]
    fn another_load_is_noticed() {
        let mut policy = Policy::new(1, 2);
        let puts = Machine { server: 16e-6, client: 8e-6, slower: 0.05, ..REMOTE };
        assert!(share(&puts.run(&mut policy, 500)[20..], 2) >= 90);
        let gets = Machine { server: 8e-6, client: 8e-6, slower: 0.4, ..REMOTE };
        let windows = gets.run(&mut policy, 1000);
        assert!(share(&windows[500..], 1) >= 90, "{windows:?}");
    }

    /// The clients pause for some windows now and then.
    #[test]
    fn a_short_pause_of_the_clients_changes_nothing() {
        let machine = Machine { server: 10e-6, client: 5e-6, slower: 0.4, ..REMOTE };
        let little = Load { rate: 1e3, busy: 0.01, idle: 1.9, active: 50 };
        let mut policy = Policy::new(1, 2);
        let mut windows = Vec::new();
        for _ in 0..100 {
            windows.extend(machine.run(&mut policy, 38));
            windows.extend([policy.measured(&little), policy.measured(&little)]);
        }
        assert!(windows.contains(&2) && share(&windows, 1) >= 98, "{}", share(&windows, 1));
        policy.rested(REST);
        assert!(machine.run(&mut policy, 20).contains(&2), "another load may follow a longer one");
    }

    /// However long the loop has been of use before.
    #[test]
    fn a_loop_is_given_up_soon_when_the_load_has_changed() {
        let puts = Machine { server: 16e-6, client: 8e-6, slower: 0.05, ..REMOTE };
        let gets = Machine { server: 8e-6, client: 8e-6, slower: 0.4, ..REMOTE };
        for before in [100, 1000, 3000, 12_000] {
            let mut policy = Policy::new(1, 2);
            puts.run(&mut policy, before);
            let windows = gets.run(&mut policy, 400);
            assert!(share(&windows[40..], 1) >= 95, "after {before}: {windows:?}");
        }
    }

    #[test]
    fn loops_that_have_little_to_do_are_left_out() {
        let mut policy = Policy::new(1, 4);
        let machine = Machine { cores: 4.0, ..REMOTE };
        machine.run(&mut policy, 100);
        assert_eq!(policy.in_use, 4);
        let little = Load { rate: 1e3, busy: 0.01, idle: 3.9, active: 50 };
        assert_eq!([0; 4].map(|_| policy.measured(&little)), [3, 2, 1, 1]);
        assert_eq!(machine.run(&mut policy, 10).last(), Some(&2), "soon again");
    }

    #[test]
    fn a_single_connection_needs_a_single_loop() {
        let machine = Machine { connections: 1, ..REMOTE };
        assert!(machine.run(&mut Policy::new(1, 2), 200).iter().all(|in_use| *in_use == 1));
    }

    #[test]
    fn a_fixed_number_stays() {
        assert!(REMOTE.run(&mut Policy::new(2, 2), 200).iter().all(|in_use| *in_use == 2));
    }
}
