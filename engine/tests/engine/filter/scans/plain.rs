//! The plain evaluator: a table as a list of cells, examined one by one in the order of HBase's region and store
//! scanners. It has no store, no seeks and no first or last row. A hint only selects the cells that are skipped without
//! calling the filter.

use std::cmp::Ordering;

use bytes::Bytes;
use hjall_engine::Result;
use hjall_engine::cell::Cell;
use hjall_engine::filter::{Code, Filter, FilterSpec};

/// A read.
#[derive(Debug, Clone)]
pub struct Question {
    pub filter: FilterSpec,
    pub reversed: bool,
    /// Empty: from the first row (reversed: the last row).
    pub start: Bytes,
    pub max_versions: usize,
    /// Empty: all columns.
    pub columns: Vec<(Bytes, Bytes)>,
}

impl Question {
    fn wants(&self, family: &Bytes, qualifier: &Bytes) -> bool {
        self.columns.is_empty() || self.columns.iter().any(|(f, q)| f == family && q == qualifier)
    }

    pub fn reads(&self, family: &Bytes) -> bool {
        self.columns.is_empty() || self.columns.iter().any(|(f, _)| f == family)
    }
}

/// A table: families with VERSIONS, regions by their start, and all cells in HBase's order.
#[derive(Debug, Clone)]
pub struct Plain {
    pub families: Vec<(Bytes, usize)>,
    pub regions: Vec<Bytes>,
    pub cells: Vec<Cell>,
}

impl Plain {
    /// The rows that HBase would return.
    pub fn scan(&self, question: &Question) -> Result<Vec<(Bytes, Vec<Cell>)>> {
        let mut found = Vec::new();
        let mut regions: Vec<(Bytes, Option<Bytes>)> =
            (0..self.regions.len()).map(|i| (self.regions[i].clone(), self.regions.get(i + 1).cloned())).collect();
        if question.reversed {
            regions.reverse();
        }
        for (from, to) in regions {
            let beyond_start = match (question.reversed, question.start.is_empty()) {
                (_, true) => false,
                (false, _) => to.as_ref().is_some_and(|to| *to <= question.start),
                (true, _) => from > question.start,
            };
            if beyond_start {
                continue;
            }
            let mut region = Region::open(self, question, &from, to.as_ref())?;
            let before = found.len();
            region.rows(&mut found)?;
            if found.len() == before && region.filter.filter_all_remaining()? {
                break;
            }
        }
        Ok(found)
    }
}

/// One family of a region.
struct Store {
    cells: Vec<Cell>,
    /// Which of the cells the question selects. The others only show that their rows exist.
    wanted: Vec<bool>,
    /// The question names columns.
    named: bool,
    at: usize,
    keep: usize,
    kept: usize,
    column: Option<Bytes>,
}

struct Region {
    filter: Box<dyn Filter>,
    reversed: bool,
    deciding: Vec<Store>,
    joining: Vec<Store>,
}

impl Region {
    fn open(table: &Plain, question: &Question, from: &Bytes, to: Option<&Bytes>) -> Result<Self> {
        let filter = question.filter.start(question.reversed)?;
        let wanted = |cell: &&Cell| {
            let started = question.start.is_empty()
                || if question.reversed { cell.row <= question.start } else { cell.row >= question.start };
            started && cell.row >= from && to.is_none_or(|to| cell.row < to)
        };
        let (mut deciding, mut joining) = (Vec::new(), Vec::new());
        for (family, versions) in table.families.iter().filter(|(family, _)| question.reads(family)) {
            let of_family = table.cells.iter().filter(wanted).filter(|cell| cell.family == family);
            let mut cells = newest(of_family, *versions);
            if question.reversed {
                // Rows in descending order; cells within a row stay in ascending order.
                cells.sort_by(|a, b| b.row.cmp(&a.row));
            }
            let keep = question.max_versions.min(*versions);
            let wanted = cells.iter().map(|cell| question.wants(family, &cell.qualifier)).collect();
            let store =
                Store { cells, wanted, named: !question.columns.is_empty(), at: 0, keep, kept: 0, column: None };
            if filter.is_family_essential(family) { deciding.push(store) } else { joining.push(store) }
        }
        assert!(!question.reversed || joining.is_empty(), "HBase refuses this");
        Ok(Self { filter, reversed: question.reversed, deciding, joining })
    }

