//! The state of a table: descriptor, families with their spaces, regions.

use std::sync::Arc;

use bytes::{BufMut, Bytes, BytesMut};

use super::size::Size;
use super::traffic::{GarbageCounter, RegionCounters};
use crate::durability::Durability;
use crate::error::{Error, ErrorKind, Result};
use crate::group;
use crate::name::TableName;
use crate::quote;
use crate::region::{self, Region};
use crate::schema::{BloomFilter, Compression, FamilyDescriptor, FamilyRules, TableDescriptor};
use crate::store::{SpaceId, SpaceOptions};

/// A family: the space of its cells, and the rules that apply to them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Family {
    /// The name, in memory of its own: the row cache may keep a family after the rest of its table's record.
    pub name: Bytes,
    /// The space of its cells.
    pub space: SpaceId,
    /// VERSIONS, TTL and other rules.
    pub rules: FamilyRules,
    /// The sequence number of all cells that are written while NEW_VERSION_BEHAVIOR is off, if it was on before in this
    /// space. It is greater than those of all cells that were written before it was switched off, and less than those
    /// of all that are written after it is switched on again.
    pub sequence_while_off: Option<u64>,
}

impl Family {
    pub(crate) fn new(descriptor: &FamilyDescriptor, space: SpaceId) -> Result<Self> {
        let name = Bytes::copy_from_slice(&descriptor.name);
        Ok(Self { name, space, rules: FamilyRules::of(descriptor)?, sequence_while_off: None })
    }

    /// The sequence number with which a cell is stored. `of_write`: that of its transaction or load.
    #[inline]
    pub(crate) fn sequence(&self, of_write: impl FnOnce() -> u64) -> Option<u64> {
        if self.rules.new_version_behavior { Some(of_write()) } else { self.sequence_while_off }
    }
}

/// The storage options of a family's space. HBase's default block size selects the store's default; any other is
/// applied within limits.
pub(crate) fn space_options(family: &FamilyDescriptor) -> SpaceOptions {
    let default = SpaceOptions::default();
    let block_bytes = match family.block_size() {
        Ok(bytes) if bytes != 65_536 => u32::try_from(bytes).unwrap_or(default.block_bytes).clamp(4 * 1024, 512 * 1024),
        _ => default.block_bytes,
    };
    SpaceOptions {
        compress: family.compression().is_ok_and(|c| c != Compression::None),
        bloom: family.bloom_filter().is_ok_and(|b| b != BloomFilter::None),
        block_bytes,
    }
}

/// The length of the table's part of the name under which a row is locked.
pub(crate) const LOCK_PREFIX: usize = 8;

/// The name under which a row of the table with this number is locked.
pub(crate) fn row_lock(table: u64, row: &[u8]) -> Bytes {
    let mut out = BytesMut::with_capacity(LOCK_PREFIX + row.len());
    out.put_u64(table);
    out.put_slice(row);
    out.freeze()
}

/// The number of the table of a row, from the name under which the row is locked.
pub(super) fn table_of_row_lock(name: &[u8]) -> Option<u64> {
    name.first_chunk().map(|number: &[u8; LOCK_PREFIX]| u64::from_be_bytes(*number))
}

/// The state of a table. Immutable: a change creates a new one.
#[derive(Debug)]
pub(crate) struct TableState {
    number: u64,
    descriptor: TableDescriptor,
    /// Sorted by name.
    families: Arc<[Family]>,
    regions: Vec<Region>,
    traffic: RegionCounters,
    garbage: GarbageCounter,
    enabled: bool,
    read_only: bool,
    durability: Durability,
    size: Size,
}

impl TableState {
    pub(super) fn new(
        number: u64,
        descriptor: TableDescriptor,
        mut families: Vec<Family>,
        regions: Vec<Region>,
        enabled: bool,
    ) -> Self {
        families.sort_by(|a, b| a.name.cmp(&b.name));
        let (read_only, durability) = (descriptor.read_only(), descriptor.durability());
        let traffic = RegionCounters::new(&regions);
        let (families, garbage) = (families.into(), GarbageCounter::default());
        let size = Size::of_table(&descriptor, &regions);
        Self { number, descriptor, families, regions, traffic, garbage, enabled, read_only, durability, size }
    }

    /// Takes over the counters of an earlier state of the same table. The traffic counters start at zero if the regions
    /// have changed.
    pub(super) fn continuing(self, earlier: &Self) -> Self {
        if self.number != earlier.number {
            return self;
        }
        let traffic = if self.regions == earlier.regions { earlier.traffic.clone() } else { self.traffic };
        Self { traffic, garbage: earlier.garbage.clone(), ..self }
    }

    /// Gives families whose NEW_VERSION_BEHAVIOR was on in an earlier state and is off in this one the sequence number
    /// `next`, which must be greater than those of all earlier writes. Returns whether there are any.
    pub(super) fn end_write_order(&mut self, earlier: &Self, next: impl FnOnce() -> u64) -> bool {
        let is_switched_off = |family: &Family| {
            let was_on = |before: &Family| before.space == family.space && before.rules.new_version_behavior;
            !family.rules.new_version_behavior && earlier.families.iter().any(was_on)
        };
        if !self.families.iter().any(is_switched_off) {
            return false;
        }
        let sequence = next();
        let numbered = |family: &Family| match is_switched_off(family) {
            true => Family { sequence_while_off: Some(sequence), ..family.clone() },
            false => family.clone(),
        };
        self.families = self.families.iter().map(numbered).collect();
        true
    }

