//! The data model by its plain rules: every cell ever written in one list, looked through from one end to the other for
//! each read.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use hjall_engine::CellKind;

/// Row, family, qualifier, inverted timestamp, inverted kind: HBase's order of cells. Markers that differ in their own
/// TTL only are kept side by side; of values the last one written counts.
type Place = (String, String, String, Reverse<i64>, Reverse<CellKind>, Option<i64>);

/// What the rules need of a family.
#[derive(Debug, Clone, Copy)]
pub struct Rules {
    pub versions: i32,
    pub min_versions: i32,
    pub ttl_ms: i64,
    pub keeps_deleted: bool,
}

/// All cells, with value and own TTL.
#[derive(Debug, Clone, Default)]
pub struct Naive(pub BTreeMap<Place, (String, Option<i64>)>);

/// Timestamps `min <= t < max`.
pub type Range = (i64, i64);

impl Naive {
    pub fn write(
        &mut self,
        (row, column): (&str, &str),
        timestamp: i64,
        kind: CellKind,
        value: &str,
        ttl: Option<i64>,
    ) {
        let (family, qualifier) = column.split_once(':').unwrap();
        let end = if kind == CellKind::Put { None } else { ttl };
        let place = (row.into(), family.into(), qualifier.into(), Reverse(timestamp), Reverse(kind), end);
        self.0.insert(place, (value.into(), ttl));
    }

    /// The row in short, as the tests print it.
    pub fn row(&self, rules: &BTreeMap<String, Rules>, row: &str, versions: i32, range: Range, now: i64) -> String {
        let mut words = vec![row.to_string()];
        let mut counts = BTreeMap::new();
        let mut ended = BTreeMap::new();
        for (place, (value, _)) in &self.0 {
            let (r, family, qualifier, Reverse(timestamp), Reverse(kind), _) = place;
            let rules = &rules[family];
            let inside = range.0 <= *timestamp && (*timestamp < range.1 || range == (0, i64::MAX));
            if r != row || *kind != CellKind::Put || !inside || self.is_dead(place, now) {
                continue;
            }
            if self.is_hidden(place, rules, range, now) {
                continue;
            }
            let column = (family, qualifier);
            let count: &mut i32 = counts.entry(column).or_default();
            *count += 1;
            let expired = rules.ttl_ms != i64::MAX && *timestamp < now - rules.ttl_ms;
            if *count > versions.min(rules.versions) || (expired && *count > rules.min_versions) {
                ended.insert(column, ());
            }
            if !ended.contains_key(&column) {
                words.push(format!("{family}:{qualifier}@{timestamp}={value}"));
            }
        }
        if words.len() == 1 { String::new() } else { words.join(" ") }
    }

    /// Removes what a major compaction drops from families that keep nothing deleted. A marker with a TTL of its own
    /// stays, unless a marker without one hides everything that it hides.
    pub fn purge(&mut self, rules: &BTreeMap<String, Rules>, now: i64) {
        let lasting = |cells: &Self| Self(cells.0.clone().into_iter().filter(|(_, (_, ttl))| ttl.is_none()).collect());
        let marks = lasting(self);
        let all = self.clone();
        self.0.retain(|place, (_, ttl)| {
            let rules = &rules[&place.1];
            let goes = match place.4.0 {
                CellKind::Put => marks.is_hidden(place, rules, (0, i64::MAX), now),
                _ => ttl.is_none() || marks.0.keys().any(|wider| covers(wider, place)),
            };
            !all.is_dead(place, now) && (rules.keeps_deleted || !goes)
        });
    }

    fn is_dead(&self, place: &Place, now: i64) -> bool {
        self.0[place].1.is_some_and(|ttl| place.3.0 + ttl < now)
    }

    pub fn is_hidden(&self, put: &Place, rules: &Rules, range: Range, now: i64) -> bool {
        let (row, family, qualifier, Reverse(timestamp), ..) = put;
        self.0.keys().any(|marker| {
            let (r, f, q, Reverse(at), Reverse(kind), _) = marker;
            let counts = *at >= range.0 && (!rules.keeps_deleted || *at < range.1 || range == (0, i64::MAX));
            let covers = match kind {
                CellKind::Put => false,
                CellKind::Delete => q == qualifier && at == timestamp,
                CellKind::DeleteColumn => q == qualifier && timestamp <= at,
                CellKind::DeleteFamily => timestamp <= at,
                CellKind::DeleteFamilyVersion => timestamp == at,
            };
            r == row && f == family && counts && covers && !self.is_dead(marker, now)
        })
    }
}

/// Whether a marker hides everything that another one hides, whatever columns and versions there are.
fn covers(wider: &Place, marker: &Place) -> bool {
    let (row, family, qualifier, Reverse(at), Reverse(kind), _) = wider;
    let (r, f, q, Reverse(timestamp), Reverse(other), _) = marker;
    let of_column = matches!(other, CellKind::Delete | CellKind::DeleteColumn);
    let hides = match kind {
        CellKind::Put => false,
        CellKind::DeleteFamily => timestamp <= at,
        CellKind::DeleteColumn => of_column && q == qualifier && timestamp <= at,
        CellKind::Delete | CellKind::DeleteFamilyVersion => kind == other && q == qualifier && timestamp == at,
    };
    (r, f) == (row, family) && hides
}
