//! hjall side by side with Redis, raw fjall and HBase: interleaved rounds, medians and spread, as a table and as plots.

mod bulk;
mod large;
mod machine;
mod plot;
mod report;
mod results;
mod scans;
mod small;
mod spinning;
mod system;
mod ycsb;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::builder::{OsStringValueParser, TypedValueParser};
use clap::{Args, ValueEnum};

pub use self::report::grouped;
use self::results::Results;
pub use self::spinning::spin;
pub use self::system::System;
use crate::Outcome;
use crate::generator::Protocol;
use crate::rows::Values;

/// The part of a comparison that measures one question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub enum Part {
    /// getRow of rows that were written once
    Get,
    /// getRow right after all rows were overwritten
    Overwritten,
    /// Gets and puts of the same rows at once
    Both,
    /// Puts of one row, and counters
    Put,
    /// Puts that wait for the disk
    Fsync,
    /// Scanners of 1,000 rows a call
    Scan,
    /// mutateRows of 1,000 rows, compared with raw fjall
    Bulk,
    /// Gets while scanners run
    Isolation,
    /// Gets and puts on a machine that other programs load
    Spinning,
    /// getRow of rows that are not in the row cache, and of absent rows
    Large,
    /// YCSB's workloads
    Ycsb,
}

/// The smallest number of records whose distribution YCSB can choose from.
const RECORDS_MIN: usize = 100;

/// What to measure.
#[derive(Debug, Clone, Args)]
pub struct Options {
    /// Only these parts
    #[arg(long, value_delimiter = ',')]
    only: Vec<Part>,
    /// Number of rounds; the tables show medians
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// Duration of one measurement, in seconds
    #[arg(long, default_value_t = 2.0)]
    seconds: f64,
    /// Rows of the small tables
    #[arg(long, default_value_t = 100_000)]
    rows: usize,
    /// Sizes of the large table, in rows, in ascending order
    #[arg(long, value_delimiter = ',', default_value = "1000000,5000000,10000000")]
    large: Vec<usize>,
    /// Records of YCSB, of ten columns of 100 bytes
    #[arg(long, default_value_t = 100_000)]
    records: usize,
    /// Bytes of a value
    #[arg(long, default_value_t = 100)]
    value: usize,
    /// Thrift messages in frames. HappyBase and HBase use none by default
    #[arg(long)]
    framed: bool,
    /// Another build of hjall, which is measured in the same rounds
    #[arg(long)]
    baseline: Option<PathBuf>,
    /// The Redis server. With an empty name, nothing is compared with Redis
    // The parser of paths refuses an empty one.
    #[arg(long, default_value = "redis-server", value_parser = OsStringValueParser::new().map(PathBuf::from))]
    redis: PathBuf,
    /// The Thrift server of a running HBase, which is measured in the same rounds
    #[arg(long)]
    hbase: Option<SocketAddr>,
    /// Where to write the tables and plots. Without it, they are only printed
    #[arg(long)]
    out: Option<PathBuf>,
}

impl Options {
    fn length(&self) -> Duration {
        Duration::from_secs_f64(self.seconds)
    }

    fn has(&self, part: Part) -> bool {
        self.only.is_empty() || self.only.contains(&part)
    }

    fn protocol(&self) -> Protocol {
        if self.framed { Protocol::Framed } else { Protocol::Thrift }
    }

    fn has_redis(&self) -> bool {
        !self.redis.as_os_str().is_empty()
    }

    /// Checks the options, and creates the folder of the report.
    fn check(&self) -> Outcome<()> {
        let numbers = [("rounds", self.rounds), ("rows", self.rows), ("value", self.value)];
        if let Some((name, _)) = numbers.iter().find(|(_, number)| *number == 0) {
            return Err(format!("--{name} 0: at least 1 is needed").into());
        }
        if self.records < RECORDS_MIN {
            return Err(format!("--records {}: at least {RECORDS_MIN} are needed", self.records).into());
        }
        if self.seconds.is_nan() || self.seconds <= 0.0 {
            return Err(format!("--seconds {}: a positive number is needed", self.seconds).into());
        }
        if self.large.first() == Some(&0) || !self.large.is_sorted_by(|a, b| a < b) {
            return Err("--large: the sizes have to ascend, from 1".into());
        }
        if let Some(baseline) = self.baseline.as_ref().filter(|baseline| !baseline.is_file()) {
            return Err(format!("--baseline {}: there is no such file", baseline.display()).into());
        }
        if self.has_redis() && std::process::Command::new(&self.redis).arg("--version").output().is_err() {
            let redis = self.redis.display();
            return Err(format!("{redis} is missing (Debian: apt install redis-server); without it: --redis ''").into());
        }
        if let Some(out) = &self.out {
            std::fs::create_dir_all(out).map_err(|error| format!("--out {}: {error}", out.display()))?;
        }
        Ok(())
    }
}

/// A comparison in progress.
struct Comparison<'a> {
    hjall: &'a std::path::Path,
    options: &'a Options,
    values: Values,
    results: Results,
}

impl Comparison<'_> {
    /// The systems to compare, each freshly started: hjall first.
    fn systems(&self) -> Outcome<Vec<System>> {
        let mut systems = self.hjalls()?;
        if self.options.has_redis() {
            systems.push(System::redis(&self.options.redis)?);
        }
        systems.extend(self.options.hbase.map(System::hbase));
        Ok(systems)
    }

    /// The builds of hjall, each freshly started.
    fn hjalls(&self) -> Outcome<Vec<System>> {
        let mut systems = vec![System::hjall("hjall", self.hjall, self.options.protocol())?];
        if let Some(binary) = &self.options.baseline {
            systems.push(System::hjall("baseline", binary, self.options.protocol())?);
        }
        Ok(systems)
    }

    fn rounds(&self) -> std::ops::RangeInclusive<usize> {
        1..=self.options.rounds.max(1)
    }
}

/// Measures everything and prints or writes the report.
pub fn run(hjall: &std::path::Path, options: &Options) -> Outcome<()> {
    options.check()?;
    let begin = Instant::now();
    let machine = machine::describe(hjall, options);
    let mut comparison = Comparison { hjall, options, values: Values::new(options.value), results: Results::default() };
    comparison.small()?;
    comparison.bulk()?;
    comparison.large()?;
    comparison.ycsb()?;
    report::write(&machine, options, &comparison.results, begin.elapsed())
}
