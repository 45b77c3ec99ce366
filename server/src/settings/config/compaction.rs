//! The schedule of major compactions, and the rate of compactions.

use std::time::Duration;

/// The schedule of major compactions. Fixed at the start.
#[derive(Debug, Clone, PartialEq)]
pub struct CompactionSettings {
    /// Uncompressed bytes that a compaction reads per second (`hbase.hstore.compaction.throughput.higher.bound`).
    /// `None`: unlimited. Default 100 MiB.
    pub throughput: Option<u64>,
    /// A table is compacted when its oldest file is about this old (`hbase.hregion.majorcompaction`). `None`: never.
    /// Default 7 days.
    pub major_period: Option<Duration>,
    /// Share of the period by which a table may be compacted earlier or later (`hbase.hregion.majorcompaction.jitter`).
    /// Default 0.5.
    pub major_jitter: f64,
    /// A table is compacted when this share of it is deleted or expired. 0: never. Default 0.5.
    pub garbage_ratio: f64,
    /// Interval at which the tables are checked. Default 10 minutes.
    pub check: Duration,
    /// How long a requested major compaction waits before it starts. Default 10 s.
    pub request_delay: Duration,
    /// The hours in which scheduled compactions start. `None`: all hours.
    pub off_peak: Option<OffPeak>,
}

/// Hours of the day, from 0 to 23, in local time (`hbase.offpeak.start.hour`, `hbase.offpeak.end.hour`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OffPeak {
    /// The first hour.
    pub start: u32,
    /// The hour after the last one. If it is less than `start`, the hours span midnight.
    pub end: u32,
}

impl OffPeak {
    /// Whether an hour is among them.
    pub fn includes(self, hour: u32) -> bool {
        if self.start <= self.end {
            (self.start..self.end).contains(&hour)
        } else {
            hour >= self.start || hour < self.end
        }
    }
}

impl Default for CompactionSettings {
    fn default() -> Self {
        Self {
            throughput: Some(100 << 20),
            major_period: Some(Duration::from_secs(7 * 86_400)),
            major_jitter: 0.5,
            garbage_ratio: 0.5,
            check: Duration::from_secs(600),
            request_delay: Duration::from_secs(10),
            off_peak: None,
        }
    }
}
