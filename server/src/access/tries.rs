//! Counts failed logins, for each address and for each name from each address.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// How long a failure counts, in milliseconds.
const PERIOD_MS: i64 = 60_000;
/// The largest number of entries. All further names and addresses share one entry.
const ENTRIES_MAX: usize = 16 << 10;
/// An address may fail this many times as often as one name from it.
const NAMES_PER_ADDRESS: u32 = 10;
/// The names and addresses that share an entry may fail together this many times as often as one address.
const ADDRESSES_PER_ENTRY: u32 = 10;

/// The names and addresses for which failures are counted.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Key {
    Address(IpAddr),
    /// A hash of the name. Names are as long as clients like.
    Name(IpAddr, u64),
    Others,
}

#[derive(Debug, Clone, Copy, Default)]
struct Failures {
    count: u32,
    since_ms: i64,
    /// Passwords that are being checked.
    pending: u32,
}

/// A limit on failures that is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reached {
    /// The limit of one address, for all names together.
    Address,
    /// The limit of one name from one address.
    Name,
}

/// Failed logins of the last minute.
///
/// A name is counted for each address, so that an address that guesses does not lock out the user elsewhere. Names that
/// no user has are counted as well: otherwise the limit would tell which names have users.
#[derive(Debug, Default)]
pub struct Tries {
    failures: Mutex<HashMap<Key, Failures>>,
    hasher: RandomState,
}

impl Tries {
    /// Whether logins from an address have failed too often, for all names together.
    pub fn is_blocked(&self, from: IpAddr, max: u32, now_ms: i64) -> bool {
        reached(&self.lock(), &Key::Address(network(from)), max, now_ms, false)
    }

    /// Whether logins with a name from an address have failed too often.
    pub fn is_name_blocked(&self, from: IpAddr, name: &str, max: u32, now_ms: i64) -> bool {
        reached(&self.lock(), &self.of_name(from, name), max, now_ms, false)
    }

    /// Counts a failure. `name` is `None` for a token.
    pub fn failed(&self, from: IpAddr, name: Option<&str>, now_ms: i64) {
        let mut failures = self.lock();
        for key in self.keys(from, name) {
            let entry = entry(&mut failures, key, now_ms);
            entry.count = entry.count.saturating_add(1);
        }
    }

    /// Begins to check a password, unless the failures and the checks that run already reach the limit. Guesses on many
    /// connections at once therefore do not exceed it. The try counts as failed unless [`Try::succeeded`] is called.
    ///
    /// # Errors
    /// The limit that is reached.
    pub fn begin(&self, from: IpAddr, name: &str, max: u32, now_ms: i64) -> Result<Try<'_>, Reached> {
        let mut failures = self.lock();
        let keys: Vec<_> = self.keys(from, Some(name)).collect();
        match keys.iter().find(|key| reached(&failures, key, max, now_ms, true)) {
            None => {}
            Some(Key::Name(..)) => return Err(Reached::Name),
            Some(Key::Address(_) | Key::Others) => return Err(Reached::Address),
        }
        for key in &keys {
            entry(&mut failures, key.clone(), now_ms).pending += 1;
        }
        Ok(Try { tries: self, keys, now_ms, succeeded: false })
    }

    fn keys(&self, from: IpAddr, name: Option<&str>) -> impl Iterator<Item = Key> {
        [Some(Key::Address(network(from))), name.map(|name| self.of_name(from, name))].into_iter().flatten()
    }

    fn of_name(&self, from: IpAddr, name: &str) -> Key {
        Key::Name(network(from), self.hasher.hash_one(name))
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Key, Failures>> {
        self.failures.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A password that is being checked. Dropping it ends the try.
#[derive(Debug)]
pub struct Try<'a> {
    tries: &'a Tries,
    keys: Vec<Key>,
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
        let mut failures = self.tries.lock();
        for key in self.keys.drain(..) {
            let entry = entry(&mut failures, key, self.now_ms);
            entry.pending = entry.pending.saturating_sub(1);
            if !self.succeeded {
                entry.count = entry.count.saturating_add(1);
            }
        }
    }
}

