//! What a report says about the machine, the versions and the settings.

use std::path::Path;
use std::process::Command;

use super::Options;

/// The lock file, which names the version of fjall.
const LOCK: &str = include_str!("../../../Cargo.lock");

/// Names and values, in the order of the report.
pub fn describe(hjall: &Path, options: &Options) -> Vec<(&'static str, String)> {
    let mut facts = vec![
        ("date", said("date", &["-u", "+%Y-%m-%d"])),
        ("processor", processor()),
        ("memory", memory()),
        ("system", system()),
        ("load average at the start", first_words("/proc/loadavg", 3)),
        ("hjall", format!("{}, commit {}", said_by(hjall, &["--version"]), commit())),
        ("raw fjall", locked("fjall")),
    ];
    if let Some(baseline) = &options.baseline {
        facts.push(("baseline", said_by(baseline, &["--version"])));
    }
    if options.has_redis() {
        let version = said_by(&options.redis, &["--version"]);
        let version =
            version.split_whitespace().find_map(|word| word.strip_prefix("v=")).unwrap_or("unknown").to_owned();
        facts.push(("Redis", version));
    }
    facts.push(("rounds", options.rounds.to_string()));
    facts.push(("seconds of a measurement", options.seconds.to_string()));
    facts.push(("rows of the small tables", options.rows.to_string()));
    facts.push(("values", format!("{} bytes, random letters and digits, one column in each row", options.value)));
    let transport = if options.framed { "in frames" } else { "without frames" };
    facts.push(("protocol of hjall", format!("Thrift, strict binary, {transport}")));
    facts.push(("settings of the servers", "defaults; Redis without persistence".to_owned()));
    facts
}

fn processor() -> String {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info.lines().find_map(|line| line.strip_prefix("model name")?.split(':').nth(1));
    format!("{cores} cores, {}", model.map_or(std::env::consts::ARCH, str::trim))
}

fn memory() -> String {
    let info = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let total = info.lines().find_map(|line| line.strip_prefix("MemTotal:"));
    let kib: Option<f64> = total.and_then(|total| total.split_whitespace().next()?.parse().ok());
    kib.map_or_else(|| "unknown".to_owned(), |kib| format!("{:.1} GiB", kib / f64::from(1 << 20)))
}

fn system() -> String {
    said("uname", &["-sr"])
}

fn commit() -> String {
    let changed = if said("git", &["status", "--porcelain"]).is_empty() { "" } else { ", with changes" };
    format!("{}{changed}", said("git", &["rev-parse", "--short", "HEAD"]))
}

/// The version of a package in the lock file.
fn locked(package: &str) -> String {
    let name = format!("name = \"{package}\"");
    let mut lines = LOCK.lines().skip_while(|line| *line != name);
    let version = lines.nth(1).and_then(|line| line.strip_prefix("version = "));
    version.unwrap_or("unknown").trim_matches('"').to_owned()
}

fn first_words(file: &str, words: usize) -> String {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    text.split_whitespace().take(words).collect::<Vec<_>>().join(" ")
}

fn said(program: &str, arguments: &[&str]) -> String {
    said_by(Path::new(program), arguments)
}

/// The first line that a program prints; empty if it cannot be run.
fn said_by(program: &Path, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output().ok().filter(|output| output.status.success());
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    text.lines().next().unwrap_or_default().trim().to_owned()
}
