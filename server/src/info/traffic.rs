//! Reads and writes by table and region, with a limit on the number of labels.

use std::collections::{HashMap, HashSet};

use hjall_engine::region::Region;
use hjall_engine::{TableTraffic, Traffic};

use super::exposition::Exposition;

/// The numbers of tables and regions that have their own series.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SeriesLimits {
    /// Tables.
    pub tables: usize,
    /// Regions of all tables together.
    pub regions: usize,
}

/// Chooses the tables and regions that have their own series.
#[derive(Debug)]
pub struct TrafficSeries {
    tables: Chosen<u64>,
    regions: Chosen<(u64, usize)>,
}

/// The keys with their own series, and the sum of all others.
///
/// A key keeps its place until it disappears; new keys take free places, in their order. A key that once counted
/// towards the others stays there. So each series, the sum included, only ever grows, as Prometheus expects of
/// counters.
#[derive(Debug)]
struct Chosen<K> {
    limit: usize,
    own: HashSet<K>,
    /// The figures of the other keys, as of the last update.
    others: HashMap<K, Traffic>,
    /// The sum of the other keys, including those that have disappeared.
    sum: Traffic,
}

impl<K: Copy + Eq + std::hash::Hash> Chosen<K> {
    fn new(limit: usize) -> Self {
        Self { limit, own: HashSet::new(), others: HashMap::new(), sum: Traffic::default() }
    }

    /// Takes the current figures of all keys.
    fn update(&mut self, all: impl Iterator<Item = (K, Traffic)> + Clone) {
        let present: HashSet<K> = all.clone().map(|(key, _)| key).collect();
        self.own.retain(|key| present.contains(key));
        self.others.retain(|key, _| present.contains(key));
        for (key, traffic) in all {
            if self.own.contains(&key) {
                continue;
            }
            if self.own.len() < self.limit && !self.others.contains_key(&key) {
                self.own.insert(key);
                continue;
            }
            let before = self.others.insert(key, traffic).unwrap_or_default();
            // Counters begin again at zero if the catalog had to be read again.
            self.sum += Traffic {
                reads: traffic.reads.saturating_sub(before.reads),
                writes: traffic.writes.saturating_sub(before.writes),
                read_bytes: traffic.read_bytes.saturating_sub(before.read_bytes),
                written_bytes: traffic.written_bytes.saturating_sub(before.written_bytes),
            };
        }
    }
}

/// Suffix, help text and value of a metric.
type Of = (&'static str, &'static str, fn(&Traffic) -> u64);

const METRICS: [Of; 4] = [
    ("reads_total", "Rows returned by gets and results returned by scans.", |traffic| traffic.reads),
    ("writes_total", "Puts, deletes, increments and appends.", |traffic| traffic.writes),
    ("read_bytes_total", "Bytes of the cells that were returned.", |traffic| traffic.read_bytes),
    ("written_bytes_total", "Bytes of the cells and delete markers that were written.", |traffic| {
        traffic.written_bytes
    }),
];

/// The labels of the series of all other tables or regions. No table has an empty namespace.
const OTHER: &str = "other";

impl TrafficSeries {
    /// Series for as many tables and regions as the limits allow.
    pub fn new(limits: SeriesLimits) -> Self {
        Self { tables: Chosen::new(limits.tables), regions: Chosen::new(limits.regions) }
    }

    /// Writes the metrics of all tables, which are in the order of their creation.
    pub fn write(&mut self, out: &mut Exposition, tables: &[TableTraffic]) {
        self.tables.update(tables.iter().map(|table| (table.number, sum(table))));
        self.regions.update(tables.iter().flat_map(|table| {
            table.regions.iter().enumerate().map(|(index, (_, traffic))| ((table.number, index), *traffic))
        }));
        for (suffix, help, value) in METRICS {
            let name = format!("hjall_table_{suffix}");
            out.family(&name, "counter", &format!("{help} By table."));
            for table in tables.iter().filter(|table| self.tables.own.contains(&table.number)) {
                let labels = [("namespace", table.table.namespace()), ("table", table.table.qualifier())];
                out.sample(&name, &labels, value(&sum(table)));
            }
            out.sample(&name, &[("namespace", ""), ("table", OTHER)], value(&self.tables.sum));
        }
        let regions: Vec<_> = tables
            .iter()
            .flat_map(|table| table.regions.iter().enumerate().map(move |(index, region)| (table, index, region)))
            .filter(|(table, index, _)| self.regions.own.contains(&(table.number, *index)))
            .map(|(table, _, (region, traffic))| (table, region.encoded_name(&table.table), start(region), traffic))
            .collect();
        for (suffix, help, value) in METRICS {
            let name = format!("hjall_region_{suffix}");
            out.family(&name, "counter", &format!("{help} By region."));
            for (table, region, start, traffic) in &regions {
                let labels = [
                    ("namespace", table.table.namespace()),
                    ("table", table.table.qualifier()),
                    ("region", region.as_str()),
                    ("start", start.as_str()),
                ];
                out.sample(&name, &labels, value(traffic));
            }
            let labels = [("namespace", ""), ("table", OTHER), ("region", OTHER), ("start", "")];
            out.sample(&name, &labels, value(&self.regions.sum));
        }
    }
}

fn sum(table: &TableTraffic) -> Traffic {
    let mut sum = Traffic::default();
    table.regions.iter().for_each(|(_, traffic)| sum += *traffic);
    sum
}

/// The start key of a region as text, shortened: keys can have 32 KiB.
fn start(region: &Region) -> String {
    const BYTES_MAX: usize = 64;
    let key = region.start.get(..BYTES_MAX).unwrap_or(&region.start);
    hjall_engine::region::to_string_binary(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reads(reads: u64) -> Traffic {
        Traffic { reads, ..Traffic::default() }
    }

    #[test]
    fn places_are_kept_and_the_sum_of_the_others_never_shrinks() {
        let mut chosen = Chosen::new(2);
        chosen.update([(1, reads(5)), (2, reads(6)), (3, reads(7)), (4, reads(8))].into_iter());
        assert_eq!((chosen.own.clone(), chosen.sum), (HashSet::from([1, 2]), reads(15)));
        // Table 1 and table 4 have been dropped. The free place is for a new table, not for table 3.
        chosen.update([(2, reads(6)), (3, reads(10)), (5, reads(1)), (6, reads(1))].into_iter());
        assert_eq!((chosen.own.clone(), chosen.sum), (HashSet::from([2, 5]), reads(19)));
        chosen.update(std::iter::empty());
        assert_eq!((chosen.own.len(), chosen.others.len(), chosen.sum), (0, 0, reads(19)));
    }

    #[test]
    fn without_places_everything_counts_as_other() {
        let mut chosen = Chosen::new(0);
        chosen.update([(1, reads(5))].into_iter());
        chosen.update([(1, reads(2))].into_iter());
        assert_eq!((chosen.own.len(), chosen.sum), (0, reads(5)));
    }
}
