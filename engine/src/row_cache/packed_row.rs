//! A cached row in one allocation, from which the answer to a get of its newest cells is read directly. A get of a row
//! that is in no processor cache takes most of its time for the first access to each part of it, so a row should have
//! few parts.

use std::sync::Arc;

use bytes::Bytes;
use smallvec::SmallVec;

use super::row::CachedRow;
use crate::catalog::{Family, LOCK_PREFIX};
use crate::cell::{Cell, CellKind, CellRef, Row};
use crate::key;
use crate::store::SpaceId;
use crate::value;

/// The longest packed row, in bytes.
const BYTES_MAX: usize = 4 << 10;
/// The number of newest cells, and the length of the name.
const HEAD: usize = 4;
/// The length of the family (1 byte), whether it is the newest cell of its column (1), the lengths of the qualifier (2)
/// and of the value (4), and the timestamp (8).
const CELL_HEAD: usize = 16;

/// A row of which all families are cached, all cells are puts without a TTL, and no family has a TTL or
/// `NEW_VERSION_BEHAVIOR`. The first cell of each column is therefore what a get returns, now and later.
///
/// Layout: the `HEAD`, the name under which the row is locked, and the cells in the order of their keys: the
/// `CELL_HEAD`, family, qualifier, value.
#[derive(Clone)]
pub struct PackedRow(Arc<[u8]>);

/// A cell of a packed row.
struct PackedCell<'a> {
    cell: CellRef<'a>,
    is_newest: bool,
}

/// The cells that are left.
struct Rest<'a>(&'a [u8]);

impl<'a> Iterator for Rest<'a> {
    type Item = PackedCell<'a>;

    #[inline]
    fn next(&mut self) -> Option<PackedCell<'a>> {
        let (head, rest) = self.0.split_first_chunk::<CELL_HEAD>()?;
        let [family, is_newest, q0, q1, v0, v1, v2, v3, timestamp @ ..] = *head;
        let (family, rest) = rest.split_at_checked(usize::from(family))?;
        let (qualifier, rest) = rest.split_at_checked(usize::from(u16::from_le_bytes([q0, q1])))?;
        let (value, rest) = rest.split_at_checked(u32::from_le_bytes([v0, v1, v2, v3]) as usize)?;
        self.0 = rest;
        let cell = CellRef { family, qualifier, value, timestamp: i64::from_le_bytes(timestamp) };
        Some(PackedCell { cell, is_newest: is_newest != 0 })
    }
}

/// The newest cells of a [`PackedRow`], in HBase's order.
#[derive(Clone)]
pub struct PackedCells<'a> {
    rest: &'a [u8],
    left: usize,
}

impl<'a> Iterator for PackedCells<'a> {
    type Item = CellRef<'a>;

    #[inline]
    fn next(&mut self) -> Option<CellRef<'a>> {
        let mut rest = Rest(self.rest);
        let next = rest.find(|cell| cell.is_newest)?;
        (self.rest, self.left) = (rest.0, self.left.saturating_sub(1));
        Some(next.cell)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl ExactSizeIterator for PackedCells<'_> {}

thread_local! {
    /// The memory in which rows are packed. It is reused, because an [`Arc`] needs an allocation of the exact size.
    static SCRATCH: std::cell::Cell<Vec<u8>> = const { std::cell::Cell::new(Vec::new()) };
}

/// A row that is being packed.
struct Packer {
    bytes: Vec<u8>,
    newest: u16,
}

impl Packer {
    /// A row of this name without cells; `None` if the name is too long.
    fn new(name: &[u8], capacity: usize) -> Option<Self> {
        let len = u16::try_from(name.len()).ok()?;
        let mut bytes = SCRATCH.take();
        bytes.clear();
        bytes.reserve(capacity);
        bytes.extend_from_slice(&[0; 2]);
        bytes.extend_from_slice(&len.to_le_bytes());
        bytes.extend_from_slice(name);
        Some(Self { bytes, newest: 0 })
    }

    /// Adds the parts of a cell before its qualifier. `None` if a part or the row is too long.
    fn begin_cell(&mut self, cell: &CellRef<'_>, qualifier_len: usize, is_newest: bool) -> Option<()> {
        let len = CELL_HEAD + cell.family.len() + qualifier_len + cell.value.len();
        if self.bytes.len() + len > BYTES_MAX {
            return None;
        }
        self.bytes.extend_from_slice(&[u8::try_from(cell.family.len()).ok()?, u8::from(is_newest)]);
        self.bytes.extend_from_slice(&u16::try_from(qualifier_len).ok()?.to_le_bytes());
        self.bytes.extend_from_slice(&u32::try_from(cell.value.len()).ok()?.to_le_bytes());
        self.bytes.extend_from_slice(&cell.timestamp.to_le_bytes());
        self.bytes.extend_from_slice(cell.family);
        self.newest += u16::from(is_newest);
        Some(())
    }

