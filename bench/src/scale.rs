//! Tables of millions of rows: load rate, gets and scans, memory, size on disk, and start-up time.

use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::{Duration, Instant};

use clap::Args;
use hjall_idl::hbase1::{GetTableNamesArgs, GetTableNamesResult};

use crate::Outcome;
use crate::ageing::bytes_of;
use crate::calls::one_row::Action;
use crate::calls::scan::Scanner;
use crate::choice::Choice;
use crate::compare::System;
use crate::generator::{Caller, Pace, Protocol};
use crate::rows::{Values, row, row_at};
use crate::thrift1::{Client, message};

const TABLE: &str = "scale";
/// Rows of one `scannerGetList`.
const SCANNED: i32 = 1_000;
const SCANNERS: usize = 4;
/// The length of the qualifier, which counts as raw data together with the row's name and the value.
const QUALIFIER_BYTES: usize = 1;
/// How long flushes and compactions may take after a load.
const SETTLE: Duration = Duration::from_secs(1800);

/// What to load and measure.
#[derive(Debug, Clone, Args)]
pub struct Options {
    /// Sizes of the table, in rows, in ascending order
    #[arg(long, value_delimiter = ',', default_value = "1000000,10000000,30000000")]
    rows: Vec<usize>,
    /// Bytes of a value
    #[arg(long, default_value_t = 100)]
    value: usize,
    /// Duration of one measurement, in seconds
    #[arg(long, default_value_t = 5.0)]
    seconds: f64,
    /// Number of connections that get
    #[arg(long, default_value_t = 8)]
    connections: usize,
    /// Additional settings of the server, as name=value
    #[arg(long)]
    set: Vec<String>,
    /// A file for the table, in Markdown
    #[arg(long)]
    out: Option<PathBuf>,
}

