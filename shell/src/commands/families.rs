//! The options of a family, as `create` and `alter` take them.

use hjall_engine::schema::{BlockEncoding, BloomFilter, Compression, FamilyDescriptor};

use super::arguments::{CommandError, Options, flattened, number, text};
use super::context::Context;
use crate::connection::Failure;
use crate::language::{Value, inspected};

/// Keys whose value is a truth value: anything but true is false.
const FLAGS: &[&str] = &[
    "IN_MEMORY",
    "BLOCKCACHE",
    "CACHE_DATA_ON_WRITE",
    "CACHE_INDEX_ON_WRITE",
    "CACHE_BLOOMS_ON_WRITE",
    "EVICT_BLOCKS_ON_CLOSE",
    "PREFETCH_BLOCKS_ON_OPEN",
    "IS_MOB",
    "COMPRESS_TAGS",
    "NEW_VERSION_BEHAVIOR",
];

/// The names of an error about an enumeration, in the order in which HBase lists them.
const COMPRESSIONS: &str = "LZO LZMA GZ ZSTD EnumDesc LZ4 BROTLI NONE SNAPPY BZIP2";
const BLOOM_FILTERS: &str = "ROWPREFIX_FIXED_LENGTH EnumDesc ROWCOL ROW NONE";

/// The names that hjall accepts.
const USABLE_COMPRESSIONS: &str = "NONE, GZ, SNAPPY, LZ4, LZO and ZSTD";
const USABLE_BLOOM_FILTERS: &str = "NONE, ROW, ROWCOL and ROWPREFIX_FIXED_LENGTH";

/// The TTL of cells that never expire.
const FOREVER: i32 = i32::MAX;

/// An enumeration's constant that does not exist, with the option that named it and those that exist.
pub fn no_constant(class: &str, name: &str, option: &str, known: &[&str]) -> CommandError {
    let remedy = format!("{option} must be one of {}", known.join(", "));
    let failure = Failure::illegal(format!("No enum constant {class}.{name}"));
    CommandError::Failed(failure.with_remedy(Some(remedy)))
}

/// The seconds of a TTL: a number, `FOREVER`, or `1 DAY 2 HOURS`; `None` for any other text.
fn seconds(value: &Value) -> Option<i32> {
    let given = text(value);
    if given.eq_ignore_ascii_case("FOREVER") {
        return Some(FOREVER);
    }
    if let Ok(number) = given.trim().parse::<i64>() {
        return Some(i32::try_from(number).unwrap_or(i32::MAX));
    }
    let mut total = 0_i64;
    let mut words = given.split_whitespace();
    while let Some(word) = words.next() {
        let unit = match words.next().map(|unit| unit.to_uppercase()) {
            Some(unit) if unit.starts_with("DAY") => 86_400,
            Some(unit) if unit.starts_with("HOUR") => 3600,
            Some(unit) if unit.starts_with("MINUTE") => 60,
            Some(unit) if unit.starts_with("SECOND") => 1,
            _ => return None,
        };
        total = total.saturating_add(word.parse::<i64>().ok()?.saturating_mul(unit));
    }
    Some(i32::try_from(total).unwrap_or(i32::MAX))
}

/// The failure of a change of a table with these arguments: if a TTL among them is a text that is no time, the remedy
/// says how one is written.
pub fn with_ttl_remedy(failure: Failure, args: &[Value]) -> Failure {
    let ttls = flattened(args).iter().filter_map(|arg| Options::of(arg)?.get("TTL").cloned()).collect::<Vec<_>>();
    match ttls.iter().find(|ttl| seconds(ttl).is_none()) {
        Some(ttl) if failure.text.contains("TTL for column family") => {
            let given = inspected(ttl);
            failure.with_remedy(Some(format!(
                "TTL => {given} is no time: write seconds, FOREVER, or days, hours, minutes and seconds, as in '7 DAYS 12 HOURS'"
            )))
        }
        _ => failure,
    }
}

/// The error about a family without a name.
pub fn no_name() -> CommandError {
    CommandError::argument("Column Family name can not be empty", "name the family, as in 'f1' or {NAME => 'f1'}")
}

/// The pairs of METADATA or CONFIGURATION.
pub fn pairs(value: &Value, key: &str) -> Result<Vec<(String, String)>, CommandError> {
    let Some(options) = Options::of(value) else {
        let remedy = format!("write a dictionary, as in {key} => {{'KEY' => 'VALUE'}}");
        return Err(CommandError::argument(format!("{key} must be a Hash type"), remedy));
    };
    Ok(options.rest().iter().map(|(key, value)| (text(key), text(value))).collect())
}

