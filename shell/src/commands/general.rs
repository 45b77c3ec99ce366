//! `version`, `whoami`, `status`, `show_filters`, ….

use super::arguments::{CommandError, Done, text};
use super::{Command, Context};
use crate::connection::Place;
use crate::language::Value;
use hjall_engine::name::TableName;

/// The version of HBase whose shell this one behaves like.
pub const VERSION: &str = "2.6.1, r7ed50b4dd742269a78875fb32112215f831284ff, Wed Oct  9 11:34:53 UTC 2024";

/// The lines that an interactive shell begins with.
pub const BANNER: [&str; 4] = [
    "HBase Shell",
    "Use \"help\" to get list of supported commands.",
    "Use \"exit\" to quit this interactive shell.",
    "For Reference, please visit: http://hbase.apache.org/2.0/book.html#shell",
];

/// The filters of the filter language, in the order of HBase's shell.
const FILTERS: [&str; 19] = [
    "DependentColumnFilter",
    "KeyOnlyFilter",
    "ColumnCountGetFilter",
    "SingleColumnValueFilter",
    "PrefixFilter",
    "SingleColumnValueExcludeFilter",
    "FirstKeyOnlyFilter",
    "ColumnRangeFilter",
    "ColumnValueFilter",
    "TimestampsFilter",
    "FamilyFilter",
    "QualifierFilter",
    "ColumnPrefixFilter",
    "RowFilter",
    "MultipleColumnPrefixFilter",
    "InclusiveStopFilter",
    "PageFilter",
    "ValueFilter",
    "ColumnPaginationFilter",
];

pub const COMMANDS: &[Command] = &[
    Command {
        name: "version",
        group: "general",
        least: 0,
        most: 0,
        about: "Print the version of HBase that this shell behaves like.",
        examples: &["version"],
        run: |context, _| {
            context.out.line(VERSION);
            context.out.record([("hbase", VERSION.into()), ("hjall", env!("CARGO_PKG_VERSION").into())]);
            Ok(Value::Nil)
        },
    },
    Command {
        name: "whoami",
        group: "general",
        least: 0,
        most: 0,
        about: "Print the user that commands run as, and the user's groups.",
        examples: &["whoami"],
        run: whoami,
    },
    Command {
        name: "debug",
        group: "general",
        least: 0,
        most: 0,
        about: "Turn on or off that errors show the class of their exception, as the option -d does.",
        examples: &["debug"],
        run: |context, _| {
            context.debug = !context.debug;
            debug_state(context)
        },
    },
    Command {
        name: "debug?",
        group: "general",
        least: 0,
        most: 0,
        about: "Print whether errors show the class of their exception.",
        examples: &["debug?"],
        run: |context, _| debug_state(context),
    },
    Command {
        name: "status",
        group: "general",
        least: 0,
        most: 2,
        about: "Print the state of the server: 'summary' (the default), 'simple', 'detailed', 'tasks' or 'replication'. \
                Figures that the connection does not carry are 0.",
        examples: &[
            "status",
            "status 'simple'",
            "status 'detailed'",
            "status 'tasks'",
            "status 'replication', 'source'",
        ],
        run: status,
    },
    Command {
        name: "show_filters",
        group: "dml",
        least: 0,
        most: 0,
        about: "List the filters of the filter language, which FILTER => \"…\" of get, scan and count takes.",
        examples: &["show_filters", "scan 'hbase:meta', {FILTER => \"PageFilter(1)\"}"],
        run: |context, _| {
            for name in FILTERS {
                context.out.line(name);
                context.out.record([("filter", name.into())]);
            }
            Ok(Value::array(FILTERS.iter().map(|name| Value::text(*name)).collect()))
        },
    },
];

fn debug_state(context: &mut Context) -> Done {
    context.out.line(&format!("Debug mode is {}", if context.debug { "ON" } else { "OFF" }));
    context.out.record([("debug", context.debug.into())]);
    Ok(Value::Nil)
}

