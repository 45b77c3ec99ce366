//! `hbase:meta`, which clients list, describe and locate. It has no cells.

use bytes::Bytes;

use super::state::{Family, TableState};
use crate::error::Result;
use crate::name::TableName;
use crate::region::Region;
use crate::schema::{BlockEncoding, BloomFilter, FamilyDescriptor, TRACKER_KEY, TableDescriptor};

/// The first number that is allocated. The catalog itself is space 0.
pub(super) const FIRST_NUMBER: u64 = 16;

/// The id of the first region of `hbase:meta`, as in HBase.
const META_REGION_ID: i64 = 1;

/// The state of `hbase:meta`.
pub(super) fn meta_table() -> Result<TableState> {
    let mut descriptor = TableDescriptor::new(TableName::meta());
    descriptor.set("IS_META", "true").set(TRACKER_KEY, "DEFAULT");
    descriptor.set("coprocessor$1", "|org.apache.hadoop.hbase.coprocessor.MultiRowMutationEndpoint|536870911|");
    let mut families = Vec::new();
    for (name, versions, block_size) in [("info", 3, 8192), ("rep_barrier", i32::MAX, 65536), ("table", 3, 8192)] {
        let mut family = FamilyDescriptor::new(name)?;
        family.set_max_versions(versions)?.set_block_size(block_size).set_flag("IN_MEMORY", true);
        family.set_bloom_filter(BloomFilter::RowCol).set_data_block_encoding(BlockEncoding::RowIndexV1);
        families.push(Family::new(&family, 0)?);
        descriptor.add_family(family)?;
    }
    let region = Region { id: META_REGION_ID, start: Bytes::new(), end: Bytes::new() };
    Ok(TableState::new(1, descriptor, families, vec![region], true))
}
