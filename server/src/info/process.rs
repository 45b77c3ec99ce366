//! Resources that this process uses, as reported by Linux.

/// The resources of the process at one moment. `None` if the system does not report a value.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Process {
    /// Resident memory, in bytes.
    pub resident_bytes: Option<u64>,
    /// Virtual memory, in bytes.
    pub virtual_bytes: Option<u64>,
    /// Open file descriptors.
    pub open_files: Option<u64>,
    /// The limit on open file descriptors.
    pub open_files_max: Option<u64>,
    /// Number of threads.
    pub threads: Option<u64>,
    /// CPU time since the start, in seconds.
    pub cpu_seconds: Option<f64>,
    /// Start time, in seconds since 1970.
    pub start_seconds: Option<f64>,
}

impl Process {
    /// Reads the values.
    #[cfg(target_os = "linux")]
    pub fn read() -> Self {
        linux::read()
    }

    /// Returns no values: only Linux is supported.
    #[cfg(not(target_os = "linux"))]
    pub fn read() -> Self {
        Self::default()
    }
}

#[cfg(target_os = "linux")]
mod linux {
    use std::fs;

    use super::Process;

    pub fn read() -> Process {
        let status = text("/proc/self/status");
        let in_status = |name: &str| -> Option<u64> { first_number(line(status.as_deref()?, name)?) };
        let stat = text("/proc/self/stat");
        // The name of the command may contain anything, so fields are counted from its closing parenthesis.
        let fields: Vec<&str> = match stat.as_deref().and_then(|stat| stat.rsplit_once(')')) {
            Some((_, rest)) => rest.split_whitespace().collect(),
            None => Vec::new(),
        };
        let ticks_per_second = rustix::param::clock_ticks_per_second() as f64;
        let seconds = |field: usize| Some(fields.get(field)?.parse::<u64>().ok()? as f64 / ticks_per_second);
        let booted: Option<u64> = text("/proc/stat").as_deref().and_then(|stat| first_number(line(stat, "btime")?));
        Process {
            resident_bytes: in_status("VmRSS:").map(|kib| kib * 1024),
            virtual_bytes: in_status("VmSize:").map(|kib| kib * 1024),
            // Reading the folder has opened one itself.
            open_files: fs::read_dir("/proc/self/fd").ok().map(|files| files.count().saturating_sub(1) as u64),
            open_files_max: text("/proc/self/limits").as_deref().and_then(|t| first_number(line(t, "Max open files")?)),
            threads: in_status("Threads:"),
            cpu_seconds: seconds(11).zip(seconds(12)).map(|(user, system)| user + system),
            start_seconds: booted.zip(seconds(19)).map(|(booted, after)| booted as f64 + after),
        }
    }

    fn text(path: &str) -> Option<String> {
        fs::read_to_string(path).ok()
    }

    fn line<'a>(text: &'a str, begins: &str) -> Option<&'a str> {
        text.lines().find_map(|line| line.strip_prefix(begins))
    }

    fn first_number(text: &str) -> Option<u64> {
        text.split_whitespace().next()?.parse().ok()
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::Process;

    #[test]
    fn the_values_of_this_process_are_plausible() {
        let process = Process::read();
        assert!(process.resident_bytes.unwrap() > 1 << 20 && process.virtual_bytes > process.resident_bytes);
        assert!(process.open_files.unwrap() >= 3 && process.open_files_max.unwrap() >= process.open_files.unwrap());
        assert!(process.threads.unwrap() >= 1 && process.cpu_seconds.unwrap() >= 0.0);
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs_f64();
        assert!((0.0..86_400.0).contains(&(now - process.start_seconds.unwrap())), "{process:?}, {now}");
    }
}
