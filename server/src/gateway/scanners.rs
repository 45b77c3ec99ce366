//! The open scanners of all connections: ids and leases.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hjall_engine::clock::Clock;
use hjall_engine::name::TableName;
use hjall_engine::{Error, Row, Scanner};

use crate::dispatch::caller::{Caller, OwnScanner};
use crate::settings::config::Limits;
use crate::wire::fault::Fault;
use crate::wire::method::Service;

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
    limit: AtomicUsize,
    own_limit: AtomicUsize,
    page_bytes_max: AtomicUsize,
    timeout_ms: AtomicI64,
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
    fetches: u64,
    _own: OwnScanner,
}

impl Scanners {
    /// An empty table with room for as many scanners as the limits say.
    pub fn new(limits: &Limits, clock: Arc<dyn Clock>) -> Self {
        let scanners = Self {
            leases: Mutex::default(),
            limit: AtomicUsize::new(0),
            own_limit: AtomicUsize::new(0),
            page_bytes_max: AtomicUsize::new(0),
            timeout_ms: AtomicI64::new(0),
            clock,
        };
        scanners.set_limits(limits);
        scanners
    }

    /// Changes the limits; scanners over them stay until they end.
    pub fn set_limits(&self, limits: &Limits) {
        self.limit.store(limits.scanners_max, Ordering::Relaxed);
        self.own_limit.store(limits.scanners_per_connection_max, Ordering::Relaxed);
        self.page_bytes_max.store(limits.page_bytes_max, Ordering::Relaxed);
        let timeout_ms = i64::try_from(limits.scanner_timeout.as_millis()).unwrap_or(i64::MAX);
        self.timeout_ms.store(timeout_ms, Ordering::Relaxed);
    }

    /// A fetch ends with the row that makes it so long, in bytes.
    pub fn page_bytes_max(&self) -> usize {
        self.page_bytes_max.load(Ordering::Relaxed)
    }

    /// Gives a scanner an id. Refused, to be tried again, when too many are open, in all or by this caller.
    pub fn open(&self, service: Service, scanner: OpenScanner, caller: &Arc<Caller>) -> Result<i32, Fault> {
        let (limit, own_limit) = (self.limit.load(Ordering::Relaxed), self.own_limit.load(Ordering::Relaxed));
        let own = caller.open_scanner(own_limit).or_else(|| {
            self.sweep();
            caller.open_scanner(own_limit)
        });
        let Some(own) = own else {
            return Err(full(format!("this connection has {own_limit} scanners open")));
        };
        if self.len() >= limit {
            self.sweep();
        }
        let used_ms = self.clock.now_ms();
        let mut leases = self.lock();
        if leases.by_id.len() >= limit {
            return Err(full(format!("{limit} scanners are open")));
        }
        // The counter wraps; an id still in use after two thousand million others is passed over.
        let id = loop {
            let id = leases.next[service as usize];
            leases.next[service as usize] = id.wrapping_add(1);
            if !leases.by_id.contains_key(&(service, id)) {
                break id;
            }
        };
        let scanner = Arc::new(Mutex::new(scanner));
        let lease = Lease { scanner, users: Arc::default(), used_ms, fetches: 0, _own: own };
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
            lease.fetches += 1;
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

    /// How often a scanner was used; 0 for one that is not known.
    pub fn fetches(&self, service: Service, id: i32) -> u64 {
        self.lock().by_id.get(&(service, id)).map_or(0, |lease| lease.fetches)
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
        let timeout_ms = self.timeout_ms.load(Ordering::Relaxed);
        let period_ms = match service {
            Service::Thrift1 => timeout_ms.saturating_mul(2),
            Service::Thrift2 => timeout_ms,
        };
        lease.users.load(Ordering::Relaxed) == 0 && now_ms.saturating_sub(lease.used_ms) >= period_ms
    }

    fn lock(&self) -> MutexGuard<'_, Leases> {
        self.leases.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn full(why: String) -> Fault {
    Fault::io(
        format!(
            "org.apache.hadoop.hbase.RegionTooBusyException: {why}, which is the limit; close some or wait until their leases end"
        ),
        true,
    )
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
