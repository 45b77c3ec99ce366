//! `alter`, `alter_async`, `alter_status`.

use hjall_engine::name::TableName;
use hjall_engine::schema::{FamilyDescriptor, TableDescriptor};

use super::arguments::{CommandError, Done, Options, TABLE_MISSING, TABLE_NAME, flattened, table_name, text};
use super::create::table_options;
use super::{Command, Context, families};
use crate::connection::Reason;
use crate::language::Value;

pub const COMMANDS: &[Command] = &[
    Command {
        name: "alter",
        group: "ddl",
        least: 1,
        most: usize::MAX,
        about: "Change a table. A dictionary with NAME changes or adds a family; METHOD => 'delete' or 'delete' => 'f' \
                removes one. A dictionary without NAME has options of the table. METHOD => 'table_att_unset' and \
                'table_conf_unset' remove attributes and configuration.",
        examples: &[
            "alter 't1', NAME => 'f1', VERSIONS => 5",
            "alter 't1', 'f1', {NAME => 'f2', IN_MEMORY => true}, {NAME => 'f3', VERSIONS => 5}",
            "alter 't1', NAME => 'f1', METHOD => 'delete'",
            "alter 't1', 'delete' => 'f1'",
            "alter 't1', MAX_FILESIZE => '134217728'",
            "alter 't1', CONFIGURATION => {'hbase.hregion.scan.loadColumnFamiliesOnDemand' => 'true'}",
            "alter 't1', METHOD => 'table_att_unset', NAME => 'MAX_FILESIZE'",
            "alter 't1', METHOD => 'table_conf_unset', NAME => 'hbase.hregion.majorcompaction'",
        ],
        run: |context, args| alter(context, args, true),
    },
    Command {
        name: "alter_async",
        group: "ddl",
        least: 1,
        most: usize::MAX,
        about: "The same as alter, without printing how it goes.",
        examples: &["alter_async 't1', NAME => 'f1', VERSIONS => 5"],
        run: |context, args| alter(context, args, false),
    },
    Command {
        name: "alter_status",
        group: "ddl",
        least: 1,
        most: 1,
        about: "Print how many regions have the new schema of a table.",
        examples: &["alter_status 't1'"],
        run: |context, args| {
            let name = named(&args[0])?;
            if !context.connection.exists(&name)? {
                return Err(not_found(&name));
            }
            progress(context, &name)?;
            Ok(Value::Nil)
        },
    },
];

/// The remedy if an argument names no change.
const CHANGES: &str = "name a family or options after the table, as in alter 't1', NAME => 'f1', VERSIONS => 5";

fn named(value: &Value) -> Result<TableName, CommandError> {
    match value {
        Value::Str(_) => table_name(value),
        _ => Err(CommandError::argument("Table name must be of type String", TABLE_NAME)),
    }
}

fn not_found(name: &TableName) -> CommandError {
    CommandError::argument(format!("Can't find a table: {name}"), TABLE_MISSING)
}

fn progress(context: &mut Context, name: &TableName) -> Result<(), CommandError> {
    if context.connection.is_enabled(name)? {
        let regions = context.connection.regions(name)?.len();
        context.out.line(&format!("{regions}/{regions} regions updated."));
    } else {
        context.out.line("All regions updated.");
    }
    context.out.line("Done.");
    Ok(())
}

fn alter(context: &mut Context, args: Vec<Value>, shown: bool) -> Done {
    let name = named(&args[0])?;
    if args.len() < 2 {
        return Err(CommandError::argument("There should be at least one argument but the table name", CHANGES));
    }
    if !context.connection.exists(&name)? {
        return Err(not_found(&name));
    }
    let mut table = context.connection.describe(&name)?;
    for value in flattened(&args[1..]) {
        change(context, &mut table, value)?;
    }
    context.connection.modify(table).map_err(|failure| match failure.reason {
        Reason::TableMissing => not_found(&name),
        _ => families::with_ttl_remedy(failure, &args[1..]).into(),
    })?;
    if shown {
        context.out.line("Updating all regions with the new schema...");
        progress(context, &name)?;
    }
    context.out.record([("table", name.to_string().into()), ("altered", true.into())]);
    Ok(Value::Nil)
}

fn change(context: &mut Context, table: &mut TableDescriptor, value: Value) -> Result<(), CommandError> {
    let options = match &value {
        Value::Str(_) => Options::of(&Value::hash([(Value::text("NAME"), value.clone())])),
        _ => Options::of(&value),
    };
    let Some(mut options) = options else {
        let kind = if matches!(value, Value::Int(_)) { "Integer".to_owned() } else { value.class_name() };
        return Err(CommandError::kind(format!("no implicit conversion of String into {kind}"), CHANGES));
    };
    if let Some(family) = options.take("delete") {
        table.families.remove(text(&family).as_bytes());
        return Ok(());
    }
    let method = options.take("METHOD").map(|method| text(&method));
    match method.as_deref() {
        None | Some("table_att") => {}
        Some("delete") => {
            let Some(family) = options.take("NAME") else {
                return Err(CommandError::argument(
                    "NAME parameter missing for delete method",
                    "name the family, as in alter 't1', NAME => 'f1', METHOD => 'delete'",
                ));
            };
            table.families.remove(text(&family).as_bytes());
            return Ok(());
        }
        Some(method @ ("table_att_unset" | "table_conf_unset")) => return unset(table, options, method),
        Some(other) => {
            return Err(CommandError::argument(
                format!("Unknown method: {other}"),
                "METHOD is one of delete, table_att, table_att_unset and table_conf_unset",
            ));
        }
    }
    if method.is_none() && options.has("NAME") {
        let name = options.take("NAME").map(|name| text(&name)).unwrap_or_default();
        if name.is_empty() {
            return Err(families::no_name());
        }
        let mut family = match table.families.get(name.as_bytes()) {
            Some(family) => family.clone(),
            None => FamilyDescriptor::new(name)?,
        };
        families::apply(context, &mut family, options)?;
        table.families.insert(family.name.clone(), family);
        return Ok(());
    }
    table_options(table, &mut options)?;
    for (key, value) in options.rest() {
        if !value.is_nil() && text(key) != "NAME" {
            context.out.line(&format!("Unknown argument ignored: {}", text(key)));
        }
    }
    Ok(())
}

fn unset(table: &mut TableDescriptor, mut options: Options, method: &str) -> Result<(), CommandError> {
    let Some(names) = options.take("NAME") else {
        return Err(CommandError::argument(
            format!("NAME parameter missing for {method} method"),
            format!("name what to remove, as in alter 't1', METHOD => '{method}', NAME => 'MAX_FILESIZE'"),
        ));
    };
    let names = match names {
        Value::Array(list) => list.0.borrow().iter().map(text).collect(),
        other => vec![text(&other)],
    };
    let what = if method == "table_att_unset" { "attribute" } else { "configuration" };
    for name in names {
        if table.attributes.remove(name.as_bytes()).is_none() {
            return Err(CommandError::argument(
                format!("Could not find {what}: {name}"),
                format!("describe '{}' shows what the table has", table.name),
            ));
        }
    }
    Ok(())
}
