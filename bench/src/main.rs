//! Benchmarks of a hjall server and of the engine: speed compared with Redis, start-up time, memory.
//!
//! Prints figures and never fails because of one.

mod ageing;
mod batches;
mod builds;
mod bulk;
mod calls;
mod choice;
mod compare;
mod cores;
mod deletions;
mod engine;
mod filters;
mod generator;
mod hot;
mod idle;
mod lanes;
mod load;
mod median;
mod mixed;
mod overload;
mod pin;
mod pressure;
mod process;
mod raw_fjall;
mod reads;
mod redis;
mod rows;
mod scale;
mod scan;
mod start;
mod sync;
mod thrift1;

use std::path::PathBuf;
use std::time::Duration;

use clap::{Parser, Subcommand};

use crate::ageing::Ageing;
use crate::reads::Reads;

/// Benchmarks of a hjall server and of the engine
#[derive(Parser)]
#[command(version)]
struct Arguments {
    /// The server, built in release mode
    #[arg(long, env = "HJALL_RELEASE_BIN", default_value = "target/release/hjall")]
    hjall: PathBuf,
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// hjall side by side with Redis, raw fjall and HBase: interleaved rounds, tables and plots
    Compare(compare::Options),
    /// A table of millions of rows: load, gets, scans, memory, size on disk, start-up time
    Scale(scale::Options),
    /// One call on several builds of the server, which take short turns: finds small differences
    Builds {
        /// The builds; the others are compared with the first one
        #[arg(required = true)]
        builds: Vec<PathBuf>,
        /// The call
        #[arg(long, value_enum, default_value = "put")]
        call: builds::Call,
        /// Number of connections
        #[arg(long, default_value_t = 8)]
        connections: usize,
        /// Duration of a turn, in milliseconds
        #[arg(long, default_value_t = 500)]
        milliseconds: u64,
        /// Number of rounds, in each of which every build has a turn
        #[arg(long, default_value_t = 20)]
        rounds: usize,
    },
    /// Uses a processor until its standard input ends
    #[command(hide = true)]
    Spin,
    /// getRow, mutateRow and scannerGetList through a socket, compared with GET and SET of Redis
    Load {
        /// Numbers of connections; one run for each
        #[arg(long, value_delimiter = ',', default_value = "1,8,50")]
        connections: Vec<usize>,
        /// Duration of one run, in seconds
        #[arg(long, default_value_t = 3)]
        seconds: u64,
        /// Rows in the table, and keys in Redis
        #[arg(long, default_value_t = 100_000)]
        rows: usize,
        /// The Redis server
        #[arg(long, default_value = "redis-server")]
        redis: PathBuf,
    },
    /// getRow and mutateRow of the same rows at once, compared with GET and SET of Redis in interleaved rounds
    Mixed {
        /// Duration of one load of one server, in seconds
        #[arg(long, default_value_t = 3)]
        seconds: u64,
        /// Number of rounds; the medians of the ratios are printed
        #[arg(long, default_value_t = 5)]
        rounds: usize,
        /// Rows in the table, and keys in Redis
        #[arg(long, default_value_t = 20_000)]
        rows: usize,
        /// The Redis server
        #[arg(long, default_value = "redis-server")]
        redis: PathBuf,
    },
    /// Puts that wait for the disk, compared with SET of Redis with `appendfsync always`, and their effect on other
    /// puts
    Sync {
        /// Numbers of connections; one run for each
        #[arg(long, value_delimiter = ',', default_value = "1,8,50")]
        connections: Vec<usize>,
        /// Number of rounds; the medians of the ratios are printed
        #[arg(long, default_value_t = 3)]
        rounds: usize,
        /// Duration of one run, in seconds
        #[arg(long, default_value_t = 5)]
        seconds: u64,
        /// The Redis server
        #[arg(long, default_value = "redis-server")]
        redis: PathBuf,
    },
    /// A queue and a time series with a TTL that are written all the time: latencies and size on disk at intervals.
    /// Then rows with many deletes, before and after a compaction
    Ageing {
        /// Duration for each table, in seconds
        #[arg(long, default_value_t = 60)]
        seconds: u64,
        /// Time between two lines, in seconds
        #[arg(long, default_value_t = 5)]
        interval: u64,
        /// TTL of the time series, in seconds
        #[arg(long, default_value_t = 10)]
        ttl: i32,
        /// Deletes in each of the rows with many deletes; 0: without this part
        #[arg(long, default_value_t = 100_000)]
        deletes: usize,
        /// Rows that are put in a second. Without it, as many as the server takes
        #[arg(long)]
        rate: Option<u64>,
        /// Additional settings of the server, as name=value
        #[arg(long)]
        set: Vec<String>,
    },
    /// Puts into one table while another one is loaded, compared with puts alone, in interleaved rounds
    Pressure {
        /// Number of rounds; the median of the ratios is printed
        #[arg(long, default_value_t = 5)]
        rounds: usize,
        /// Duration of one run, in seconds
        #[arg(long, default_value_t = 5)]
        seconds: u64,
        /// Additional settings of the server, as name=value
        #[arg(long)]
        set: Vec<String>,
    },
    /// Gets of the embedded engine by several threads at once
    Cores {
        /// Numbers of threads; the first one is what the others are compared with
        #[arg(long, value_delimiter = ',', default_value = "1,2")]
        threads: Vec<usize>,
        /// Number of rounds; medians are printed
        #[arg(long, default_value_t = 5)]
        rounds: usize,
        /// Duration of one run, in milliseconds
        #[arg(long, default_value_t = 1000)]
        milliseconds: u64,
        /// Run this many gets on one thread instead, without printing anything (for bench/shared_writes.py)
        #[arg(long)]
        gets: Option<usize>,
    },
    /// getRow with concurrent scans and writes, with separate lanes and with a single queue
    Lanes {
        /// Duration of one run, in seconds
        #[arg(long, default_value_t = 5)]
        seconds: u64,
        /// Rows in the table
        #[arg(long, default_value_t = 100_000)]
        rows: usize,
        /// Additional settings of the server, as name=value
        #[arg(long)]
        set: Vec<String>,
    },
    /// Five times as many calls as the server can run, from 200 connections: memory, calls served, rejections, recovery
    Overload {
        /// Duration, in seconds
        #[arg(long, default_value_t = 20)]
        seconds: u64,
        /// Calls that may wait in a lane (queues.waiting); must be lower than the number of connections, or no
        /// call is rejected
        #[arg(long, default_value_t = 32)]
        waiting: usize,
        /// Rows read by one call
        #[arg(long, default_value_t = 400)]
        batch: usize,
    },
    /// Idle connections: memory, threads, and the effect on an active connection
    Idle {
        /// Number of connections
        #[arg(long, default_value_t = 10_000)]
        connections: usize,
    },
    /// Time from start to the first answer, time to create a table, memory when idle
    Start {
        /// Size of the large folder, in MiB
        #[arg(long, default_value_t = 1024)]
        megabytes: usize,
        /// Number of families in the folder with many families
        #[arg(long, default_value_t = 400)]
        families: usize,
        /// Number of starts of each kind; the median is printed
        #[arg(long, default_value_t = 9)]
        runs: usize,
    },
    /// Reads of columns with many versions and rows with many delete markers, compared with fresh rows
    Hot {
        /// Increments of one counter, and versions of one column
        #[arg(long, default_value_t = 1_000_000)]
        versions: usize,
        /// Delete markers in one row
        #[arg(long, default_value_t = 100_000)]
        markers: usize,
    },
    /// Puts, gets and full scans of the embedded engine, compared with the same bytes in the store below it
    Engine {
        /// Rows in the table, of 5 cells each
        #[arg(long, default_value_t = 50_000)]
        rows: usize,
        /// Number of single-row reads
        #[arg(long, default_value_t = 50_000)]
        gets: usize,
    },
    /// Gets and scans of the embedded engine, by where the rows are: row cache, block cache, nowhere; before and after
    /// a major compaction
    Reads {
        /// Rows in the table; one run for each number
        #[arg(long, value_delimiter = ',', default_value = "1000000,5000000,10000000")]
        rows: Vec<usize>,
        /// Cells in a row
        #[arg(long, default_value_t = 1)]
        cells: usize,
        /// Bytes of a value
        #[arg(long, default_value_t = 100)]
        value_bytes: usize,
        /// Number of gets of each kind
        #[arg(long, default_value_t = 100_000)]
        gets: usize,
    },
    /// Loading rows into the embedded engine: batches of puts and bulk loads, compared with fjall's batches and
    /// ingestion
    Bulk {
        /// Rows to load, of one cell
        #[arg(long, default_value_t = 1_000_000)]
        rows: usize,
        /// Bytes of a value
        #[arg(long, default_value_t = 100)]
        value_bytes: usize,
        /// Number of rounds
        #[arg(long, default_value_t = 3)]
        rounds: usize,
        /// Put the rows in random order, without bulk loads
        #[arg(long)]
        random: bool,
    },
    /// Batches of fjall alone, written on request (for bench/node)
    Batches {
        /// How a row of five cells is stored
        #[arg(long, value_enum)]
        stored: batches::Stored,
    },
    /// Scans with filters that seek, compared with a get of the row or column they find
    Filters {
        /// Rows of one table, and columns of the single row of another
        #[arg(long, default_value_t = 1_000_000)]
        rows: usize,
    },
}

