//! The checks that HBase's master applies to a descriptor before a table is created or altered
//! (`TableDescriptorChecker`), in its order.

use std::borrow::Cow;

use super::attribute::{number, setting_number, text};
use super::family::{FamilyDescriptor, TTL_FOREVER_SECONDS};
use super::options::{BloomFilter, Compression};
use super::rules::FamilyRules;
use super::table::{FAMILIES_MAX, REGION_REPLICATION_MAX, TableDescriptor};
use crate::error::{Error, ErrorKind, Result};
use crate::name::check_family_length;
use crate::quote::Quoted;
use crate::request::ROW_LENGTH_MAX;

/// The beginning of the keys of coprocessors.
const COPROCESSOR: &[u8] = b"coprocessor$";
/// What a dot does not match in Java's regular expressions.
const LINE_ENDS: [char; 5] = ['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}'];
const SWITCH: &str = "hbase.table.sanity.checks";
const FILE_BYTES_MIN: i64 = 2 * 1024 * 1024;
const FLUSH_BYTES_MIN: i64 = 1024 * 1024;
const BLOCKING_FILES: &str = "hbase.hstore.blockingStoreFiles";
const BLOCKING_FILES_DEFAULT: i32 = 16;
const COMPACTION_POLICY: &str = "hbase.hstore.defaultengine.compactionpolicy.class";
const FIFO_POLICY: &str = "org.apache.hadoop.hbase.regionserver.compactions.FIFOCompactionPolicy";
const FIFO_BLOCKING_FILES_MIN: i32 = 1000;
const BLOCK_BYTES: std::ops::RangeInclusive<i32> = 1024..=16 * 1024 * 1024;

/// HBase's own split policies. hjall only stores the name.
const SPLIT_POLICIES: [&str; 7] = [
    "BusyRegionSplitPolicy",
    "ConstantSizeRegionSplitPolicy",
    "DelimitedKeyPrefixRegionSplitPolicy",
    "DisabledRegionSplitPolicy",
    "IncreasingToUpperBoundRegionSplitPolicy",
    "KeyPrefixRegionSplitPolicy",
    "SteppingSplitPolicy",
];

type Check = fn(&TableDescriptor) -> Result<()>;

/// Whether a check applies although `hbase.table.sanity.checks` is `false`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Applies {
    Always,
    UnlessSwitchedOff,
}

/// Checks a descriptor. If its attribute `hbase.table.sanity.checks` is `false`, only values that cannot be parsed are
/// refused.
///
/// # Errors
/// `InvalidDescriptor` for a value out of range, `Unprocessable` for a number that cannot be parsed, `InvalidArgument`
/// for the name of a family that is too long.
pub fn check_table(table: &TableDescriptor) -> Result<()> {
    table.families.keys().try_for_each(|name| check_family_length(name))?;
    let switched_on = text(&table.attributes, SWITCH).is_none_or(|t| t.eq_ignore_ascii_case("true"));
    let checks: [(Applies, Check); 10] = [
        (Applies::UnlessSwitchedOff, check_sizes),
        (Applies::UnlessSwitchedOff, check_classes),
        (Applies::UnlessSwitchedOff, check_compression),
        (Applies::UnlessSwitchedOff, check_encryption),
        (Applies::Always, check_compaction_policy),
        (Applies::UnlessSwitchedOff, check_families),
        (Applies::UnlessSwitchedOff, check_replicas),
        (Applies::UnlessSwitchedOff, check_scopes),
        (Applies::UnlessSwitchedOff, check_blooms),
        (Applies::UnlessSwitchedOff, check_values),
    ];
    for (applies, check) in checks {
        let is_off = applies == Applies::UnlessSwitchedOff && !switched_on;
        match check(table) {
            Err(e) if e.kind() == ErrorKind::InvalidDescriptor && is_off => {}
            other => other?,
        }
    }
    // Not one of the checks that can be switched off: HBase cannot name such a replica.
    let replicas = table.region_replication()?;
    if replicas > REGION_REPLICATION_MAX {
        let max = REGION_REPLICATION_MAX - 1;
        let message = format!("REGION_REPLICATION is {replicas}: ReplicaId cannot be greater than {max}");
        let remedy = format!("use 1 to {REGION_REPLICATION_MAX} for table {}", table.name);
        return Err(Error::new(ErrorKind::InvalidDescriptor, message).with_remedy(remedy));
    }
    // Each family is a tree of its own in the store. Creating thousands takes minutes.
    let families = table.families.len();
    if families > FAMILIES_MAX {
        let message = format!(
            "the table has {families} families, the maximum is {FAMILIES_MAX}: use qualifiers of one family, or several \
             tables"
        );
        return Err(Error::new(ErrorKind::InvalidDescriptor, message));
    }
    // Stricter than HBase, which accepts an unknown KEEP_DELETED_CELLS or DATA_BLOCK_ENCODING but can then never open
    // the table.
    for family in table.families.values() {
        FamilyRules::of(family)?;
        family.data_block_encoding()?;
        family.scope()?;
    }
    Ok(())
}

