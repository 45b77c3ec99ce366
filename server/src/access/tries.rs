//! Counts failed logins, for each address and for each name from each address.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::net::IpAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::network::network;

/// How long a failure counts, in milliseconds.
const PERIOD_MS: i64 = 60_000;
/// The largest number of entries: networks, and names of networks.
const ENTRIES_MAX: usize = 16 << 10;
/// The number of entries that are kept when entries are removed because there are too many. Each removal reads all of
/// them, so it removes many.
const ENTRIES_KEPT: usize = ENTRIES_MAX / 8 * 7;
/// The largest number of names of one network.
const NAMES_MAX: usize = 256;
/// An address may fail this many times as often as one name from it.
const NAMES_PER_ADDRESS: u32 = 10;

/// The failures of an address or of a name.
#[derive(Debug, Clone, Copy)]
struct Failures {
    count: u32,
    /// Passwords that were compared with remembered ones only, because a limit was reached. Those of a name without an
    /// entry count for its network.
    guesses: u32,
    since_ms: i64,
    /// Passwords that are being checked.
    pending: u32,
}

impl Failures {
    fn new(now_ms: i64) -> Self {
        Self { count: 0, guesses: 0, since_ms: now_ms, pending: 0 }
    }

    fn is_expired(&self, now_ms: i64) -> bool {
        now_ms.saturating_sub(self.since_ms) >= PERIOD_MS
    }

    /// The failures that still count.
    fn at(self, now_ms: i64) -> Self {
        if self.is_expired(now_ms) { Self { pending: self.pending, ..Self::new(now_ms) } } else { self }
    }

    /// Entries of a smaller weight are removed first: those with few failures, and of these the oldest.
    fn weight(&self) -> (u32, i64) {
        (self.count.saturating_add(self.guesses), self.since_ms)
    }
}

/// The failures of a network, and of names from it.
#[derive(Debug)]
struct Network {
    all: Failures,
    /// By a hash of the name. Names are as long as clients like.
    names: HashMap<u64, Failures>,
}

impl Network {
    /// Makes room for a name, if there are too many.
    fn make_room(&mut self) -> bool {
        let unused = self.names.iter().filter(|(_, failures)| failures.pending == 0);
        let least = unused.min_by_key(|(_, failures)| failures.weight()).map(|(name, _)| *name);
        self.names.len() >= NAMES_MAX && least.is_some_and(|name| self.names.remove(&name).is_some())
    }
}

/// A limit on failures that is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reached {
    /// The limit of one address, for all names together.
    Address,
    /// The limit of one name from one address.
    Name,
}

/// What a client with a name from an address may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Standing {
    /// The limit that is reached, if one is.
    pub reached: Option<Reached>,
    /// Whether a password may be compared with remembered ones, even if the limit of the address is reached.
    pub may_compare: bool,
}

/// Failed logins of the last minute.
///
/// A name is counted for each address, so that an address that guesses does not lock out the user elsewhere. Names that
/// no user has are counted as well: otherwise the limit would tell which names have users.
///
/// No limit counts the failures of other addresses. If there are too many entries, some of them are removed.
#[derive(Debug, Default)]
pub struct Tries {
    table: Mutex<Table>,
    hasher: RandomState,
}

impl Tries {
    /// Whether logins from an address have failed too often, for all names together.
    pub fn is_blocked(&self, from: IpAddr, max: u32, now_ms: i64) -> bool {
        let table = self.lock();
        let network = table.networks.get(&network(from));
        network.is_some_and(|network| network.all.at(now_ms).count >= max.saturating_mul(NAMES_PER_ADDRESS))
    }

    /// What a client with this name from an address may do.
    pub fn standing(&self, from: IpAddr, name: &str, max: u32, now_ms: i64) -> Standing {
        let table = self.lock();
        let Some(network) = table.networks.get(&network(from)) else {
            return Standing { reached: None, may_compare: true };
        };
        let all = network.all.at(now_ms);
        let of_name = network.names.get(&self.hash(name)).map(|failures| failures.at(now_ms));
        let is_name_blocked = of_name.is_some_and(|failures| failures.count >= max);
        let is_blocked = all.count >= max.saturating_mul(NAMES_PER_ADDRESS);
        let reached = match (is_name_blocked, is_blocked) {
            (true, _) => Some(Reached::Name),
            (false, true) => Some(Reached::Address),
            (false, false) => None,
        };
        let tried = of_name.map_or(all.guesses, |failures| failures.count.saturating_add(failures.guesses));
        Standing { reached, may_compare: tried < max }
    }