/// Errors are reported to the user as they are.
type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

fn main() -> Outcome<()> {
    let arguments = Arguments::parse();
    match arguments.what {
        What::Compare(options) => compare::run(&arguments.hjall, &options),
        What::Scale(options) => scale::run(&arguments.hjall, &options),
        What::Spin => compare::spin(),
        What::Builds { builds, call, connections, milliseconds, rounds } => {
            let length = Duration::from_millis(milliseconds);
            builds::Turns { call, connections, length, rounds: rounds.max(1) }.run(&builds)
        }
        What::Load { connections, seconds, rows, redis } => {
            load::run(&arguments.hjall, &redis, &connections, Duration::from_secs(seconds), rows)
        }
        What::Mixed { seconds, rounds, rows, redis } => {
            mixed::run(&arguments.hjall, &redis, Duration::from_secs(seconds), rounds.max(1), rows)
        }
        What::Sync { connections, rounds, seconds, redis } => {
            sync::run(&arguments.hjall, &redis, &connections, rounds.max(1), Duration::from_secs(seconds))
        }
        What::Ageing { seconds, interval, ttl, deletes, rate, set } => {
            Ageing {
                hjall: &arguments.hjall,
                length: Duration::from_secs(seconds),
                interval: Duration::from_secs(interval.max(1)),
                ttl_seconds: ttl,
                rate: rate.filter(|rate| *rate > 0),
                settings: &set,
            }
            .run()?;
            if deletes > 0 { deletions::run(&arguments.hjall, deletes) } else { Ok(()) }
        }
        What::Pressure { rounds, seconds, set } => {
            pressure::run(&arguments.hjall, rounds.max(1), Duration::from_secs(seconds), &set)
        }
        What::Cores { gets: Some(gets), .. } => cores::gets(gets),
        What::Cores { threads, rounds, milliseconds, gets: None } => {
            cores::run(&threads, rounds.max(1), Duration::from_millis(milliseconds))
        }
        What::Lanes { seconds, rows, set } => lanes::run(&arguments.hjall, Duration::from_secs(seconds), rows, &set),
        What::Overload { seconds, waiting, batch } => {
            overload::run(&arguments.hjall, Duration::from_secs(seconds), waiting, batch)
        }
        What::Idle { connections } => idle::run(&arguments.hjall, connections),
        What::Start { megabytes, families, runs } => start::run(&arguments.hjall, megabytes, families, runs),
        What::Hot { versions, markers } => hot::run(versions, markers),
        What::Engine { rows, gets } => engine::run(rows, gets),
        What::Reads { rows, cells, value_bytes, gets } => {
            let reads = Reads { cells, value_bytes, gets };
            rows.into_iter().try_for_each(|rows| reads.run(rows))
        }
        What::Bulk { rows, value_bytes, rounds, random } => bulk::run(rows, value_bytes, rounds.max(1), random),
        What::Batches { stored } => batches::run(stored),
        What::Filters { rows } => filters::run(rows),
    }
}
