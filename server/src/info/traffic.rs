//! Reads and writes by table and region, with a limit on the number of labels.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::fmt::Write;

use hjall_engine::name::TableName;
use hjall_engine::region::Region;
use hjall_engine::{TableTraffic, Traffic};
use ring::digest;

use super::exposition::Exposition;

/// The numbers of tables and regions that have their own series.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SeriesLimits {
    /// Tables.
    pub tables: usize,
    /// Regions of all tables together.
    pub regions: usize,
}

/// Chooses the tables and regions that have their own series, and sums up all others.
///
/// A table and a region keep their place until the table disappears; new ones take free places, in their order. Reads
/// and writes that once counted towards the others stay there. Each series, including the sums, therefore never
/// decreases, as Prometheus expects of counters. Memory is kept for each table, not for each region.
#[derive(Debug)]
pub struct TrafficSeries {
    /// The numbers of free places.
    free: SeriesLimits,
    /// By number of the table.
    tables: HashMap<u64, Places>,
    /// All tables without a place, including those that have disappeared.
    other_tables: Traffic,
    /// All regions without a place, including those that have disappeared.
    other_regions: Traffic,
}

/// The places of a table and of its regions.
#[derive(Debug, Default)]
struct Places {
    /// Whether the table has a place.
    table: bool,
    /// How many of its regions have a place: the first ones.
    regions: usize,
    /// The largest number of its regions so far.
    regions_seen: usize,
    /// The part of `other_tables` that was counted for this table.
    in_other_tables: Traffic,
    /// The part of `other_regions` that was counted for the regions of this table.
    in_other_regions: Traffic,
}

/// The figures of a table that have their own series.
#[derive(Debug, PartialEq, Eq)]
struct Own {
    table: Option<Traffic>,
    /// Those of the first regions.
    regions: Vec<Traffic>,
}

/// The increase of counters. Counters begin again at zero if the catalog had to be read again.
fn increase(now: Traffic, before: Traffic) -> Traffic {
    Traffic {
        reads: now.reads.saturating_sub(before.reads),
        writes: now.writes.saturating_sub(before.writes),
        read_bytes: now.read_bytes.saturating_sub(before.read_bytes),
        written_bytes: now.written_bytes.saturating_sub(before.written_bytes),
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
        Self {
            free: limits,
            tables: HashMap::new(),
            other_tables: Traffic::default(),
            other_regions: Traffic::default(),
        }
    }

    /// Writes the metrics of all tables, which are in the order of their creation.
    pub fn write(&mut self, out: &mut Exposition, all: &[TableTraffic]) {
        self.retain(&all.iter().map(TableTraffic::number).collect());
        let (mut tables, mut regions) = (Vec::new(), Vec::new());
        let labels: Vec<_> = all.iter().map(|traffic| TableLabels::of(traffic.table())).collect();
        for (traffic, labels) in all.iter().zip(&labels) {
            let own = self.update(traffic.number(), traffic.regions().map(|(_, region)| region));
            let table = traffic.table();
            tables.extend(own.table.map(|sum| (labels, sum)));
            let of_regions = traffic.regions().zip(own.regions);
            regions
                .extend(of_regions.map(|((region, _), sum)| (labels, region.encoded_name(table), start(region), sum)));
        }
        for (suffix, help, value) in METRICS {
            let name = format!("hjall_table_{suffix}");
            out.family(&name, "counter", &format!("{help} By table."));
            for (table, traffic) in &tables {
                let labels = [("namespace", &*table.namespace), ("table", &*table.table)];
                out.sample(&name, &labels, value(traffic));
            }
            out.sample(&name, &[("namespace", ""), ("table", OTHER)], value(&self.other_tables));
        }
        for (suffix, help, value) in METRICS {
            let name = format!("hjall_region_{suffix}");
            out.family(&name, "counter", &format!("{help} By region."));
            for (table, region, start, traffic) in &regions {
                let labels = [
                    ("namespace", &*table.namespace),
                    ("table", &*table.table),
                    ("region", region.as_str()),
                    ("start", start.as_str()),
                ];
                out.sample(&name, &labels, value(traffic));
            }
            let labels = [("namespace", ""), ("table", OTHER), ("region", OTHER), ("start", "")];
            out.sample(&name, &labels, value(&self.other_regions));
        }
    }

    /// Frees the places of tables that have disappeared.
    fn retain(&mut self, present: &HashSet<u64>) {
        self.tables.retain(|number, places| {
            let stays = present.contains(number);
            if !stays {
                self.free.tables += usize::from(places.table);
                self.free.regions += places.regions;
            }
            stays
        });
    }

    /// Takes the current figures of a table by region. Returns those that have their own series.
    fn update(&mut self, number: u64, regions: impl ExactSizeIterator<Item = Traffic>) -> Own {
        let places = self.tables.entry(number).or_insert_with(|| {
            let table = self.free.tables > 0;
            self.free.tables -= usize::from(table);
            Places { table, ..Places::default() }
        });
        // A region that counted towards the others gets no place later.
        if places.regions == places.regions_seen {
            let more = self.free.regions.min(regions.len().saturating_sub(places.regions_seen));
            self.free.regions -= more;
            places.regions += more;
        }
        places.regions_seen = places.regions_seen.max(regions.len());
        let (mut own, mut sum, mut others) = (Vec::new(), Traffic::default(), Traffic::default());
        for (index, traffic) in regions.enumerate() {
            sum += traffic;
            if index < places.regions {
                own.push(traffic);
            } else {
                others += traffic;
            }
        }
        self.other_regions += increase(others, places.in_other_regions);
        places.in_other_regions = others;
        if places.table {
            return Own { table: Some(sum), regions: own };
        }
        self.other_tables += increase(sum, places.in_other_tables);
        places.in_other_tables = sum;
        Own { table: None, regions: own }
    }
}

