//! Overload: calls served and rejected, memory, and recovery at five times the capacity of the server.

use std::cell::RefCell;
use std::net::SocketAddr;
use std::path::Path;
use std::rc::Rc;
use std::time::{Duration, Instant};

use hjall_idl::hbase1::MutateRowsResult;
use tokio::task::LocalSet;
use tokio::time::sleep_until;

use crate::Outcome;
use crate::generator::Figures;
use crate::pin::Cores;
use crate::process::Server;
use crate::rows::row;
use crate::scan::Framed;
use crate::thrift1::{Client, get_rows, mutate_rows};

const TABLE: &str = "overload";
const ROWS: usize = 10_000;
const CONNECTIONS: usize = 200;
/// Number of connections that measure the capacity of the server.
const PEAK_CONNECTIONS: usize = 16;
/// Load during the overload, as a multiple of the capacity.
const TIMES: f64 = 5.0;
const REFUSED: &[u8] = b"CallQueueTooBigException";

/// The outcomes of the calls of a run.
#[derive(Default)]
struct Outcomes {
    served_us: Vec<u32>,
    refused_us: Vec<u32>,
}

/// Runs the benchmark and prints its figures.
pub fn run(hjall: &Path, length: Duration, waiting: usize, batch: usize) -> Outcome<()> {
    let cores = Cores::mine()?;
    let folder = tempfile::tempdir()?;
    let setting = format!("queues.waiting={waiting}");
    let server = cores.apart(|| Server::hjall_with(hjall, folder.path(), &[&setting]))?;
    println!("{}; {CONNECTIONS} connections, getRows of {batch} rows, {setting}", cores.halves());
    let calls = Rc::new(fill(&server, batch)?);

    let short = Duration::from_secs(3);
    drive(server.address, &calls, PEAK_CONNECTIONS, None, short)?;
    let (peak, elapsed) = drive(server.address, &calls, PEAK_CONNECTIONS, None, short)?;
    let peak = Figures::of(&peak.served_us, elapsed)?;
    line("capacity", &peak, "");
    let (alone, elapsed) = drive(server.address, &calls, 1, None, Duration::from_secs(1))?;
    let alone = Figures::of(&alone.served_us, elapsed)?;
    line("one connection alone", &alone, "");

    let kib = server.resident_kib()?;
    let (mut most, mut refusals, mut served) = (kib, Vec::new(), Vec::new());
    let begin = Instant::now();
    let mut slices = 0;
    while begin.elapsed() < length {
        let slice = Duration::from_secs(10).min(length.saturating_sub(begin.elapsed()));
        let (some, elapsed) = drive(server.address, &calls, CONNECTIONS, Some(peak.rate * TIMES), slice)?;
        most = most.max(server.resident_kib()?);
        served.push(some.served_us.len() as f64 / elapsed.as_secs_f64());
        refusals.extend(some.refused_us);
        slices += 1;
        if slices == 1 {
            line("first seconds", &Figures::of(&some.served_us, elapsed)?, "");
        }
    }
    let took = begin.elapsed();
    let (after, elapsed) = drive(server.address, &calls, 1, None, Duration::from_secs(1))?;
    let mean = served.iter().sum::<f64>() / served.len().max(1) as f64;
    let least = served.iter().copied().fold(f64::INFINITY, f64::min);
    println!(
        "served over {:.0} s: {mean:.0} calls/s, {:.2} of capacity (goal 0.9); worst slice {:.2}",
        took.as_secs_f64(),
        mean / peak.rate,
        least / peak.rate
    );
    let refused = Figures::of(&refusals, took)?;
    line("refused", &refused, &format!("max {} us (goal: under 10,000)", refused.percentile_us(1.0)));
    println!(
        "memory: {:.1} MiB before, {:.1} MiB at most, {:.1} MiB after",
        mib(kib),
        mib(most),
        mib(server.resident_kib()?)
    );
    let refused_after = after.refused_us.len();
    let recovered = Figures::of(&after.served_us, elapsed)?;
    line("alone, right after", &recovered, &format!("{refused_after} refused in that second (goal 0)"));
    server.stop()
}

fn mib(kib: u64) -> f64 {
    kib as f64 / 1024.0
}

fn line(name: &str, figures: &Figures, more: &str) {
    let (p50, p99) = (figures.percentile_us(0.5), figures.percentile_us(0.99));
    println!("{name:<22} {:>9.0} calls/s  p50 {p50:>6} us  p99 {p99:>6} us  {more}", figures.rate);
}

/// Creates a table, and returns calls that each read a batch of its rows.
fn fill(server: &Server, batch: usize) -> Outcome<Vec<Vec<u8>>> {
    let mut client = Client::connect(server.address)?;
    client.create_table(TABLE, &["f".to_owned()])?;
    let all: Vec<usize> = (0..ROWS).collect();
    for chunk in all.chunks(1000) {
        let puts = chunk.iter().map(|n| (row(*n), vec![("f:q".to_owned(), vec![b'v'; 100])])).collect();
        let result: MutateRowsResult = client.call(&mutate_rows(TABLE, puts)?)?;
        if result.io.is_some() || result.ia.is_some() {
            return Err(format!("{result:?}").into());
        }
    }
    (0..64).map(|n| get_rows(TABLE, (0..batch).map(|i| row((n * batch + i) % ROWS)).collect())).collect()
}

/// Sends calls from a number of connections for a given time: without a pause, or at a total rate in calls per
/// second. A connection whose call is late does not catch up.
fn drive(
    address: SocketAddr,
    calls: &Rc<Vec<Vec<u8>>>,
    connections: usize,
    rate: Option<f64>,
    length: Duration,
) -> Outcome<(Outcomes, Duration)> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let local = LocalSet::new();
    let outcomes = Rc::new(RefCell::new(Outcomes::default()));
    let begin = Instant::now();
    let every = rate.map(|rate| Duration::from_secs_f64(connections as f64 / rate));
    local.block_on(&runtime, async {
        let tasks: Vec<_> = (0..connections)
            .map(|n| {
                let (calls, outcomes) = (calls.clone(), outcomes.clone());
                tokio::task::spawn_local(async move {
                    let first = every.map_or(begin, |every| begin + every.mul_f64(n as f64 / connections as f64));
                    one(address, &calls, n, (first, every, begin + length), &outcomes).await.map_err(|e| e.to_string())
                })
            })
            .collect();
        for task in tasks {
            task.await.map_err(|e| e.to_string())??;
        }
        Ok::<_, String>(())
    })?;
    let elapsed = begin.elapsed();
    Ok((outcomes.take(), elapsed))
}

async fn one(
    address: SocketAddr,
    calls: &[Vec<u8>],
    number: usize,
    (first, every, until): (Instant, Option<Duration>, Instant),
    outcomes: &RefCell<Outcomes>,
) -> Outcome<()> {
    let mut connection = Framed::connect(address).await?;
    let mut next = first;
    for call in calls.iter().cycle().skip(number) {
        if let Some(every) = every {
            sleep_until(next.into()).await;
            next = (next + every).max(Instant::now());
        }
        let sent = Instant::now();
        if sent >= until {
            break;
        }
        let reply = connection.call(call).await?;
        let refused = reply.len() < 512 && reply.windows(REFUSED.len()).any(|bytes| bytes == REFUSED);
        let took = u32::try_from(sent.elapsed().as_micros()).unwrap_or(u32::MAX);
        let mut outcomes = outcomes.borrow_mut();
        if refused { outcomes.refused_us.push(took) } else { outcomes.served_us.push(took) }
    }
    Ok(())
}
