//! The limit on the memory of messages and replies of all connections, and its division among clients.
//!
//! The quota has two pools. Small buffers take theirs from a reserve, so that calls with small messages and replies are
//! served while large ones fill the rest. In each pool, what a client and a connection may hold depends on the memory
//! that is still free: a client at most [`CLIENT_SHARE`] times as much, a connection [`CONNECTION_SHARE`] times. A
//! single client can therefore use most of the pool, every further client finds free memory, and the more clients
//! compete, the smaller the share of each.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::account::Account;

/// Smaller buffers are not counted, because the limit on connections bounds their total.
const UNCOUNTED_BYTES: usize = 8 << 10;
/// The largest buffer that takes its memory from the reserve.
const SMALL_BYTES_MAX: usize = 64 << 10;
/// The reserve is this fraction of the quota.
const RESERVE_DIVISOR: usize = 16;
/// The largest reserve.
const RESERVE_BYTES_MAX: usize = 64 << 20;
/// The reserve has room for at least this number of small buffers.
const SMALL_BUFFERS_MIN: usize = 16;
/// The bytes that a client may hold, as a multiple of the bytes that remain free.
const CLIENT_SHARE: usize = 3;
/// The bytes that a connection may hold, as a multiple of the bytes that remain free.
const CONNECTION_SHARE: usize = 2;

/// Memory that no call needs is claimed while all claims take at most this fraction of the quota.
const SPARE_DIVISOR: usize = 32;

/// The number of pools.
pub(super) const POOLS: usize = 2;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pool {
    /// The reserve for small buffers.
    Small,
    /// All other memory. Small buffers use it as well when the reserve is used up.
    Large,
}

/// A limit on the bytes that all connections together may use. It can change at any time.
#[derive(Debug)]
pub struct MemoryQuota {
    used: [AtomicUsize; POOLS],
    max: AtomicUsize,
}

impl MemoryQuota {
    /// An unused quota.
    pub fn new(max: usize) -> Self {
        Self { used: Default::default(), max: AtomicUsize::new(max) }
    }

    /// Changes the limit. Existing claims remain even if they exceed it.
    pub fn set_max(&self, max: usize) {
        self.max.store(max, Ordering::Relaxed);
    }

    /// The number of bytes claimed.
    pub fn used(&self) -> usize {
        self.used.iter().map(|used| used.load(Ordering::Relaxed)).sum()
    }

    fn reserve(&self) -> usize {
        (self.max.load(Ordering::Relaxed) / RESERVE_DIVISOR).min(RESERVE_BYTES_MAX)
    }

    /// The largest buffer that is small.
    fn small_bytes(&self) -> usize {
        (self.reserve() / SMALL_BUFFERS_MIN).min(SMALL_BYTES_MAX)
    }

    fn alone_max(&self) -> usize {
        self.pool_max(Pool::Large) / (CONNECTION_SHARE + 1) * CONNECTION_SHARE
    }

    fn pool_max(&self, pool: Pool) -> usize {
        match pool {
            Pool::Small => self.reserve(),
            Pool::Large => self.max.load(Ordering::Relaxed).saturating_sub(self.reserve()),
        }
    }
}

/// The largest message that a connection can send with a quota of this size.
pub fn largest_message(max: usize) -> usize {
    let quota = MemoryQuota::new(max);
    quota.alone_max().max(quota.small_bytes())
}

/// A connection as a holder of memory.
#[derive(Debug)]
pub struct MemoryHolder {
    quota: Arc<MemoryQuota>,
    /// The account of its client.
    pub account: Arc<Account>,
    held: [AtomicUsize; POOLS],
}

impl MemoryHolder {
    /// A connection of this client, which holds nothing.
    pub fn new(quota: Arc<MemoryQuota>, account: Arc<Account>) -> Arc<Self> {
        Arc::new(Self { quota, account, held: Default::default() })
    }

    /// An empty claim, which its owner resizes.
    pub fn claim(self: &Arc<Self>) -> MemoryClaim {
        MemoryClaim { holder: self.clone(), pool: Pool::Small, bytes: 0 }
    }

    /// The most that a connection can hold in large buffers, while all other memory is free.
    pub fn alone_max(&self) -> usize {
        self.quota.alone_max()
    }

    /// Whether a connection can hold this much, now or later.
    fn can_hold(&self, bytes: usize) -> bool {
        bytes <= self.alone_max().max(self.quota.small_bytes())
    }

