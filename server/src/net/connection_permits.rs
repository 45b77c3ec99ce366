//! ConnectionPermits for connections: how many there are in all, and how many from one address.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use crate::settings::config::Limits;

/// Counts open connections against the limits.
#[derive(Debug, Default)]
pub struct ConnectionPermits {
    in_use: Mutex<InUse>,
    released: Notify,
}

#[derive(Debug, Default)]
struct InUse {
    all: usize,
    by_address: HashMap<IpAddr, usize>,
}

/// The permit of one connection, given back when it is dropped.
#[derive(Debug)]
pub struct ConnectionPermit {
    permits: Arc<ConnectionPermits>,
    address: Option<IpAddr>,
}

/// The address has as many connections as one address may have.
#[derive(Debug, PartialEq, Eq)]
pub struct TooManyFromAddress;

impl ConnectionPermits {
    /// Connections open now.
    pub fn in_use(&self) -> usize {
        self.lock().all
    }

    /// Takes a permit; `None` if all are in use.
    pub fn try_acquire(self: &Arc<Self>, limits: &Limits) -> Option<ConnectionPermit> {
        let mut in_use = self.lock();
        if in_use.all >= limits.connections_max {
            return None;
        }
        in_use.all += 1;
        Some(ConnectionPermit { permits: self.clone(), address: None })
    }

    /// Waits until a permit is given back or [`Self::changed`] is called.
    pub async fn released(&self) {
        self.released.notified().await;
    }

    /// Wakes everything in [`Self::released`]: the limits have changed.
    pub fn changed(&self) {
        self.released.notify_waiters();
        // Stored for a task that has looked and does not wait yet.
        self.released.notify_one();
    }

    fn lock(&self) -> MutexGuard<'_, InUse> {
        self.in_use.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ConnectionPermit {
    /// Counts the connection towards its address, too.
    ///
    /// # Errors
    /// That address has as many connections as it may have; the permit is given back.
    pub fn for_address(mut self, address: IpAddr, limits: &Limits) -> Result<Self, TooManyFromAddress> {
        // A client may appear as IPv4 or as IPv4 mapped to IPv6.
        let address = address.to_canonical();
        {
            let mut in_use = self.permits.lock();
            let count = in_use.by_address.get(&address).copied().unwrap_or(0);
            if count < limits.connections_per_address_max {
                in_use.by_address.insert(address, count + 1);
                self.address = Some(address);
            }
        }
        if self.address.is_some() { Ok(self) } else { Err(TooManyFromAddress) }
    }
}

impl Drop for ConnectionPermit {
    fn drop(&mut self) {
        let mut in_use = self.permits.lock();
        in_use.all -= 1;
        if let Some(address) = self.address
            && let Some(count) = in_use.by_address.get_mut(&address)
        {
            *count -= 1;
            if *count == 0 {
                in_use.by_address.remove(&address);
            }
        }
        drop(in_use);
        self.permits.released.notify_one();
    }
}
