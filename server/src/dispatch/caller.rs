//! Who makes a call: the connection, as far as a call may know it.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A connection's client. One for each connection; what it opened knows it beyond the connection's end.
#[derive(Debug)]
pub struct Caller {
    /// The client's address.
    pub peer: SocketAddr,
    scanners: AtomicUsize,
}

impl Caller {
    /// A client that has opened nothing yet.
    pub fn new(peer: SocketAddr) -> Arc<Self> {
        Arc::new(Self { peer, scanners: AtomicUsize::new(0) })
    }

    /// Counts one more scanner, until what is returned is dropped; `None`: it has as many as it may.
    pub fn open_scanner(self: &Arc<Self>, max: usize) -> Option<OwnScanner> {
        let more = |open| (open < max).then_some(open + 1);
        self.scanners.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).ok()?;
        Some(OwnScanner(self.clone()))
    }
}

/// One scanner of a caller.
#[derive(Debug)]
pub struct OwnScanner(Arc<Caller>);

impl OwnScanner {
    /// The address of the caller.
    pub fn ip(&self) -> IpAddr {
        self.0.peer.ip()
    }

    /// Whether the connection has gone: nothing but scanners knows the caller any more.
    pub fn is_orphan(&self) -> bool {
        Arc::strong_count(&self.0) <= self.0.scanners.load(Ordering::Relaxed)
    }
}

impl Drop for OwnScanner {
    fn drop(&mut self) {
        self.0.scanners.fetch_sub(1, Ordering::Relaxed);
    }
}
