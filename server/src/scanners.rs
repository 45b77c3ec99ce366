//! The open scanners of all connections: ids and leases.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use hjall_engine::clock::Clock;
use hjall_engine::name::TableName;
use hjall_engine::{Error, Row, Scanner};

use crate::fault::Fault;
use crate::method::Service;

/// A scan that a client goes through call by call.
pub struct OpenScanner {
    /// The table that it reads.
    pub table: TableName,
    /// The engine's scan.
    pub scanner: Scanner,
    /// What only a region server finds wrong with it: every fetch fails with it, once the table is there.
    pub refusal: Option<Error>,
    /// Results fetched and not yet delivered: they are delivered even if the table has gone since.
    pub ahead: VecDeque<Row>,
    /// How many results one fetch brings; 0: all, in portions.
    pub caching: usize,
    /// Thrift1: deliver columns as a list in order instead of a map.
    pub sort_columns: bool,
    /// The scan has seen the end of its range, and stays there.
    pub exhausted: bool,
}

impl OpenScanner {
    /// A scan about to begin.
    pub fn new(table: TableName, scanner: Scanner) -> Self {
        Self {
            table,
            scanner,
            refusal: None,
            ahead: VecDeque::new(),
            caching: 0,
            sort_columns: false,
            exhausted: false,
        }
    }
}

/// All open scanners.
///
/// Ids count from 0 in each service, as the two gateways of HBase do, and belong to no connection. A scanner that nobody used for its
/// lease is gone: 120 s in Thrift1, 60 s in Thrift2. It does not expire while a call uses it. Two calls that use one scanner go one after the other.
pub struct Scanners {
    leases: Mutex<Leases>,
    limit: usize,
    timeout_ms: i64,
    clock: Arc<dyn Clock>,
}

#[derive(Default)]
struct Leases {
    by_id: HashMap<(Service, i32), Lease>,
    next: [i32; 2],
}

struct Lease {
    scanner: Arc<Mutex<OpenScanner>>,
    users: Arc<AtomicUsize>,
    used_ms: i64,
}

impl Scanners {
    /// An empty table with room for so many scanners, with HBase's `hbase.client.scanner.timeout.period`.
    pub fn new(limit: usize, timeout_ms: i64, clock: Arc<dyn Clock>) -> Self {
        Self { leases: Mutex::default(), limit, timeout_ms, clock }
    }

    /// Gives a scanner an id. Refused, to be tried again, when too many are open.
    pub fn open(&self, service: Service, scanner: OpenScanner) -> Result<i32, Fault> {
        if self.len() >= self.limit {
            self.sweep();
        }
        let used_ms = self.clock.now_ms();
        let mut leases = self.lock();
        if leases.by_id.len() >= self.limit {
            return Err(Fault::io(
                format!(
                    "org.apache.hadoop.hbase.RegionTooBusyException: {} scanners are open, which is the limit; close some or wait until \
                     their leases end",
                    self.limit
                ),
                true,
            ));
        }
        // The counter wraps; an id still in use after two thousand million others is passed over.
        let id = loop {
            let id = leases.next[service as usize];
            leases.next[service as usize] = id.wrapping_add(1);
            if !leases.by_id.contains_key(&(service, id)) {
                break id;
            }
        };
        let lease = Lease { scanner: Arc::new(Mutex::new(scanner)), users: Arc::default(), used_ms };
        leases.by_id.insert((service, id), lease);
        Ok(id)
    }

    /// Runs `body` on a scanner; `None`: no such id, or its lease ended. The lease begins anew before and after.
    pub fn with<R>(&self, service: Service, id: i32, body: impl FnOnce(&mut OpenScanner) -> R) -> Option<R> {
        let scanner = {
            let now_ms = self.clock.now_ms();
            let mut leases = self.lock();
            let lease = leases.by_id.get_mut(&(service, id))?;
            if self.ended(service, lease, now_ms) {
                let gone = leases.by_id.remove(&(service, id));
                drop(leases);
                drop(gone);
                return None;
            }
            lease.used_ms = now_ms;
            lease.users.fetch_add(1, Ordering::Relaxed);
            Use { scanners: self, key: (service, id), scanner: lease.scanner.clone(), users: lease.users.clone() }
        };
        // A body that panicked may have left the scanner half way; it is as good as a failed fetch.
        let mut open = scanner.scanner.lock().unwrap_or_else(PoisonError::into_inner);
        Some(body(&mut open))
    }

    /// Closes a scanner and forgets its id; `false`: there was none. A call that is using it finishes.
    pub fn close(&self, service: Service, id: i32) -> bool {
        let now_ms = self.clock.now_ms();
        let gone = self.lock().by_id.remove(&(service, id));
        gone.is_some_and(|lease| !self.ended(service, &lease, now_ms))
    }

    /// Drops all whose lease has ended; returns how many.
    pub fn sweep(&self) -> usize {
        let now_ms = self.clock.now_ms();
        let gone: Vec<_> =
            self.lock().by_id.extract_if(|(service, _), lease| self.ended(*service, lease, now_ms)).collect();
        // Closing happens here, outside the lock: a scanner's end may take a while.
        gone.len()
    }

    /// Drops all, whatever their leases.
    pub fn clear(&self) {
        let gone = std::mem::take(&mut self.lock().by_id);
        drop(gone);
    }

    /// How many are open, those included whose end nobody noticed yet.
    pub fn len(&self) -> usize {
        self.lock().by_id.len()
    }

    /// Whether none is open.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn ended(&self, service: Service, lease: &Lease, now_ms: i64) -> bool {
        let period_ms = match service {
            Service::Thrift1 => self.timeout_ms.saturating_mul(2),
            Service::Thrift2 => self.timeout_ms,
        };
        lease.users.load(Ordering::Relaxed) == 0 && now_ms.saturating_sub(lease.used_ms) >= period_ms
    }

    fn lock(&self) -> MutexGuard<'_, Leases> {
        self.leases.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One call's use of a scanner; its end, also by a panic, begins the lease anew.
struct Use<'a> {
    scanners: &'a Scanners,
    key: (Service, i32),
    scanner: Arc<Mutex<OpenScanner>>,
    users: Arc<AtomicUsize>,
}

impl Drop for Use<'_> {
    fn drop(&mut self) {
        let now_ms = self.scanners.clock.now_ms();
        let mut leases = self.scanners.lock();
        self.users.fetch_sub(1, Ordering::Relaxed);
        if let Some(lease) = leases.by_id.get_mut(&self.key).filter(|lease| Arc::ptr_eq(&lease.users, &self.users)) {
            lease.used_ms = now_ms;
        }
    }
}

/// A clock that only goes forward, for leases: setting the machine's time must not end them.
pub struct Monotonic(Instant);

impl Default for Monotonic {
    fn default() -> Self {
        Self(Instant::now())
    }
}

impl Clock for Monotonic {
    fn now_ms(&self) -> i64 {
        i64::try_from(self.0.elapsed().as_millis()).unwrap_or(i64::MAX)
    }
}
