//! The event loops of a server, and which of them have the connections.
//!
//! New connections go to the loop with the fewest among those in use. A task measures the load of the loops, changes
//! how many are in use, and moves connections between them.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

pub mod balancer;
pub mod load;
mod policy;
mod processor_time;

use self::load::LoopHandle;

/// The event loops of a server.
#[derive(Debug)]
pub struct Loops {
    all: Vec<Arc<LoopHandle>>,
    in_use: AtomicUsize,
}

impl Loops {
    /// These event loops, of which the first ones are in use: this number, at least one.
    pub fn new(all: Vec<Arc<LoopHandle>>, in_use: usize) -> Self {
        Self { in_use: AtomicUsize::new(in_use.clamp(1, all.len().max(1))), all }
    }

    /// The loop on which connections are accepted.
    pub fn first(&self) -> Option<&Arc<LoopHandle>> {
        self.all.first()
    }

    /// The loop for a new connection.
    pub fn for_new_connection(&self) -> Option<&Arc<LoopHandle>> {
        self.all.iter().take(self.in_use()).min_by_key(|each| each.load.connections())
    }

    /// The number of connections of each loop.
    pub fn connections(&self) -> Vec<usize> {
        self.all.iter().map(|each| each.load.connections()).collect()
    }

    /// Lets connections of one loop go to another one: this number, each after its next answer.
    pub fn move_connections(&self, from: usize, to: usize, connections: usize) {
        if let (Some(from), Some(to)) = (self.all.get(from), self.all.get(to)) {
            from.load.send_to(to, connections);
        }
    }

    /// How long the loops have looked for calls without finding any, added up.
    pub fn polled(&self) -> Duration {
        self.all.iter().map(|each| each.load.busy_poll.polled()).sum()
    }

    /// The number of loops that get connections.
    pub fn in_use(&self) -> usize {
        self.in_use.load(Ordering::Relaxed)
    }

    fn set_in_use(&self, loops: usize) {
        self.in_use.store(loops, Ordering::Relaxed);
    }
}
