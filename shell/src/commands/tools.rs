//! `flush`, `compact`, `major_compact`, `compaction_state`, ….

use hjall_engine::name::TableName;
use hjall_engine::region::to_string_binary;
use hjall_engine::schema::TableDescriptor;

use super::arguments::{CommandError, Done, about_table, disabled_table, table_name, text, unknown_table};
use super::{Command, Context};
use crate::connection::Failure;
use crate::language::Value;

pub const COMMANDS: &[Command] = &[
    Command {
        name: "flush",
        group: "tools",
        least: 1,
        most: 2,
        about: "Write a table's memory to files. All families are flushed together. Needs the data folder \
                (--data): Thrift2 has no such method.",
        examples: &["flush 't1'", "flush 't1', 'f1'"],
        run: flush,
    },
    Command {
        name: "compact",
        group: "tools",
        least: 1,
        most: 3,
        about: "Merge files of a table. All families are compacted together. With --data, the command returns when that \
                is done, and Ctrl-C ends it. On a server, it only requests the compaction, and returns at once.",
        examples: &["compact 't1'", "compact 't1', 'f1'", "compact 't1', nil, 'NORMAL'"],
        run: |context, args| compact(context, &args, false),
    },
    Command {
        name: "major_compact",
        group: "tools",
        least: 1,
        most: 3,
        about: "Rewrite all files of a table without cells that are deleted, expired or beyond VERSIONS. With --data, \
                the command returns when that is done, and Ctrl-C ends it. On a server, it only requests the compaction, \
                and returns at once: a server of hjall starts it after compaction.request_delay (10 s).",
        examples: &["major_compact 't1'", "major_compact 't1', 'f1'"],
        run: |context, args| compact(context, &args, true),
    },
    Command {
        name: "compaction_state",
        group: "tools",
        least: 1,
        most: 1,
        about: "Print whether a table is being compacted. With --data it is NONE, because compactions that commands start \
                end before the next command. On a server the command is an error, because Thrift2 has no such method: \
                see the metrics hjall_compactor_waiting and hjall_compactor_running of the server.",
        examples: &["compaction_state 't1'"],
        run: |context, args| {
            let name = table_name(&args[0])?;
            if !context.connection.exists(&name)? {
                return Err(unknown_table(name));
            }
            let state = context.connection.compaction_state(&name)?;
            context.out.line(state);
            context.out.record([("table", name.to_string().into()), ("state", state.into())]);
            Ok(Value::text(state))
        },
    },
];

fn checked(context: &mut Context, value: &Value) -> Result<TableName, CommandError> {
    let name = table_name(value)?;
    if !context.connection.is_enabled(&name).map_err(|failure| about_table(failure, &name))? {
        return Err(disabled_table(name));
    }
    Ok(name)
}

/// The remedy if a table does not have a family.
fn choose_family(table: &TableDescriptor) -> String {
    let names: Vec<_> = table.families.keys().map(|name| String::from_utf8_lossy(name)).collect();
    format!("name one of the table's families ({}), or leave the argument out", names.join(", "))
}

fn flush(context: &mut Context, args: Vec<Value>) -> Done {
    let name = checked(context, &args[0])?;
    if let Some(family) = args.get(1).filter(|family| !family.is_nil()) {
        let family = text(family);
        let table = context.connection.describe(&name)?;
        if !table.families.contains_key(family.as_bytes()) {
            return Err(CommandError::argument(
                format!("Column families [{family}] don't exist in table {name}"),
                choose_family(&table),
            ));
        }
    }
    context.connection.flush(&name)?;
    Ok(Value::Nil)
}

fn compact(context: &mut Context, args: &[Value], major: bool) -> Done {
    let name = checked(context, &args[0])?;
    if let Some(kind) = args.get(2).filter(|kind| !kind.is_nil()) {
        match &text(kind)[..] {
            "NORMAL" => {}
            "MOB" => {
                return Err(CommandError::complete(
                    "ArgumentError",
                    "values of families with IS_MOB are not stored apart: use NORMAL",
                ));
            }
            other => {
                return Err(CommandError::argument(
                    "only NORMAL or MOB accepted for type!",
                    format!("the type is '{other}'; leave it out, or write 'NORMAL'"),
                ));
            }
        }
    }
    if let Some(family) = args.get(1).filter(|family| !family.is_nil()) {
        let family = text(family);
        let table = context.connection.describe(&name)?;
        if !table.families.contains_key(family.as_bytes()) {
            let region = context.connection.regions(&name)?.into_iter().next();
            let region = region.map(|place| to_string_binary(&place.region.name(&name))).unwrap_or_default();
            let failure = Failure::of_class(
                "org.apache.hadoop.hbase.regionserver.NoSuchColumnFamilyException",
                format!("column family {family} does not exist in region {region}"),
            );
            return Err(CommandError::Failed(failure.with_remedy(Some(choose_family(&table)))));
        }
    }
    let shown = context.progress(&format!("compacting {name}"));
    let done = context.connection.compact(&name, major);
    drop(shown);
    done?;
    Ok(Value::Nil)
}