fn whoami(context: &mut Context, _: Vec<Value>) -> Done {
    let os_user = || std::env::var("USER").or_else(|_| std::env::var("LOGNAME")).or_else(|_| std::env::var("USERNAME"));
    let user = context.connection.user().or_else(|| passwd("passwd", user_id()?)).or_else(|| os_user().ok());
    let user = user.unwrap_or_else(|| "unknown".to_owned());
    context.out.line(&format!("{user} (auth:SIMPLE)"));
    // A server does not say which groups a user has who logged in there.
    let groups = if context.connection.user().is_some() { Vec::new() } else { groups() };
    if !groups.is_empty() {
        context.out.line(&format!("    groups: {}", groups.join(", ")));
    }
    context.out.record([("user", user.into()), ("groups", groups.join(",").into())]);
    Ok(Value::Nil)
}

#[cfg(unix)]
fn user_id() -> Option<u32> {
    Some(rustix::process::getuid().as_raw())
}

#[cfg(not(unix))]
fn user_id() -> Option<u32> {
    None
}

#[cfg(unix)]
fn groups() -> Vec<String> {
    let id = rustix::process::getgid().as_raw();
    vec![passwd("group", id).unwrap_or_else(|| id.to_string())]
}

#[cfg(not(unix))]
fn groups() -> Vec<String> {
    Vec::new()
}

/// The name of an id in `/etc/passwd` or `/etc/group`.
fn passwd(file: &str, id: u32) -> Option<String> {
    let text = std::fs::read_to_string(format!("/etc/{file}")).ok()?;
    let id = id.to_string();
    let line = text.lines().find(|line| line.split(':').nth(2) == Some(&id))?;
    line.split(':').next().map(str::to_owned)
}

struct Table {
    name: TableName,
    families: usize,
    places: Vec<Place>,
    loads: Vec<crate::connection::Load>,
    bytes: u64,
    files: u64,
}

fn survey(context: &mut Context) -> Result<Vec<Table>, CommandError> {
    let mut list = Vec::new();
    for name in context.connection.tables()? {
        context.check()?;
        let found = (|| {
            let places = context.connection.regions(&name)?;
            let families = context.connection.describe(&name)?.families.len();
            let loads = context.connection.loads(&name)?.unwrap_or_default();
            let (bytes, files) = context.connection.files(&name).ok().flatten().unwrap_or_default();
            Ok::<_, crate::connection::Failure>(Table { name: name.clone(), families, places, loads, bytes, files })
        })();
        // A table may be dropped meanwhile.
        list.extend(found.ok());
    }
    Ok(list)
}

fn status(context: &mut Context, args: Vec<Value>) -> Done {
    let kind = args.first().map(text).unwrap_or_default();
    let server = context.connection.server()?;
    let address = format!("{}:{} {}", server.host, server.port, server.start_code);
    match &kind[..] {
        "simple" | "detailed" => {
            let tables = survey(context)?;
            figures(context, &tables, &address, kind == "detailed");
            Ok(if kind == "detailed" { Value::array(Vec::new()) } else { Value::Nil })
        }
        "tasks" => {
            context.out.line(&format!("active master:  {address}"));
            context.out.line("1 live servers");
            context.out.line(&format!("    {address}"));
            context.out.line("        no active tasks");
            Ok(Value::array(vec![Value::text(address)]))
        }
        "replication" => {
            let part = args.get(1).map(text).unwrap_or_default();
            context.out.line(&format!("version {}", short_version()));
            context.out.line("1 live servers");
            context.out.line(&format!("    {}:", server.host));
            if part != "sink" {
                context.out.line("       SOURCE:");
            }
            if part != "source" {
                let started = server.start_code;
                context.out.line(&format!("      SINK: TimeStampStarted={started}, Waiting for OPs... "));
            }
            Ok(Value::array(vec![Value::text(address)]))
        }
        _ => {
            let tables = context.connection.tables()?;
            let mut regions = 0;
            for table in &tables {
                context.check()?;
                regions += context.connection.regions(table).map(|places| places.len()).unwrap_or(0);
            }
            context
                .out
                .line(&format!("1 active master, 0 backup masters, 1 servers, 0 dead, {regions}.0000 average load"));
            context.out.record([
                ("servers", 1_i64.into()),
                ("regions", (regions as i64).into()),
                ("tables", (tables.len() as i64).into()),
            ]);
            Ok(Value::Nil)
        }
    }
}

