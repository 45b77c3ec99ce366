//! `create`, and the options of a table.

use std::io;
use std::path::Path;

use bytes::Bytes;
use hjall_engine::mutation::Durability;
use hjall_engine::region::split::{self, REGIONS_MAX};
use hjall_engine::schema::{FamilyDescriptor, TableDescriptor};

use super::arguments::{
    CommandError, Done, Options, TABLE_NAME, flattened, number, table_name, text, unknown_namespace,
};
use super::families::{self, no_constant, pairs};
use super::{Command, Context};
use crate::connection::Reason;
use crate::language::{Value, binary_bytes, inspected};
use crate::named_file;

pub const COMMANDS: &[Command] = &[Command {
    name: "create",
    group: "ddl",
    least: 1,
    most: usize::MAX,
    about: "Create a table: its name, its families, and options of the table. A family is a name, or a dictionary with \
            NAME and options: VERSIONS, MIN_VERSIONS, TTL, BLOOMFILTER, COMPRESSION, IN_MEMORY, BLOCKCACHE, BLOCKSIZE, \
            KEEP_DELETED_CELLS, DATA_BLOCK_ENCODING, METADATA, CONFIGURATION and others. A dictionary without NAME has \
            options of the table: SPLITS, SPLITS_FILE, NUMREGIONS with SPLITALGO, MAX_FILESIZE, MEMSTORE_FLUSHSIZE, \
            READONLY, DURABILITY, METADATA, CONFIGURATION and others. Returns a reference to the table.",
    examples: &[
        "create 't1', 'f1', 'f2', 'f3'",
        "create 'ns1:t1', {NAME => 'f1', VERSIONS => 5}",
        "create 't1', {NAME => 'f1', VERSIONS => 1, TTL => 2592000, BLOCKCACHE => true}",
        "create 't1', {NAME => 'f1', COMPRESSION => 'SNAPPY', BLOOMFILTER => 'ROWCOL'}",
        "create 't1', 'f1', SPLITS => ['10', '20', '30', '40']",
        "create 't1', 'f1', SPLITS_FILE => 'splits.txt'",
        "create 't1', 'f1', {NUMREGIONS => 15, SPLITALGO => 'HexStringSplit'}",
        "create 't1', {NAME => 'f1', CONFIGURATION => {'hbase.hstore.blockingStoreFiles' => '10'}}, MAX_FILESIZE => '1073741824'",
    ],
    run: create,
}];

/// The message for an argument that is neither a name nor a dictionary.
fn wrong_type(value: &Value) -> CommandError {
    let class = value.class_name();
    CommandError::argument(
        format!("{class} of {} is not of Hash or String type", inspected(value)),
        "name families and options after the table, as in create 't1', 'f1', {NAME => 'f2', VERSIONS => 5}",
    )
}

fn create(context: &mut Context, args: Vec<Value>) -> Done {
    let Value::Str(_) = &args[0] else {
        return Err(CommandError::argument("Table name must be of type String", TABLE_NAME));
    };
    let name = table_name(&args[0])?;
    let mut table = TableDescriptor::new(name.clone());
    let mut splits = Vec::new();
    for value in flattened(&args[1..]) {
        let options = match &value {
            Value::Str(_) => {
                let text = text(&value);
                if text.is_empty() {
                    return Err(families::no_name());
                }
                add_family(context, &mut table, FamilyDescriptor::new(text)?);
                continue;
            }
            Value::Hash(_) => Options::of(&value).unwrap_or_default(),
            other => return Err(wrong_type(other)),
        };
        let mut options = options;
        if options.has("NAME") {
            if let Some(method) = options.take("METHOD") {
                check_method(&text(&method))?;
            }
            let family = families::family(context, options)?;
            add_family(context, &mut table, family);
            continue;
        }
        if let Some(method) = options.take("METHOD") {
            check_method(&text(&method))?;
        }
        splits.extend(split_keys(&mut options, &mut table)?);
        table_options(&mut table, &mut options)?;
        for (key, value) in options.rest() {
            if !value.is_nil() {
                context.out.line(&format!("An argument ignored (unknown or overridden): {}", text(key)));
            }
        }
    }
    if table.families.is_empty() {
        return Err(CommandError::argument(
            "Table must have at least one column family",
            format!("name one, as in create '{name}', 'f1'"),
        ));
    }
    check_splits(&splits)?;
    context.connection.create(table, splits).map_err(|failure| match failure.reason {
        Reason::NamespaceMissing => unknown_namespace(name.namespace()),
        _ => context.worded(families::with_ttl_remedy(failure, &args[1..]).into(), &name.to_string()),
    })?;
    context.out.line(&format!("Created table {name}"));
    context.out.record([("table", name.to_string().into()), ("created", true.into())]);
    Ok(Value::TableRef(name.to_string().into()))
}

