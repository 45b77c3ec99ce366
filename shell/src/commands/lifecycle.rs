//! `enable`, `disable`, `drop`, `truncate`.

use hjall_engine::name::TableName;

use super::arguments::{CommandError, Done, TABLE_MISSING, table_name};
use super::{Command, Context};
use crate::connection::{Failure, Reason};
use crate::language::Value;

pub const COMMANDS: &[Command] = &[
    Command {
        name: "enable",
        group: "ddl",
        least: 1,
        most: 1,
        about: "Enable a table.",
        examples: &["enable 't1'", "enable 'ns1:t1'"],
        run: |context, args| {
            let name = table_name(&args[0])?;
            if !enabled(context, &name)? {
                context.connection.enable(&name)?;
            }
            Ok(Value::Nil)
        },
    },
    Command {
        name: "disable",
        group: "ddl",
        least: 1,
        most: 1,
        about: "Disable a table: it can be dropped or truncated then, but not read or written.",
        examples: &["disable 't1'", "disable 'ns1:t1'"],
        run: |context, args| {
            let name = table_name(&args[0])?;
            if enabled(context, &name)? {
                context.connection.disable(&name)?;
            }
            Ok(Value::Nil)
        },
    },
    Command {
        name: "drop",
        group: "ddl",
        least: 1,
        most: 1,
        about: "Drop a table and its data. The table must be disabled.",
        examples: &["disable 't1'", "drop 't1'"],
        run: |context, args| {
            let name = table_name(&args[0])?;
            if enabled(context, &name)? {
                return Err(CommandError::complete(
                    "ArgumentError",
                    format!("Table {name} is enabled. Disable it first."),
                ));
            }
            context.connection.drop_table(&name)?;
            Ok(Value::Nil)
        },
    },
    Command {
        name: "truncate",
        group: "ddl",
        least: 1,
        most: 1,
        about: "Empty a table. It has one region and is enabled afterwards.",
        examples: &["truncate 't1'"],
        run: |context, args| truncate(context, &args[0], false),
    },
    Command {
        name: "truncate_preserve",
        group: "ddl",
        least: 1,
        most: 1,
        about: "Empty a table and keep its regions. It is enabled afterwards.",
        examples: &["truncate_preserve 't1'"],
        run: |context, args| truncate(context, &args[0], true),
    },
];

/// The error for a table that does not exist.
pub fn missing(failure: Failure, table: &TableName) -> CommandError {
    match failure.reason {
        Reason::TableMissing => CommandError::argument(format!("Table {table} does not exist."), TABLE_MISSING),
        _ => failure.into(),
    }
}

fn enabled(context: &mut Context, table: &TableName) -> Result<bool, CommandError> {
    context.connection.is_enabled(table).map_err(|failure| missing(failure, table))
}

fn truncate(context: &mut Context, table: &Value, preserve: bool) -> Done {
    let name = table_name(table)?;
    context.out.line(&format!("Truncating '{name}' table (it may take a while):"));
    context.out.flush();
    let worded = |context: &Context, failure: Failure| context.worded(failure.into(), &name.to_string());
    if context.connection.is_enabled(&name).map_err(|failure| worded(context, failure))? {
        context.out.line("Disabling table...");
        context.out.flush();
        context.connection.disable(&name).map_err(|failure| worded(context, failure))?;
    }
    context.out.line("Truncating table...");
    context.out.flush();
    context.connection.truncate(&name, preserve).map_err(|failure| worded(context, failure))?;
    Ok(Value::Nil)
}
