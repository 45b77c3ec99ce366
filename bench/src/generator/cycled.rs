//! Connections that send the calls of a list in turn, in a closed loop.

use std::net::SocketAddr;
use std::time::Duration;

use super::{Caller, Figures, Group, Pace, Protocol, Step, run};
use crate::Outcome;

/// Connections that send the same calls.
pub struct Cycled<'a> {
    /// The server.
    pub address: SocketAddr,
    /// The calls, which are sent in turn. Each connection starts at a different position.
    pub calls: &'a [Vec<u8>],
    /// The protocol of the calls.
    pub protocol: Protocol,
    /// The number of connections.
    pub connections: usize,
}

/// Sends the calls in turn for the given time. Each connection starts at a different position in the list.
pub fn drive(
    address: SocketAddr,
    calls: &[Vec<u8>],
    protocol: Protocol,
    connections: usize,
    length: Duration,
) -> Outcome<Figures> {
    drive_groups(&[Cycled { address, calls, protocol, connections }], length)?.pop().ok_or_else(|| "no figures".into())
}

/// Sends the calls of several groups of connections at once for the given time. Returns the results of each group.
pub fn drive_groups(groups: &[Cycled<'_>], length: Duration) -> Outcome<Vec<Figures>> {
    let groups = groups.iter().map(|&Cycled { address, calls, protocol, connections }| {
        let caller = |n: usize| Box::new(Cycle { calls, next: n * calls.len() / connections }) as Box<dyn Caller + '_>;
        Group { address, protocol, pace: Pace::Closed, kinds: 1, callers: (0..connections).map(caller).collect() }
    });
    run(groups.collect(), length)
}

struct Cycle<'a> {
    calls: &'a [Vec<u8>],
    next: usize,
}

impl Caller for Cycle<'_> {
    fn begin(&mut self, out: &mut Vec<u8>) -> Option<usize> {
        out.extend_from_slice(self.calls.get(self.next)?);
        self.next = (self.next + 1) % self.calls.len();
        Some(0)
    }

    fn answered(&mut self, _reply: &[u8], _out: &mut Vec<u8>) -> Result<Step, String> {
        Ok(Step::Done { rows: 1 })
    }
}