fn refuse<T>(what: impl std::fmt::Display, remedy: impl std::fmt::Display) -> Result<T> {
    Err(Error::new(
        ErrorKind::InvalidDescriptor,
        format!("{what} Set {SWITCH} to false at conf or table descriptor if you want to bypass sanity checks"),
    )
    .with_remedy(remedy))
}

/// A size in bytes: the attribute, else the setting that HBase lets a table override.
fn size(table: &TableDescriptor, key: &str, setting: &str, default: i64) -> Result<i64> {
    match table.attributes.contains_key(key.as_bytes()) {
        true => number(&table.attributes, key, default),
        false => setting_number(&table.attributes, setting, default),
    }
}

fn check_sizes(table: &TableDescriptor) -> Result<()> {
    let file = size(table, "MAX_FILESIZE", "hbase.hregion.max.filesize", FILE_BYTES_MIN)?;
    if file < FILE_BYTES_MIN {
        return refuse(
            format_args!(
                "MAX_FILESIZE for table descriptor or \"hbase.hregion.max.filesize\" ({file}) is too small, which might cause over splitting into unmanageable number of regions."
            ),
            format_args!("set it to {FILE_BYTES_MIN} bytes or more for table {}, or leave it out", table.name),
        );
    }
    let flush = size(table, "MEMSTORE_FLUSHSIZE", "hbase.hregion.memstore.flush.size", FLUSH_BYTES_MIN)?;
    if flush < FLUSH_BYTES_MIN {
        return refuse(
            format_args!(
                "MEMSTORE_FLUSHSIZE for table descriptor or \"hbase.hregion.memstore.flush.size\" ({flush}) is too small, which might cause very frequent flushing."
            ),
            format_args!("set it to {FLUSH_BYTES_MIN} bytes or more for table {}, or leave it out", table.name),
        );
    }
    Ok(())
}

/// Java classes cannot be loaded, so only HBase's own split policies and no coprocessors are accepted.
fn check_classes(table: &TableDescriptor) -> Result<()> {
    if let Some(policy) = text(&table.attributes, "SPLIT_POLICY") {
        let known =
            policy.strip_prefix("org.apache.hadoop.hbase.regionserver.").is_some_and(|p| SPLIT_POLICIES.contains(&p));
        if !known {
            return refuse(
                format_args!(
                    "Unable to load configured region split policy '{}' for table '{}'",
                    Quoted(&policy),
                    table.name
                ),
                "name one of HBase's own policies with its package, or leave SPLIT_POLICY out",
            );
        }
    }
    for (key, value) in &table.attributes {
        let Some((prefix, number)) = key.split_at_checked(COPROCESSOR.len()) else { continue };
        if !prefix.eq_ignore_ascii_case(COPROCESSOR) || number.is_empty() || !number.iter().all(u8::is_ascii_digit) {
            continue;
        }
        let value = String::from_utf8_lossy(value);
        let Some(Coprocessor { path, class, priority }) = Coprocessor::parse(&value) else { continue };
        whole_number((!priority.is_empty()).then_some(priority.into()))?;
        let remedy = format_args!("hjall runs no coprocessors; create table {} without this one", table.name);
        return match path {
            "" => refuse(format_args!("Class {} cannot be loaded", Quoted(class)), remedy),
            path => refuse(Quoted(path), remedy),
        };
    }
    Ok(())
}

/// The value of an attribute that names a coprocessor.
struct Coprocessor<'a> {
    /// The JAR file with the class; may be empty.
    path: &'a str,
    class: &'a str,
    /// Digits; may be empty.
    priority: &'a str,
}

