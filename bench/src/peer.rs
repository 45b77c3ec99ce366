//! The load generator: each connection sends a call, waits for the reply, and sends the next call.
//!
//! All connections share one thread and one event loop, for both servers, so that the overhead of the generator
//! is the same.

use std::net::SocketAddr;
use std::rc::Rc;
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::LocalSet;

use crate::Outcome;

/// Returns the end of the first reply in a buffer, if it is complete.
pub type ReplyEnd = fn(&[u8]) -> Option<usize>;

/// The results of one run.
#[derive(Default)]
pub struct Figures {
    /// Calls answered per second.
    pub rate: f64,
    /// Sorted latencies in microseconds.
    latencies_us: Vec<u32>,
}

impl Figures {
    /// Latencies of one run, in microseconds, in any order.
    pub fn new(mut latencies_us: Vec<u32>, elapsed: Duration) -> Self {
        latencies_us.sort_unstable();
        Self { rate: latencies_us.len() as f64 / elapsed.as_secs_f64(), latencies_us }
    }

    /// The latency that this share of the calls did not exceed, in microseconds.
    pub fn percentile_us(&self, share: f64) -> u32 {
        let last = self.latencies_us.len().saturating_sub(1);
        self.latencies_us.get((last as f64 * share) as usize).copied().unwrap_or(0)
    }
}

/// Connections that send the same calls.
pub struct Group<'a> {
    /// The server.
    pub address: SocketAddr,
    /// The calls, which are sent in turn. Each connection starts at a different position.
    pub calls: &'a [Vec<u8>],
    /// Finds the end of a reply.
    pub end: ReplyEnd,
    /// The number of connections.
    pub connections: usize,
}

/// Sends the calls in turn for the given time. Each connection starts at a different position in the list.
pub fn drive(
    address: SocketAddr,
    calls: Vec<Vec<u8>>,
    end: ReplyEnd,
    connections: usize,
    length: Duration,
) -> Outcome<Figures> {
    let group = Group { address, calls: &calls, end, connections };
    drive_groups(&[group], length)?.pop().ok_or_else(|| "no figures".into())
}

/// Sends the calls of several groups of connections at once for the given time. Returns the results of each group.
pub fn drive_groups(groups: &[Group<'_>], length: Duration) -> Outcome<Vec<Figures>> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let local = LocalSet::new();
    let copies: Vec<_> = groups.iter().map(|group| Rc::new(group.calls.to_vec())).collect();
    local.block_on(&runtime, async move {
        let until = Instant::now() + length;
        let mut tasks = Vec::new();
        for (Group { address, end, connections, .. }, calls) in groups.iter().zip(&copies) {
            let start = |n: usize| {
                let first = n * calls.len() / connections;
                tokio::task::spawn_local(one(*address, Rc::clone(calls), first, *end, until))
            };
            tasks.push((0..*connections).map(start).collect::<Vec<_>>());
        }
        let mut figures = Vec::new();
        for tasks in tasks {
            let mut all = Vec::new();
            for task in tasks {
                all.extend(task.await.map_err(|e| e.to_string())??);
            }
            figures.push(Figures::new(all, length));
        }
        Ok(figures)
    })
}

async fn one(
    address: SocketAddr,
    calls: Rc<Vec<Vec<u8>>>,
    first: usize,
    end: ReplyEnd,
    until: Instant,
) -> Result<Vec<u32>, String> {
    let told = |e: std::io::Error| format!("{address}: {e}");
    let mut stream = TcpStream::connect(address).await.map_err(told)?;
    stream.set_nodelay(true).map_err(told)?;
    let mut latencies = Vec::new();
    let mut buffer = Vec::with_capacity(64 * 1024);
    for call in calls.iter().cycle().skip(first) {
        let sent = Instant::now();
        if sent >= until {
            break;
        }
        stream.write_all(call).await.map_err(told)?;
        buffer.clear();
        while end(&buffer).is_none() {
            if stream.read_buf(&mut buffer).await.map_err(told)? == 0 {
                return Err(format!("{address} closed the connection"));
            }
        }
        latencies.push(u32::try_from(sent.elapsed().as_micros()).unwrap_or(u32::MAX));
    }
    Ok(latencies)
}
