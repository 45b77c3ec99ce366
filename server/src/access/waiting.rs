//! The passwords that wait to be checked. Addresses take turns in rotation: however many passwords one address sends,
//! another one waits for at most one check of each address.

use std::collections::{HashMap, VecDeque};
use std::net::IpAddr;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// A queue for each address, with a limit on the items of all of them.
pub(super) struct Waiting<T> {
    max: usize,
    queues: Mutex<Queues<T>>,
    changed: Condvar,
}

struct Queues<T> {
    /// The addresses with items, the next one first.
    order: VecDeque<IpAddr>,
    by_address: HashMap<IpAddr, VecDeque<T>>,
    /// The number of all items.
    items: usize,
    is_closed: bool,
}

/// The error of an item for which there is no place.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Full;

impl<T> Waiting<T> {
    /// A queue of at most `max` items.
    pub(super) fn new(max: usize) -> Self {
        let (order, by_address) = (VecDeque::new(), HashMap::new());
        let queues = Mutex::new(Queues { order, by_address, items: 0, is_closed: false });
        Self { max, queues, changed: Condvar::new() }
    }

    /// Adds an item. If there is no place, the address with the most items loses its newest one, which is dropped.
    ///
    /// # Errors
    /// `Full` if no address has more items than this one would have.
    pub(super) fn push(&self, address: IpAddr, item: T) -> Result<(), Full> {
        let mut queues = self.lock();
        // Dropped after the queues are unlocked.
        let _evicted = if queues.items < self.max { None } else { Some(queues.evict_for(address).ok_or(Full)?) };
        let Queues { order, by_address, items, .. } = &mut *queues;
        let of_address = by_address.entry(address).or_insert_with(|| {
            order.push_back(address);
            VecDeque::new()
        });
        of_address.push_back(item);
        *items += 1;
        drop(queues);
        self.changed.notify_one();
        Ok(())
    }

    /// Waits for an item. `None` once [`Self::close`] has been called and no item is left.
    pub(super) fn next(&self) -> Option<T> {
        let mut queues = self.lock();
        loop {
            if let Some(item) = queues.next() {
                return Some(item);
            }
            if queues.is_closed {
                return None;
            }
            queues = self.changed.wait(queues).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Lets [`Self::next`] end instead of waiting.
    pub(super) fn close(&self) {
        self.lock().is_closed = true;
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, Queues<T>> {
        self.queues.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T> Queues<T> {
    fn next(&mut self) -> Option<T> {
        let address = self.order.pop_front()?;
        let of_address = self.by_address.get_mut(&address)?;
        let item = of_address.pop_front()?;
        self.items -= 1;
        if of_address.is_empty() {
            self.by_address.remove(&address);
        } else {
            self.order.push_back(address);
        }
        Some(item)
    }

    /// Removes the newest item of the address with the most items, to make place for one of `address`.
    fn evict_for(&mut self, address: IpAddr) -> Option<T> {
        let own = self.by_address.get(&address).map_or(0, VecDeque::len);
        let most = self.by_address.values_mut().max_by_key(|of_address| of_address.len())?;
        // The address keeps at least one item, and therefore its place in the order.
        if most.len() <= own + 1 {
            return None;
        }
        self.items -= 1;
        most.pop_back()
    }
}

#[cfg(test)]
mod tests {
    use super::{Full, Waiting};

    fn pushed(waiting: &Waiting<&'static str>, address: u8, item: &'static str) -> Result<(), Full> {
        waiting.push([127, 0, 0, address].into(), item)
    }

    fn all(waiting: &Waiting<&'static str>) -> Vec<&'static str> {
        waiting.close();
        std::iter::from_fn(|| waiting.next()).collect()
    }

    #[test]
    fn addresses_take_turns_and_their_items_keep_their_order() {
        let waiting = Waiting::new(9);
        for (address, item) in [(1, "a"), (1, "b"), (1, "c"), (2, "x"), (2, "y"), (3, "m")] {
            assert_eq!(pushed(&waiting, address, item), Ok(()));
        }
        assert_eq!(waiting.next(), Some("a"));
        assert_eq!(pushed(&waiting, 3, "n"), Ok(()));
        assert_eq!(all(&waiting), ["x", "m", "b", "y", "n", "c"]);
    }

    #[test]
    fn the_address_with_the_most_items_gives_places_to_others() {
        let waiting = Waiting::new(4);
        for item in ["a", "b", "c", "d"] {
            assert_eq!(pushed(&waiting, 1, item), Ok(()));
        }
        assert_eq!(pushed(&waiting, 1, "e"), Err(Full));
        assert_eq!(pushed(&waiting, 2, "x"), Ok(()));
        assert_eq!(pushed(&waiting, 2, "y"), Ok(()));
        assert_eq!(pushed(&waiting, 2, "z"), Err(Full));
        assert_eq!(pushed(&waiting, 3, "m"), Ok(()));
        assert_eq!(pushed(&waiting, 4, "n"), Ok(()));
        assert_eq!(pushed(&waiting, 5, "o"), Err(Full));
        let mut left = all(&waiting);
        left.sort_unstable();
        assert_eq!(left, ["a", "m", "n", "x"]);
    }
}
