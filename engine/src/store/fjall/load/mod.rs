//! Bulk loads.
//!
//! A load writes sorted pairs to the files of new keyspaces, its *staging* keyspaces, with fjall's ingestion: one for
//! each space, on a thread of the load. Opening a database drops such a keyspace, as it drops every keyspace that is
//! not the current one of its space, so a crash or an abandoned load leaves nothing.
//!
//! [`BulkLoad::prepare`] completes the staging keyspaces. If a space has pairs already, it also begins an ingestion
//! into the current keyspace, and copies the pairs to it. The commit takes place while other commits wait, and has at
//! most three steps:
//!
//! 1. One batch makes the staging keyspaces of empty spaces their current ones, with the records that `rewrite` uses.
//!    The same batch has a record of the ingestions that step 2 completes, if a crash could separate their effects.
//! 2. The ingestions are completed. Each is atomic for its keyspace.
//! 3. The record is removed.
//!
//! An opening that finds the record copies the pairs again, before anything else can write. Readers in the process
//! share a view, which is renewed after step 3. A failed step 2 leaves the old view in place until the database is
//! reopened.

mod commit;
mod ingestion;
mod queue;
mod thread;

use std::sync::{Arc, Weak};

pub(super) use self::commit::complete;
pub(super) use self::queue::LoadQueue;
use self::queue::Step;
use self::thread::Part;
use super::database::{Database, Patience};
use super::failure::failed_io;
use super::store::{AssignedTime, Attempt, FjallStore};
use crate::error::Result;
use crate::store::{BulkLoad, LoadedPair, LoadedSpace};

/// A bulk load into a store on disk.
pub(super) struct FjallLoad {
    store: Arc<FjallStore>,
    database: Weak<Database>,
    queue: Arc<LoadQueue>,
    time_ms: i64,
    sequence: u64,
}

impl FjallLoad {
    pub fn begin(store: Arc<FjallStore>, spaces: &[LoadedSpace]) -> Result<Self> {
        let database = store.holder.writable()?;
        let queue = Arc::new(LoadQueue::default());
        // Keeps the database open until the load has been registered. From then on, closing the database ends the load.
        let call = database.begin_long_call()?;
        let mut parts = Vec::with_capacity(spaces.len());
        for (space, options) in spaces {
            let staged = database.keyspace(*space).and_then(|_| database.create_target(*space, options));
            match staged {
                Ok(staging) => parts.push(Part::new(*space, staging)),
                Err(error) => {
                    thread::drop_staging(&database, parts);
                    return Err(error);
                }
            }
        }
        let weak = Arc::downgrade(&database);
        let (of_thread, queue_of_thread) = (Weak::clone(&weak), Arc::clone(&queue));
        database.register_load(&queue);
        let spawned = std::thread::Builder::new()
            .name("hjall-load".to_owned())
            .spawn(move || thread::run(&queue_of_thread, &of_thread, parts));
        drop(call);
        if let Err(error) = spawned {
            // The next opening drops the staging keyspaces.
            queue.end();
            return Err(failed_io("starting a thread for a bulk load", error));
        }
        drop(database);
        let (time_ms, sequence) = (store.time.begin_load(), store.sequence.draw());
        Ok(Self { store, database: weak, queue, time_ms, sequence })
    }

    /// Stores a mark that covers the timestamp and the sequence number of the load.
    fn cover(&self) -> Result<()> {
        loop {
            let assigned = || Some(AssignedTime { newest_ms: self.time_ms, clock_ms: self.store.time.now_ms() });
            match self.store.commit(&self.database, &mut Vec::new(), assigned, Patience::Unlimited)? {
                Attempt::Unneeded | Attempt::Done(_) => return Ok(()),
                Attempt::Reopened => return Err(queue::interrupted()),
                Attempt::Refused(error) | Attempt::Failed(error) => return Err(error),
                Attempt::Occupied => {}
                Attempt::Crowded { spaces, bytes } => {
                    self.store.wait_for_room(&spaces, bytes, &self.store.waits.begin())?
                }
            }
        }
    }
}

impl BulkLoad for FjallLoad {
    fn time_ms(&self) -> i64 {
        self.time_ms
    }

    fn sequence(&self) -> u64 {
        self.sequence
    }

    fn add(&mut self, pairs: Vec<LoadedPair>) -> Result<()> {
        self.queue.add(pairs)
    }

    fn prepare(&mut self) -> Result<()> {
        self.queue.call(Step::Prepare).map(drop)
    }

    fn commit(&mut self) -> Result<bool> {
        self.cover()?;
        self.queue.call(Step::Commit)
    }
}

impl Drop for FjallLoad {
    fn drop(&mut self) {
        self.queue.stop();
        self.queue.wait_until_ended();
    }
}
