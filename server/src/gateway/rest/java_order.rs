//! The order in which Java's `HashMap` returns its keys, which representations of schemas and namespaces have.

/// Sorts entries as a `HashMap` that was copied from another one returns them. `seed` is the start value of the hash: 1
/// for byte strings of HBase, 0 for strings of Java.
pub fn sort<V>(entries: &mut [(String, V)], seed: u32) {
    let hash = |key: &str| {
        let hash = match seed {
            0 => key.encode_utf16().fold(seed, |hash, unit| hash.wrapping_mul(31).wrapping_add(unit.into())),
            // Bytes of Java have a sign.
            _ => key
                .bytes()
                .fold(seed, |hash, byte| hash.wrapping_mul(31).wrapping_add_signed(i32::from(byte.cast_signed()))),
        };
        (hash ^ hash >> 16) as usize
    };
    // The original grows when it is three quarters full; the copy has room for n / 0.75 + 1. Entries of one bucket keep
    // their order.
    let original = (entries.len() * 4).div_ceil(3).next_power_of_two().max(16);
    let copy = (entries.len() * 4 / 3 + 1).next_power_of_two();
    for buckets in [original, copy] {
        entries.sort_by_key(|(key, _)| hash(key) & (buckets - 1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_of_a_family_have_hbases_order() {
        let order = "INDEX_BLOCK_ENCODING VERSIONS KEEP_DELETED_CELLS DATA_BLOCK_ENCODING TTL MIN_VERSIONS \
                     REPLICATION_SCOPE BLOOMFILTER IN_MEMORY COMPRESSION BLOCKCACHE BLOCKSIZE";
        let mut entries: Vec<_> = order.split_whitespace().map(|key| (key.to_owned(), ())).collect();
        entries.sort();
        sort(&mut entries, 1);
        assert_eq!(entries.iter().map(|(key, ())| &**key).collect::<Vec<_>>().join(" "), order.replace("  ", ""));
        let mut table: Vec<_> = ["IS_META", "MAX_FILESIZE", "READONLY", "hbase.store.file-tracker.impl"]
            .map(|key| (key.to_owned(), ()))
            .into();
        sort(&mut table, 1);
        let keys: Vec<_> = table.iter().map(|(key, ())| &**key).collect();
        assert_eq!(keys, ["IS_META", "READONLY", "MAX_FILESIZE", "hbase.store.file-tracker.impl"]);
    }
}