    /// Counts the failure of a token.
    pub fn failed(&self, from: IpAddr, now_ms: i64) {
        let mut table = self.lock();
        let all = table.entry(network(from), None, now_ms);
        all.count = all.count.saturating_add(1);
    }

    /// Counts a password that was only compared with remembered ones. Otherwise, these could be guessed without limit.
    ///
    /// This adds no entry for a name: an address whose limit is reached can send any number of names.
    pub fn guessed(&self, from: IpAddr, name: &str, now_ms: i64) {
        let (from, name) = (network(from), self.hash(name));
        let mut table = self.lock();
        let is_known = table.networks.get(&from).is_some_and(|network| network.names.contains_key(&name));
        let entry = table.entry(from, is_known.then_some(name), now_ms);
        entry.guesses = entry.guesses.saturating_add(1);
    }

    /// A client has logged in with a remembered password. For a minute, guesses of other names from its address do not
    /// keep it from logging in again.
    pub fn logged_in(&self, from: IpAddr, name: &str, now_ms: i64) {
        let mut table = self.lock();
        let entry = table.entry(network(from), Some(self.hash(name)), now_ms);
        if entry.count == 0 && entry.guesses == 0 {
            entry.since_ms = now_ms;
        }
    }

    /// Begins to check a password, unless the failures and the checks that run already reach the limit. Guesses on many
    /// connections at once therefore do not exceed it. The try counts as failed unless [`Try::succeeded`] is called.
    ///
    /// # Errors
    /// The limit that is reached.
    pub fn begin(&self, from: IpAddr, name: &str, max: u32, now_ms: i64) -> Result<Try<'_>, Reached> {
        let (from, name) = (network(from), self.hash(name));
        let mut table = self.lock();
        let reached = |failures: &Failures, max| {
            let failures = failures.at(now_ms);
            failures.count.saturating_add(failures.pending) >= max
        };
        if let Some(network) = table.networks.get(&from) {
            if reached(&network.all, max.saturating_mul(NAMES_PER_ADDRESS)) {
                return Err(Reached::Address);
            }
            if network.names.get(&name).is_some_and(|failures| reached(failures, max)) {
                return Err(Reached::Name);
            }
        }
        for name in [None, Some(name)] {
            table.entry(from, name, now_ms).pending += 1;
        }
        Ok(Try { tries: self, from, name, now_ms, succeeded: false })
    }

    fn hash(&self, name: &str) -> u64 {
        self.hasher.hash_one(name)
    }

    fn lock(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A password that is being checked. Dropping it ends the try.
#[derive(Debug)]
pub struct Try<'a> {
    tries: &'a Tries,
    from: IpAddr,
    name: u64,
    now_ms: i64,
    succeeded: bool,
}

impl Try<'_> {
    /// The password was right.
    pub fn succeeded(mut self) {
        self.succeeded = true;
    }
}

impl Drop for Try<'_> {
    fn drop(&mut self) {
        let mut table = self.tries.lock();
        for name in [None, Some(self.name)] {
            let entry = table.entry(self.from, name, self.now_ms);
            entry.pending = entry.pending.saturating_sub(1);
            if !self.succeeded {
                entry.count = entry.count.saturating_add(1);
            }
        }
    }
}

/// All entries. Those with passwords that are being checked are never removed; the queue of checks bounds their number.
#[derive(Debug, Default)]
struct Table {
    networks: HashMap<IpAddr, Network>,
    /// The number of networks and names.
    entries: usize,
}

