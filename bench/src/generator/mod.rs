//! The load generator: sends calls over many connections and records the latency of each operation.
//!
//! All connections of a run share one thread and one event loop, which makes one `send` and one `recv` for a call, as
//! redis-benchmark does.

mod alarm;
mod connection;
pub mod cycled;
mod figures;
mod reply;

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use mio::{Events, Poll, Token};

use self::alarm::Alarm;
use self::connection::{Connection, Progress};
pub use self::figures::{Figures, Latencies};
pub use self::reply::{EndSearch, Protocol, start_of};
use crate::Outcome;

/// How long an open loop waits for the answers of operations that have begun or are due when its time ends.
const PATIENCE: Duration = Duration::from_secs(10);

/// When operations begin.
#[derive(Debug, Clone, Copy)]
pub enum Pace {
    /// A connection begins an operation when its last one has ended.
    Closed,
    /// This many operations begin in a second, at equal intervals, on connections that have nothing else to do. If
    /// there is none, an operation waits for one. Latencies count from the time when the operation should have begun,
    /// so that a pause of the server is part of all latencies that it affects.
    Open(f64),
}

/// What follows a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// The operation has ended, with this many rows.
    Done { rows: u64 },
    /// Another call of the same operation has been encoded.
    More,
}

/// The operations of one connection. An operation is one call, or several in a row.
pub trait Caller {
    /// Encodes the first call of the next operation. Returns the number of its kind, or `None` if there are no more
    /// operations.
    fn begin(&mut self, out: &mut Vec<u8>) -> Option<usize>;

    /// Receives a reply, and encodes the next call of the operation if there is one.
    fn answered(&mut self, reply: &[u8], out: &mut Vec<u8>) -> Result<Step, String>;
}

/// Connections to one server.
pub struct Group<'a> {
    /// The server.
    pub address: SocketAddr,
    /// The protocol of its calls.
    pub protocol: Protocol,
    /// When operations begin.
    pub pace: Pace,
    /// The number of kinds of operations.
    pub kinds: usize,
    /// One for each connection.
    pub callers: Vec<Box<dyn Caller + 'a>>,
}

/// Runs the groups at once for the given time. Returns the results of each group.
pub fn run(groups: Vec<Group<'_>>, length: Duration) -> Outcome<Vec<Figures>> {
    let poll = Poll::new()?;
    let mut connections = Vec::new();
    let mut running = Vec::new();
    for Group { address, protocol, pace, kinds, callers } in groups {
        running.push(Running::new(pace, kinds)?);
        for caller in callers {
            let token = Token(connections.len());
            let connection = Connection::open(address, protocol, caller, poll.registry(), token)?;
            connections.push((running.len() - 1, connection));
        }
    }
    let alarm_token = Token(connections.len());
    let alarm = Alarm::new(poll.registry(), alarm_token)?;
    Loop { poll, alarm, alarm_token, connections, groups: running }.run(length)
}

/// The state of a group.
struct Running {
    pace: Pace,
    /// Operations that have begun, in an open loop.
    begun: u64,
    /// Connections without an operation, in an open loop.
    idle: Vec<usize>,
    /// Operations and rows answered, and replies without a row.
    operations: u64,
    rows: u64,
    empty: u64,
    /// When the last reply was received.
    last: Option<Instant>,
    kinds: Vec<Latencies>,
}

impl Running {
    fn new(pace: Pace, kinds: usize) -> Outcome<Self> {
        let kinds = std::iter::repeat_with(Latencies::new).take(kinds).collect::<Outcome<_>>()?;
        Ok(Self { pace, begun: 0, idle: Vec::new(), operations: 0, rows: 0, empty: 0, last: None, kinds })
    }

    /// When the next operation of an open loop begins; `None` in a closed loop, and after the end.
    fn due(&self, times: &Times) -> Option<Instant> {
        let Pace::Open(per_second) = self.pace else { return None };
        let due = times.begin + Duration::from_secs_f64(self.begun as f64 / per_second);
        (due < times.end).then_some(due)
    }

    fn figures(mut self, times: &Times) -> Outcome<Figures> {
        let mut unanswered = 0;
        // What was due and has not begun, because all connections were waiting.
        while let Some(due) = self.due(times) {
            self.begun += 1;
            unanswered += 1;
            if let Some(kind) = self.kinds.first_mut() {
                kind.record(times.gave_up.saturating_duration_since(due));
            }
        }
        let mut all = Latencies::new()?;
        for kind in &self.kinds {
            all.add(kind)?;
        }
        let seconds = self.last.map_or(0.0, |last| last.duration_since(times.begin).as_secs_f64());
        let per_second = |n: u64| if n == 0 { 0.0 } else { n as f64 / seconds };
        Ok(Figures {
            rate: per_second(self.operations),
            rows_per_second: per_second(self.rows),
            empty: self.empty,
            unanswered,
            kinds: self.kinds,
            all,
        })
    }
}

/// When a run begins and ends.
struct Times {
    begin: Instant,
    /// No operation begins later.
    end: Instant,
    /// When the run ends even if operations have not been answered.
    gave_up: Instant,
}

struct Loop<'a> {
    poll: Poll,
    alarm: Alarm,
    alarm_token: Token,
    /// Connections, and the numbers of their groups.
    connections: Vec<(usize, Connection<'a>)>,
    groups: Vec<Running>,
}

