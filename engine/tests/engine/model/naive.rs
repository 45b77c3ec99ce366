//! The simplest possible table: a list of all cells that were ever written, and the timestamps that the server
//! assigned.
//!
//! It shares no code with the engine; the rules are those of HBase's data model. Cells that a flush or compaction may
//! have dropped are marked *doubtful*. Answers that depend on them are not compared.

use std::collections::BTreeMap;

use super::op::{Column, FAMILIES, Kind, Op, Part, QUALIFIERS, ROWS, Rules, Time, value};

#[derive(Debug, Clone)]
pub struct Cell {
    pub row: usize,
    pub column: Column,
    pub time: i64,
    pub kind: Kind,
    pub ttl: Option<i64>,
    pub value: Vec<u8>,
    pub doubtful: bool,
}

impl Cell {
    pub fn is_marker(&self) -> bool {
        self.kind != Kind::Put
    }

    /// Whether its own TTL has expired.
    pub fn is_expired(&self, now: i64) -> bool {
        self.ttl.is_some_and(|ttl| self.time + ttl < now)
    }

    /// Whether it is a marker that covers a cell, by column and timestamp.
    pub fn hides(&self, put: &Self) -> bool {
        let same_family = self.row == put.row && self.column.0 == put.column.0;
        same_family
            && match self.kind {
                Kind::Put => false,
                Kind::Family => put.time <= self.time,
                Kind::FamilyVersion => put.time == self.time,
                Kind::Column => put.column == self.column && put.time <= self.time,
                Kind::Version => put.column == self.column && put.time == self.time,
            }
    }
}

/// The newest timestamp that was assigned in a row, and whether a delete got it.
#[derive(Debug, Clone, Copy, Default)]
struct Newest {
    time: i64,
    delete: bool,
}

/// The answer cannot be predicted, so the history ends.
pub struct Unknowable;

pub struct Naive {
    pub clock: i64,
    pub rules: [Rules; FAMILIES.len()],
    pub cells: Vec<Cell>,
    newest: BTreeMap<usize, Newest>,
}

pub const DEFAULT_RULES: Rules = Rules { versions: 1, min_versions: 0, ttl_seconds: None, keep_deleted: false };

/// The largest lead of a counter over the clock, in milliseconds.
const AHEAD: i64 = 1_000;

impl Naive {
    pub fn new(clock: i64, rules: [Rules; FAMILIES.len()]) -> Self {
        Self { clock, rules, cells: vec![], newest: BTreeMap::new() }
    }

    /// Applies an operation. Returns its answer, or `None` if any answer is correct.
    pub fn apply(&mut self, op: &Op) -> Result<Option<Vec<String>>, Unknowable> {
        let answer = self.answer(op);
        self.doubt();
        answer
    }

    fn answer(&mut self, op: &Op) -> Result<Option<Vec<String>>, Unknowable> {
        match op {
            Op::Write(row, part) => self.write(*row, std::slice::from_ref(part), None)?,
            Op::Mutate(row, parts) => self.write(*row, parts, None)?,
            Op::Check { row, column, not, value: given, parts } => {
                let newest = self.newest_of(*row, *column, 1)?.pop();
                let holds = match (given.map(value), &newest) {
                    (None, stored) => stored.as_ref().is_none_or(|c| c.value.is_empty()) != *not,
                    (Some(_), None) => false,
                    (Some(given), Some(stored)) => (given.as_bytes() == stored.value) != *not,
                };
                if holds {
                    self.write(*row, parts, newest.map(|c| c.time))?;
                }
                return Ok(Some(vec![holds.to_string()]));
            }
            Op::Increment(row, columns) => {
                return self.count(*row, columns.iter().map(|(c, n)| (*c, Err(*n))).collect());
            }
            Op::Append(row, columns) => {
                return self.count(*row, columns.iter().map(|(c, v)| (*c, Ok(value(*v)))).collect());
            }
            Op::Get { row, wanted, limit, offset } => return Ok(self.get(*row, wanted, *limit, *offset)),
            Op::Exists(row, wanted) => {
                let cells = self.get(*row, wanted, -1, 0);
                return Ok(cells.map(|c| vec![(!c.is_empty()).to_string()]));
            }
            Op::Scan { from, reversed, wanted, batch, limit } => {
                return Ok(self.scan(*from, *reversed, wanted, *batch, *limit));
            }
            Op::Advance(ms) => self.clock += ms,
            Op::Reopen => self.clock += 5_000,
            Op::Compact { major: true } => {
                self.cells.iter_mut().filter(|c| c.is_marker()).for_each(|c| c.doubtful = true)
            }
            Op::Flush | Op::Compact { major: false } => {}
            Op::Truncate => {
                self.cells.clear();
                self.newest.clear();
            }
            Op::Renew(f) => {
                self.cells.retain(|c| c.column.0 != *f);
                self.rules[*f] = DEFAULT_RULES;
            }
            Op::Modify(f, rules) => self.rules[*f] = *rules,
        }
        Ok(Some(vec![]))
    }

    /// The time of the next write of a row.
    fn now(&self, row: usize) -> i64 {
        let newest = self.newest.get(&row).copied().unwrap_or_default();
        let now = self.clock.max(newest.time);
        if newest.delete && newest.time == now { now + 1 } else { now }
    }

    fn assigned(&mut self, row: usize, time: i64, delete: bool) {
        let newest = self.newest.entry(row).or_default();
        if time > newest.time {
            *newest = Newest { time, delete };
        } else if time == newest.time {
            newest.delete |= delete;
        }
    }

