//! The open scanners of all connections: ids and leases.

use std::collections::{BTreeMap, HashMap};
use std::net::IpAddr;
use std::ops::Bound;
use std::sync::atomic::{AtomicI64, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};

use hjall_engine::clock::Clock;
use hjall_engine::name::TableName;
use hjall_engine::{Error, Scanner};

use crate::access::network_name;
use crate::dispatch::call_scope::{AfterReply, CallScope};
use crate::dispatch::caller::{Caller, OwnScanner};
use crate::dispatch::memory_quota::MemoryClaim;
use crate::gateway::rest;
use crate::settings::config::Limits;
use crate::wire::fault::Fault;
use crate::wire::method::Service;

/// A scan whose results a client fetches call by call.
pub struct OpenScanner {
    /// The table that it reads.
    pub table: TableName,
    /// The engine's scan.
    pub scanner: Scanner,
    /// An error that only region servers detect in HBase. Every fetch fails with it, unless the table is missing.
    pub refusal: Option<Error>,
    /// In Thrift1, whether columns are returned as an ordered list instead of a map.
    pub sort_columns: bool,
    /// In REST, the state that is kept between two calls.
    pub rest: Option<rest::State>,
    /// The memory of what the scan holds between two calls.
    pub(super) held: Option<MemoryClaim>,
    /// The memory of the request that opened it: its columns, its filter.
    pub(super) _request: Option<MemoryClaim>,
}

impl OpenScanner {
    /// A scan from which nothing has been fetched. Takes over the memory that the call has claimed for its request.
    pub fn new(table: TableName, scanner: Scanner, scope: &CallScope<'_>) -> Self {
        let _request = scope.take_request_claim();
        Self { table, scanner, refusal: None, sort_columns: false, rest: None, held: None, _request }
    }

    /// The memory that the scan holds, in bytes.
    fn held_bytes(&self) -> usize {
        self.scanner.held_bytes() + self.rest.as_ref().map_or(0, rest::State::held_bytes)
    }

    /// Claims the memory that the scan already holds, for the connection of a call.
    fn hold(&mut self, scope: &CallScope<'_>) {
        self.held = scope.memory().map(|memory| memory.claim());
        self.adjust_claim();
    }

    /// Changes the claim to what the scan holds now.
    fn adjust_claim(&mut self) {
        let bytes = self.held_bytes();
        if let Some(held) = &mut self.held {
            held.resize(bytes);
        }
    }
}

/// The number of leases that a sweep checks before it releases the lock, which calls that use scanners wait
/// for.
const SWEEP_STEP: usize = 32;

/// The memory of pairs that a scanner holds after it has read ahead, in bytes. Reading them takes about as long as a
/// client needs to receive a page of 1,000 short rows, and to send its next call.
const READ_AHEAD_BYTES: usize = 160 << 10;

/// The least number of pairs that a scanner reads ahead. Fewer are read in the time that it takes to begin.
const READ_AHEAD_MIN: usize = 100;

/// The minimum time between two sweeps by calls that find no room, in milliseconds.
const SWEEP_INTERVAL_MS: i64 = 1_000;

/// All open scanners.
///
/// Ids count from 0 in each service, as in HBase's two gateways, and belong to no connection. A scanner
/// expires when it has not been used for its lease period: 120 s in Thrift1, 60 s in Thrift2 and REST, and less once
/// the connection that opened it has closed, except for scanners of REST. It does not expire while a call uses it, nor
/// while its rows are being sent as one answer. Calls that use the same scanner run one after the other.
pub struct Scanners {
    shared: Arc<Shared>,
    limit: AtomicUsize,
    address_limit: AtomicUsize,
    own_limit: AtomicUsize,
    page_bytes_max: AtomicUsize,
    timeout_ms: AtomicI64,
    orphan_timeout_ms: AtomicI64,
    /// Scanners whose lease ended before they were closed.
    expired: AtomicU64,
    /// The greatest age of a snapshot, in milliseconds.
    snapshot_max_ms: AtomicU64,
    /// The greatest number of bytes that are written while a snapshot is in use.
    snapshot_writes: AtomicU64,
    /// When a call that found no room last swept.
    swept_ms: AtomicI64,
}

