//! Interning of qualifiers: rows that have the same columns share the memory of their names.

use bytes::Bytes;

use crate::key;

/// The largest number of interned qualifiers.
const NAMES_MAX: usize = 64;
/// Interned qualifiers to compare before one counts as new.
const LOOKS: usize = 4;
/// When this many more qualifiers were new than known, rows evidently have different columns, and interning stops.
const NEW_MAX: u32 = 256;

/// Qualifiers of recent rows, in row order.
#[derive(Default)]
pub(super) struct Qualifiers {
    /// In the encoding of keys, and decoded.
    kept: Vec<(Box<[u8]>, Bytes)>,
    /// The index of the next qualifier, if this row has the same columns as the previous ones.
    at: usize,
    /// Rows begun. Qualifiers of the first one are not interned, since it may be the only one.
    rows: u32,
    new: u32,
}

impl Qualifiers {
    /// Begins a row.
    pub(super) fn begin_row(&mut self) {
        self.at = 0;
        self.rows = self.rows.saturating_add(1);
    }

    /// The qualifier of the column with this prefix. `row_prefix_len`: the length of its row's prefix.
    #[inline]
    pub(super) fn of(&mut self, column_prefix: &[u8], row_prefix_len: usize) -> Bytes {
        let encoded = column_prefix.get(row_prefix_len + 1..).unwrap_or_default();
        for look in self.at..self.kept.len().min(self.at + LOOKS) {
            let (kept, name) = &self.kept[look];
            if **kept == *encoded {
                self.at = look + 1;
                self.new = self.new.saturating_sub(1);
                return name.clone();
            }
        }
        let name = key::part(encoded);
        if self.rows > 1 && self.new < NEW_MAX {
            self.keep(encoded, name.clone());
        }
        name
    }

    fn keep(&mut self, encoded: &[u8], name: Bytes) {
        self.new += 1;
        if self.kept.len() < NAMES_MAX {
            self.kept.insert(self.at.min(self.kept.len()), (encoded.into(), name));
        } else if let Some(kept) = self.kept.get_mut(self.at) {
            *kept = (encoded.into(), name);
        }
        self.at += 1;
    }
}
