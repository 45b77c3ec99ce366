//! Which tables are due for a major compaction.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use hjall_engine::name::TableName;
use hjall_engine::{Engine, Result};

use crate::settings::config::CompactionSettings;

/// The time between two estimates of the garbage of one table.
const GARBAGE_EVERY: Duration = Duration::from_secs(3600);

/// The garbage of smaller tables is not estimated.
const GARBAGE_BYTES_MIN: u64 = 1 << 20;

/// The time between two checks of what reads have encountered: many files, and garbage.
pub const READS_EVERY: Duration = Duration::from_secs(1);

/// Less garbage than this is not worth a compaction, however small the table is. Reading it takes some tenths of a
/// second.
const READS_BYTES_MIN: u64 = 4 << 20;

/// The garbage of smaller tables is not estimated after a requested minor compaction.
const REQUESTED_BYTES_MIN: u64 = 64 << 10;

/// Why a table is due.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Due {
    /// Its oldest file has reached this age.
    Age(Duration),
    /// This share of its data can be dropped.
    Garbage(f64),
}

/// The schedule, and the time of the last estimate of each table.
pub struct Schedule {
    settings: CompactionSettings,
    sampled: HashMap<TableName, Instant>,
}

impl Schedule {
    /// A schedule without estimates.
    pub fn new(settings: CompactionSettings) -> Self {
        Self { settings, sampled: HashMap::new() }
    }

    /// The interval between checks; `None` if no table is ever due.
    pub fn check_every(&self) -> Option<Duration> {
        let needed = self.settings.major_period.is_some() || self.settings.garbage_ratio > 0.0;
        needed.then_some(self.settings.check)
    }

    /// Whether scheduled compactions may start in this hour of the day.
    pub fn may_start(&self, hour: u32) -> bool {
        self.settings.off_peak.is_none_or(|off_peak| off_peak.includes(hour))
    }

    /// Whether compactions are scheduled for off-peak hours only.
    pub fn has_off_peak(&self) -> bool {
        self.settings.off_peak.is_some()
    }

    /// Why a table is due now; `None` if it is not. Estimates the garbage of a table at most once an hour.
    ///
    /// # Errors
    /// Those of the engine.
    pub fn due(&mut self, engine: &Engine, table: &TableName, now: SystemTime) -> Result<Option<Due>> {
        let files = engine.table_files(table)?;
        let Some(oldest) = files.oldest else { return Ok(None) };
        let age = now.duration_since(oldest).unwrap_or_default();
        let is_old = self.period_of(table, oldest).is_some_and(|period| age >= period);
        let wants_estimate = self.settings.garbage_ratio > 0.0 && files.bytes >= GARBAGE_BYTES_MIN;
        let is_recent = self.sampled.get(table).is_some_and(|at| at.elapsed() < GARBAGE_EVERY);
        if is_recent || !(is_old || wants_estimate) {
            return Ok(None);
        }
        self.sampled.retain(|_, at| at.elapsed() < GARBAGE_EVERY);
        self.sampled.insert(table.clone(), Instant::now());
        let share = engine.garbage_share(table)?;
        Ok(match share {
            share if wants_estimate && share >= self.settings.garbage_ratio => Some(Due::Garbage(share)),
            // Rewriting a table without garbage would have no effect.
            share if is_old && share > 0.0 => Some(Due::Age(age)),
            _ => None,
        })
    }

    /// The tables that are due because of the garbage that reads have encountered since the last major compaction, each
    /// with the number of bytes.
    ///
    /// A table is due if [`CompactionSettings::garbage_ratio`] of it can be dropped, as in an old time series. It is
    /// also due if reads have encountered more garbage than a compaction would read, because the compaction then saves
    /// as much work as it takes. Most of such a table may be live, as in a queue, where each read at the head steps
    /// over the rows deleted before.
    pub fn due_by_reads(&self, engine: &Engine) -> Vec<(TableName, u64)> {
        if self.settings.garbage_ratio == 0.0 {
            return Vec::new();
        }
        let is_due = |(table, read_bytes): &(TableName, u64)| {
            let is_more_than_files = || engine.table_files(table).is_ok_and(|files| *read_bytes >= files.bytes);
            let ratio = self.settings.garbage_ratio;
            let is_garbage = || engine.garbage_share(table).is_ok_and(|share| share >= ratio);
            if *read_bytes < READS_BYTES_MIN || !(is_more_than_files() || is_garbage()) {
                return false;
            }
            // Counted again from zero, so that a compaction that cannot run is not tried all the time.
            engine.forget_garbage_read(table);
            engine.is_table_enabled(table).unwrap_or(false)
        };
        engine.garbage_read().into_iter().filter(is_due).collect()
    }

    /// Whether so much of a table can be dropped that a major compaction should follow a requested minor one.
    ///
    /// # Errors
    /// Those of the engine.
    pub fn has_much_garbage(&self, engine: &Engine, table: &TableName) -> Result<bool> {
        let wanted = self.settings.garbage_ratio > 0.0 && engine.table_files(table)?.bytes >= REQUESTED_BYTES_MIN;
        Ok(wanted && engine.garbage_share(table)? >= self.settings.garbage_ratio)
    }

    /// The age at which a table is due. As in HBase, it depends only on the table and its oldest file, so a
    /// restart does not change it.
    fn period_of(&self, table: &TableName, oldest: SystemTime) -> Option<Duration> {
        let period = self.settings.major_period?;
        let mut hasher = DefaultHasher::new();
        (table.to_string(), oldest.duration_since(UNIX_EPOCH).unwrap_or_default()).hash(&mut hasher);
        let chance = hasher.finish() as f64 / u64::MAX as f64;
        let factor = 1.0 + self.settings.major_jitter * (2.0 * chance - 1.0);
        Some(period.mul_f64(factor.max(0.0)))
    }
}
