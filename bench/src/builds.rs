//! One call on several builds of hjall, which take short turns. Finds small differences, because all builds see the
//! same machine.

use std::path::PathBuf;
use std::time::Duration;

use crate::Outcome;
use crate::generator::Protocol;
use crate::generator::cycled::drive;
use crate::median::median;
use crate::process::Server;
use crate::rows::row;
use crate::thrift1::{Client, get_row, mutate_row, mutate_rows};

const TABLE: &str = "bench";
const ROWS: usize = 100_000;
const VALUE_BYTES: usize = 100;
/// The connections that put the rows, and for how long each does so.
const LOADERS: usize = 8;
const LOAD: Duration = Duration::from_secs(4);
/// How long each build runs the call before it is measured.
const WARM_UP: Duration = Duration::from_secs(1);

/// The call that is measured. Each concerns one row with one column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Call {
    /// getRow
    Get,
    /// mutateRow
    Put,
    /// mutateRows with one row: HappyBase's put
    Puts,
}

impl Call {
    /// The encoded calls for all rows.
    fn all(self) -> Outcome<Vec<Vec<u8>>> {
        let value = vec![b'v'; VALUE_BYTES];
        let one = |n: usize| match self {
            Self::Get => get_row(TABLE, &row(n)),
            Self::Put => mutate_row(TABLE, &row(n), "f:q", value.clone()),
            Self::Puts => mutate_rows(TABLE, vec![(row(n), vec![("f:q".to_owned(), value.clone())])]),
        };
        (0..ROWS).map(one).collect()
    }
}

/// What is measured, and how.
pub struct Turns {
    pub call: Call,
    pub connections: usize,
    /// The duration of a turn.
    pub length: Duration,
    pub rounds: usize,
}

impl Turns {
    /// Measures the builds in turn. Prints the rate and the processor time of each, and the rates divided by those of
    /// the first one in the same rounds.
    pub fn run(&self, builds: &[PathBuf]) -> Outcome<()> {
        let calls = self.call.all()?;
        let folders = builds.iter().map(|_| tempfile::tempdir()).collect::<Result<Vec<_>, _>>()?;
        let mut servers = Vec::new();
        for (build, folder) in builds.iter().zip(&folders) {
            let server = Server::hjall(build, folder.path())?;
            Client::connect(server.address)?.create_table(TABLE, &["f".to_owned()])?;
            drive(server.address, &Call::Put.all()?, Protocol::Thrift, LOADERS, LOAD)?;
            drive(server.address, &calls, Protocol::Thrift, self.connections, WARM_UP)?;
            servers.push((server, Vec::new(), Vec::new()));
        }
        for round in 0..self.rounds {
            // Each build is the first one in some of the rounds.
            servers.rotate_left(round.min(1));
            for (server, rates, times) in &mut servers {
                let before = server.usage()?;
                let figures = drive(server.address, &calls, Protocol::Thrift, self.connections, self.length)?;
                let used = server.usage()?.since(before).seconds;
                rates.push(figures.rate);
                times.push(used / (figures.rate * self.length.as_secs_f64()) * 1e6);
            }
        }
        servers.rotate_right((self.rounds - 1) % builds.len());
        println!("{:>10} {:>12}   {:<24} build", "calls/s", "CPU, µs", "compared with the first");
        let first = servers.first().map(|(_, rates, _)| rates.clone()).unwrap_or_default();
        for ((server, rates, times), build) in servers.into_iter().zip(builds) {
            let mut ratios: Vec<f64> = rates.iter().zip(&first).map(|(rate, first)| rate / first).collect();
            ratios.sort_unstable_by(f64::total_cmp);
            let quartile = |n: usize| ratios.get(ratios.len() * n / 4).copied().unwrap_or_default();
            let compared = format!("{:.2} ({:.2} to {:.2})", median(ratios.clone()), quartile(1), quartile(3));
            println!("{:>10.0} {:>12.1}   {compared:<24} {}", median(rates), median(times), build.display());
            server.stop()?;
        }
        println!("in parentheses: the quartiles of {} rounds", self.rounds);
        Ok(())
    }
}
