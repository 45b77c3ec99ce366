//! Runs a server as a child process.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::Outcome;

/// The unit of processor times in /proc, which is fixed.
const TICKS_PER_SECOND: f64 = 100.0;

/// What a process has used.
#[derive(Debug, Clone, Copy)]
pub struct Usage {
    /// Processor time in seconds, of the program and the kernel.
    pub seconds: f64,
    /// Context switches of its threads, voluntary and involuntary ones.
    pub switches: u64,
}

impl Usage {
    /// What has been used since an earlier moment.
    pub fn since(self, before: Self) -> Self {
        Self { seconds: self.seconds - before.seconds, switches: self.switches.saturating_sub(before.switches) }
    }
}

/// A running server, killed on drop.
pub struct Server {
    child: Child,
    /// The address it listens on.
    pub address: SocketAddr,
}

impl Server {
    /// Starts hjall on a free port and reads the address it prints.
    pub fn hjall(binary: &Path, data: &Path) -> Outcome<Self> {
        Self::hjall_with(binary, data, &[] as &[&str])
    }

    /// Starts hjall on a free port with additional settings, as `name=value`.
    pub fn hjall_with(binary: &Path, data: &Path, settings: &[impl AsRef<str>]) -> Outcome<Self> {
        let mut child = Command::new(binary)
            .args(["serve", "--listen", "127.0.0.1:0", "--info-listen", "off", "--data"])
            .arg(data)
            .args(settings.iter().flat_map(|setting| ["--set", setting.as_ref()]))
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|e| format!("{}: {e} (build it with cargo build --release)", binary.display()))?;
        let stdout = child.stdout.take().ok_or("no standard output")?;
        for line in BufReader::new(stdout).lines() {
            if let Some(address) = line?.split_whitespace().last().and_then(|word| word.parse().ok()) {
                return Ok(Self { child, address });
            }
        }
        Err("hjall exited before it was listening".into())
    }

    /// Starts Redis on a free port, without persistence.
    pub fn redis(binary: &Path) -> Outcome<Self> {
        Self::redis_with(binary, &["--appendonly", "no"])
    }

    /// Starts Redis on a free port, without snapshots and with these options.
    pub fn redis_with(binary: &Path, options: &[&str]) -> Outcome<Self> {
        let port = std::net::TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let child = Command::new(binary)
            .args(["--save", "", "--bind", "127.0.0.1", "--port", &port.to_string()])
            .args(options)
            .stdout(Stdio::null())
            .spawn()
            .map_err(|e| format!("{}: {e} (Debian: apt install redis-server)", binary.display()))?;
        let address = SocketAddr::from(([127, 0, 0, 1], port));
        let server = Self { child, address };
        let begin = Instant::now();
        while std::net::TcpStream::connect(address).is_err() {
            if begin.elapsed() > Duration::from_secs(10) {
                return Err("Redis does not answer".into());
            }
            std::thread::yield_now();
        }
        Ok(server)
    }

    /// Resident memory of the process, in KiB.
    pub fn resident_kib(&self) -> Outcome<u64> {
        self.status("VmRSS:")
    }

    /// Number of threads of the process.
    pub fn threads(&self) -> Outcome<u64> {
        self.status("Threads:")
    }

    /// What the process has used so far.
    pub fn usage(&self) -> Outcome<Usage> {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id()))?;
        // The name, in parentheses, may contain spaces. The times follow as the 12th and 13th field after it, in ticks.
        let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
        let ticks = |n: usize| fields.get(n).and_then(|field| field.parse::<u64>().ok()).ok_or("no times");
        let seconds = (ticks(11)? + ticks(12)?) as f64 / TICKS_PER_SECOND;
        let mut switches = 0;
        for thread in std::fs::read_dir(format!("/proc/{}/task", self.child.id()))? {
            // A thread may have ended.
            let Ok(status) = std::fs::read_to_string(thread?.path().join("status")) else { continue };
            let counts = status.lines().filter(|line| line.contains("voluntary_ctxt_switches:"));
            switches += counts.filter_map(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok()).sum::<u64>();
        }
        Ok(Usage { seconds, switches })
    }

    fn status(&self, name: &str) -> Outcome<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let line = status.lines().find(|l| l.starts_with(name)).ok_or_else(|| format!("no {name}"))?;
        Ok(line.split_whitespace().nth(1).ok_or("no figure")?.parse()?)
    }

    /// Stops the server with SIGTERM and waits for it to exit.
    pub fn stop(mut self) -> Outcome<()> {
        Command::new("kill").args(["-TERM", &self.child.id().to_string()]).status()?;
        self.child.wait()?;
        Ok(())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // An error means that the process has already exited.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
