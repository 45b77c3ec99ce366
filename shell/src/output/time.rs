//! Timestamps of cells.

use std::sync::atomic::{AtomicBool, Ordering};

use chrono::{Local, TimeZone, Timelike};

/// `hbase.shell.timestamp.format.epoch`.
static EPOCH: AtomicBool = AtomicBool::new(false);

/// Shows timestamps as numbers from now on.
pub fn show_numbers(on: bool) {
    EPOCH.store(on, Ordering::Relaxed);
}

/// A timestamp in milliseconds as Java's `LocalDateTime` shows it: local time, without seconds and milliseconds that
/// are zero.
pub fn timestamp(ms: i64) -> String {
    if EPOCH.load(Ordering::Relaxed) {
        return ms.to_string();
    }
    let Some(time) = Local.timestamp_millis_opt(ms).single() else { return ms.to_string() };
    let date = time.format("%Y-%m-%dT%H:%M");
    match (time.second(), time.timestamp_subsec_millis()) {
        (0, 0) => date.to_string(),
        (second, 0) => format!("{date}:{second:02}"),
        (second, millisecond) => format!("{date}:{second:02}.{millisecond:03}"),
    }
}
