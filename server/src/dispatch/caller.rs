//! The client of a connection, as its calls see it.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The client of one connection. Scanners keep it after the connection has closed.
#[derive(Debug)]
pub struct Caller {
    /// The address of the client.
    pub peer: SocketAddr,
    scanners: AtomicUsize,
}

impl Caller {
    /// A client without scanners.
    pub fn new(peer: SocketAddr) -> Arc<Self> {
        Arc::new(Self { peer, scanners: AtomicUsize::new(0) })
    }

    /// Counts one more scanner until the returned value is dropped. Returns `None` if the client has `max`
    /// scanners.
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
    /// The address of the client.
    pub fn ip(&self) -> IpAddr {
        self.0.peer.ip()
    }

    /// Whether the connection has closed: only scanners still refer to the client.
    pub fn is_orphan(&self) -> bool {
        Arc::strong_count(&self.0) <= self.0.scanners.load(Ordering::Relaxed)
    }
}

impl Drop for OwnScanner {
    fn drop(&mut self) {
        self.0.scanners.fetch_sub(1, Ordering::Relaxed);
    }
}