impl Table {
    /// The entry of a network, or of a name from it, in the period of this time.
    fn entry(&mut self, network: IpAddr, name: Option<u64>, now_ms: i64) -> &mut Failures {
        let known = self.networks.get(&network);
        let is_known = known.is_some_and(|known| name.is_none_or(|name| known.names.contains_key(&name)));
        // A network and a name.
        if !is_known && self.entries + 2 > ENTRIES_MAX {
            self.make_room(now_ms);
        }
        let Self { networks, entries } = self;
        let network = networks.entry(network).or_insert_with(|| {
            *entries += 1;
            Network { all: Failures::new(now_ms), names: HashMap::new() }
        });
        let failures = match name {
            None => &mut network.all,
            Some(name) => {
                if !is_known && network.make_room() {
                    *entries -= 1;
                }
                network.names.entry(name).or_insert_with(|| {
                    *entries += 1;
                    Failures::new(now_ms)
                })
            }
        };
        *failures = failures.at(now_ms);
        failures
    }

    /// Removes entries that have expired and, if too many remain, those of the smallest weights.
    fn make_room(&mut self, now_ms: i64) {
        self.remove(|failures| failures.is_expired(now_ms));
        let Some(last) = self.entries.checked_sub(ENTRIES_KEPT + 1) else { return };
        let mut weights: Vec<_> = self.networks.values().flat_map(removable).map(Failures::weight).collect();
        let last = last.min(weights.len().saturating_sub(1));
        if weights.is_empty() {
            return;
        }
        let (_, &mut greatest, _) = weights.select_nth_unstable(last);
        let mut left = last + 1;
        self.remove(|failures| {
            let removed = left > 0 && failures.weight() <= greatest;
            left -= usize::from(removed);
            removed
        });
    }

    /// Removes entries for which the function returns true. A network is removed after its names.
    fn remove(&mut self, mut is_removed: impl FnMut(&Failures) -> bool) {
        let mut is_kept = |failures: &Failures| failures.pending > 0 || !is_removed(failures);
        self.networks.retain(|_, network| {
            network.names.retain(|_, failures| is_kept(failures));
            !network.names.is_empty() || is_kept(&network.all)
        });
        self.entries = self.networks.values().map(|network| 1 + network.names.len()).sum();
    }
}