    fn rows(&mut self, found: &mut Vec<(Bytes, Vec<Cell>)>) -> Result<()> {
        self.filter.reset()?;
        while let Some(row) = self.next_row() {
            let refused = self.filter.filter_all_remaining()? || self.filter.filter_row_key(&row)?;
            if refused && self.filter.filter_all_remaining()? {
                return Ok(());
            }
            if refused && self.reversed {
                // HBase seeks to the previous row. In an ascending scan, it reads the refused one.
                self.deciding.iter_mut().for_each(|store| store.pass(&row));
                self.filter.reset()?;
                continue;
            }
            let mut cells = Vec::new();
            for store in &mut self.deciding {
                store.row(&row, &mut *self.filter, self.reversed, &mut cells)?;
            }
            if refused || !self.passes(&mut cells)? {
                self.filter.reset()?;
                continue;
            }
            for store in &mut self.joining {
                while store.peek().is_some_and(|cell| cell.row < row) {
                    store.at += 1;
                }
                store.row(&row, &mut *self.filter, self.reversed, &mut cells)?;
            }
            cells.sort_by(|a, b| a.family.cmp(&b.family));
            self.filter.reset()?;
            if !cells.is_empty() {
                found.push((row, cells));
                if self.filter.filter_all_remaining()? {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    fn next_row(&self) -> Option<Bytes> {
        let rows = self.deciding.iter().filter_map(|store| store.peek().map(|cell| cell.row.clone()));
        if self.reversed { rows.max() } else { rows.min() }
    }

    fn passes(&mut self, cells: &mut Vec<Cell>) -> Result<bool> {
        if cells.is_empty() {
            return Ok(false);
        }
        if self.filter.has_filter_row() {
            self.filter.filter_row_cells(cells)?;
            return Ok(cells.is_empty() || !self.filter.filter_row()?);
        }
        Ok(!self.filter.filter_row()?)
    }
}

impl Store {
    fn peek(&self) -> Option<&Cell> {
        self.cells.get(self.at)
    }

    /// Passes over a row without reading it.
    fn pass(&mut self, row: &Bytes) {
        while self.peek().is_some_and(|cell| cell.row == *row) {
            self.at += 1;
        }
    }

    /// Reads this family's part of a row, if it has one.
    fn row(&mut self, row: &Bytes, filter: &mut dyn Filter, reversed: bool, out: &mut Vec<Cell>) -> Result<()> {
        if self.peek().is_none_or(|cell| cell.row != row) {
            return Ok(());
        }
        self.column = None;
        while let Some(cell) = self.peek().cloned() {
            if filter.filter_all_remaining()? {
                self.at = self.cells.len();
                return Ok(());
            }
            if cell.row != row {
                return Ok(());
            }
            if !self.wanted[self.at] {
                self.at += 1;
                continue;
            }
            let mut code = filter.filter_cell(&cell)?;
            if code.keeps() {
                if self.column.as_ref() != Some(&cell.qualifier) {
                    self.column = Some(cell.qualifier.clone());
                    self.kept = 0;
                }
                self.kept += 1;
                if self.kept <= self.keep {
                    out.push(filter.transform(cell.clone())?);
                } else if code != Code::IncludeAndSeekNextRow {
                    code = Code::NextCol;
                }
            }
            self.advance(code, &cell, filter, reversed)?;
        }
        Ok(())
    }

    fn advance(&mut self, code: Code, cell: &Cell, filter: &mut dyn Filter, reversed: bool) -> Result<()> {
        let passed: Box<dyn Fn(&Cell) -> bool> = match code {
            Code::Include | Code::Skip => Box::new(|_| true),
            // HBase reads the rest of the column of the empty qualifier cell by cell, since it may contain family
            // markers. It checks named columns before that, so the filter does not see the rest of one.
            Code::IncludeAndNextCol | Code::NextCol if cell.qualifier.is_empty() && !self.named => Box::new(|_| true),
            Code::IncludeAndNextCol | Code::NextCol => {
                Box::new(|next| next.row != cell.row || next.qualifier != cell.qualifier)
            }
            Code::IncludeAndSeekNextRow | Code::NextRow => Box::new(|next| next.row != cell.row),
            Code::SeekNextUsingHint => match filter.next_hint(cell)? {
                None => Box::new(|_| true),
                // In reverse scans HBase inverts the comparison of whole cells, so a later position in the same row
                // counts as passed.
                Some(hint) if reversed && hint.row == cell.row => Box::new(|_| true),
                Some(hint) => Box::new(move |next| match (next.row.cmp(&hint.row), reversed) {
                    (Ordering::Equal, _) => hint.locate(next) != Ordering::Less,
                    (Ordering::Greater, false) | (Ordering::Less, true) => true,
                    _ => false,
                }),
            },
        };
        // A hint that is not ahead is ignored.
        let here = code == Code::SeekNextUsingHint && passed(cell);
        self.at += 1;
        while !here && self.peek().is_some_and(|next| !passed(next)) {
            self.at += 1;
        }
        Ok(())
    }
}

/// The newest versions of each column.
fn newest<'a>(cells: impl Iterator<Item = &'a Cell>, versions: usize) -> Vec<Cell> {
    let mut kept: Vec<Cell> = Vec::new();
    let mut count = 0;
    for cell in cells {
        let same = kept.last().is_some_and(|last| last.row == cell.row && last.qualifier == cell.qualifier);
        count = if same { count + 1 } else { 1 };
        if count <= versions {
            kept.push(cell.clone());
        }
    }
    kept
}