/// The state that uses of scanners need. A use may outlive a paused call.
struct Shared {
    leases: Mutex<Leases>,
    clock: Arc<dyn Clock>,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Leases> {
        self.leases.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[derive(Default)]
struct Leases {
    by_id: BTreeMap<(Service, i32), Lease>,
    /// The number of scanners that each address has opened.
    by_address: HashMap<IpAddr, usize>,
    next: [i32; Service::ALL.len()],
}

impl Leases {
    fn insert(&mut self, key: (Service, i32), lease: Lease) {
        *self.by_address.entry(lease.own.network()).or_default() += 1;
        self.by_id.insert(key, lease);
    }

    fn remove(&mut self, key: (Service, i32)) -> Option<Lease> {
        let lease = self.by_id.remove(&key)?;
        if let Some(count) = self.by_address.get_mut(&lease.own.network()) {
            *count -= 1;
            if *count == 0 {
                self.by_address.remove(&lease.own.network());
            }
        }
        Some(lease)
    }

    fn of_address(&self, address: IpAddr) -> usize {
        self.by_address.get(&address).copied().unwrap_or_default()
    }
}

/// A scanner that exceeds a limit.
struct NoRoom {
    scanner: Box<OpenScanner>,
    /// The limit that has been reached.
    why: String,
}

struct Lease {
    table: TableName,
    scanner: Arc<Mutex<OpenScanner>>,
    users: Arc<AtomicUsize>,
    used_ms: i64,
    fetches: u64,
    own: OwnScanner,
    /// Whether the end of the connection that opened it shortens the lease. HTTP clients may use a new connection for
    /// each request.
    ends_with_connection: bool,
    /// The rows are being sent as one answer. The client may take as long for it as the limits on connections allow.
    is_sent: bool,
    /// The client has abandoned the scanner.
    is_abandoned: bool,
}

impl Lease {
    /// Whether the user of a caller opened the scanner. Ids count upwards, so a client can name a scanner that another
    /// user is about to open. What a call does with a scanner must therefore be decided while the leases are locked.
    fn is_of(&self, caller: &Caller) -> bool {
        self.own.user() == caller.user()
    }
}

impl Scanners {
    /// An empty table with these limits.
    pub fn new(limits: &Limits, clock: Arc<dyn Clock>) -> Self {
        let scanners = Self {
            shared: Arc::new(Shared { leases: Mutex::default(), clock }),
            limit: AtomicUsize::new(0),
            address_limit: AtomicUsize::new(0),
            own_limit: AtomicUsize::new(0),
            page_bytes_max: AtomicUsize::new(0),
            timeout_ms: AtomicI64::new(0),
            orphan_timeout_ms: AtomicI64::new(0),
            expired: AtomicU64::new(0),
            snapshot_max_ms: AtomicU64::new(0),
            snapshot_writes: AtomicU64::new(0),
            swept_ms: AtomicI64::new(i64::MIN),
        };
        scanners.set_limits(limits);
        scanners
    }

    /// Changes the limits. Scanners that exceed them stay open.
    pub fn set_limits(&self, limits: &Limits) {
        let ms = |time: std::time::Duration| i64::try_from(time.as_millis()).unwrap_or(i64::MAX);
        self.limit.store(limits.scanners_max, Ordering::Relaxed);
        self.address_limit.store(limits.scanners_per_address_max, Ordering::Relaxed);
        self.own_limit.store(limits.scanners_per_connection_max, Ordering::Relaxed);
        self.page_bytes_max.store(limits.page_bytes_max, Ordering::Relaxed);
        self.timeout_ms.store(ms(limits.scanner_timeout), Ordering::Relaxed);
        self.orphan_timeout_ms.store(ms(limits.scanner_orphan_timeout), Ordering::Relaxed);
        let snapshot_max = limits.scanner_snapshot_max.and_then(|time| u64::try_from(time.as_millis()).ok());
        self.snapshot_max_ms.store(snapshot_max.unwrap_or(u64::MAX), Ordering::Relaxed);
        self.snapshot_writes.store(limits.scanner_snapshot_writes.unwrap_or(u64::MAX), Ordering::Relaxed);
    }

    /// The size of a fetch in bytes. The row that reaches it is the last one.
    pub fn page_bytes_max(&self) -> usize {
        self.page_bytes_max.load(Ordering::Relaxed)
    }

    /// Gives a scanner an id.
    ///
    /// # Errors
    /// An `IOError` that can be retried, if too many scanners are open: in total, from this address, or from this
    /// connection.
    pub fn open(&self, service: Service, scanner: OpenScanner, caller: &Arc<Caller>) -> Result<i32, Fault> {
        let opened = match self.try_open(service, scanner, caller) {
            Err(NoRoom { scanner, .. }) if self.sweep_for_room() => self.try_open(service, *scanner, caller),
            opened => opened,
        };
        opened.map_err(|NoRoom { why, .. }| {
            caller.count_refused();
            full(&why)
        })
    }

    /// Gives a scanner an id, if there is room.
    fn try_open(&self, service: Service, scanner: OpenScanner, caller: &Arc<Caller>) -> Result<i32, NoRoom> {
        let own_limit = self.own_limit.load(Ordering::Relaxed);
        let Some(own) = caller.open_scanner(own_limit) else {
            let why = format!(
                "this connection has {own_limit} scanners open, which is the limit (limits.scanners_per_connection)"
            );
            return Err(NoRoom { scanner: Box::new(scanner), why });
        };
        let used_ms = self.shared.clock.now_ms();
        let (limit, address_limit) = (self.limit.load(Ordering::Relaxed), self.address_limit.load(Ordering::Relaxed));
        let mut leases = self.lock();
        let full = if leases.by_id.len() >= limit {
            Some(format!("{limit} scanners are open, which is the limit (limits.scanners)"))
        } else if leases.of_address(own.network()) >= address_limit {
            Some(format!(
                "connections from {} have {address_limit} scanners open, which is the limit (limits.scanners_per_address)",
                network_name(caller.peer.ip())
            ))
        } else {
            None
        };
        if let Some(why) = full {
            return Err(NoRoom { scanner: Box::new(scanner), why });
        }
        // The counter wraps around. An id that is still in use is skipped.
        let id = loop {
            let id = leases.next[service as usize];
            leases.next[service as usize] = id.wrapping_add(1);
            if !leases.by_id.contains_key(&(service, id)) {
                break id;
            }
        };
        let table = scanner.table.clone();
        let ends_with_connection = scanner.rest.as_ref().is_none_or(rest::State::ends_with_connection);
        let scanner = Arc::new(Mutex::new(scanner));
        let lease = Lease {
            table,
            scanner,
            users: Arc::default(),
            used_ms,
            fetches: 0,
            own,
            ends_with_connection,
            is_sent: false,
            is_abandoned: false,
        };
        leases.insert((service, id), lease);
        Ok(id)
    }

    /// Sweeps, unless a call has done so a moment ago.
    fn sweep_for_room(&self) -> bool {
        let now_ms = self.shared.clock.now_ms();
        let due = |last: i64| (now_ms.saturating_sub(last) >= SWEEP_INTERVAL_MS).then_some(now_ms);
        let swept = self.swept_ms.fetch_update(Ordering::Relaxed, Ordering::Relaxed, due).is_ok();
        swept && self.sweep().closed > 0
    }

    /// Runs `body` on a scanner, and renews the lease before and after. If the call is paused, the scanner is in use
    /// until the call ends. Returns `None` if the id is unknown to the user of the call or the lease has ended.
    pub fn with<R>(
        &self,
        service: Service,
        id: i32,
        scope: &CallScope<'_>,
        body: impl FnOnce(&mut OpenScanner) -> R,
    ) -> Option<R> {
        let kept = scope.take_kept().and_then(|state| state.downcast::<Use>().ok());
        let used = kept.map_or_else(|| self.begin_use(service, id, scope.caller), |used| Some(*used))?;
        let scanner = used.scanner.clone();
        // A body that panicked has left the scanner in the state of a failed fetch.
        let mut open = scanner.lock().unwrap_or_else(PoisonError::into_inner);
        // The budget of the call contains what the call takes over from the scanner.
        open.held = None;
        self.release_snapshot(&mut open);
        let result = body(&mut open);
        // Not after the first call. A client that has called twice is likely to call again.
        let reads_ahead = open.scanner.plan_ahead(READ_AHEAD_MIN);
        if scope.is_paused() {
            // The scanner holds this memory now.
            scope.release_gathered();
        }
        open.hold(scope);
        drop(open);
        if scope.is_paused() {
            scope.keep(Box::new(used));
        } else if reads_ahead {
            scope.after_reply(used.read_ahead());
        }
        Some(result)
    }

    fn begin_use(&self, service: Service, id: i32, caller: &Caller) -> Option<Use> {
        let now_ms = self.shared.clock.now_ms();
        let mut leases = self.lock();
        let lease = leases.by_id.get_mut(&(service, id)).filter(|lease| lease.is_of(caller))?;
        if self.ended(service, lease, now_ms) {
            let gone = leases.remove((service, id));
            drop(leases);
            drop(gone);
            self.expired.fetch_add(1, Ordering::Relaxed);
            return None;
        }
        lease.used_ms = now_ms;
        lease.fetches += 1;
        lease.users.fetch_add(1, Ordering::Relaxed);
        let (scanner, users) = (lease.scanner.clone(), lease.users.clone());
        Some(Use { shared: self.shared.clone(), key: (service, id), scanner, users })
    }

    /// Releases the snapshot of a scan if it is too old, or too much has been written since. Returns whether it has
    /// been released.
    fn release_snapshot(&self, open: &mut OpenScanner) -> bool {
        let Some(age) = open.scanner.snapshot_age() else { return false };
        let is_old = age.time.as_millis() >= u128::from(self.snapshot_max_ms.load(Ordering::Relaxed))
            || age.written_bytes >= self.snapshot_writes.load(Ordering::Relaxed);
        if is_old {
            open.scanner.release_snapshot();
        }
        is_old && open.scanner.snapshot_age().is_none()
    }

    /// Closes a scanner. Returns `false` if the id is unknown to the user of the caller. A call that is using the
    /// scanner can finish.
    pub fn close(&self, service: Service, id: i32, caller: &Caller) -> bool {
        let now_ms = self.shared.clock.now_ms();
        let mut leases = self.lock();
        let is_own = leases.by_id.get(&(service, id)).is_some_and(|lease| lease.is_of(caller));
        let gone = if is_own { leases.remove((service, id)) } else { None };
        drop(leases);
        gone.is_some_and(|lease| !self.ended(service, &lease, now_ms))
    }

    /// Extends the lease of a scanner until [`Self::abandon`], because its rows are being sent as one answer.
    pub fn keep(&self, service: Service, id: i32) {
        if let Some(lease) = self.lock().by_id.get_mut(&(service, id)) {
            lease.is_sent = true;
        }
    }

    /// Ends the lease of a scanner, so that the next sweep closes it. Closing it here might block.
    pub fn abandon(&self, service: Service, id: i32) {
        if let Some(lease) = self.lock().by_id.get_mut(&(service, id)) {
            lease.is_abandoned = true;
        }
    }

    /// The user who opened a scanner, if there was a login, and its table. Returns `None` if the id is unknown.
    pub fn opened(&self, service: Service, id: i32) -> Option<(Option<Arc<str>>, TableName)> {
        let leases = self.lock();
        let lease = leases.by_id.get(&(service, id))?;
        Some((lease.own.user().cloned(), lease.table.clone()))
    }

    /// Closes all scanners whose lease has ended, and releases the snapshots of idle scanners that are too old.
    pub fn sweep(&self) -> Swept {
        let now_ms = self.shared.clock.now_ms();
        let (mut from, mut swept) = (Bound::Unbounded, Swept::default());
        loop {
            let mut leases = self.lock();
            let step = leases.by_id.range((from, Bound::Unbounded)).take(SWEEP_STEP);
            let (mut last, mut ended, mut idle) = (None, Vec::new(), Vec::new());
            for (key, lease) in step {
                last = Some(*key);
                if self.ended(key.0, lease, now_ms) {
                    ended.push(*key);
                } else if lease.users.load(Ordering::Relaxed) == 0 {
                    idle.push(lease.scanner.clone());
                }
            }
            let gone: Vec<_> = ended.into_iter().filter_map(|key| leases.remove(key)).collect();
            drop(leases);
            swept.closed += gone.len();
            self.expired.fetch_add(gone.len() as u64, Ordering::Relaxed);
            // Closing a scanner or releasing a snapshot may take a while, so the lock is not held.
            drop(gone);
            for scanner in idle {
                // A scanner that is in use releases its snapshot itself.
                let Some(mut open) = try_lock(&scanner) else { continue };
                let has_released = self.release_snapshot(&mut open);
                if has_released {
                    open.adjust_claim();
                }
                swept.released += usize::from(has_released);
            }
            match last {
                Some(key) => from = Bound::Excluded(key),
                None => return swept,
            }
        }
    }

    /// Closes all scanners, regardless of their leases.
    pub fn clear(&self) {
        let mut leases = self.lock();
        let gone = std::mem::take(&mut leases.by_id);
        leases.by_address.clear();
        drop(leases);
        drop(gone);
    }

    /// The number of times that a scanner was used; 0 if the id is unknown.
    pub fn fetches(&self, service: Service, id: i32) -> u64 {
        self.lock().by_id.get(&(service, id)).map_or(0, |lease| lease.fetches)
    }

    /// The number of open scanners, including those whose lease has ended since the last sweep.
    pub fn len(&self) -> usize {
        self.lock().by_id.len()
    }

    /// The number of scanners whose lease ended before they were closed.
    pub fn expired(&self) -> u64 {
        self.expired.load(Ordering::Relaxed)
    }

    /// Whether no scanner is open.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn ended(&self, service: Service, lease: &Lease, now_ms: i64) -> bool {
        let timeout_ms = self.timeout_ms.load(Ordering::Relaxed);
        let mut period_ms = match service {
            Service::Thrift1 => timeout_ms.saturating_mul(2),
            Service::Thrift2 | Service::Rest => timeout_ms,
        };
        if lease.is_abandoned {
            period_ms = 0;
        } else if lease.is_sent {
            return false;
        } else if lease.ends_with_connection && lease.own.is_orphan() {
            period_ms = period_ms.min(self.orphan_timeout_ms.load(Ordering::Relaxed));
        }
        lease.users.load(Ordering::Relaxed) == 0 && now_ms.saturating_sub(lease.used_ms) >= period_ms
    }

    fn lock(&self) -> MutexGuard<'_, Leases> {
        self.shared.lock()
    }
}

