//! Columns by number: an answer names most of its columns by a number, so that JavaScript decodes each name once.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering};

use bytes::Bytes;
use parking_lot::{RwLock, RwLockReadGuard};

/// So many columns get a number; others (qualifiers that are data, say) are written out.
const NUMBERED_MAX: usize = 4096;

/// The numbers of a database's columns; they never change.
#[derive(Default)]
pub struct Columns {
    numbered: RwLock<Numbered>,
    /// The first column of the row seen last: rows of one table tend to begin alike.
    first: AtomicU32,
}

#[derive(Default)]
struct Numbered {
    names: Vec<(Bytes, Bytes)>,
    numbers: HashMap<(Bytes, Bytes), u32>,
}

impl Numbered {
    fn is(&self, number: u32, family: &[u8], qualifier: &[u8]) -> bool {
        self.names.get(number as usize).is_some_and(|(f, q)| q == qualifier && f == family)
    }
}

/// Finds numbers for the columns of one row.
pub struct RowColumns<'a> {
    columns: &'a Columns,
    numbered: RwLockReadGuard<'a, Numbered>,
    guess: u32,
    is_first: bool,
}

impl Columns {
    /// For the columns of one row, in their order.
    pub fn row(&self) -> RowColumns<'_> {
        let guess = self.first.load(Ordering::Relaxed);
        RowColumns { columns: self, numbered: self.numbered.read(), guess, is_first: true }
    }

    /// Family and qualifier of a number.
    pub fn name(&self, number: u32) -> Option<(Bytes, Bytes)> {
        self.numbered.read().names.get(number as usize).cloned()
    }

    fn add(&self, family: &Bytes, qualifier: &Bytes) -> Option<u32> {
        let mut numbered = self.numbered.write();
        // Copies: the given ones may hold a whole block of a file in memory.
        let key = (Bytes::copy_from_slice(family), Bytes::copy_from_slice(qualifier));
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
    /// The column's number, if it has or gets one.
    pub fn number(&mut self, family: &Bytes, qualifier: &Bytes) -> Option<u32> {
        let number = if self.numbered.is(self.guess, family, qualifier) {
            Some(self.guess)
        } else if let Some(number) = self.numbered.numbers.get(&(family.clone(), qualifier.clone())) {
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
