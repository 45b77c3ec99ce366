//! Places for connections: how many there are in all, and how many from one address.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use crate::settings::config::Limits;

/// Counts open connections.
#[derive(Debug, Default)]
pub struct Places {
    taken: Mutex<Taken>,
    freed: Notify,
}

#[derive(Debug, Default)]
struct Taken {
    all: usize,
    by_address: HashMap<IpAddr, usize>,
}

/// One connection's place, until it is dropped.
#[derive(Debug)]
pub struct Place {
    places: Arc<Places>,
    address: Option<IpAddr>,
}

/// The address has as many connections as one may have.
#[derive(Debug, PartialEq, Eq)]
pub struct TooManyFromAddress;

impl Places {
    /// Connections open now.
    pub fn taken(&self) -> usize {
        self.lock().all
    }

    /// A place, if there is one.
    pub fn try_take(self: &Arc<Self>, limits: &Limits) -> Option<Place> {
        let mut taken = self.lock();
        if taken.all >= limits.connections_max {
            return None;
        }
        taken.all += 1;
        Some(Place { places: self.clone(), address: None })
    }

    /// Waits until someone gives a place back, or [`Self::changed`].
    pub async fn freed(&self) {
        self.freed.notified().await;
    }

    /// Has those who wait look again: there may be more places now.
    pub fn changed(&self) {
        self.freed.notify_waiters();
        // For one who looked and does not wait yet.
        self.freed.notify_one();
    }

    fn lock(&self) -> MutexGuard<'_, Taken> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Place {
    /// Says whose it is.
    ///
    /// # Errors
    /// That address has as many as it may; the place is given back.
    pub fn of(mut self, address: IpAddr, limits: &Limits) -> Result<Self, TooManyFromAddress> {
        // The same client may come by either form.
        let address = address.to_canonical();
        {
            let mut taken = self.places.lock();
            let count = taken.by_address.get(&address).copied().unwrap_or(0);
            if count < limits.connections_per_address_max {
                taken.by_address.insert(address, count + 1);
                self.address = Some(address);
            }
        }
        if self.address.is_some() { Ok(self) } else { Err(TooManyFromAddress) }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut taken = self.places.lock();
        taken.all -= 1;
        if let Some(address) = self.address
            && let Some(count) = taken.by_address.get_mut(&address)
        {
            *count -= 1;
            if *count == 0 {
                taken.by_address.remove(&address);
            }
        }
        drop(taken);
        self.places.freed.notify_one();
    }
}