/// The labels of a table.
#[derive(Debug, PartialEq, Eq)]
struct TableLabels<'a> {
    namespace: Cow<'a, str>,
    table: Cow<'a, str>,
}

impl<'a> TableLabels<'a> {
    fn of(name: &'a TableName) -> Self {
        Self { namespace: shortened(name.namespace()), table: shortened(name.qualifier()) }
    }
}

/// A name, shortened if it is long: names can have 65,535 bytes, and a page repeats them often. The beginning is
/// followed by a character that no name has, and a hash, so that different names stay different.
fn shortened(name: &str) -> Cow<'_, str> {
    const BYTES_MAX: usize = 256;
    const BYTES_KEPT: usize = 200;
    if name.len() <= BYTES_MAX {
        return Cow::Borrowed(name);
    }
    let mut short = name[..name.floor_char_boundary(BYTES_KEPT)].to_owned();
    short.push('…');
    for byte in digest::digest(&digest::SHA256, name.as_bytes()).as_ref().iter().take(16) {
        let _ = write!(short, "{byte:02x}");
    }
    Cow::Owned(short)
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

    /// The reads of each region of a table, by its number.
    type Tables = [(u64, &'static [u64])];

    /// The reads that have their own series, by number of the table: its own, and those of its regions.
    type Series = Vec<(u64, Option<u64>, Vec<u64>)>;

    /// Updates the series with all tables. Returns what is shown, and the sums of the other tables and regions.
    fn update(series: &mut TrafficSeries, tables: &Tables) -> (Series, u64, u64) {
        series.retain(&tables.iter().map(|(number, _)| *number).collect());
        let own = tables.iter().map(|(number, regions)| {
            let own = series.update(*number, regions.iter().map(|count| reads(*count)));
            (*number, own.table.map(|sum| sum.reads), own.regions.iter().map(|region| region.reads).collect())
        });
        let own = own.filter(|(_, table, regions): &(_, _, Vec<_>)| table.is_some() || !regions.is_empty()).collect();
        (own, series.other_tables.reads, series.other_regions.reads)
    }

    #[test]
    fn places_are_kept_and_the_sums_of_the_others_never_shrink() {
        let mut series = TrafficSeries::new(SeriesLimits { tables: 2, regions: 3 });
        let shown = update(&mut series, &[(1, &[5]), (2, &[6, 1, 1]), (3, &[7]), (4, &[8])]);
        assert_eq!(shown, (vec![(1, Some(5), vec![5]), (2, Some(8), vec![6, 1])], 15, 16));
        // Tables 1 and 4 have been dropped. Their places are for a new table, not for table 3 or the rest of table 2.
        let shown = update(&mut series, &[(2, &[6, 2, 3]), (3, &[10]), (5, &[1]), (6, &[1])]);
        assert_eq!(shown, (vec![(2, Some(11), vec![6, 2]), (5, Some(1), vec![1])], 19, 22));
        assert_eq!(update(&mut series, &[]), (vec![], 19, 22));
        assert!(series.tables.is_empty());
    }

    #[test]
    fn without_places_everything_counts_as_other() {
        let mut series = TrafficSeries::new(SeriesLimits { tables: 0, regions: 0 });
        assert_eq!(update(&mut series, &[(1, &[5])]), (vec![], 5, 5));
        // The counters have begun again at zero.
        assert_eq!(update(&mut series, &[(1, &[2])]), (vec![], 5, 5));
        assert_eq!(update(&mut series, &[(1, &[4])]), (vec![], 7, 7));
    }

    #[test]
    fn long_names_are_shortened_and_stay_different() {
        assert_eq!(shortened(&"a".repeat(256)), "a".repeat(256));
        let [first, second] = ["b", "c"].map(|last| "ä".repeat(30_000) + last);
        let (first, second) = (shortened(&first), shortened(&second));
        assert!(first.starts_with(&("ä".repeat(100) + "…")) && first.len() == 235, "{first}");
        assert_ne!(first, second);
    }

    #[test]
    fn a_table_that_is_split_uses_free_places() {
        let mut series = TrafficSeries::new(SeriesLimits { tables: 1, regions: 2 });
        assert_eq!(update(&mut series, &[(1, &[5])]), (vec![(1, Some(5), vec![5])], 0, 0));
        assert_eq!(update(&mut series, &[(1, &[1, 2, 3])]), (vec![(1, Some(6), vec![1, 2])], 0, 3));
    }
}