fn figures(context: &mut Context, tables: &[Table], address: &str, detailed: bool) {
    let regions: usize = tables.iter().map(|table| table.places.len()).sum();
    let stores: usize = tables.iter().map(|table| table.places.len() * table.families).sum();
    let bytes: u64 = tables.iter().map(|table| table.bytes).sum();
    let files: u64 = tables.iter().map(|table| table.files).sum();
    let reads: u64 = tables.iter().flat_map(|table| &table.loads).map(|load| load.reads).sum();
    let writes: u64 = tables.iter().flat_map(|table| &table.loads).map(|load| load.writes).sum();
    let megabytes = bytes >> 20;
    if detailed {
        context.out.line(&format!("version {}", short_version()));
        context.out.line("0 regionsInTransition");
    }
    context.out.line(&format!("active master:  {address}"));
    context.out.line("0 backup masters");
    if detailed {
        context.out.line("master coprocessors: []");
    }
    context.out.line("1 live servers");
    context.out.line(&format!("    {address}"));
    context.out.line(&format!(
        "        requestsPerSecond=0.0, numberOfOnlineRegions={regions}, usedHeapMB=0, maxHeapMB=0, numberOfStores={stores}, \
         numberOfStorefiles={files}, storefileUncompressedSizeMB={megabytes}, storefileSizeMB={megabytes}, \
         compressionRatio=1.0, memstoreSizeMB=0, storefileIndexSizeKB=0, readRequestsCount={reads}, \
         filteredReadRequestsCount=0, writeRequestsCount={writes}, rootIndexSizeKB=0, totalStaticIndexSizeKB=0, \
         totalStaticBloomSizeKB=0, totalCompactingKVs=0, currentCompactedKVs=0, compactionProgressPct=NaN, \
         coprocessors=[MultiRowMutationEndpoint]"
    ));
    if detailed {
        for table in tables {
            for (at, place) in table.places.iter().enumerate() {
                let name = hjall_engine::region::to_string_binary(&place.region.name(&table.name));
                let load = table.loads.get(at).copied().unwrap_or_default();
                context.out.line(&format!("        \"{name}\""));
                // The time of the last major compaction is not kept. It is not before the region was created, which
                // the number of a region says, except that of the catalog.
                let created = if place.region.id > 1 { place.region.id } else { chrono::Utc::now().timestamp_millis() };
                context.out.line(&format!(
                    "            numberOfStores={}, numberOfStorefiles={}, storeRefCount=0, storefileUncompressedSizeMB={}, \
                     lastMajorCompactionTimestamp={created}, storefileSizeMB={}, compressionRatio=1.0, memstoreSizeMB=0, \
                     readRequestsCount={}, writeRequestsCount={}, rootIndexSizeKB=0, totalStaticIndexSizeKB=0, \
                     totalStaticBloomSizeKB=0, totalCompactingKVs=0, currentCompactedKVs=0, compactionProgressPct=NaN, \
                     completeSequenceId=0, dataLocality=1.0",
                    table.families,
                    table.files,
                    table.bytes >> 20,
                    table.bytes >> 20,
                    load.reads,
                    load.writes
                ));
            }
        }
    }
    context.out.line("0 dead servers");
    if !detailed {
        context.out.line(&format!("Aggregate load: 0, regions: {regions}"));
    }
    context.out.record([
        ("regions", (regions as i64).into()),
        ("stores", (stores as i64).into()),
        ("storefiles", (files as i64).into()),
        ("storefile_bytes", (bytes as i64).into()),
        ("reads", (reads as i64).into()),
        ("writes", (writes as i64).into()),
    ]);
}

fn short_version() -> &'static str {
    VERSION.split(',').next().unwrap_or(VERSION)
}