/// Applies options to a family. Prints a remark for each key that it does not know.
pub fn apply(context: &mut Context, family: &mut FamilyDescriptor, options: Options) -> Result<(), CommandError> {
    let name = String::from_utf8_lossy(&family.name).into_owned();
    let mut unknown = Vec::new();
    for (key, value) in options.rest() {
        if value.is_nil() {
            continue;
        }
        let key = text(key);
        match &key[..] {
            "VERSIONS" => {
                let versions: i32 = number(value, &key)?;
                if versions <= 0 {
                    return Err(CommandError::argument(
                        "Maximum versions must be positive",
                        format!("VERSIONS of family {name} is at least 1"),
                    ));
                }
                family.set("VERSIONS", versions.to_string());
            }
            "MIN_VERSIONS" | "BLOCKSIZE" | "REPLICATION_SCOPE" | "DFS_REPLICATION" => {
                let number: i32 = number(value, &key)?;
                family.set(key, number.to_string());
            }
            "MOB_THRESHOLD" => {
                let number: i64 = number(value, &key)?;
                family.set(key, number.to_string());
            }
            "TTL" => {
                // HBase takes a text that is no time for 0, which the server refuses.
                family.set_ttl_seconds(seconds(value).unwrap_or(0));
            }
            "BLOOMFILTER" => {
                let given = text(value).to_uppercase();
                let Some(kind) = BloomFilter::from_name(&given) else {
                    return Err(CommandError::argument(
                        format!("BloomFilter type {given} is not supported. Use one of {BLOOM_FILTERS}"),
                        format!("{key} must be one of {}", USABLE_BLOOM_FILTERS),
                    ));
                };
                family.set_bloom_filter(kind);
            }
            "COMPRESSION" | "COMPRESSION_COMPACT" | "COMPRESSION_COMPACT_MAJOR" | "COMPRESSION_COMPACT_MINOR" => {
                let given = text(value).to_uppercase();
                let Some(kind) = Compression::from_name(&given) else {
                    return Err(CommandError::argument(
                        format!("Compression {given} is not supported. Use one of {COMPRESSIONS}"),
                        format!("{key} must be one of {}", USABLE_COMPRESSIONS),
                    ));
                };
                family.set(key, kind.name());
            }
            "DATA_BLOCK_ENCODING" | "INDEX_BLOCK_ENCODING" => {
                let given = text(value).to_uppercase();
                let (class, known) = if key == "DATA_BLOCK_ENCODING" {
                    ("DataBlockEncoding", BlockEncoding::ALL.iter().map(|encoding| encoding.name()).collect())
                } else {
                    ("IndexBlockEncoding", vec!["NONE", "PREFIX_TREE"])
                };
                if !known.contains(&&given[..]) {
                    let class = format!("org.apache.hadoop.hbase.io.encoding.{class}");
                    return Err(no_constant(&class, &given, &key, &known));
                }
                family.set(key, given);
            }
            "KEEP_DELETED_CELLS" => {
                let given = text(value).to_uppercase();
                const KNOWN: &[&str] = &["FALSE", "TRUE", "TTL"];
                if !KNOWN.contains(&&given[..]) {
                    return Err(no_constant("org.apache.hadoop.hbase.KeepDeletedCells", &given, &key, KNOWN));
                }
                family.set(key, given);
            }
            "IN_MEMORY_COMPACTION" => {
                let given = text(value).to_uppercase();
                const KNOWN: &[&str] = &["NONE", "BASIC", "EAGER", "ADAPTIVE"];
                if !KNOWN.contains(&&given[..]) {
                    return Err(no_constant("org.apache.hadoop.hbase.MemoryCompactionPolicy", &given, &key, KNOWN));
                }
                family.set(key, given);
            }
            "STORAGE_POLICY" => {
                family.set(key, text(value).to_uppercase());
            }
            "ENCRYPTION" | "ENCRYPTION_KEY" => {
                return Err(CommandError::complete(
                    "ArgumentError",
                    format!("{key}: encrypted families are not supported; use an encrypted disk"),
                ));
            }
            "METADATA" => {
                for (key, value) in pairs(value, "METADATA")? {
                    family.set(key, value);
                }
            }
            "CONFIGURATION" => {
                for (key, value) in pairs(value, "CONFIGURATION")? {
                    family.set_configuration(key, value);
                }
            }
            _ if FLAGS.contains(&&key[..]) => {
                let on = matches!(value, Value::Bool(true)) || text(value).eq_ignore_ascii_case("true");
                family.set(key, on.to_string());
            }
            _ => unknown.push(key),
        }
    }
    for key in unknown {
        context.out.line(&format!("Unknown argument ignored for column family {name}: {key}"));
    }
    Ok(())
}

/// A family with defaults and these options. The option NAME is its name.
pub fn family(context: &mut Context, mut options: Options) -> Result<FamilyDescriptor, CommandError> {
    let name = options.take("NAME").map(|name| text(&name)).unwrap_or_default();
    if name.is_empty() {
        return Err(no_name());
    }
    let mut family = FamilyDescriptor::new(name)?;
    apply(context, &mut family, options)?;
    Ok(family)
}
