//! `help` and `table_help`.

use super::arguments::{CommandError, Done, text};
use super::{Command, Context, TABLE_METHODS, all, find};
use crate::language::{Exception, Value, wrong_count};

pub const COMMANDS: &[Command] = &[
    Command {
        name: "help",
        group: "general",
        least: 0,
        most: usize::MAX,
        about: "Print all commands, or the help of a command or a group.",
        examples: &["help", "help 'scan'", "help 'ddl'"],
        run: help,
    },
    Command {
        name: "table_help",
        group: "general",
        least: 0,
        most: 0,
        about: "Print how to use references to tables.",
        examples: &["table_help"],
        run: |context, _| {
            for line in TABLE_HELP.lines() {
                context.out.line(line);
            }
            context.out.line(&format!("Methods: {}", TABLE_METHODS.join(", ")));
            Ok(Value::Nil)
        },
    },
];

/// The groups in the order in which they are listed.
const GROUPS: [&str; 5] = ["general", "ddl", "namespace", "dml", "tools"];

const TABLE_HELP: &str = "\
create and get_table return a reference to a table. The commands that take a table are its methods,
without the name of the table:

  t = create 't', 'f'
  t.put 'r', 'f:q', 'v'
  t.scan LIMIT => 10
  t.get 'r'
  t.disable
  t.drop

  t = get_table 't'
  t.help 'scan'
";

const USAGE: &str = "\
SHELL USAGE:
Names of tables, rows and columns are quoted: get 't1', 'r1', 'f:q'. Commands end with the line; a line that
ends with a comma or inside brackets goes on. \"\\x00\\xFF\" in double quotes has bytes.
Options are dictionaries: {NAME => 'f', VERSIONS => 3}. Names in capitals are constants.
A row of 'f:q' is read as a number with the column 'f:q:toLong'.
The documentation of hjall has pages on the shell (docs/shell.md), its language (docs/shell-language.md) and
filters (docs/filters.md). show_filters lists the filters.
";

fn overview(context: &mut Context, usage: bool) {
    context.out.line(&format!("HBase Shell, version {}", super::VERSION));
    context.out.line(
        "Type 'help \"COMMAND\"', (e.g. 'help \"get\"' -- the quotes are necessary) for help on a specific command.",
    );
    context.out.line("Type 'help \"COMMAND_GROUP\"', (e.g. 'help \"general\"') for help on a command group.");
    context.out.line("");
    context.out.line("COMMAND GROUPS:");
    for group in GROUPS {
        context.out.line(&format!("  Group name: {group}"));
        context.out.line(&format!("  Commands: {}", names(group).join(", ")));
        context.out.line("");
    }
    if usage {
        for line in USAGE.lines() {
            context.out.line(line);
        }
    }
    for command in all() {
        context.out.record([
            ("command", command.name.into()),
            ("group", command.group.into()),
            ("about", command.about.into()),
        ]);
    }
}

fn names(group: &str) -> Vec<&'static str> {
    let mut names: Vec<_> = all().filter(|command| command.group == group).map(|command| command.name).collect();
    names.sort_unstable();
    names
}

fn one(context: &mut Context, command: &Command) {
    for line in wrapped(command.about) {
        context.out.line(&line);
    }
    context.out.line("");
    context.out.line("Examples:");
    for example in command.examples {
        context.out.line(&format!("  hbase> {example}"));
    }
    context.out.record([
        ("command", command.name.into()),
        ("group", command.group.into()),
        ("about", command.about.into()),
        ("examples", command.examples.join("\n").into()),
    ]);
}

fn wrapped(text: &str) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.is_empty() => line.push_str(word),
            Some(line) if line.len() + 1 + word.len() <= 100 => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

fn help(context: &mut Context, args: Vec<Value>) -> Done {
    if args.len() > 1 {
        let error = Exception::new("ArgumentError", wrong_count(args.len(), 0, 1));
        return Err(CommandError::Fatal(error.with_remedy("help explains one command at a time, as in help 'scan'")));
    }
    let Some(wanted) = args.first().filter(|value| !value.is_nil()) else {
        overview(context, true);
        return Ok(Value::Nil);
    };
    let name = text(wanted);
    if let Some(command) = find(&name) {
        one(context, command);
        return Ok(Value::Nil);
    }
    if GROUPS.contains(&&name[..]) {
        for name in names(&name) {
            context.out.line(&format!("Command: {name}"));
            if let Some(command) = find(name) {
                one(context, command);
            }
            context.out.line("");
        }
        return Ok(Value::Nil);
    }
    if let Some(why) = super::why_missing(&name) {
        context.out.line(&format!("{name} is not part of this shell: {why}"));
        return Ok(Value::Nil);
    }
    context.out.line(&format!("ERROR: Invalid command or command group name: {name}"));
    context.out.line("");
    overview(context, false);
    Ok(Value::Nil)
}