    /// Distinguishes this table from all others that exist or ever existed, including those of the same name.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    pub(crate) fn name(&self) -> &TableName {
        &self.descriptor.name
    }

    pub(crate) fn descriptor(&self) -> &TableDescriptor {
        &self.descriptor
    }

    /// The size of the descriptor with its families and regions.
    pub(super) fn size(&self) -> Size {
        self.size
    }

    /// The families, sorted by name.
    pub(crate) fn families(&self) -> &Arc<[Family]> {
        &self.families
    }

    /// The regions, sorted by start key.
    pub(crate) fn regions(&self) -> &[Region] {
        &self.regions
    }

    /// The counters of reads and writes, by region.
    pub(crate) fn traffic(&self) -> &RegionCounters {
        &self.traffic
    }

    /// Counts results of a read, all of which are in the region of `row`.
    pub(crate) fn count_reads(&self, row: &[u8], results: usize, bytes: usize) {
        self.traffic.count_reads(self.region_index(row), results, bytes);
    }

    /// Counts garbage that a read has encountered, in bytes.
    pub(crate) fn count_garbage(&self, bytes: u64) {
        if bytes > 0 {
            self.garbage.add(bytes);
        }
    }

    /// The counter of garbage.
    pub(crate) fn garbage(&self) -> &GarbageCounter {
        &self.garbage
    }

    /// Counts mutations of a row.
    pub(crate) fn count_writes(&self, row: &[u8], mutations: usize, bytes: usize) {
        self.traffic.count_writes(self.region_index(row), mutations, bytes);
    }

    /// Counts mutations, each given by its row and its bytes.
    pub(crate) fn count_each_write<'a>(&self, mutations: impl Iterator<Item = (&'a [u8], usize)>) {
        let (mut region, mut many, mut sum) = (0, 0, 0);
        for (row, bytes) in mutations {
            let index = self.region_index(row);
            if index != region {
                self.traffic.count_writes(region, many, sum);
                (region, many, sum) = (index, 0, 0);
            }
            (many, sum) = (many + 1, sum + bytes);
        }
        self.traffic.count_writes(region, many, sum);
    }

    fn region_index(&self, row: &[u8]) -> usize {
        self.regions.partition_point(|region| &region.start[..] <= row).saturating_sub(1)
    }

    pub(crate) fn enabled(&self) -> bool {
        self.enabled
    }

    /// Whether this is `hbase:meta`, which has no spaces.
    pub(crate) fn is_system(&self) -> bool {
        self.name().is_meta()
    }

    /// The durability of a mutation: the requested one, or the table's if it requests none. Never `UseDefault`.
    pub(crate) fn durability(&self, asked: Durability) -> Durability {
        asked.in_table(self.durability)
    }

    /// The family with this name, for an operation on `row`.
    ///
    /// # Errors
    /// `FamilyNotFound` with HBase's text.
    pub(crate) fn family(&self, name: &[u8], row: &[u8]) -> Result<&Family> {
        match self.families.binary_search_by(|f| f.name[..].cmp(name)) {
            Ok(at) => Ok(&self.families[at]),
            Err(_) => Err(self.no_family(name, row)),
        }
    }

    /// The error for a family that does not exist.
    pub(crate) fn no_family(&self, name: &[u8], row: &[u8]) -> Error {
        let region = region::locate(&self.regions, row).map(|r| r.name(self.name())).unwrap_or_default();
        let (name, region) = (quote::utf8(name), quote::binary(&region));
        Error::new(
            ErrorKind::FamilyNotFound,
            format_args!("Column family {name} does not exist in region {region} in table {}", self.descriptor),
        )
        .with_plain(format_args!(
            "table {} has no column family {name}: name one of its families ({}), or add this one",
            quote::Quoted(self.name()),
            self.descriptor.families.keys().map(|f| String::from_utf8_lossy(f)).collect::<Vec<_>>().join(", ")
        ))
    }

    /// Checks that the table can be read.
    ///
    /// # Errors
    /// `TableDisabled`, or `SystemTable` for `hbase:meta`.
    pub(crate) fn check_readable(&self) -> Result<()> {
        if self.is_system() {
            return Err(Error::new(
                ErrorKind::SystemTable,
                "hbase:meta has no rows to read or write in hjall; ask for regions and table descriptors instead",
            ));
        }
        if !self.enabled {
            return Err(Error::table_disabled(self.name()));
        }
        Ok(())
    }

    /// Checks that the table can be written.
    ///
    /// # Errors
    /// Those of [`Self::check_readable`], or `ReadOnly`. If all transactions of this thread fail, their error: the
    /// table may have been altered after they were written.
    pub(crate) fn check_writable(&self) -> Result<()> {
        if let Some(error) = group::injected_failure() {
            return Err(error);
        }
        self.check_readable()?;
        if self.read_only {
            return Err(Error::new(ErrorKind::ReadOnly, "region is read only").with_plain(format!(
                "table {} is read only: set its READONLY attribute to false to write to it",
                self.name()
            )));
        }
        Ok(())
    }

    /// The name under which a row of this table is locked: [`LOCK_PREFIX`] bytes for the table, and the row.
    pub(crate) fn row_lock(&self, row: &[u8]) -> Bytes {
        row_lock(self.number, row)
    }

    /// The names under which these rows are locked, in one allocation.
    pub(crate) fn row_locks<'a>(&self, rows: impl ExactSizeIterator<Item = &'a [u8]> + Clone) -> Vec<Bytes> {
        let mut all = Vec::with_capacity(rows.clone().map(|row| LOCK_PREFIX + row.len()).sum());
        for row in rows.clone() {
            all.extend_from_slice(&self.number.to_be_bytes());
            all.extend_from_slice(row);
        }
        let mut all = Bytes::from(all);
        rows.map(|row| all.split_to(LOCK_PREFIX + row.len())).collect()
    }
}
