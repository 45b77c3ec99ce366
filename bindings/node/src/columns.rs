//! Numbers for columns. Answers name most columns by number, so that JavaScript decodes each name once.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering};

use bytes::Bytes;
use parking_lot::{RwLock, RwLockReadGuard};

/// The number of columns that get numbers. Further ones are written out by name: if there are many, their qualifiers
/// are probably data.
const NUMBERED_MAX: usize = 4096;

/// A column's full name.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ColumnName {
    /// The family's name.
    pub family: Bytes,
    /// The qualifier.
    pub qualifier: Bytes,
}

/// The numbers of a database's columns. Once assigned, a number never changes.
#[derive(Default)]
pub struct Columns {
    numbered: RwLock<Numbered>,
    /// The first column of the last row: a guess for the next row, since rows of a table tend to begin alike.
    first: AtomicU32,
}

#[derive(Default)]
struct Numbered {
    names: Vec<ColumnName>,
    numbers: HashMap<ColumnName, u32>,
}

impl Numbered {
    /// Whether this is the number of the column.
    fn matches(&self, number: u32, family: &[u8], qualifier: &[u8]) -> bool {
        self.names.get(number as usize).is_some_and(|name| name.qualifier == qualifier && name.family == family)
    }
}

/// Finds the numbers of one row's columns.
pub struct RowColumns<'a> {
    columns: &'a Columns,
    numbered: RwLockReadGuard<'a, Numbered>,
    /// The number after the previous column's: columns of a row are often numbered in order.
    guess: u32,
    is_first: bool,
}

impl Columns {
    /// Prepares to number the columns of one row, in their order.
    pub fn row(&self) -> RowColumns<'_> {
        let guess = self.first.load(Ordering::Relaxed);
        RowColumns { columns: self, numbered: self.numbered.read(), guess, is_first: true }
    }

    /// The column with a number.
    pub fn name(&self, number: u32) -> Option<ColumnName> {
        self.numbered.read().names.get(number as usize).cloned()
    }

    fn add(&self, family: &Bytes, qualifier: &Bytes) -> Option<u32> {
        let mut numbered = self.numbered.write();
        // Copied, since the given slices may keep a whole block of a file in memory.
        let key = ColumnName { family: Bytes::copy_from_slice(family), qualifier: Bytes::copy_from_slice(qualifier) };
        if let Some(number) = numbered.numbers.get(&key) {
            return Some(*number);
        }
        if numbered.names.len() >= NUMBERED_MAX {
            return None;
        }
        let number = u32::try_from(numbered.names.len()).ok()?;
        numbered.names.push(key.clone());
        numbered.numbers.insert(key, number);
        Some(number)
    }
}

impl RowColumns<'_> {
    /// The number of a column; assigns one if any are left.
    pub fn number(&mut self, family: &Bytes, qualifier: &Bytes) -> Option<u32> {
        let number = if self.numbered.matches(self.guess, family, qualifier) {
            Some(self.guess)
        } else if let Some(number) =
            self.numbered.numbers.get(&ColumnName { family: family.clone(), qualifier: qualifier.clone() })
        {
            Some(*number)
        } else if self.numbered.names.len() < NUMBERED_MAX {
            let columns = self.columns;
            RwLockReadGuard::unlocked(&mut self.numbered, || columns.add(family, qualifier))
        } else {
            None
        };
        if let Some(number) = number {
            if self.is_first {
                self.columns.first.store(number, Ordering::Relaxed);
            }
            self.guess = number + 1;
        }
        self.is_first = false;
        number
    }
}