impl Loop<'_> {
    fn run(mut self, length: Duration) -> Outcome<Vec<Figures>> {
        let begin = Instant::now();
        let end = begin + length;
        let times = Times { begin, end, gave_up: end + PATIENCE };
        let mut events = Events::with_capacity(1024);
        let mut busy = 0;
        for at in 0..self.connections.len() {
            let group = self.connections[at].0;
            match self.groups[group].pace {
                Pace::Closed => busy += usize::from(self.begin(at, Instant::now())?),
                Pace::Open(_) => self.groups[group].idle.push(at),
            }
        }
        loop {
            busy += self.begin_due(&times)?;
            if busy == 0 && self.groups.iter().all(|group| group.due(&times).is_none()) {
                break;
            }
            let now = Instant::now();
            // Without an idle connection, only a reply can make the next operation begin.
            let ready = self.groups.iter().filter(|group| !group.idle.is_empty());
            let wake = match ready.filter_map(|group| group.due(&times)).min() {
                Some(due) if due <= now => continue,
                Some(due) => Some(due),
                None if self.groups.iter().all(|group| matches!(group.pace, Pace::Closed)) => None,
                None if now >= times.gave_up => break,
                None => Some(times.gave_up),
            };
            let timeout = wake.map_or(Ok(None), |wake| self.alarm.set(wake.saturating_duration_since(now)))?;
            match self.poll.poll(&mut events, timeout) {
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
                polled => polled?,
            }
            for event in &events {
                if event.token() != self.alarm_token {
                    busy -= self.receive(event.token().0, &times)?;
                }
            }
        }
        let pending = self.connections.iter().filter_map(|(group, one)| Some((*group, one.pending()?)));
        let mut unanswered = vec![0; self.groups.len()];
        for (group, (kind, began)) in pending.collect::<Vec<_>>() {
            unanswered[group] += 1;
            self.groups[group].kinds[kind].record(times.gave_up.saturating_duration_since(began));
        }
        let figures = self.groups.into_iter().zip(unanswered).map(|(group, more)| {
            let mut figures = group.figures(&times)?;
            figures.unanswered += more;
            Ok(figures)
        });
        figures.collect()
    }

    /// Begins an operation of a connection, which has none. Returns whether there is one.
    fn begin(&mut self, at: usize, intended: Instant) -> Outcome<bool> {
        self.connections[at].1.begin(intended)
    }

    /// Begins the operations of open loops that are due, as far as there are idle connections. Returns their number.
    fn begin_due(&mut self, times: &Times) -> Outcome<usize> {
        let mut begun = 0;
        for group in 0..self.groups.len() {
            while let Some(due) = self.groups[group].due(times) {
                if due > Instant::now() {
                    break;
                }
                let Some(at) = self.groups[group].idle.pop() else { break };
                self.groups[group].begun += 1;
                begun += usize::from(self.begin(at, due)?);
            }
        }
        Ok(begun)
    }

    /// Receives what a connection has. Returns 1 if the connection has no operation afterwards.
    fn receive(&mut self, at: usize, times: &Times) -> Outcome<usize> {
        let (group, connection) = &mut self.connections[at];
        let group = &mut self.groups[*group];
        match connection.proceed()? {
            Progress::Waiting => Ok(0),
            Progress::Answered { kind, intended, rows } => {
                let now = Instant::now();
                group.kinds[kind].record(now.saturating_duration_since(intended));
                group.operations += 1;
                group.rows += rows;
                group.empty += u64::from(rows == 0);
                group.last = Some(now);
                match group.pace {
                    Pace::Closed if now < times.end => Ok(usize::from(!connection.begin(now)?)),
                    Pace::Closed => Ok(1),
                    Pace::Open(_) => {
                        group.idle.push(at);
                        Ok(1)
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::TcpListener;

    use super::*;

    struct Ping(u64);

    impl Caller for Ping {
        fn begin(&mut self, out: &mut Vec<u8>) -> Option<usize> {
            self.0 = self.0.checked_sub(1)?;
            out.extend_from_slice(b"PING\r\n");
            Some(0)
        }

        fn answered(&mut self, reply: &[u8], _out: &mut Vec<u8>) -> Result<Step, String> {
            assert_eq!(reply, b"+PONG\r\n");
            Ok(Step::Done { rows: 1 })
        }
    }

    /// A server for one connection, which pauses before its answer to the call of this number.
    fn server(pause_before: usize, pause: Duration) -> SocketAddr {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().expect("a connection");
            let mut call = [0; 6];
            for n in 0.. {
                if stream.read_exact(&mut call).is_err() {
                    break;
                }
                if n == pause_before {
                    std::thread::sleep(pause);
                }
                stream.write_all(b"+PONG\r\n").expect("a reply");
            }
        });
        address
    }

    fn figures(address: SocketAddr, pace: Pace, calls: u64, length: Duration) -> Figures {
        let callers: Vec<Box<dyn Caller>> = vec![Box::new(Ping(calls))];
        let group = Group { address, protocol: Protocol::Redis, pace, kinds: 1, callers };
        run(vec![group], length).expect("figures").remove(0)
    }

    #[test]
    fn a_closed_loop_ends_when_there_are_no_more_operations() {
        let figures = figures(server(5, Duration::ZERO), Pace::Closed, 10, Duration::from_secs(3600));
        assert_eq!((figures.all.count(), figures.empty, figures.unanswered), (10, 0, 0));
    }

    #[test]
    fn an_open_loop_counts_a_pause_for_all_operations_that_it_delays() {
        let pause = Duration::from_millis(200);
        let figures = figures(server(5, pause), Pace::Open(1_000.0), u64::MAX, Duration::from_millis(400));
        assert_eq!((figures.all.count(), figures.unanswered), (400, 0));
        // Those that should have begun in the first half of the pause have waited for the other half at least. On a
        // slow machine, there are more.
        let slow = 100.0 / 400.0;
        assert!(figures.all.percentile_us(1.0 - slow) >= 95_000.0, "{}", figures.all.percentile_us(1.0 - slow));
    }
}