/// One line of the table for each figure, with a value for each size.
struct Figures(Vec<(&'static str, Vec<String>)>);

impl Figures {
    fn add(&mut self, name: &'static str, value: String) {
        println!("{name}: {value}");
        match self.0.iter_mut().find(|(one, _)| *one == name) {
            Some((_, values)) => values.push(value),
            None => self.0.push((name, vec![value])),
        }
    }

    fn markdown(&self, sizes: &[usize]) -> String {
        let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
        let head = std::iter::once("rows".to_owned()).chain(sizes.iter().map(|rows| millions(*rows)));
        let rule = vec!["---".to_owned(); sizes.len() + 1];
        let body = self
            .0
            .iter()
            .map(|(name, values)| line(std::iter::once((*name).to_owned()).chain(values.iter().cloned()).collect()));
        line(head.collect()) + &line(rule) + &body.collect::<String>()
    }
}

fn millions(rows: usize) -> String {
    format!("{} million", rows as f64 / 1e6)
}

/// A server whose table grows.
struct Scale<'a> {
    hjall: &'a Path,
    options: &'a Options,
    values: Values,
    system: System,
    folder: &'a Path,
    /// Gets so far, of rows and of absent rows.
    gets: [Rc<Cell<usize>>; 2],
    figures: Figures,
}

/// Loads the sizes one after the other, and measures each.
pub fn run(hjall: &Path, options: &Options) -> Outcome<()> {
    let folder = tempfile::tempdir()?;
    let system = System::hjall_in(hjall, folder.path(), &options.set)?;
    system.create_table(TABLE)?;
    let mut scale = Scale {
        hjall,
        options,
        values: Values::new(options.value),
        system,
        folder: folder.path(),
        gets: Default::default(),
        figures: Figures(Vec::new()),
    };
    let mut loaded = 0;
    for &rows in &options.rows {
        println!("\n{}", millions(rows));
        scale.size(loaded, rows)?;
        loaded = rows;
    }
    let table = scale.figures.markdown(&options.rows);
    println!("\n{table}");
    if let Some(file) = &options.out {
        std::fs::write(file, table)?;
    }
    scale.system.stop()
}

impl Scale<'_> {
    fn size(&mut self, loaded: usize, rows: usize) -> Outcome<()> {
        let load = self.system.load(TABLE, loaded..rows, &self.values)?;
        self.figures.add("load, rows/s", whole(load.rows_per_second));
        self.figures.add("load, p99 of `mutateRows` of 1,000, ms", one_place(load.all.percentile_us(0.99) / 1e3));
        let began = Instant::now();
        self.system.settle(SETTLE)?;
        self.figures.add("flushes and compactions afterwards, s", one_place(began.elapsed().as_secs_f64()));
        self.figures.add("raw data, MiB", self.raw_mib(rows));
        self.figures.add("size on disk, MiB", self.disk_mib()?);
        self.gets("gets/s, with the usual runs", "their p50 and p99, µs", rows)?;
        self.scans("rows/s of one scanner", 1)?;
        self.scans("rows/s of four scanners", SCANNERS)?;
        self.figures.add("resident memory, MiB", whole(self.system.resident_mib()?));
        self.restart()?;
        self.gets("gets/s after a start, from disk", "their p50 and p99, from disk, µs", rows)?;
        let began = Instant::now();
        self.system.compact(TABLE)?;
        self.figures.add("major compaction, s", one_place(began.elapsed().as_secs_f64()));
        self.figures.add("size on disk, compacted, MiB", self.disk_mib()?);
        self.gets("gets/s, compacted", "their p50 and p99, compacted, µs", rows)?;
        self.absent(rows)
    }

    fn length(&self) -> Duration {
        Duration::from_secs_f64(self.options.seconds)
    }

    fn raw_mib(&self, rows: usize) -> String {
        whole((rows * (row(0).len() + QUALIFIER_BYTES + self.options.value)) as f64 / f64::from(1 << 20))
    }

    fn disk_mib(&self) -> Outcome<String> {
        Ok(whole(bytes_of(self.folder)? as f64 / f64::from(1 << 20)))
    }

    /// Gets of rows that have not been read before.
    fn gets(&mut self, rate: &'static str, latencies: &'static str, rows: usize) -> Outcome<()> {
        let (rate_value, p50, p99, empty) = self.one_row(0, 0, rows)?;
        if empty > 0 {
            return Err(format!("{empty} gets found no row").into());
        }
        self.figures.add(rate, whole(rate_value));
        self.figures.add(latencies, format!("{p50:.0} and {p99:.0}"));
        Ok(())
    }

    fn absent(&mut self, rows: usize) -> Outcome<()> {
        let (rate, p50, p99, _) = self.one_row(1, rows, rows)?;
        self.figures.add("gets of absent rows/s, compacted", whole(rate));
        self.figures.add("their p50 and p99, absent, µs", format!("{p50:.0} and {p99:.0}"));
        Ok(())
    }

    /// The rate, p50 and p99 in microseconds, and the number of rows that were not found.
    fn one_row(&self, counter: usize, from: usize, rows: usize) -> Outcome<(f64, f64, f64, u64)> {
        let choice = |_| Choice::each(&self.gets[counter], from, rows);
        let group = self.system.one_row(Action::Get, TABLE, &self.values, self.options.connections, choice)?;
        let measured = self.system.measure(vec![group], self.length())?;
        let figures = measured.groups.first().ok_or("no figures")?;
        let at = |share| figures.all.percentile_us(share);
        Ok((figures.rate, at(0.5), at(0.99), figures.empty))
    }

    fn scans(&mut self, name: &'static str, scanners: usize) -> Outcome<()> {
        let one = |n| -> Outcome<Box<dyn Caller>> {
            Ok(Box::new(Scanner::new(Protocol::Thrift, TABLE, SCANNED, &row_at(n as f64 / scanners as f64))?))
        };
        let callers = (0..scanners).map(one).collect::<Outcome<_>>()?;
        let measured = self.system.measure(vec![self.system.group(Pace::Closed, 1, callers)], self.length())?;
        self.figures.add(name, whole(measured.groups.first().ok_or("no figures")?.rows_per_second));
        Ok(())
    }

    /// Restarts the server with no file in the system's page cache.
    fn restart(&mut self) -> Outcome<()> {
        self.system.stop()?;
        forget(self.folder)?;
        let began = Instant::now();
        self.system = System::hjall_in(self.hjall, self.folder, &self.options.set)?;
        let names = message("getTableNames", &GetTableNamesArgs::default())?;
        let _: GetTableNamesResult = Client::connect(self.system.address)?.call(&names)?;
        self.figures.add("start to the first answer, from disk, ms", one_place(began.elapsed().as_secs_f64() * 1e3));
        Ok(())
    }
}

/// Drops the files of a folder from the page cache.
#[cfg(target_os = "linux")]
fn forget(folder: &Path) -> Outcome<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            forget(&path)?;
        } else {
            let file = std::fs::File::open(&path)?;
            // Pages that have not been written stay.
            file.sync_all()?;
            rustix::fs::fadvise(&file, 0, None, rustix::fs::Advice::DontNeed)?;
        }
    }
    Ok(())
}

/// Other systems offer no such call; there, the figures are those of the page cache.
#[cfg(not(target_os = "linux"))]
fn forget(_folder: &Path) -> Outcome<()> {
    Ok(())
}

fn whole(number: f64) -> String {
    crate::compare::grouped(number)
}

fn one_place(number: f64) -> String {
    format!("{number:.1}")
}
