//! Where the side that never blocks hands calls to the side that never awaits.

use std::sync::Arc;

use bytes::Bytes;
use crossbeam_channel::{Receiver, Sender, unbounded};
use tokio::sync::oneshot;

use crate::arithmetic::{LaneSize, Lanes};
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

/// The lanes. Dropping them ends their workers once the queues are empty.
pub struct Queues {
    sizes: Lanes,
    lanes: [(Arc<Lane>, Sender<Job>); LaneKind::ALL.len()],
}

impl Queues {
    /// The lanes of a configuration, and for each the end that its workers take from.
    pub fn new(config: &Config) -> (Self, Vec<(LaneKind, LaneSize, Receiver<Job>)>) {
        let sizes = Lanes::of(&config.queues);
        let channels = LaneKind::ALL.map(|_| unbounded());
        let lane = |kind| Arc::new(Lane::new(sizes.size(kind).unwrap_or(LaneSize::NONE)));
        let lanes = LaneKind::ALL.map(|kind| (lane(kind), channels[kind as usize].0.clone()));
        let ends = sizes.iter().map(|(kind, size)| (kind, size, channels[kind as usize].1.clone())).collect();
        (Self { sizes, lanes }, ends)
    }

    /// Where a kind of call runs.
    pub fn of_calls(&self, kind: LaneKind) -> LaneKind {
        self.sizes.of_calls(kind)
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