impl<'a> Coprocessor<'a> {
    /// Reads `path|class|priority` and `path|class|priority|arguments`. HBase ignores values of any other form, and
    /// does not check them.
    fn parse(value: &'a str) -> Option<Self> {
        let value = value.trim_matches(|c| c <= ' ');
        let mut parts = value.splitn(4, '|');
        let (path, class, priority) = (parts.next()?, parts.next()?, parts.next()?);
        let [path, class, priority] = [path, class, priority].map(|part| part.trim_matches(|c| c <= ' '));
        let is_one_line = !parts.next().is_some_and(|arguments| arguments.contains(LINE_ENDS));
        (!class.is_empty() && priority.bytes().all(|b| b.is_ascii_digit()) && is_one_line).then_some(Self {
            path,
            class,
            priority,
        })
    }
}

/// HBase with its codec libraries can load all but three. hjall's store uses its own algorithm for any of them.
fn check_compression(table: &TableDescriptor) -> Result<()> {
    const MISSING_CLASS: &str =
        "java.lang.RuntimeException: java.lang.ClassNotFoundException: org.apache.hadoop.hbase.io.compress";
    let remedy = |family: &FamilyDescriptor, key: &str, name: &str| {
        format!(
            "{key} of family {} is {name}, which is not available; use NONE, GZ, SNAPPY, LZ4, LZO or ZSTD",
            family.shown_name()
        )
    };
    for family in table.families.values() {
        for key in ["COMPRESSION", "COMPRESSION_COMPACT", "COMPRESSION_COMPACT_MAJOR", "COMPRESSION_COMPACT_MINOR"] {
            let Some(name) = text(&family.attributes, key) else { continue };
            match Compression::from_name(&name) {
                Some(
                    Compression::None
                    | Compression::Gz
                    | Compression::Snappy
                    | Compression::Lz4
                    | Compression::Lzo
                    | Compression::Zstd,
                ) => {}
                Some(Compression::Bzip2) => {
                    return refuse("java.lang.UnsupportedOperationException", remedy(family, key, "BZIP2"));
                }
                Some(Compression::Brotli) => {
                    return refuse(format!("{MISSING_CLASS}.brotli.BrotliCodec"), remedy(family, key, "BROTLI"));
                }
                Some(Compression::Lzma) => {
                    return refuse(format!("{MISSING_CLASS}.xz.LzmaCodec"), remedy(family, key, "LZMA"));
                }
                None => {
                    // HBase looks the name up in capitals. The remedy has it as the caller wrote it.
                    let name = Quoted(&name).to_string();
                    let constant = name.to_uppercase();
                    return refuse(
                        format!(
                            "No enum constant org.apache.hadoop.hbase.io.compress.Compression.Algorithm.{constant}"
                        ),
                        remedy(family, key, &name),
                    );
                }
            }
        }
    }
    Ok(())
}

fn check_encryption(table: &TableDescriptor) -> Result<()> {
    match table.families.values().find_map(|f| text(&f.attributes, "ENCRYPTION")) {
        Some(cipher) => refuse(
            format_args!("Cipher '{}' previously failed test.", Quoted(&cipher)),
            format_args!("hjall does not encrypt files; create table {} without ENCRYPTION", table.name),
        ),
        None => Ok(()),
    }
}

/// What HBase requires of the compaction policy FIFO, although hjall only stores the name. Cannot be switched off.
fn check_compaction_policy(table: &TableDescriptor) -> Result<()> {
    let of_table = text(&table.attributes, COMPACTION_POLICY);
    let mut blocking = whole_number(text(&table.attributes, BLOCKING_FILES))?.unwrap_or(BLOCKING_FILES_DEFAULT);
    for family in table.families.values() {
        if text(&family.configuration, COMPACTION_POLICY).or_else(|| of_table.clone()).as_deref() != Some(FIFO_POLICY) {
            continue;
        }
        let name = family.shown_name();
        let remedy = format_args!("for column family {name}, or leave out {COMPACTION_POLICY}");
        if family.ttl_seconds()? == TTL_FOREVER_SECONDS {
            return refuse("Default TTL is not supported for FIFO compaction", format_args!("set TTL {remedy}"));
        }
        if family.min_versions()? > 0 {
            let remedy = format_args!("leave out MIN_VERSIONS {remedy}");
            return refuse("MIN_VERSION > 0 is not supported for FIFO compaction", remedy);
        }
        blocking = whole_number(text(&family.configuration, BLOCKING_FILES))?.unwrap_or(blocking);
        if blocking < FIFO_BLOCKING_FILES_MIN {
            return refuse(
                format_args!(
                    "Blocking file count '{BLOCKING_FILES}' {blocking} is below recommended minimum of \
                     {FIFO_BLOCKING_FILES_MIN} for column family {name}"
                ),
                format_args!("raise {BLOCKING_FILES} {remedy}"),
            );
        }
    }
    Ok(())
}