/// The entries of a network that can be removed: its names, or itself if it has none.
fn removable(network: &Network) -> impl Iterator<Item = &Failures> {
    let itself = network.names.is_empty().then_some(&network.all);
    network.names.values().chain(itself).filter(|failures| failures.pending == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    /// A login with a wrong password. Returns whether the password was checked.
    fn fails(tries: &Tries, from: IpAddr, name: &str, max: u32, now_ms: i64) -> bool {
        let begun = match tries.standing(from, name, max, now_ms).reached {
            None => tries.begin(from, name, max, now_ms).map(drop).is_ok(),
            Some(_) => false,
        };
        if !begun {
            tries.guessed(from, name, now_ms);
        }
        begun
    }

    fn is_name_blocked(tries: &Tries, from: IpAddr, name: &str, max: u32, now_ms: i64) -> bool {
        tries.standing(from, name, max, now_ms).reached == Some(Reached::Name)
    }

    fn entries(tries: &Tries) -> usize {
        let table = tries.lock();
        assert_eq!(table.entries, table.networks.values().map(|network| 1 + network.names.len()).sum::<usize>());
        table.entries
    }

    #[test]
    fn a_name_is_blocked_for_one_address_and_one_minute() {
        let (tries, alice, bob) = (Tries::default(), "alice", "bob");
        let (here, there) = (address("10.0.0.1"), address("10.0.0.2"));
        for n in 0..3 {
            assert!(!is_name_blocked(&tries, here, alice, 3, 1000), "after {n}");
            assert!(fails(&tries, here, alice, 3, 1000));
        }
        assert!(is_name_blocked(&tries, here, alice, 3, 60_999));
        assert!(!is_name_blocked(&tries, here, alice, 3, 61_000));
        assert!(!is_name_blocked(&tries, there, alice, 3, 1000) && !is_name_blocked(&tries, here, bob, 3, 1000));
    }

    #[test]
    fn tries_at_the_same_time_count_together() {
        let (tries, alice, here) = (Tries::default(), "alice", address("10.0.0.1"));
        let first = tries.begin(here, alice, 2, 0).unwrap();
        let second = tries.begin(here, alice, 2, 0).unwrap();
        assert!(tries.begin(here, alice, 2, 0).is_err() && !is_name_blocked(&tries, here, alice, 2, 0));
        first.succeeded();
        drop(second);
        drop(tries.begin(here, alice, 2, 0).unwrap());
        assert!(tries.begin(here, alice, 2, 0).is_err() && is_name_blocked(&tries, here, alice, 2, 0));
    }

    #[test]
    fn an_address_is_blocked_after_failures_of_any_names() {
        let tries = Tries::default();
        for n in 0..30 {
            assert!(!tries.is_blocked(address("2001:db8::1"), 3, 0), "after {n}");
            // One client has the whole network.
            tries.failed(address(&format!("2001:db8::{n:x}")), 0);
        }
        assert!(tries.is_blocked(address("2001:db8::ffff"), 3, 0) && !tries.is_blocked(address("2001:db8:1::1"), 3, 0));
    }

    #[test]
    fn a_blocked_address_adds_no_entries() {
        let (tries, here) = (Tries::default(), address("10.0.0.1"));
        let checked = (0..20_000).filter(|n| fails(&tries, here, &format!("nobody-{n}"), 3, 0)).count();
        assert_eq!((checked, entries(&tries)), (30, 31));
        let standing = tries.standing(address("10.0.0.2"), "alice", 3, 0);
        assert_eq!(standing, Standing { reached: None, may_compare: true }, "another address");
    }

    #[test]
    fn one_network_has_a_small_share_of_the_entries() {
        let (tries, here) = (Tries::default(), address("10.0.0.1"));
        fails(&tries, here, "alice", u32::MAX, 0);
        for n in 0..1000 {
            fails(&tries, here, "alice", u32::MAX, 0);
            fails(&tries, here, &format!("nobody-{n}"), u32::MAX, 0);
        }
        assert_eq!(entries(&tries), 1 + NAMES_MAX);
        assert!(is_name_blocked(&tries, here, "alice", 1001, 0), "the name with the most failures is kept");
    }

    #[test]
    fn entries_are_bounded_and_never_shared() {
        let (tries, blocked) = (Tries::default(), address("200.0.0.1"));
        for _ in 0..10 {
            assert!(fails(&tries, blocked, "alice", 10, 0));
        }
        let pending = tries.begin(address("200.0.0.2"), "alice", 10, 0).unwrap();
        for n in 0..(2 * ENTRIES_MAX as u32) {
            let from = std::net::Ipv4Addr::from(n).into();
            assert_eq!(tries.standing(from, "alice", 1, 1), Standing { reached: None, may_compare: true });
            fails(&tries, from, "alice", 1, 1);
            assert!(n % 1000 > 0 || entries(&tries) <= ENTRIES_MAX);
        }
        assert!(is_name_blocked(&tries, blocked, "alice", 10, 1), "addresses with one failure are removed first");
        drop(pending);
        assert!(is_name_blocked(&tries, address("200.0.0.2"), "alice", 1, 1), "a check that runs keeps its entry");
        tries.failed(address("200.0.0.3"), PERIOD_MS + 1);
        assert!(entries(&tries) > 1);
        for n in 0..(ENTRIES_MAX as u32) {
            tries.failed(std::net::Ipv4Addr::from(n).into(), PERIOD_MS + 1);
        }
        assert!(!tries.lock().networks.contains_key(&blocked), "what has expired is removed");
    }

    #[test]
    fn remembered_passwords_cannot_be_guessed_without_limit() {
        let (tries, here) = (Tries::default(), address("10.0.0.1"));
        let may_compare = |name| tries.standing(here, name, 3, 0).may_compare;
        tries.logged_in(here, "alice", 0);
        for _ in 0..30 {
            tries.failed(here, 0);
        }
        for n in 0..3 {
            assert!(may_compare("bob"));
            tries.guessed(here, &format!("nobody-{n}"), 0);
        }
        assert!(!may_compare("bob"), "names without an entry count together");
        for _ in 0..3 {
            assert!(may_compare("alice"), "she has logged in here");
            tries.guessed(here, "alice", 0);
        }
        assert!(!may_compare("alice") && entries(&tries) == 2);
        // The refusal does not tell which of the names has logged in.
        for name in ["alice", "bob"] {
            assert_eq!(tries.standing(here, name, 3, 0).reached, Some(Reached::Address));
            assert_eq!(tries.standing(here, name, 3, PERIOD_MS), Standing { reached: None, may_compare: true });
        }
    }
}
