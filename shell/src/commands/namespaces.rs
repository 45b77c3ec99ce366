//! Namespaces.

use hjall_engine::schema::NamespaceDescriptor;

use super::arguments::{CommandError, Done, Options, text, unknown_namespace};
use super::tables::pattern;
use super::{Command, Context};
use crate::connection::{Failure, Reason};
use crate::language::{Value, inspected};

pub const COMMANDS: &[Command] = &[
    Command {
        name: "create_namespace",
        group: "namespace",
        least: 1,
        most: usize::MAX,
        about: "Create a namespace, with properties.",
        examples: &["create_namespace 'ns1'", "create_namespace 'ns1', {'PROPERTY_NAME' => 'PROPERTY_VALUE'}"],
        run: create,
    },
    Command {
        name: "alter_namespace",
        group: "namespace",
        least: 1,
        most: usize::MAX,
        about: "Set or remove properties of a namespace.",
        examples: &[
            "alter_namespace 'ns1', {METHOD => 'set', 'PROPERTY_NAME' => 'PROPERTY_VALUE'}",
            "alter_namespace 'ns1', {METHOD => 'unset', NAME => 'PROPERTY_NAME'}",
        ],
        run: alter,
    },
    Command {
        name: "describe_namespace",
        group: "namespace",
        least: 1,
        most: 1,
        about: "Print the properties of a namespace.",
        examples: &["describe_namespace 'ns1'"],
        run: describe,
    },
    Command {
        name: "drop_namespace",
        group: "namespace",
        least: 1,
        most: 1,
        about: "Drop a namespace, which must have no tables.",
        examples: &["drop_namespace 'ns1'"],
        run: |context, args| {
            let name = text(&args[0]);
            context.connection.drop_namespace(&name).map_err(|failure| worded(failure, &name))?;
            Ok(Value::Nil)
        },
    },
    Command {
        name: "list_namespace",
        group: "namespace",
        least: 0,
        most: 1,
        about: "List namespaces. A pattern is a Java regular expression that matches the whole name.",
        examples: &["list_namespace", "list_namespace 'abc.*'"],
        run: list,
    },
    Command {
        name: "list_namespace_tables",
        group: "namespace",
        least: 1,
        most: 1,
        about: "List the tables of a namespace.",
        examples: &["list_namespace_tables 'ns1'"],
        run: tables,
    },
];

fn worded(failure: Failure, name: &str) -> CommandError {
    match failure.reason {
        Reason::NamespaceMissing => unknown_namespace(name),
        _ => failure.into(),
    }
}

/// How a property is set.
const SET: &str = "as in alter_namespace 'ns1', {METHOD => 'set', 'KEY' => 'VALUE'}";

fn create(context: &mut Context, args: Vec<Value>) -> Done {
    let mut namespace = NamespaceDescriptor::new(text(&args[0]));
    for value in &args[1..] {
        let Some(options) = Options::of(value) else {
            let class = value.class_name();
            return Err(CommandError::argument(
                format!("{class} of {} is not of Hash or String type", inspected(value)),
                "properties are dictionaries, as in create_namespace 'ns1', {'KEY' => 'VALUE'}",
            ));
        };
        for (key, value) in options.rest() {
            namespace.configuration.insert(text(key), text(value));
        }
    }
    context.connection.create_namespace(namespace)?;
    Ok(Value::Nil)
}

fn alter(context: &mut Context, args: Vec<Value>) -> Done {
    let name = text(&args[0]);
    let mut namespace = context.connection.namespace(&name).map_err(|failure| worded(failure, &name))?;
    if args.len() < 2 {
        return Ok(Value::Nil);
    }
    for value in &args[1..] {
        let Some(mut options) = Options::of(value) else {
            let class = value.class_name();
            return Err(CommandError::argument(
                format!("{class} of {} is not of Hash type", inspected(value)),
                format!("write a dictionary, {SET}"),
            ));
        };
        let method = options.take("METHOD").map(|method| text(&method)).unwrap_or_default();
        match &method[..] {
            "set" => {
                for (key, value) in options.rest() {
                    namespace.configuration.insert(text(key), text(value));
                }
            }
            "unset" => match options.take("NAME") {
                Some(Value::Array(names)) => {
                    for name in names.0.borrow().iter() {
                        namespace.configuration.remove(&text(name));
                    }
                }
                Some(property) => {
                    namespace.configuration.remove(&text(&property));
                }
                None => {
                    return Err(CommandError::argument(
                        "NAME parameter missing for unset method",
                        "name the property, as in {METHOD => 'unset', NAME => 'KEY'}",
                    ));
                }
            },
            other => {
                return Err(CommandError::argument(
                    format!("Unknown method {other}"),
                    format!("METHOD is 'set' or 'unset', {SET}"),
                ));
            }
        }
    }
    context.connection.modify_namespace(namespace).map_err(|failure| worded(failure, &name))?;
    Ok(Value::Nil)
}

fn describe(context: &mut Context, args: Vec<Value>) -> Done {
    let name = text(&args[0]);
    let namespace = context.connection.namespace(&name).map_err(|failure| worded(failure, &name))?;
    context.out.row("DESCRIPTION");
    context.out.row(&namespace.to_string());
    context.out.line("Quota is disabled");
    let mut fields = vec![("namespace".to_owned(), name.into())];
    fields.extend(namespace.configuration.into_iter().map(|(key, value)| (key, value.into())));
    context.out.fields(fields);
    Ok(Value::Nil)
}

fn list(context: &mut Context, args: Vec<Value>) -> Done {
    context.out.row("NAMESPACE");
    let pattern = args.first().map(pattern).transpose()?;
    let mut count = 0;
    for name in context.connection.namespace_names()? {
        let wanted = match &pattern {
            Some(pattern) => pattern.is_match(&name)?,
            None => true,
        };
        if wanted {
            context.out.row(&name);
            context.out.record([("namespace", name.into())]);
            count += 1;
        }
    }
    context.out.rows(count);
    Ok(Value::Nil)
}

fn tables(context: &mut Context, args: Vec<Value>) -> Done {
    let name = text(&args[0]);
    context.out.row("TABLE");
    context.connection.namespace(&name).map_err(|failure| worded(failure, &name))?;
    let mut names = Vec::new();
    for table in context.connection.tables()? {
        if table.namespace() == name {
            context.out.row(table.qualifier());
            context.out.record([("table", table.qualifier().into())]);
            names.push(Value::text(table.qualifier()));
        }
    }
    context.out.rows(names.len() as u64);
    Ok(Value::array(names))
}