/// A number that HBase parses inside a check.
fn whole_number(text: Option<Cow<'_, str>>) -> Result<Option<i32>> {
    let Some(text) = text else { return Ok(None) };
    match text.parse() {
        Ok(number) => Ok(Some(number)),
        Err(_) => refuse(format_args!("For input string: \"{}\"", Quoted(&text)), "send a whole number"),
    }
}

fn check_families(table: &TableDescriptor) -> Result<()> {
    if !table.families.is_empty() {
        return Ok(());
    }
    refuse("Table should have at least one column family.", format_args!("name a family for table {}", table.name))
}

fn check_replicas(table: &TableDescriptor) -> Result<()> {
    let replicas = table.region_replication()?;
    if replicas >= 1 {
        return Ok(());
    }
    let remedy = format_args!("REGION_REPLICATION of table {} is {replicas}; use 1, or leave it out", table.name);
    refuse("Table region replication should be at least one.", remedy)
}

fn check_scopes(table: &TableDescriptor) -> Result<()> {
    for family in table.families.values() {
        let scope = whole_number(text(&family.attributes, "REPLICATION_SCOPE"))?.unwrap_or_default();
        if !(0..=2).contains(&scope) {
            return refuse(
                format_args!(
                    "Replication scope for column family {} is {scope} which is invalid.",
                    family.shown_name()
                ),
                "use 0, 1 or 2 for REPLICATION_SCOPE",
            );
        }
    }
    Ok(())
}

fn check_blooms(table: &TableDescriptor) -> Result<()> {
    for family in table.families.values() {
        let good = match family.bloom_filter() {
            Err(_) => false,
            Ok(BloomFilter::RowPrefix) => family
                .configuration
                .get(&b"RowPrefixBloomFilter.prefix_length"[..])
                .and_then(|v| std::str::from_utf8(v).ok()?.parse::<usize>().ok())
                .is_some_and(|n| (1..=ROW_LENGTH_MAX).contains(&n)),
            Ok(_) => true,
        };
        if !good {
            let remedy = format_args!(
                "BLOOMFILTER of family {} must be NONE, ROW, ROWCOL, or ROWPREFIX_FIXED_LENGTH with \
                 RowPrefixBloomFilter.prefix_length from 1 to {ROW_LENGTH_MAX} in its configuration",
                family.shown_name()
            );
            return refuse("Failed to get bloom filter param", remedy);
        }
    }
    Ok(())
}

fn check_values(table: &TableDescriptor) -> Result<()> {
    for family in table.families.values() {
        let name = family.shown_name();
        if family.ttl_seconds()? <= 0 {
            let remedy = "use seconds from 1, or leave TTL out to keep cells forever";
            return refuse(format_args!("TTL for column family {name} must be positive."), remedy);
        }
        if !BLOCK_BYTES.contains(&family.block_size()?) {
            let remedy = "give BLOCKSIZE in bytes, 65536 by default";
            return refuse(format_args!("Block size for column family {name}  must be between 1K and 16MB."), remedy);
        }
        let min = family.min_versions()?;
        if min < 0 {
            let remedy = format_args!("MIN_VERSIONS is {min}; use 0 or more");
            return refuse(format_args!("Min versions for column family {name}  must be positive."), remedy);
        }
        let max = family.max_versions()?;
        if min > max {
            let remedy = format_args!("MIN_VERSIONS is {min} and VERSIONS {max}; lower the one or raise the other");
            return refuse(
                format_args!("Min versions for column family {name} must be less than the Max versions."),
                remedy,
            );
        }
        if family.dfs_replication()? < 0 {
            let remedy = "use 1 or more for DFS_REPLICATION, or leave it out";
            return refuse(
                format_args!("HFile Replication for column family {name}  must be greater than zero."),
                remedy,
            );
        }
        let policy = text(&family.attributes, "IN_MEMORY_COMPACTION").unwrap_or_default().to_ascii_uppercase();
        if !matches!(policy.as_str(), "" | "NONE" | "BASIC" | "EAGER" | "ADAPTIVE") {
            let remedy = format_args!(
                "use NONE, BASIC, EAGER or ADAPTIVE for IN_MEMORY_COMPACTION of family {name}, or leave it out"
            );
            let policy = Quoted(&policy);
            return refuse(format!("No enum constant org.apache.hadoop.hbase.MemoryCompactionPolicy.{policy}"), remedy);
        }
    }
    Ok(())
}
