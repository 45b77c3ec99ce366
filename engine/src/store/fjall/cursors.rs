//! The registry of open cursors, with which a database ends them when it is closed.

use std::collections::HashMap;
use std::sync::{Arc, Weak};

use parking_lot::Mutex;

/// The state of a cursor.
pub(super) enum CursorState {
    Active(fjall::Iter),
    Ended,
    /// The cursor's database has been closed.
    Stale,
}

/// The cursors that are open.
#[derive(Default)]
pub(super) struct Cursors(Mutex<Register>);

#[derive(Default)]
struct Register {
    last_id: u64,
    states: HashMap<u64, Weak<Mutex<CursorState>>>,
}

impl Cursors {
    /// Registers an open cursor. Returns its id, for [`Self::remove`].
    pub fn add(&self, state: &Arc<Mutex<CursorState>>) -> u64 {
        let mut register = self.0.lock();
        register.last_id += 1;
        let id = register.last_id;
        register.states.insert(id, Arc::downgrade(state));
        id
    }

    /// Removes a closed cursor.
    pub fn remove(&self, id: u64) {
        self.0.lock().states.remove(&id);
    }

    /// Ends all open cursors.
    pub fn end(&self) {
        let states: Vec<_> = self.0.lock().states.drain().filter_map(|(_, state)| state.upgrade()).collect();
        for state in states {
            *state.lock() = CursorState::Stale;
        }
    }
}