    /// Takes memory of a pool. Returns `false`, and changes nothing, if the pool, the client or the connection has no
    /// room.
    fn try_take(&self, pool: Pool, more: usize) -> bool {
        let max = self.quota.pool_max(pool);
        let mut free = 0;
        let taken = self.quota.used[pool as usize].fetch_update(Ordering::Relaxed, Ordering::Relaxed, |used| {
            let used = used.checked_add(more).filter(|used| *used <= max)?;
            free = max - used;
            Some(used)
        });
        if taken.is_err() {
            return false;
        }
        let client = &self.account.held[pool as usize];
        if add_up_to(client, more, free.saturating_mul(CLIENT_SHARE)) {
            if add_up_to(&self.held[pool as usize], more, free.saturating_mul(CONNECTION_SHARE)) {
                return true;
            }
            client.fetch_sub(more, Ordering::Relaxed);
        }
        self.quota.used[pool as usize].fetch_sub(more, Ordering::Relaxed);
        false
    }

    /// Takes memory that is already in use.
    fn take(&self, pool: Pool, more: usize) {
        for held in [&self.quota.used, &self.account.held, &self.held] {
            held[pool as usize].fetch_add(more, Ordering::Relaxed);
        }
    }

    fn release(&self, pool: Pool, less: usize) {
        for held in [&self.quota.used, &self.account.held, &self.held] {
            held[pool as usize].fetch_sub(less, Ordering::Relaxed);
        }
    }
}

/// Adds to a counter, unless the sum exceeds `max`.
fn add_up_to(counter: &AtomicUsize, more: usize, max: usize) -> bool {
    let sum = |held: usize| held.checked_add(more).filter(|held| *held <= max);
    counter.fetch_update(Ordering::Relaxed, Ordering::Relaxed, sum).is_ok()
}

/// The memory of one buffer, released when it is dropped.
#[derive(Debug)]
pub struct MemoryClaim {
    holder: Arc<MemoryHolder>,
    pool: Pool,
    bytes: usize,
}

impl MemoryClaim {
    /// Whether a buffer of this size has to be claimed.
    pub fn is_counted(bytes: usize) -> bool {
        bytes > UNCOUNTED_BYTES
    }

    /// The size of the claim.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Changes the claim. Returns `false`, and changes nothing, if the quota or a share of it has no room for a larger
    /// claim.
    #[must_use]
    pub fn try_resize(&mut self, bytes: usize) -> bool {
        let bytes = if Self::is_counted(bytes) { bytes } else { 0 };
        // Fast path: most buffers are not counted.
        if bytes == self.bytes {
            return true;
        }
        if bytes < self.bytes {
            self.holder.release(self.pool, self.bytes - bytes);
            self.bytes = bytes;
            return true;
        }
        bytes <= self.holder.quota.small_bytes() && self.try_grow(Pool::Small, bytes)
            || self.try_grow(Pool::Large, bytes)
    }

    /// As [`Self::try_resize`], for memory that no call needs. Most of the quota stays free for calls.
    #[must_use]
    pub fn try_resize_spare(&mut self, bytes: usize) -> bool {
        let quota = &self.holder.quota;
        let used = quota.used().saturating_add(bytes.saturating_sub(self.bytes));
        used <= quota.max.load(Ordering::Relaxed) / SPARE_DIVISOR && self.try_resize(bytes)
    }

    /// Whether the claim can be changed to this size, now or later: together with the connection's other claims, it
    /// must not exceed [`Self::alone_max`].
    pub fn can_resize(&self, bytes: usize) -> bool {
        let held: usize = self.holder.held.iter().map(|held| held.load(Ordering::Relaxed)).sum();
        self.holder.can_hold(held.saturating_sub(self.bytes).saturating_add(bytes))
    }

    /// See [`MemoryHolder::alone_max`].
    pub fn alone_max(&self) -> usize {
        self.holder.alone_max()
    }

    /// Changes the claim to memory that is already in use, which may exceed the quota.
    pub fn resize(&mut self, bytes: usize) {
        if self.try_resize(bytes) {
            return;
        }
        self.holder.release(self.pool, self.bytes);
        self.holder.take(Pool::Large, bytes);
        self.pool = Pool::Large;
        self.bytes = bytes;
    }

    fn try_grow(&mut self, pool: Pool, bytes: usize) -> bool {
        let here = if self.pool == pool { self.bytes } else { 0 };
        if !self.holder.try_take(pool, bytes - here) {
            return false;
        }
        self.holder.release(self.pool, self.bytes - here);
        self.pool = pool;
        self.bytes = bytes;
        true
    }
}

