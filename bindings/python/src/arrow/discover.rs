//! Columns that a caller did not name, found by a pass over what will be scanned: a batch has to say what its columns are before its first row.

use std::collections::BTreeSet;

use bytes::Bytes;
use hjall_engine::read::Watch;
use hjall_engine::request::{Columns, Scan};
use hjall_engine::{Scanner, Table};

use super::fault::Fault;
use super::kind::Kind;
use super::layout::Named;

/// A column that was asked for: by its name, or all of a family, or all.
#[derive(Debug, Clone)]
pub struct Asked {
    /// `None`: of every family.
    pub family: Option<Bytes>,
    /// `None`: of every qualifier.
    pub qualifier: Option<Bytes>,
    /// The decoder.
    pub kind: Kind,
}

/// Rows looked at in one step.
const STEP: usize = 1024;

/// So many columns are found; with more of them a row is no sensible row of a batch.
const COLUMNS_MAX: usize = 4096;

/// What a scan is to read for these columns.
pub fn columns_of(asked: &[Asked]) -> Columns {
    let mut columns = Columns::all();
    if asked.iter().any(|a| a.family.is_none()) {
        return columns;
    }
    let of_family = |whole: bool| asked.iter().filter(move |a| a.qualifier.is_none() == whole);
    for (family, qualifier) in of_family(false).map(|a| (a.family.clone(), a.qualifier.clone())) {
        columns.add_column(family.unwrap_or_default(), qualifier.unwrap_or_default());
    }
    // A family that is wanted whole is wanted whole, whatever is named of it besides.
    for family in of_family(true).map(|a| a.family.clone()) {
        columns.add_family(family.unwrap_or_default());
    }
    columns
}

/// The columns if all are named.
pub fn named(asked: &[Asked]) -> Option<Vec<Named>> {
    let one = |a: &Asked| Some(Named { family: a.family.clone()?, qualifier: a.qualifier.clone()?, kind: a.kind });
    asked.iter().map(one).collect()
}

/// A pass over a scan that finds its columns.
pub struct Discovery {
    scanner: Scanner,
    found: BTreeSet<(Bytes, Bytes)>,
}

impl Discovery {
    /// Begins; `watch` may end it.
    ///
    /// # Errors
    /// Those of opening a scan.
    pub fn begin(table: &Table, scan: &Scan, watch: Watch) -> Result<Self, Fault> {
        let mut scanner = table.scan(scan.clone())?;
        scanner.watch(watch);
        Ok(Self { scanner, found: BTreeSet::new() })
    }

    /// Looks at some rows; `false`: there are no more.
    ///
    /// # Errors
    /// Those of the scan, and one for too many columns.
    pub fn step(&mut self) -> Result<bool, Fault> {
        let rows = self.scanner.next(STEP)?;
        for cell in rows.iter().flat_map(|row| &row.cells) {
            let column = (cell.family.clone(), cell.qualifier.clone());
            if !self.found.contains(&column) {
                // Copied, since a slice would hold on to all that it was read with.
                self.found.insert((Bytes::copy_from_slice(&column.0), Bytes::copy_from_slice(&column.1)));
                if self.found.len() > COLUMNS_MAX {
                    return Err(Fault::Argument(format!(
                        "more than {COLUMNS_MAX} columns were found: name those that are wanted in columns=, or scan with layout=\"cells\""
                    )));
                }
            }
        }
        Ok(rows.len() == STEP)
    }

    /// The columns found, each where it was first asked for.
    pub fn finish(self, asked: &[Asked]) -> Vec<Named> {
        let mut columns: Vec<Named> = Vec::new();
        let named = |a: &Asked, family: &Bytes, qualifier: &Bytes| {
            a.family.as_ref() == Some(family) && a.qualifier.as_ref() == Some(qualifier)
        };
        for a in asked {
            if let (Some(family), Some(qualifier)) = (&a.family, &a.qualifier) {
                columns.push(Named { family: family.clone(), qualifier: qualifier.clone(), kind: a.kind });
                continue;
            }
            for (family, qualifier) in &self.found {
                let here = a.family.as_ref().is_none_or(|f| f == family);
                let elsewhere = asked.iter().any(|other| named(other, family, qualifier))
                    || columns.iter().any(|c| c.family == family && c.qualifier == qualifier);
                if here && !elsewhere {
                    columns.push(Named { family: family.clone(), qualifier: qualifier.clone(), kind: a.kind });
                }
            }
        }
        columns
    }
}
