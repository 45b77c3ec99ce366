//! The registry of open cursors, with which a database ends them when it is closed.
//!
//! Every read of a family registers a cursor and removes it. The registry is divided into shards, so that threads that
//! read at the same time do not write to the same cache line.

use std::collections::HashMap;
use std::sync::{Arc, Weak};

use parking_lot::Mutex;

use super::cursor::RangeIter;
use crate::error::Error;
use crate::store::thread_shard::thread_shard;

/// The number of shards. Threads take them in turn.
const SHARDS: u64 = 32;

/// The state of a cursor.
pub(super) enum CursorState {
    Active(RangeIter),
    Ended,
    /// A read has failed. The iterator could have skipped pairs afterwards.
    Failed(Error),
    /// The cursor's database has been closed.
    Stale,
}

/// The cursors that are open.
pub(super) struct Cursors(Box<[Shard]>);

/// A shard, in separate cache lines. Processors fetch cache lines in pairs.
#[derive(Default)]
#[repr(align(128))]
struct Shard(Mutex<Register>);

#[derive(Default)]
struct Register {
    last_id: u64,
    states: HashMap<u64, Weak<Mutex<CursorState>>>,
}

impl Default for Cursors {
    fn default() -> Self {
        Self((0..SHARDS).map(|_| Shard::default()).collect())
    }
}

impl Cursors {
    /// Registers an open cursor. Returns its id, for [`Self::remove`].
    pub fn add(&self, state: &Arc<Mutex<CursorState>>) -> u64 {
        let shard = thread_shard() as u64 % SHARDS;
        let mut register = self.shard(shard).lock();
        register.last_id += 1;
        let id = register.last_id * SHARDS + shard;
        register.states.insert(id, Arc::downgrade(state));
        id
    }

    /// Removes a closed cursor.
    pub fn remove(&self, id: u64) {
        self.shard(id % SHARDS).lock().states.remove(&id);
    }

    /// Ends all open cursors.
    pub fn end(&self) {
        for Shard(register) in &self.0 {
            let states: Vec<_> = register.lock().states.drain().filter_map(|(_, state)| state.upgrade()).collect();
            for state in states {
                *state.lock() = CursorState::Stale;
            }
        }
    }

    fn shard(&self, number: u64) -> &Mutex<Register> {
        &self.0[number as usize].0
    }
}