impl Drop for MemoryClaim {
    fn drop(&mut self) {
        if self.bytes > 0 {
            self.holder.release(self.pool, self.bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::account::Accounts;
    use super::*;

    const MIB: usize = 1 << 20;

    struct Fixture {
        quota: Arc<MemoryQuota>,
        accounts: Accounts,
    }

    impl Fixture {
        fn new(max: usize) -> Self {
            Self { quota: Arc::new(MemoryQuota::new(max)), accounts: Accounts::default() }
        }

        fn connection(&self, client: &str) -> Arc<MemoryHolder> {
            MemoryHolder::new(self.quota.clone(), self.accounts.of(&client.into(), true))
        }
    }

    /// Claims in steps of 1 MiB until there is no room.
    fn fill(connection: &Arc<MemoryHolder>) -> MemoryClaim {
        let mut claim = connection.claim();
        let mut bytes = MIB;
        while claim.try_resize(bytes) {
            bytes += MIB;
        }
        claim
    }

    #[test]
    fn a_client_leaves_memory_to_others_and_a_connection_to_other_connections() {
        let all = Fixture::new(160 * MIB);
        let first = fill(&all.connection("a"));
        assert_eq!(first.bytes / MIB, 100, "two thirds of 150 MiB");
        let second = fill(&all.connection("a"));
        assert_eq!(second.bytes / MIB, 12, "three quarters for both");
        let others: Vec<_> = ["b", "c", "d"].map(|client| fill(&all.connection(client))).into();
        assert!(others.iter().all(|claim| claim.bytes >= MIB), "{others:?}");
        drop((first, second, others));
        assert_eq!(all.quota.used(), 0);
    }

    #[test]
    fn spare_memory_leaves_most_of_the_quota_to_calls() {
        let all = Fixture::new(640 * MIB);
        let mut claims = Vec::new();
        for client in 0..100 {
            let mut claim = all.connection(&client.to_string()).claim();
            if claim.try_resize_spare(MIB) {
                claims.push(claim);
            }
        }
        assert_eq!(claims.len(), 20);
        assert!(!claims[0].try_resize_spare(2 * MIB));
        assert!(claims[0].try_resize_spare(MIB / 2), "it can become smaller");
        assert!(claims[1].try_resize(2 * MIB), "calls can claim more");
    }

    #[test]
    fn small_buffers_have_a_reserve() {
        let all = Fixture::new(160 * MIB);
        let mut unread = all.connection("a").claim();
        unread.resize(500 * MIB);
        let same_client = all.connection("a");
        let small: Vec<_> = (0..100).map(|_| same_client.claim()).collect();
        let served = small.into_iter().filter_map(|mut claim| claim.try_resize(60 << 10).then_some(claim));
        let served: Vec<_> = served.collect();
        assert_eq!(served.len(), 100);
        assert!(!same_client.claim().try_resize(MIB), "a large one is refused");
        let mut more = Vec::new();
        while let Some(claim) = Some(same_client.claim()).filter(|_| more.len() < 1000) {
            let mut claim = claim;
            if !claim.try_resize(60 << 10) {
                break;
            }
            more.push(claim);
        }
        assert!(more.len() < 1000, "the reserve is bounded");
        assert!(all.connection("b").claim().try_resize(60 << 10), "one client does not use up the reserve");
    }

    #[test]
    fn a_claim_that_grows_and_shrinks_is_counted_once() {
        let all = Fixture::new(160 * MIB);
        let connection = all.connection("a");
        let mut claim = connection.claim();
        for bytes in [9 << 10, 60 << 10, 70 << 10, 3 * MIB, 60 << 10, 1 << 10, 20 << 10, 500 * MIB, 10 << 10] {
            claim.resize(bytes);
            let counted = if MemoryClaim::is_counted(bytes) { bytes } else { 0 };
            assert_eq!((all.quota.used(), connection.account.held_bytes()), (counted, counted));
        }
        assert!(!claim.try_resize(600 * MIB));
        assert_eq!(all.quota.used(), 10 << 10, "a refused claim stays as it was");
        drop(claim);
        assert_eq!(all.quota.used(), 0);
    }

    #[test]
    fn what_a_connection_cannot_hold_alone_is_known() {
        for mebibytes in [1, 64, 160, 4096] {
            let all = Fixture::new(mebibytes * MIB);
            let connection = all.connection("a");
            let most = connection.alone_max();
            assert!(connection.can_hold(most) && connection.claim().try_resize(most), "{mebibytes} MiB");
            assert!(!connection.can_hold(most + 3) && !connection.claim().try_resize(most + 3), "{mebibytes} MiB");
        }
    }

    #[test]
    fn a_quota_without_room_for_a_reserve_still_works() {
        let all = Fixture::new(64 << 10);
        let mut claim = all.connection("a").claim();
        assert!(claim.try_resize(30 << 10) && !claim.try_resize(64 << 10));
    }
}
