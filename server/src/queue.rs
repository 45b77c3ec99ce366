//! Where the side that never blocks hands calls to the side that never awaits.

use std::sync::Arc;

use bytes::Bytes;
use crossbeam_channel::{Receiver, Sender, unbounded};
use tokio::sync::oneshot;

use crate::call::Call;
use crate::config::Config;
use crate::lane::{Lane, Permit};
use crate::method::LaneKind;

/// A call on its way to a worker.
pub struct Job {
    /// What to run.
    pub call: Call,
    /// Its whole message.
    pub message: Bytes,
    /// Where the reply goes, behind what is there already.
    pub out: Vec<u8>,
    /// Its right to be here.
    pub permit: Permit,
    /// Who awaits the reply.
    pub reply: oneshot::Sender<Vec<u8>>,
}

/// The four lanes. Dropping them ends their workers once the queues are empty.
pub struct Queues {
    lanes: [(Arc<Lane>, Sender<Job>); 4],
}

impl Queues {
    /// The lanes of a configuration, and for each the end that its workers take from.
    pub fn new(config: &Config) -> (Self, [(LaneKind, Receiver<Job>); 4]) {
        let channels = LaneKind::ALL.map(|kind| (kind, unbounded()));
        let lanes =
            channels.each_ref().map(|(kind, (jobs, _))| (Arc::new(Lane::new(config.lane(*kind))), jobs.clone()));
        (Self { lanes }, channels.map(|(kind, (_, jobs))| (kind, jobs)))
    }

    /// A lane's permits.
    pub fn lane(&self, kind: LaneKind) -> &Arc<Lane> {
        &self.lanes[kind as usize].0
    }

    /// Queues a job that has its permit, and awaits its reply. `None`: the server has stopped.
    pub async fn run(
        &self,
        kind: LaneKind,
        call: Call,
        message: Bytes,
        out: Vec<u8>,
        permit: Permit,
    ) -> Option<Vec<u8>> {
        let (reply, replied) = oneshot::channel();
        self.lanes[kind as usize].1.send(Job { call, message, out, permit, reply }).ok()?;
        replied.await.ok()
    }
}
