//! The visible cells of the naive table, by HBase's rule for one family of one row, and whether they are certain.

use super::naive::{Cell, Naive};
use super::op::{Column, FAMILIES, QUALIFIERS, ROWS, Wanted};

/// The doubtful cells that are assumed to be stored.
#[derive(Clone, Copy)]
pub struct View {
    puts: bool,
    markers: bool,
}

const VIEWS: [View; 4] = [
    View { puts: true, markers: true },
    View { puts: true, markers: false },
    View { puts: false, markers: true },
    View { puts: false, markers: false },
];

/// The naive table, with or without its doubtful cells.
pub struct Seen<'a> {
    naive: &'a Naive,
    view: View,
}

impl PartialEq for Cell {
    fn eq(&self, other: &Self) -> bool {
        (self.row, self.column, self.time, &self.value, self.ttl)
            == (other.row, other.column, other.time, &other.value, other.ttl)
    }
}

impl Naive {
    /// The answer to a question if it does not depend on the doubtful cells.
    pub fn certain<T: PartialEq>(&self, ask: impl Fn(&Seen<'_>) -> T) -> Option<T> {
        let [first, rest @ ..] = VIEWS.map(|view| ask(&Seen { naive: self, view }));
        rest.iter().all(|other| *other == first).then_some(first)
    }

    pub fn get(&self, row: usize, wanted: &Wanted, limit: i32, offset: i32) -> Option<Vec<String>> {
        self.certain(|seen| lines(&seen.row(row, wanted, limit, offset)))
    }

    pub fn scan(&self, from: usize, reversed: bool, wanted: &Wanted, batch: i32, limit: i32) -> Option<Vec<String>> {
        self.certain(|seen| {
            let rows: Vec<_> = if reversed { (0..=from).rev().collect() } else { (from..ROWS.len()).collect() };
            let mut out = Vec::new();
            let found = rows.into_iter().map(|row| seen.row(row, wanted, -1, 0)).filter(|cells| !cells.is_empty());
            for cells in found.take(usize::try_from(limit).unwrap_or(usize::MAX)) {
                let size = usize::try_from(batch).ok().filter(|b| *b > 0).unwrap_or(usize::MAX);
                let pieces: Vec<_> = cells.chunks(size).collect();
                for (at, piece) in pieces.iter().enumerate() {
                    let more = if at + 1 < pieces.len() { " …" } else { "" };
                    out.push(format!("{} {}{more}", cells[0].row_name(), lines(piece).join(" ")));
                }
            }
            out
        })
    }

    /// Marks the cells that a flush or compaction may drop from now on: hidden, excess and expired ones.
    pub fn doubt(&mut self) {
        let doubtful: Vec<_> = self.cells.iter().map(|cell| !cell.is_marker() && self.may_be_dropped(cell)).collect();
        for (cell, doubtful) in self.cells.iter_mut().zip(doubtful) {
            cell.doubtful |= doubtful;
        }
    }

    fn may_be_dropped(&self, put: &Cell) -> bool {
        let rules = self.rules[put.column.0];
        let hidden = |cell: &Cell| self.cells.iter().any(|m| m.hides(cell));
        let newer = |c: &&Cell| !c.is_marker() && (c.row, c.column) == (put.row, put.column) && c.time > put.time;
        let excess = self.cells.iter().filter(newer).filter(|c| rules.keep_deleted || !hidden(c)).count()
            >= rules.versions as usize;
        let expired = rules.ttl_seconds.is_some_and(|ttl| put.time < self.clock - ttl * 1_000);
        put.is_expired(self.clock) || excess || expired || (!rules.keep_deleted && hidden(put))
    }
}

fn lines(cells: &[Cell]) -> Vec<String> {
    cells.iter().map(Cell::line).collect()
}

impl Seen<'_> {
    fn cells(&self) -> impl Iterator<Item = &Cell> {
        let view = self.view;
        self.naive.cells.iter().filter(move |c| !c.doubtful || if c.is_marker() { view.markers } else { view.puts })
    }

    /// The visible versions of a column in a time range, newest first, up to the requested number and VERSIONS.
    pub fn versions(&self, row: usize, column: Column, (min, max): (i64, i64), count: i32) -> Vec<Cell> {
        let (rules, now) = (self.naive.rules[column.0], self.naive.clock);
        let all = (min, max) == (0, i64::MAX);
        let inside = |time: i64| time >= min && (time < max || all);
        let counts = |marker: &&Cell| {
            marker.is_marker()
                && !marker.is_expired(now)
                && if rules.keep_deleted { inside(marker.time) } else { marker.time >= min }
        };
        let markers: Vec<_> = self.cells().filter(counts).collect();
        let of_column = self.cells().filter(|c| !c.is_marker() && (c.row, c.column) == (row, column) && inside(c.time));
        let mut puts: Vec<_> =
            of_column.filter(|c| !c.is_expired(now) && !markers.iter().any(|m| m.hides(c))).cloned().collect();
        puts.sort_by_key(|c| std::cmp::Reverse(c.time));
        let expired = |c: &Cell| rules.ttl_seconds.is_some_and(|ttl| c.time < now - ttl * 1_000);
        let most = usize::try_from(count.min(rules.versions)).unwrap_or(0);
        let kept = |(at, c): &(usize, Cell)| *at < most && (!expired(c) || (*at as i32) < rules.min_versions);
        puts.into_iter().enumerate().take_while(kept).map(|(_, c)| c).collect()
    }

    fn row(&self, row: usize, wanted: &Wanted, limit: i32, offset: i32) -> Vec<Cell> {
        let mut out = Vec::new();
        for family in 0..FAMILIES.len() {
            let mut cells = Vec::new();
            for qualifier in (0..QUALIFIERS.len()).filter(|q| wants(wanted, family, *q)) {
                let range = wanted.range.unwrap_or((0, i64::MAX));
                cells.extend(self.versions(row, Column(family, qualifier), range, wanted.versions));
            }
            let most = usize::try_from(limit).unwrap_or(usize::MAX);
            out.extend(cells.into_iter().skip(offset.max(0) as usize).take(most));
        }
        out
    }
}

/// Later arguments narrow or widen the earlier selection of a family, as in HBase's `Get`.
fn wants(wanted: &Wanted, family: usize, qualifier: usize) -> bool {
    if wanted.columns.is_empty() {
        return true;
    }
    let mut named: Option<Option<Vec<usize>>> = None;
    for (_, q) in wanted.columns.iter().filter(|(f, _)| *f == family) {
        named = Some(match (named, q) {
            (_, None) => None,
            (Some(Some(mut all)), Some(q)) => {
                all.push(*q);
                Some(all)
            }
            (_, Some(q)) => Some(vec![*q]),
        });
    }
    match named {
        None => false,
        Some(None) => true,
        Some(Some(all)) => all.contains(&qualifier),
    }
}
