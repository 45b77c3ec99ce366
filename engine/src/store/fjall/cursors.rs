//! The registry of open cursors, by which closing a database ends them.

use std::collections::HashMap;
use std::sync::{Arc, Weak};

use parking_lot::Mutex;

/// How far a cursor is.
pub(super) enum Walk {
    Under(fjall::Iter),
    Ended,
    /// The database it walked through has been closed.
    Stale,
}

/// The cursors that are open.
#[derive(Default)]
pub(super) struct Cursors(Mutex<Register>);

#[derive(Default)]
struct Register {
    last_id: u64,
    walks: HashMap<u64, Weak<Mutex<Walk>>>,
}

impl Cursors {
    /// Registers an open cursor; returns the id to remove it by.
    pub fn add(&self, walk: &Arc<Mutex<Walk>>) -> u64 {
        let mut register = self.0.lock();
        register.last_id += 1;
        let id = register.last_id;
        register.walks.insert(id, Arc::downgrade(walk));
        id
    }

    /// Removes a closed cursor.
    pub fn remove(&self, id: u64) {
        self.0.lock().walks.remove(&id);
    }

    /// Ends all of them.
    pub fn end(&self) {
        let walks: Vec<_> = self.0.lock().walks.drain().filter_map(|(_, walk)| walk.upgrade()).collect();
        for walk in walks {
            *walk.lock() = Walk::Stale;
        }
    }
}