/// Locks a scanner, unless a call is using it. A call that panicked has left it in the state of a failed fetch.
fn try_lock(scanner: &Mutex<OpenScanner>) -> Option<MutexGuard<'_, OpenScanner>> {
    match scanner.try_lock() {
        Ok(open) => Some(open),
        Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
        Err(TryLockError::WouldBlock) => None,
    }
}

/// The effects of a sweep.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Swept {
    /// Scanners closed because their lease had ended.
    pub closed: usize,
    /// Snapshots released.
    pub released: usize,
}

/// The result of a fetch that was paused. It is ignored: the call runs again.
pub fn paused() -> Fault {
    Fault::internal("the fetch was paused")
}

fn full(why: &str) -> Fault {
    Fault::io(
        format!("org.apache.hadoop.hbase.RegionTooBusyException: {why}; close some, or wait until their leases end"),
        true,
    )
}

/// One call's use of a scanner. Dropping it renews the lease, also after a panic.
struct Use {
    shared: Arc<Shared>,
    key: (Service, i32),
    scanner: Arc<Mutex<OpenScanner>>,
    users: Arc<AtomicUsize>,
}

impl Use {
    /// Reads ahead while the client works on what it has been sent, until a call uses the scanner again.
    fn read_ahead(&self) -> AfterReply {
        let (scanner, users) = (self.scanner.clone(), self.users.clone());
        Box::new(move |goes_on| {
            let Some(mut open) = try_lock(&scanner) else { return };
            let OpenScanner { scanner, held: Some(held), .. } = &mut *open else { return };
            // Claimed before it is used.
            if !held.try_resize_spare(held.bytes() + READ_AHEAD_BYTES) {
                return;
            }
            scanner.read_ahead(READ_AHEAD_BYTES, &|| users.load(Ordering::Relaxed) == 0 && goes_on());
            open.adjust_claim();
        })
    }
}

impl Drop for Use {
    fn drop(&mut self) {
        let now_ms = self.shared.clock.now_ms();
        let mut leases = self.shared.lock();
        self.users.fetch_sub(1, Ordering::Relaxed);
        if let Some(lease) = leases.by_id.get_mut(&self.key).filter(|lease| Arc::ptr_eq(&lease.users, &self.users)) {
            lease.used_ms = now_ms;
        }
    }
}
