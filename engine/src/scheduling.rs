//! How long threads wait for a processor.

use std::cell::OnceCell;
use std::fs::File;
use std::time::Duration;

/// How long the current thread has been runnable without a processor since its start. Zero if the system has no such
/// statistics. Takes a system call.
pub fn delay_of_thread() -> Duration {
    thread_local! {
        /// Kept open: Linux resolves the path to the thread that opens it.
        static STATISTICS: OnceCell<Option<File>> = const { OnceCell::new() };
    }
    STATISTICS.with(|file| {
        let file = file.get_or_init(|| File::open("/proc/thread-self/schedstat").ok());
        file.as_ref().and_then(read_delay).unwrap_or_default()
    })
}

/// The second number of the file, in nanoseconds.
#[cfg(unix)]
fn read_delay(file: &File) -> Option<Duration> {
    use std::os::unix::fs::FileExt;

    let mut buffer = [0; 128];
    let len = file.read_at(&mut buffer, 0).ok()?;
    let text = std::str::from_utf8(buffer.get(..len)?).ok()?;
    text.split_ascii_whitespace().nth(1)?.parse().ok().map(Duration::from_nanos)
}

#[cfg(not(unix))]
fn read_delay(_: &File) -> Option<Duration> {
    None
}