fn check_method(method: &str) -> Result<(), CommandError> {
    if method == "table_att" {
        return Ok(());
    }
    Err(CommandError::argument(
        "table_att is currently the only supported method",
        format!("leave METHOD => '{method}' out"),
    ))
}

fn add_family(context: &mut Context, table: &mut TableDescriptor, family: FamilyDescriptor) {
    if table.families.contains_key(&family.name) {
        let name = String::from_utf8_lossy(&family.name);
        context.out.line(&format!("Family '{name}' already exists, the old one will be replaced"));
    }
    table.families.insert(family.name.clone(), family);
}

/// Split keys as text: `\xHH` is a byte.
fn key(value: &Value) -> Bytes {
    binary_bytes(&text(value)).into()
}

fn check_splits(splits: &[Bytes]) -> Result<(), CommandError> {
    let mut sorted = splits.to_vec();
    sorted.sort();
    let shown = hjall_engine::region::to_string_binary;
    if sorted.first().is_some_and(|key| key.is_empty()) {
        return Err(CommandError::argument(
            "Empty split key must not be passed in the split keys.",
            "leave it out, or the empty line in the file: the first region begins without a key",
        ));
    }
    match sorted.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(CommandError::argument(
            format!("All split keys must be unique, found duplicate: {}, {}", shown(&pair[0]), shown(&pair[1])),
            "name each key once in SPLITS and in the file of SPLITS_FILE",
        )),
        None => Ok(()),
    }
}

/// The remedy if SPLITALGO is missing or wrong.
const ALGORITHMS: &str = "SPLITALGO is one of HexStringSplit, DecimalStringSplit and UniformSplit";

/// The error about a file of split keys. HBase's shell has a message only for one that does not exist.
fn unreadable_splits(path: &str, error: &io::Error) -> CommandError {
    if error.kind() == io::ErrorKind::NotFound {
        return CommandError::argument(
            format!("Splits file {path} doesn't exist"),
            "SPLITS_FILE names a file with one key in each line, on the computer of the shell",
        );
    }
    let message =
        format!("the file {path} of SPLITS_FILE cannot be read: {error}; name a file with one key in each line");
    CommandError::complete("IOError", message)
}

