//! `list`, `exists`, `is_enabled`, `is_disabled`, `get_table`, `clone_table_schema`, ….

use hjall_engine::filter::regex::JavaRegex;
use hjall_engine::name::TableName;

use super::arguments::{CommandError, Done, about_table, table_name, text};
use super::{Command, Context};
use crate::language::Value;

pub const COMMANDS: &[Command] = &[
    Command {
        name: "list",
        group: "ddl",
        least: 0,
        most: 1,
        about: "List tables. A pattern is a Java regular expression that matches the whole name; a name in another \
                namespace is NAMESPACE:TABLE.",
        examples: &["list", "list 'abc.*'", "list 'ns:abc.*'", "list 'ns:.*'"],
        run: list,
    },
    Command {
        name: "exists",
        group: "ddl",
        least: 1,
        most: 1,
        about: "Tell whether a table exists.",
        examples: &["exists 't1'", "exists 'ns1:t1'"],
        run: |context, args| {
            let name = table_name(&args[0])?;
            let exists = context.connection.exists(&name)?;
            let verb = if exists { "does" } else { "does not" };
            context.out.row(&format!("Table {name} {verb} exist"));
            context.out.record([("table", name.to_string().into()), ("exists", exists.into())]);
            Ok(Value::Bool(exists))
        },
    },
    Command {
        name: "is_enabled",
        group: "ddl",
        least: 1,
        most: 1,
        about: "Tell whether a table is enabled.",
        examples: &["is_enabled 't1'", "is_enabled 'ns1:t1'"],
        run: |context, args| state(context, &args, true),
    },
    Command {
        name: "is_disabled",
        group: "ddl",
        least: 1,
        most: 1,
        about: "Tell whether a table is disabled.",
        examples: &["is_disabled 't1'", "is_disabled 'ns1:t1'"],
        run: |context, args| state(context, &args, false),
    },
    Command {
        name: "get_table",
        group: "ddl",
        least: 1,
        most: usize::MAX,
        about: "Return a reference to a table, whose commands are methods: see table_help. The table need not exist.",
        examples: &["t1 = get_table 't1'", "t1.scan", "t1.put 'r', 'f:q', 'v'"],
        run: |_, args| {
            let name = table_name(&args[0])?;
            Ok(Value::TableRef(name.to_string().into()))
        },
    },
    Command {
        name: "clone_table_schema",
        group: "ddl",
        least: 2,
        most: 3,
        about: "Create a table with the families and attributes of another one, and with its splits unless the third \
                argument is false.",
        examples: &["clone_table_schema 't1', 't2'", "clone_table_schema 't1', 't2', false"],
        run: clone_schema,
    },
    Command {
        name: "list_enabled_tables",
        group: "ddl",
        least: 0,
        most: 0,
        about: "List the enabled tables.",
        examples: &["list_enabled_tables"],
        run: |context, _| by_state(context, true),
    },
    Command {
        name: "list_disabled_tables",
        group: "ddl",
        least: 0,
        most: 0,
        about: "List the disabled tables.",
        examples: &["list_disabled_tables"],
        run: |context, _| by_state(context, false),
    },
];

/// A pattern for the whole name.
pub fn pattern(value: &Value) -> Result<JavaRegex, CommandError> {
    let Value::Str(_) = value else {
        return Err(CommandError::complete(
            "TypeError",
            format!("no method 'compile' for {}: a pattern is a string", value.class_name()),
        ));
    };
    let source = text(value);
    JavaRegex::whole(&source, 0).map_err(|error| wrong_pattern(&source, error.message()))
}

/// A wrong pattern as Java shows it: the reason, the pattern, and a mark at the place.
fn wrong_pattern(source: &str, message: &str) -> CommandError {
    let parts = message.split_once(" near index ").and_then(|(reason, rest)| {
        let place = rest.split(' ').next()?.parse::<usize>().ok()?;
        Some((reason, place))
    });
    let Some((reason, place)) = parts else { return CommandError::complete("ArgumentError", message) };
    // Java names the last character that it has read.
    let place = place.saturating_sub(1);
    CommandError::argument(
        format!("{reason} near index {place}\n{source}\n{}^", " ".repeat(place)),
        "a pattern is a Java regular expression for the whole name, as in 'users.*'",
    )
}

/// The user tables whose name matches.
pub fn matching(context: &mut Context, pattern: Option<&JavaRegex>) -> Result<Vec<TableName>, CommandError> {
    let mut found = Vec::new();
    for name in context.connection.tables()? {
        if name.is_system() {
            continue;
        }
        let wanted = match pattern {
            None => true,
            Some(pattern) => {
                let matches = |text: &str| pattern.is_match(text).map_err(CommandError::from);
                matches(&name.to_string())? || matches(&name.with_namespace())?
            }
        };
        if wanted {
            found.push(name);
        }
    }
    Ok(found)
}

fn print_names(context: &mut Context, names: &[TableName]) -> Value {
    for name in names {
        context.out.row(&name.to_string());
        context.out.record([("table", name.to_string().into())]);
    }
    context.out.rows(names.len() as u64);
    Value::array(names.iter().map(|name| Value::text(name.to_string())).collect())
}

fn list(context: &mut Context, args: Vec<Value>) -> Done {
    context.out.row("TABLE");
    let pattern = args.first().map(pattern).transpose()?;
    let names = matching(context, pattern.as_ref())?;
    Ok(print_names(context, &names))
}

fn by_state(context: &mut Context, enabled: bool) -> Done {
    context.out.row("TABLE");
    let mut names = Vec::new();
    for name in matching(context, None)? {
        if context.connection.is_enabled(&name)? == enabled {
            names.push(name);
        }
    }
    Ok(print_names(context, &names))
}

fn state(context: &mut Context, args: &[Value], enabled: bool) -> Done {
    let name = table_name(&args[0])?;
    let is_enabled = context.connection.is_enabled(&name).map_err(|failure| about_table(failure, &name))?;
    let answer = is_enabled == enabled;
    context.out.row(&answer.to_string());
    context.out.record([("table", name.to_string().into()), ("enabled", is_enabled.into())]);
    Ok(Value::Bool(answer))
}

fn clone_schema(context: &mut Context, args: Vec<Value>) -> Done {
    let (from, to) = (table_name(&args[0])?, table_name(&args[1])?);
    let keep = args.get(2).is_none_or(Value::truthy);
    let mut table =
        context.connection.describe(&from).map_err(|failure| context.worded(failure.into(), &from.to_string()))?;
    let places = context.connection.regions(&from)?;
    let splits = places.into_iter().map(|place| place.region.start).filter(|start| keep && !start.is_empty()).collect();
    table.name = to.clone();
    context.connection.create(table, splits).map_err(|failure| context.worded(failure.into(), &to.to_string()))?;
    Ok(Value::Nil)
}
