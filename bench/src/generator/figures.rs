//! What a run has measured.

use std::time::Duration;

use hdrhistogram::Histogram;

use crate::Outcome;

/// The longest latency that is recorded as it is. Longer ones count as this one.
const LONGEST: Duration = Duration::from_secs(600);

/// Latencies of one kind of operation, with three significant digits.
#[derive(Clone)]
pub struct Latencies(Histogram<u64>);

impl Latencies {
    /// No latencies.
    pub fn new() -> Outcome<Self> {
        Ok(Self(Histogram::new_with_max(LONGEST.as_nanos() as u64, 3)?))
    }

    /// Adds one.
    pub fn record(&mut self, latency: Duration) {
        self.0.saturating_record(u64::try_from(latency.as_nanos()).unwrap_or(u64::MAX).max(1));
    }

    /// Adds those of another run.
    pub fn add(&mut self, other: &Self) -> Outcome<()> {
        Ok(self.0.add(&other.0)?)
    }

    /// The latency that this share of the operations did not exceed, in microseconds; 0 without any operation.
    pub fn percentile_us(&self, share: f64) -> f64 {
        if self.0.is_empty() { 0.0 } else { self.0.value_at_quantile(share) as f64 / 1e3 }
    }

    /// The number of operations.
    pub fn count(&self) -> u64 {
        self.0.len()
    }
}

/// The results of a group of connections.
#[derive(Clone)]
pub struct Figures {
    /// Operations answered per second.
    pub rate: f64,
    /// Rows in the replies per second.
    pub rows_per_second: f64,
    /// Replies without a row or a value.
    pub empty: u64,
    /// Operations that were not answered within the time that an open loop waits for them.
    pub unanswered: u64,
    /// Latencies by kind of operation. In an open loop, they count from the intended start.
    pub kinds: Vec<Latencies>,
    /// Latencies of all operations.
    pub all: Latencies,
}

impl Figures {
    /// Latencies of one run, in microseconds, in any order.
    pub fn of(latencies_us: &[u32], elapsed: Duration) -> Outcome<Self> {
        let mut all = Latencies::new()?;
        for us in latencies_us {
            all.record(Duration::from_micros(u64::from(*us)));
        }
        Ok(Self::counted(all, 1, elapsed))
    }

    /// Operations that each have this number of rows.
    pub fn counted(all: Latencies, rows: u64, elapsed: Duration) -> Self {
        let rate = all.count() as f64 / elapsed.as_secs_f64();
        let rows_per_second = rate * rows as f64;
        Self { rate, rows_per_second, empty: 0, unanswered: 0, kinds: vec![all.clone()], all }
    }

    /// The latency that this share of the operations did not exceed, in whole microseconds.
    pub fn percentile_us(&self, share: f64) -> u64 {
        self.all.percentile_us(share).round() as u64
    }
}
