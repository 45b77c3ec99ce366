//! Measures a hjall server from outside: speed beside Redis on the same machine, start-up, memory. Prints figures, never a verdict.

mod engine;
mod filters;
mod hot;
mod idle;
mod lanes;
mod load;
mod overload;
mod peer;
mod pin;
mod process;
mod redis;
mod scan;
mod start;
mod thrift1;

use std::path::PathBuf;
use std::time::Duration;

use clap::{Parser, Subcommand};

/// Figures of a hjall server, measured from outside.
#[derive(Parser)]
#[command(version)]
struct Arguments {
    /// The server's binary, built in release.
    #[arg(long, env = "HJALL_RELEASE_BIN", default_value = "target/release/hjall")]
    hjall: PathBuf,
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// getRow, mutateRow and scannerGetList through the socket, beside Redis GET and SET from the same load generator.
    Load {
        /// Connections at once, one run each.
        #[arg(long, value_delimiter = ',', default_value = "1,8,50")]
        connections: Vec<usize>,
        /// Length of one run, in seconds.
        #[arg(long, default_value_t = 3)]
        seconds: u64,
        /// Rows of the table, and keys in Redis.
        #[arg(long, default_value_t = 100_000)]
        rows: usize,
        /// The Redis server's binary.
        #[arg(long, default_value = "redis-server")]
        redis: PathBuf,
    },
    /// getRow beside scans and writes, with lanes of their own and with one queue for all.
    Lanes {
        /// Length of one run, in seconds.
        #[arg(long, default_value_t = 5)]
        seconds: u64,
        /// Rows of the table.
        #[arg(long, default_value_t = 100_000)]
        rows: usize,
        /// Further settings of the server, name=value.
        #[arg(long)]
        set: Vec<String>,
    },
    /// Five times as many calls as the server can run, from 200 connections: memory, calls served, refusals, recovery.
    Overload {
        /// How long, in seconds.
        #[arg(long, default_value_t = 20)]
        seconds: u64,
        /// Calls that may wait in a lane (queues.waiting): fewer than connections, or nothing would be refused.
        #[arg(long, default_value_t = 32)]
        waiting: usize,
        /// Rows that one call reads.
        #[arg(long, default_value_t = 400)]
        batch: usize,
    },
    /// Idle connections: memory and threads for each, and what an active one notices.
    Idle {
        /// How many.
        #[arg(long, default_value_t = 10_000)]
        connections: usize,
    },
    /// Start to first answered call, table creation, idle memory.
    Start {
        /// Data in the big folder, in MiB.
        #[arg(long, default_value_t = 1024)]
        megabytes: usize,
        /// Families in the folder with many of them.
        #[arg(long, default_value_t = 400)]
        families: usize,
        /// Starts of each kind; the median is printed.
        #[arg(long, default_value_t = 9)]
        runs: usize,
    },
    /// Columns with heaps of versions and rows under heaps of delete markers, read beside fresh ones.
    Hot {
        /// Increments of one counter, and versions of one column.
        #[arg(long, default_value_t = 1_000_000)]
        versions: usize,
        /// Delete markers in one row.
        #[arg(long, default_value_t = 100_000)]
        markers: usize,
    },
    /// Puts, gets and whole scans of the engine inside this process, which the language bindings stand on, beside the same bytes through
    /// the store under it.
    Engine {
        /// Rows of the table, of 5 cells each.
        #[arg(long, default_value_t = 50_000)]
        rows: usize,
        /// Reads of one row each.
        #[arg(long, default_value_t = 50_000)]
        gets: usize,
    },
    /// Scans with filters that know where to look, beside a get of the one row or column that they find.
    Filters {
        /// Rows of one table, and columns of the one row of another.
        #[arg(long, default_value_t = 1_000_000)]
        rows: usize,
    },
}

/// What goes wrong here goes to the person at the terminal.
type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

fn main() -> Outcome<()> {
    let arguments = Arguments::parse();
    match arguments.what {
        What::Load { connections, seconds, rows, redis } => {
            load::run(&arguments.hjall, &redis, &connections, Duration::from_secs(seconds), rows)
        }
        What::Lanes { seconds, rows, set } => lanes::run(&arguments.hjall, Duration::from_secs(seconds), rows, &set),
        What::Overload { seconds, waiting, batch } => {
            overload::run(&arguments.hjall, Duration::from_secs(seconds), waiting, batch)
        }
        What::Idle { connections } => idle::run(&arguments.hjall, connections),
        What::Start { megabytes, families, runs } => start::run(&arguments.hjall, megabytes, families, runs),
        What::Hot { versions, markers } => hot::run(versions, markers),
        What::Engine { rows, gets } => engine::run(rows, gets),
        What::Filters { rows } => filters::run(rows),
    }
}
