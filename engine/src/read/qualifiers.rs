//! The qualifiers of the rows before: most rows of a table have the same columns, and share their names in memory then.

use bytes::Bytes;

use crate::key;

/// Qualifiers kept at most.
const NAMES_MAX: usize = 64;
/// Qualifiers looked at before one counts as new.
const LOOKS: usize = 4;
/// So many more new names than known ones, and no more are kept: every row has its own.
const NEW_MAX: u32 = 256;

/// Qualifiers met lately, in the order of a row.
#[derive(Default)]
pub(super) struct Qualifiers {
    /// As they stand in keys, and as they are.
    kept: Vec<(Box<[u8]>, Bytes)>,
    /// The next one, if this row is like the ones before.
    at: usize,
    /// Rows begun; the names of the first one are not kept, since it may be the only one.
    rows: u32,
    new: u32,
}

impl Qualifiers {
    /// A row begins.
    pub(super) fn begin_row(&mut self) {
        self.at = 0;
        self.rows = self.rows.saturating_add(1);
    }

    /// The qualifier of the column with this prefix, whose row's prefix has that length.
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