/// The entry of a key, or the one that keys without an entry share.
fn entry(failures: &mut HashMap<Key, Failures>, key: Key, now_ms: i64) -> &mut Failures {
    let expired = |entry: &Failures| now_ms.saturating_sub(entry.since_ms) >= PERIOD_MS;
    if failures.len() >= ENTRIES_MAX && !failures.contains_key(&key) {
        failures.retain(|_, entry| !expired(entry) || entry.pending > 0);
    }
    let key = if failures.len() >= ENTRIES_MAX && !failures.contains_key(&key) { Key::Others } else { key };
    let entry = failures.entry(key).or_insert(Failures { since_ms: now_ms, ..Failures::default() });
    if expired(entry) {
        *entry = Failures { count: 0, since_ms: now_ms, pending: entry.pending };
    }
    entry
}

/// Whether the failures of a key have reached their limit. With `pending`, passwords that are being checked count as
/// failures.
fn reached(failures: &HashMap<Key, Failures>, key: &Key, max: u32, now_ms: i64, pending: bool) -> bool {
    let max = if matches!(key, Key::Name(..)) { max } else { max.saturating_mul(NAMES_PER_ADDRESS) };
    let (entry, max) = match failures.get(key) {
        None if failures.len() >= ENTRIES_MAX => {
            (failures.get(&Key::Others), max.saturating_mul(NAMES_PER_ADDRESS * ADDRESSES_PER_ENTRY))
        }
        entry => (entry, max),
    };
    let Some(entry) = entry else { return false };
    let current = now_ms.saturating_sub(entry.since_ms) < PERIOD_MS;
    let count = if current { entry.count } else { 0 };
    count.saturating_add(if pending { entry.pending } else { 0 }) >= max
}

/// The address, or the network of an IPv6 address, since one client commonly has all addresses of a /64.
pub(super) fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() & !u128::from(u64::MAX)).into(),
        v4 => v4,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn address(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn a_name_is_blocked_for_one_address_and_one_minute() {
        let (tries, alice, bob) = (Tries::default(), "alice", "bob");
        let (here, there) = (address("10.0.0.1"), address("10.0.0.2"));
        for n in 0..3 {
            assert!(!tries.is_name_blocked(here, alice, 3, 1000), "after {n}");
            tries.failed(here, Some(alice), 1000);
        }
        assert!(tries.is_name_blocked(here, alice, 3, 60_999));
        assert!(!tries.is_name_blocked(here, alice, 3, 61_000));
        assert!(!tries.is_name_blocked(there, alice, 3, 1000) && !tries.is_name_blocked(here, bob, 3, 1000));
    }

    #[test]
    fn tries_at_the_same_time_count_together() {
        let (tries, alice, here) = (Tries::default(), "alice", address("10.0.0.1"));
        let first = tries.begin(here, alice, 2, 0).unwrap();
        let second = tries.begin(here, alice, 2, 0).unwrap();
        assert!(tries.begin(here, alice, 2, 0).is_err() && !tries.is_name_blocked(here, alice, 2, 0));
        first.succeeded();
        drop(second);
        drop(tries.begin(here, alice, 2, 0).unwrap());
        assert!(tries.begin(here, alice, 2, 0).is_err() && tries.is_name_blocked(here, alice, 2, 0));
    }

    #[test]
    fn an_address_is_blocked_after_failures_of_any_names() {
        let tries = Tries::default();
        for n in 0..30 {
            assert!(!tries.is_blocked(address("2001:db8::1"), 3, 0), "after {n}");
            // One client has the whole network.
            tries.failed(address(&format!("2001:db8::{n:x}")), None, 0);
        }
        assert!(tries.is_blocked(address("2001:db8::ffff"), 3, 0) && !tries.is_blocked(address("2001:db8:1::1"), 3, 0));
    }

    #[test]
    fn memory_is_bounded_and_newcomers_share_an_entry() {
        let tries = Tries::default();
        for n in 0..(ENTRIES_MAX as u32 + 1000) {
            tries.failed(std::net::Ipv4Addr::from(n).into(), None, 0);
        }
        assert!(tries.failures.lock().unwrap().len() <= ENTRIES_MAX + 1);
        assert!(tries.is_blocked(address("200.0.0.1"), 1, 0), "they are counted together");
        tries.failed(address("200.0.0.1"), None, PERIOD_MS);
        assert_eq!(tries.failures.lock().unwrap().len(), 1, "what has expired is removed");
    }
}