    /// Adds a cell. `None` as for [`Self::begin_cell`].
    fn add(&mut self, cell: &CellRef<'_>, is_newest: bool) -> Option<()> {
        self.begin_cell(cell, cell.qualifier.len(), is_newest)?;
        self.bytes.extend_from_slice(cell.qualifier);
        self.bytes.extend_from_slice(cell.value);
        Some(())
    }

    fn finish(mut self) -> PackedRow {
        if let Some(newest) = self.bytes.first_chunk_mut::<2>() {
            *newest = self.newest.to_le_bytes();
        }
        let packed = PackedRow(Arc::from(&self.bytes[..]));
        SCRATCH.set(self.bytes);
        packed
    }
}

/// The name under which a packed row is locked, which is the number of its table and the row, and its cells.
fn name_and_cells(packed: &[u8]) -> (&[u8], &[u8]) {
    let parts = || {
        let ([_, _, l0, l1], rest) = packed.split_first_chunk::<HEAD>()?;
        rest.split_at_checked(usize::from(u16::from_le_bytes([*l0, *l1])))
    };
    parts().unwrap_or_default()
}

fn key_of(packed: &[u8]) -> &[u8] {
    name_and_cells(packed).0.get(LOCK_PREFIX..).unwrap_or_default()
}

fn newest_cells(packed: &[u8]) -> PackedCells<'_> {
    let left = packed.first_chunk::<2>().map_or(0, |newest| usize::from(u16::from_le_bytes(*newest)));
    PackedCells { rest: name_and_cells(packed).1, left }
}

impl PackedRow {
    /// Whether rows of this family can be packed: no cell expires by its family's rules, and the first cell of a column
    /// is the newest one.
    pub(crate) fn can_hold(family: &Family) -> bool {
        family.rules.ttl_ms == i64::MAX && !family.rules.new_version_behavior
    }

    /// Packs a row; `None` if that is not possible. `name` is the name under which it is locked.
    pub(super) fn of(name: &[u8], row: &CachedRow) -> Option<Self> {
        if !row.is_timeless() {
            return None;
        }
        let mut packer = Packer::new(name, HEAD + name.len() + row.bytes().min(BYTES_MAX))?;
        for (family, pairs) in row.whole_families() {
            let pairs = pairs?;
            if !Self::can_hold(family) {
                return None;
            }
            let mut column: &[u8] = &[];
            for (key, stored) in pairs.iter() {
                let prefix_len = key::row_prefix_len(key).ok()?;
                // A family marker hides cells.
                let column_len = key::column_prefix_len(key, prefix_len).ok()??;
                let (kind, timestamp) = key::kind_and_time(key, column_len).ok()?;
                if kind != CellKind::Put || !value::is_plain(stored) {
                    return None;
                }
                let is_newest = column != &key[..column_len];
                column = &key[..column_len];
                let encoded = &key[prefix_len + 1..column_len];
                let value = value::plain_bytes(stored);
                let cell = CellRef { family: &family.name, qualifier: &[], value, timestamp };
                packer.begin_cell(&cell, key::part_len(encoded), is_newest)?;
                key::append_part(&mut packer.bytes, encoded);
                packer.bytes.extend_from_slice(value);
            }
        }
        Some(packer.finish())
    }

    /// The name under which the row is locked.
    pub(super) fn name(&self) -> &[u8] {
        name_and_cells(&self.0).0
    }

    /// The row key.
    pub fn key(&self) -> &[u8] {
        key_of(&self.0)
    }