fn split_keys(options: &mut Options, table: &mut TableDescriptor) -> Result<Vec<Bytes>, CommandError> {
    let mut keys = Vec::new();
    if let Some(file) = options.take("SPLITS_FILE") {
        let path = text(&file);
        let content = named_file::read(Path::new(&path)).map_err(|error| unreadable_splits(&path, &error))?;
        let lines = String::from_utf8_lossy(&content).into_owned();
        keys.extend(lines.lines().map(|line| Bytes::from(binary_bytes(line.trim_end_matches('\r')))));
        table.set("SPLITS_FILE", path);
    }
    match options.take("SPLITS") {
        None => {}
        Some(Value::Array(list)) => keys.extend(list.0.borrow().iter().map(key)),
        Some(other) => keys.push(key(&other)),
    }
    let count = options.take("NUMREGIONS");
    let algorithm = options.take("SPLITALGO");
    match (count, algorithm) {
        (None, None) => {}
        (Some(count), None) => {
            return Err(CommandError::argument(
                "Split algorithm must be specified",
                format!("add it, as in NUMREGIONS => {}, SPLITALGO => 'HexStringSplit'; {ALGORITHMS}", text(&count)),
            ));
        }
        (None, Some(algorithm)) => {
            return Err(CommandError::argument(
                "Number of regions must be specified",
                format!("add it, as in NUMREGIONS => 4, SPLITALGO => '{}'", text(&algorithm)),
            ));
        }
        (Some(count), Some(algorithm)) => {
            let count: i64 = number(&count, "NUMREGIONS")?;
            if count < 2 {
                return Err(CommandError::argument(
                    "Number of regions must be greater than 1",
                    "leave NUMREGIONS and SPLITALGO out for a table with one region",
                ));
            }
            let count = u32::try_from(count).ok().filter(|count| *count <= REGIONS_MAX).ok_or_else(|| {
                let message = format!("{count} regions are too many; NUMREGIONS is at most {REGIONS_MAX}");
                CommandError::complete("ArgumentError", message)
            })?;
            let name = text(&algorithm);
            keys.extend(match name.rsplit('.').next().unwrap_or(&name) {
                "HexStringSplit" => split::hex_string(count)?,
                "DecimalStringSplit" => split::decimal_string(count)?,
                "UniformSplit" => split::uniform(count)?,
                _ => return Err(CommandError::argument(format!("Class {name} not found"), ALGORITHMS)),
            });
        }
    }
    Ok(keys)
}

/// Options of a table whose values are stored as they are given.
const STORED: &[&str] = &[
    "MAX_FILESIZE",
    "MEMSTORE_FLUSHSIZE",
    "OWNER",
    "COMPACTION_ENABLED",
    "SPLIT_ENABLED",
    "MERGE_ENABLED",
    "NORMALIZATION_ENABLED",
    "NORMALIZER_TARGET_REGION_COUNT",
    "NORMALIZER_TARGET_REGION_SIZE_MB",
    "REGION_REPLICATION",
    "PRIORITY",
    "SPLIT_POLICY",
    "FLUSH_POLICY",
    "REGION_MEMSTORE_REPLICATION",
    "ERASURE_CODING_POLICY",
];
const NUMBERS: &[&str] = &[
    "MAX_FILESIZE",
    "MEMSTORE_FLUSHSIZE",
    "REGION_REPLICATION",
    "PRIORITY",
    "NORMALIZER_TARGET_REGION_COUNT",
    "NORMALIZER_TARGET_REGION_SIZE_MB",
];

/// Applies the options of a table that it knows, and removes them.
pub fn table_options(table: &mut TableDescriptor, options: &mut Options) -> Result<(), CommandError> {
    for key in STORED {
        let Some(value) = options.take(key) else { continue };
        if NUMBERS.contains(key) {
            number::<i64>(&value, key)?;
        }
        table.set(*key, text(&value));
    }
    if let Some(value) = options.take("READONLY") {
        let on = matches!(value, Value::Bool(true)) || text(&value).eq_ignore_ascii_case("true");
        table.set("READONLY", on.to_string());
    }
    if let Some(value) = options.take("DURABILITY") {
        let name = text(&value);
        let found = Durability::ALL.into_iter().find(|durability| durability.name() == name);
        let Some(durability) = found else {
            let known = Durability::ALL.map(Durability::name);
            return Err(no_constant("org.apache.hadoop.hbase.client.Durability", &name, "DURABILITY", &known));
        };
        table.set_durability(durability);
    }
    for key in ["METADATA", "CONFIGURATION"] {
        if let Some(value) = options.take(key) {
            for (key, value) in pairs(&value, key)? {
                table.set(key, value);
            }
        }
    }
    Ok(())
}
