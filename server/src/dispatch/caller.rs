//! The client of a call, as calls see it.

use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use hjall_engine::table::{KnownTable, RememberedRows};

use super::memory_quota::MemoryHolder;
use crate::access::{Login, network, network_name};

/// The client of a connection: its address and, after a login, its user. Scanners that the client has opened refer to
/// it even after the end of the connection.
#[derive(Debug)]
pub struct Caller {
    /// The client's address.
    pub peer: SocketAddr,
    login: Option<Arc<Login>>,
    principal: Arc<str>,
    has_series: bool,
    /// The number of scanners that the connection has open, for all users together.
    scanners: Arc<AtomicUsize>,
    /// The table of the last read or put that was run directly from its encoded arguments.
    pub last_table: Mutex<Option<LastTable>>,
    /// Set when the first call or message of the client needs it.
    pub(super) memory: OnceLock<Arc<MemoryHolder>>,
}

/// A table that a client has named, so that it need not be looked up for each call.
#[derive(Debug)]
pub struct LastTable {
    /// The name, as the client has sent it.
    pub name: Box<[u8]>,
    /// The rows of the table, for reads.
    pub rows: RememberedRows,
    /// The table, for puts.
    pub table: KnownTable,
}

impl Caller {
    /// A client that has not logged in and has opened nothing yet.
    pub fn new(peer: SocketAddr) -> Arc<Self> {
        let principal = network_name(peer.ip()).into();
        Self::with(peer, None, principal, true, Arc::default())
    }

    /// A client that has yet to log in. All such clients together have one series in metrics.
    pub fn without_login(peer: SocketAddr) -> Arc<Self> {
        Self::with(peer, None, network_name(peer.ip()).into(), false, Arc::default())
    }

    /// The same connection after a login. Both callers share the connection's limit on scanners.
    #[must_use]
    pub fn logged_in(&self, login: Arc<Login>) -> Arc<Self> {
        let (principal, scanners) = (login.name().clone(), self.scanners.clone());
        Self::with(self.peer, Some(login), principal, true, scanners)
    }

    fn with(
        peer: SocketAddr,
        login: Option<Arc<Login>>,
        principal: Arc<str>,
        has_series: bool,
        scanners: Arc<AtomicUsize>,
    ) -> Arc<Self> {
        let (last_table, memory) = (Mutex::default(), OnceLock::new());
        Arc::new(Self { peer, login, principal, has_series, scanners, last_table, memory })
    }

    /// The name of the user, or `None` without a login.
    pub fn user(&self) -> Option<&Arc<str>> {
        self.login.as_ref().map(|login| login.name())
    }

    /// The login, or `None` if the client has not logged in.
    pub fn login(&self) -> Option<&Login> {
        self.login.as_deref()
    }

    /// The principal to which limits apply: the user after a login, otherwise the client's address without its port, or
    /// the /64 network of an IPv6 address. No user has such a name.
    pub fn principal(&self) -> &Arc<str> {
        &self.principal
    }

    /// Counts a call or a message that is refused because of a limit, or dropped. Every refusal is counted here.
    pub fn count_refused(&self) {
        if let Some(memory) = self.memory.get() {
            memory.account.refused();
        }
    }

    /// Whether the principal may have its own series in metrics.
    pub(super) fn has_series(&self) -> bool {
        self.has_series
    }

    /// Counts a scanner of the connection until the returned value is dropped. Returns `None` if the connection has
    /// `max` open.
    pub fn open_scanner(self: &Arc<Self>, max: usize) -> Option<OwnScanner> {
        let more = |open| (open < max).then_some(open + 1);
        self.scanners.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).ok()?;
        Some(OwnScanner {
            network: network(self.peer.ip()),
            user: self.user().cloned(),
            scanners: self.scanners.clone(),
        })
    }
}

/// One scanner of a connection.
#[derive(Debug)]
pub struct OwnScanner {
    network: IpAddr,
    user: Option<Arc<str>>,
    scanners: Arc<AtomicUsize>,
}

impl OwnScanner {
    /// The address of the client, as limits count it; see [`network`].
    pub fn network(&self) -> IpAddr {
        self.network
    }

    /// The user who opened the scanner, or `None` without a login.
    pub fn user(&self) -> Option<&Arc<str>> {
        self.user.as_ref()
    }

    /// Whether the connection has closed: only its scanners still refer to the counter.
    pub fn is_orphan(&self) -> bool {
        Arc::strong_count(&self.scanners) <= self.scanners.load(Ordering::Relaxed)
    }
}

impl Drop for OwnScanner {
    fn drop(&mut self) {
        self.scanners.fetch_sub(1, Ordering::Relaxed);
    }
}