    /// The newest cell of each column, in HBase's order.
    pub fn cells(&self) -> PackedCells<'_> {
        newest_cells(&self.0)
    }

    /// The size of the packed row, in bytes.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Those newest cells whose family and qualifier are wanted, as a get returns them.
    pub fn to_row(&self, wanted: impl Fn(&[u8], &[u8]) -> bool) -> Row {
        let all = Bytes::copy_from_slice(&self.0);
        let part = |part: &[u8]| all.slice_ref(part);
        let key = part(key_of(&all));
        let cells: Vec<_> = newest_cells(&all)
            .filter(|cell| wanted(cell.family, cell.qualifier))
            .map(|cell| Cell {
                row: key.clone(),
                family: part(cell.family),
                qualifier: part(cell.qualifier),
                timestamp: cell.timestamp,
                kind: CellKind::Put,
                value: part(cell.value),
            })
            .collect();
        if cells.is_empty() { Row::default() } else { Row { key, cells, partial: false } }
    }

    /// The row in its stored form. `families` are those of its table. `None` if it is not a row of these families.
    pub(crate) fn unpack(&self, families: &Arc<[Family]>) -> Option<CachedRow> {
        let row = self.key();
        let mut cells = Rest(name_and_cells(&self.0).1).peekable();
        let mut slots = Vec::with_capacity(families.len());
        for family in families.iter() {
            let mut pairs = Vec::new();
            while let Some(PackedCell { cell, .. }) = cells.next_if(|next| *next.cell.family == *family.name) {
                let key = key::cell_key(row, cell.qualifier, cell.timestamp, CellKind::Put).ok()?;
                pairs.push((key, value::encode(None, None, cell.value)));
            }
            slots.push(pairs);
        }
        cells.next().is_none().then(|| CachedRow::of(families, slots))
    }

    /// The row after these puts, if each of them becomes the newest version of a column that the row has. `families`
    /// are those of the table.
    pub(super) fn with_newest<'a>(
        &self,
        puts: impl Iterator<Item = (SpaceId, &'a [u8], &'a [u8])>,
        families: &[Family],
    ) -> Option<Self> {
        let (name, cells) = name_and_cells(&self.0);
        let mut columns = SmallVec::<[NewVersions<'_>; 4]>::from_elem(NewVersions::default(), self.cells().len());
        let mut added = 0;
        for (space, key, stored) in puts {
            let family = families.iter().find(|family| family.space == space)?;
            let prefix_len = key::row_prefix_len(key).ok()?;
            let column_len = key::column_prefix_len(key, prefix_len).ok()??;
            let (kind, timestamp) = key::kind_and_time(key, column_len).ok()?;
            if kind != CellKind::Put || !value::is_plain(stored) {
                return None;
            }
            let is_it = |cell: &CellRef<'_>| {
                *cell.family == *family.name && key::is_of_qualifier(&key[..column_len], prefix_len, cell.qualifier)
            };
            let (at, cell) = self.cells().enumerate().find(|(_, cell)| is_it(cell))?;
            let column = &mut columns[at];
            // An earlier version does not become visible.
            let newest = column.versions.last().map_or(cell.timestamp, |(newest, _)| *newest);
            if timestamp < newest {
                return None;
            }
            if timestamp == newest {
                column.versions.pop();
            }
            column.versions.push((timestamp, value::plain_bytes(stored)));
            column.max = usize::try_from(family.rules.versions).unwrap_or(usize::MAX);
            added += CELL_HEAD + cell.family.len() + cell.qualifier.len() + stored.len();
        }
        let mut packer = Packer::new(name, self.0.len() + added)?;
        let mut columns = columns.into_iter();
        let (mut column, mut kept) = (NewVersions::default(), 0);
        for PackedCell { cell, is_newest } in Rest(cells) {
            if is_newest {
                column = columns.next()?;
                kept = 0;
                for (timestamp, value) in column.versions.iter().rev().take(column.max) {
                    packer.add(&CellRef { timestamp: *timestamp, value, ..cell }, kept == 0)?;
                    kept += 1;
                }
            }
            // The oldest of the new versions may have replaced the newest one before.
            let is_replaced = is_newest && column.versions.first().is_some_and(|(new, _)| *new == cell.timestamp);
            if kept < column.max && !is_replaced {
                packer.add(&cell, kept == 0)?;
                kept += 1;
            }
        }
        Some(packer.finish())
    }
}

