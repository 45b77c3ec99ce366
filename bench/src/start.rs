//! Time from start to the first answer, of a server and of the shell, time to create a table, and memory of an idle
//! server.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use hjall_idl::hbase1::{GetTableNamesArgs, GetTableNamesResult, MutateRowsResult};

use crate::Outcome;
use crate::process::Server;
use crate::thrift1::{Client, message, mutate_rows};

/// Runs the benchmark and prints its figures.
pub fn run(hjall: &Path, megabytes: usize, families: usize, runs: usize) -> Outcome<()> {
    let empty = tempfile::tempdir()?;
    let mut kib = 0;
    let starts = starts(
        hjall,
        runs,
        || Ok(empty.path().join(format!("{:?}", Instant::now()))),
        |server| {
            kib = server.resident_kib()?;
            Ok(())
        },
    )?;
    println!("start to first answer, empty folder:           {:>8.1} ms (goal 50)", milliseconds(starts));
    let folder = tempfile::tempdir()?;
    let data = folder.path().to_string_lossy().into_owned();
    let took = shell(hjall, runs, &["--data", &data])?;
    println!("start of the shell to the end, empty folder:   {:>8.1} ms", milliseconds(took));
    let server = Server::hjall(hjall, &empty.path().join("shell"))?;
    let took = shell(hjall, runs, &["--server", &server.address.to_string()])?;
    println!("start of the shell to the end, on a server:    {:>8.1} ms (goal 20)", milliseconds(took));
    server.stop()?;
    println!("memory of an idle server:                      {:>8.1} MiB (goal 32)", kib as f64 / 1024.0);

    let many = tempfile::tempdir()?;
    let server = Server::hjall(hjall, many.path())?;
    let mut client = Client::connect(server.address)?;
    let begin = Instant::now();
    for table in 0..families.div_ceil(2) {
        client.create_table(&format!("t{table}"), &["a".to_owned(), "b".to_owned()])?;
    }
    let each = begin.elapsed() / u32::try_from(families)?;
    println!("creating a table, per family ({families} families):   {:>8.1} ms (goal 20)", milliseconds(each));
    server.stop()?;
    let took = self::starts(hjall, runs, || Ok(many.path().to_owned()), |_| Ok(()))?;
    println!("start to first answer, {families} families:           {:>8.1} ms", milliseconds(took));

    let big = tempfile::tempdir()?;
    fill(hjall, big.path(), megabytes)?;
    let took = self::starts(hjall, runs, || Ok(big.path().to_owned()), |_| Ok(()))?;
    println!("start to first answer, {megabytes} MiB in 10 tables of 2: {:>8.1} ms (goal 50)", milliseconds(took));
    Ok(())
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

/// The median time that the shell takes to start, list the tables and end.
fn shell(hjall: &Path, runs: usize, place: &[&str]) -> Outcome<Duration> {
    let mut times = Vec::new();
    for _ in 0..runs.max(1) {
        let begin = Instant::now();
        let ended = Command::new(hjall).arg("shell").args(place).args(["-e", "list"]).stdout(Stdio::null()).status()?;
        if !ended.success() {
            return Err(format!("hjall shell ended with {ended}").into());
        }
        times.push(begin.elapsed());
    }
    times.sort_unstable();
    Ok(times[times.len() / 2])
}

/// The median time from starting the process until `getTableNames` is answered.
fn starts(
    hjall: &Path,
    runs: usize,
    mut folder: impl FnMut() -> Outcome<std::path::PathBuf>,
    mut look: impl FnMut(&Server) -> Outcome<()>,
) -> Outcome<Duration> {
    let mut times = Vec::new();
    for _ in 0..runs.max(1) {
        let folder = folder()?;
        let begin = Instant::now();
        let server = Server::hjall(hjall, &folder)?;
        let names = message("getTableNames", &GetTableNamesArgs::default())?;
        let _: GetTableNamesResult = Client::connect(server.address)?.call(&names)?;
        times.push(begin.elapsed());
        look(&server)?;
        server.stop()?;
    }
    times.sort_unstable();
    Ok(times[times.len() / 2])
}

/// Fills ten tables of two families with cells of 1 KiB of incompressible bytes.
fn fill(hjall: &Path, folder: &Path, megabytes: usize) -> Outcome<()> {
    let server = Server::hjall(hjall, folder)?;
    let mut client = Client::connect(server.address)?;
    let mut state = 88_172_645_463_325_252u64;
    let mut value = || {
        let word = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state.to_le_bytes()
        };
        std::iter::repeat_with(word).take(128).flatten().collect::<Vec<u8>>()
    };
    for table in 0..10 {
        let name = format!("big{table}");
        client.create_table(&name, &["a".to_owned(), "b".to_owned()])?;
        let rows = megabytes * 1024 / 20;
        for first in (0..rows).step_by(500) {
            let batch = (first..rows.min(first + 500))
                .map(|n| {
                    (format!("{n:010}").into_bytes(), vec![("a:v".to_owned(), value()), ("b:v".to_owned(), value())])
                })
                .collect();
            let result: MutateRowsResult = client.call(&mutate_rows(&name, batch)?)?;
            if let Some(error) = result.io {
                return Err(format!("{error:?}").into());
            }
        }
        eprintln!("filled {} of 10 tables", table + 1);
    }
    server.stop()
}