    /// Later writes of the row get timestamps after one that the server assigned, unless it derived that one from a
    /// client's timestamp far ahead of the clock.
    fn follow(&mut self, row: usize, time: i64, delete: bool) {
        if time <= self.clock + AHEAD {
            self.assigned(row, time, delete);
        }
    }

    /// A cell whose TTL has already expired changes nothing.
    fn store(&mut self, cell: Cell) {
        if cell.is_expired(self.clock) {
            return;
        }
        self.cells.retain(|c| (c.row, c.column, c.time, c.kind) != (cell.row, cell.column, cell.time, cell.kind));
        self.cells.push(cell);
    }

    /// The newest visible versions of a column, if they can be predicted.
    fn newest_of(&self, row: usize, column: Column, count: i32) -> Result<Vec<Cell>, Unknowable> {
        self.certain(|naive| naive.versions(row, column, (0, i64::MAX), count)).ok_or(Unknowable)
    }

    fn write(&mut self, row: usize, parts: &[Part], checked: Option<i64>) -> Result<(), Unknowable> {
        let now = self.now(row);
        let put_time = |time: Time| time.unwrap_or_else(|| checked.map_or(now, |t| t.max(now)));
        let mut new = Vec::new();
        let mut deleted_now = false;
        // Timestamps that the server assigned in addition to `now`.
        let mut chosen = Vec::new();
        for part in parts {
            match part {
                Part::Put { cells, ttl } => {
                    for (column, time, number) in cells {
                        chosen.extend(time.is_none().then(|| (put_time(None), false)));
                        let value = value(*number).into_bytes();
                        new.push(Cell {
                            row,
                            column: *column,
                            time: put_time(*time),
                            kind: Kind::Put,
                            ttl: *ttl,
                            value,
                            doubtful: false,
                        });
                    }
                }
                Part::Delete { markers, at } => {
                    let marker = |kind, column, time| Cell {
                        row,
                        column,
                        time,
                        kind,
                        ttl: None,
                        value: vec![],
                        doubtful: false,
                    };
                    if markers.is_empty() {
                        new.extend((0..FAMILIES.len()).map(|f| marker(Kind::Family, Column(f, 0), at.unwrap_or(now))));
                    }
                    let mut taken: BTreeMap<Column, usize> = BTreeMap::new();
                    for (kind, column, time) in markers {
                        let time = match (kind, time) {
                            (Kind::Version, None) => {
                                let nth = taken.entry(*column).or_default();
                                let found = self.newest_of(row, *column, i32::MAX)?;
                                *nth += 1;
                                let time = found.get(*nth - 1).map_or(now, |c| c.time);
                                chosen.push((time, true));
                                time
                            }
                            (_, time) => time.unwrap_or(now),
                        };
                        let whole = matches!(kind, Kind::Family | Kind::FamilyVersion);
                        new.push(marker(*kind, if whole { Column(column.0, 0) } else { *column }, time));
                    }
                }
            }
        }
        for cell in new {
            deleted_now |= cell.is_marker() && cell.time == now;
            self.store(cell);
        }
        self.assigned(row, now, deleted_now);
        for (time, delete) in chosen {
            self.follow(row, time, delete);
        }
        Ok(())
    }

    /// Increments (amounts) and appends (suffixes).
    fn count(
        &mut self,
        row: usize,
        mut columns: Vec<(Column, Result<String, i64>)>,
    ) -> Result<Option<Vec<String>>, Unknowable> {
        columns.sort_by_key(|(c, _)| (FAMILIES[c.0], QUALIFIERS[c.1]));
        let now = self.now(row);
        let mut new = Vec::new();
        for (column, delta) in columns {
            let old = self.newest_of(row, column, 1)?.pop();
            let time = old.as_ref().map_or(now, |o| {
                let next = (o.time + 1).max(now);
                if next > self.clock + AHEAD && o.time <= self.clock + AHEAD { o.time } else { next }
            });
            let bytes = old.as_ref().map(|o| o.value.clone());
            let value = match delta {
                Ok(suffix) => [bytes.unwrap_or_default(), suffix.into_bytes()].concat(),
                Err(amount) => match bytes.map(<[u8; 8]>::try_from) {
                    Some(Err(other)) => {
                        return Ok(Some(vec![format!(
                            "! NotALong: Field is not a long, it's {} bytes wide",
                            other.len()
                        )]));
                    }
                    number => {
                        let number = number.map_or(0, |n| i64::from_be_bytes(n.unwrap_or_default()));
                        number.wrapping_add(amount).to_be_bytes().to_vec()
                    }
                },
            };
            let ttl = old.and_then(|o| o.ttl);
            new.push(Cell { row, column, time, kind: Kind::Put, ttl, value, doubtful: false });
        }
        let lines = new.iter().map(Cell::line).collect();
        self.assigned(row, now, false);
        for cell in new {
            self.follow(row, cell.time, false);
            self.store(cell);
        }
        Ok(Some(lines))
    }
}

impl Cell {
    /// The cell in the notation of scripts.
    pub fn line(&self) -> String {
        let value = crate::script::text::show_value(&self.value);
        format!("{}:{}@{}={value}", FAMILIES[self.column.0], QUALIFIERS[self.column.1], self.time)
    }

    pub fn row_name(&self) -> &'static str {
        ROWS[self.row]
    }
}