/// The new versions of a column, ascending.
#[derive(Clone)]
struct NewVersions<'a> {
    versions: SmallVec<[(i64, &'a [u8]); 1]>,
    /// The number of versions that the column keeps, if it has new ones.
    max: usize,
}

impl Default for NewVersions<'_> {
    fn default() -> Self {
        Self { versions: SmallVec::new(), max: usize::MAX }
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;
    use crate::catalog::row_lock;
    use crate::schema::FamilyDescriptor;
    use crate::store::Pair;

    const ROW: &[u8] = b"a row";

    fn families() -> Arc<[Family]> {
        let family = |(space, name, versions): (SpaceId, &'static str, &'static str)| {
            let mut descriptor = FamilyDescriptor::new(name).unwrap();
            descriptor.set("VERSIONS", versions);
            Family::new(&descriptor, space).unwrap()
        };
        [(1, "a", "1"), (2, "ab", "1"), (3, "b", "3")].map(family).into()
    }

    /// The family, the qualifier, the timestamp and the value of a put.
    type CellOf = (SpaceId, Vec<u8>, i64, Vec<u8>);

    fn cells(count: usize) -> impl Strategy<Value = Vec<CellOf>> {
        let qualifier =
            prop_oneof![Just(vec![]), Just(b"q".to_vec()), Just(b"a longer one".to_vec()), vec(0..3_u8, 1..3)];
        vec((1..4_u64, qualifier, 0..6_i64, vec(any::<u8>(), 0..20)), 0..count)
    }

    fn pair((space, qualifier, timestamp, value): &CellOf) -> (SpaceId, Pair) {
        let key = key::cell_key(ROW, qualifier, *timestamp, CellKind::Put).unwrap();
        (*space, (key, value::encode(None, None, value)))
    }

    /// The row of these puts, as the cache would have read it.
    fn row(families: &Arc<[Family]>, cells: &[CellOf]) -> CachedRow {
        let puts: Vec<_> = cells.iter().map(pair).collect();
        CachedRow::of(families, vec![Vec::new(); families.len()]).after(&puts, 100).unwrap()
    }

    fn pairs(row: &CachedRow) -> Vec<Vec<Pair>> {
        row.whole_families().map(|(_, pairs)| pairs.unwrap().to_vec()).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn a_packed_row_has_the_cells_of_the_row(cells in cells(12)) {
            let families = families();
            let row = row(&families, &cells);
            let packed = PackedRow::of(&row_lock(7, ROW), &row).unwrap();
            prop_assert_eq!(pairs(&packed.unpack(&families).unwrap()), pairs(&row));
            prop_assert_eq!((packed.key(), packed.name()), (ROW, &row_lock(7, ROW)[..]));
            let newest = packed.to_row(|_, _| true).cells;
            prop_assert_eq!(packed.cells().len(), newest.len());
            let mut columns: Vec<_> = cells.iter().map(|(space, qualifier, ..)| (*space, qualifier)).collect();
            columns.sort();
            columns.dedup();
            prop_assert_eq!(newest.len(), columns.len());
            for (cell, packed) in newest.iter().zip(packed.cells()) {
                let parts = (&cell.family[..], &cell.qualifier[..], cell.timestamp, &cell.value[..]);
                prop_assert_eq!(parts, (packed.family, packed.qualifier, packed.timestamp, packed.value));
                let all = cells.iter().filter(|(space, qualifier, ..)| {
                    families[*space as usize - 1].name == cell.family && *qualifier == cell.qualifier
                });
                // Of two puts with the same timestamp, the later one counts.
                let (.., timestamp, value) = all.max_by_key(|(.., timestamp, _)| *timestamp).unwrap();
                prop_assert_eq!((cell.timestamp, &cell.value[..]), (*timestamp, &value[..]));
            }
        }

        #[test]
        fn new_versions_in_a_packed_row_are_those_of_merging_puts(old in cells(8), new in cells(4)) {
            let families = families();
            let name = row_lock(7, ROW);
            let before = row(&families, &old);
            let puts: Vec<_> = new.iter().map(pair).collect();
            let merged = PackedRow::of(&name, &before.after(&puts, 100).unwrap()).unwrap();
            let slices = puts.iter().map(|(space, (key, value))| (*space, &key[..], &value[..]));
            if let Some(replaced) = PackedRow::of(&name, &before).unwrap().with_newest(slices, &families) {
                prop_assert_eq!(&replaced.0, &merged.0);
            }
        }
    }

    #[test]
    fn what_cannot_be_read_directly_is_not_packed() {
        let families = families();
        let name = row_lock(7, ROW);
        let of = |pair: (SpaceId, Pair)| {
            let mut pairs = vec![Vec::new(); 3];
            pairs[pair.0 as usize - 1].push(pair.1);
            PackedRow::of(&name, &CachedRow::of(&families, pairs)).is_some()
        };
        let value = |bytes: usize| pair(&(1, b"q".to_vec(), 1, vec![1; bytes]));
        assert!(of(value(100)) && !of(value(5_000)), "too long");
        let marker = key::cell_key(ROW, b"q", 1, CellKind::DeleteColumn).unwrap();
        assert!(!of((2, (marker, Bytes::new()))), "a delete marker");
        let (space, (key, _)) = value(1);
        assert!(!of((space, (key, value::encode(Some(5), None, b"x")))), "a value with a TTL");
        assert!(PackedRow::of(&name, &CachedRow::unread(&families)).is_none(), "families that are not cached");
    }
}
