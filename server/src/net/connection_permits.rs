//! Permits for connections, which limit how many are open in total and from one address.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use crate::access::network;
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
    /// By [`network`].
    by_address: HashMap<IpAddr, usize>,
}

/// The permit of one connection, returned when it is dropped.
#[derive(Debug)]
pub struct ConnectionPermit {
    permits: Arc<ConnectionPermits>,
    address: Option<IpAddr>,
}

/// The address has reached the limit on connections from one address.
#[derive(Debug, PartialEq, Eq)]
pub struct TooManyFromAddress;

impl ConnectionPermits {
    /// Open connections.
    pub fn in_use(&self) -> usize {
        self.lock().all
    }

    /// Takes a permit. Returns `None` if all are in use.
    pub fn try_acquire(self: &Arc<Self>, limits: &Limits) -> Option<ConnectionPermit> {
        let mut in_use = self.lock();
        if in_use.all >= limits.connections_max {
            return None;
        }
        in_use.all += 1;
        Some(ConnectionPermit { permits: self.clone(), address: None })
    }

    /// Waits until a permit is returned or [`Self::changed`] is called.
    pub async fn released(&self) {
        self.released.notified().await;
    }

    /// Wakes all callers of [`Self::released`], because the limits have changed.
    pub fn changed(&self) {
        self.released.notify_waiters();
        // Stored for a task that has found no permit and is not waiting yet.
        self.released.notify_one();
    }

    fn lock(&self) -> MutexGuard<'_, InUse> {
        self.in_use.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ConnectionPermit {
    /// Also counts the connection towards its address, which may have `max` connections.
    ///
    /// # Errors
    /// The address has reached its limit. The permit is returned.
    pub fn for_address(mut self, address: IpAddr, max: usize) -> Result<Self, TooManyFromAddress> {
        let address = network(address);
        {
            let mut in_use = self.permits.lock();
            let count = in_use.by_address.get(&address).copied().unwrap_or(0);
            if count < max {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_one_network_share_a_limit() {
        let (permits, limits) = (Arc::<ConnectionPermits>::default(), Limits::default());
        let permit = |address: &str| permits.try_acquire(&limits).unwrap().for_address(address.parse().unwrap(), 2);
        let kept = ["2001:db8::1", "2001:db8::2", "2001:db8:0:1::1", "10.0.0.1", "::ffff:10.0.0.1"].map(permit);
        assert!(kept.iter().all(Result::is_ok));
        assert!(permit("2001:db8::3").is_err() && permit("10.0.0.1").is_err() && permit("10.0.0.2").is_ok());
        drop(kept);
        assert!(permit("2001:db8::3").is_ok());
    }
}
