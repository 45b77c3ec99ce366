//! `enable_all`, `disable_all`, `drop_all`: enable, disable or drop all tables whose names match.

use hjall_engine::name::TableName;

use super::arguments::{CommandError, Done, text};
use super::tables::{matching, pattern};
use super::{Command, Context};
use crate::connection::{Answer, Failure, Reason};
use crate::language::Value;

pub const COMMANDS: &[Command] = &[
    Command {
        name: "enable_all",
        group: "ddl",
        least: 1,
        most: 1,
        about: "Enable all tables whose name matches a pattern, after a question.",
        examples: &["enable_all 't.*'", "enable_all 'ns:t.*'"],
        run: |context, args| all(context, &args[0], &ENABLE),
    },
    Command {
        name: "disable_all",
        group: "ddl",
        least: 1,
        most: 1,
        about: "Disable all tables whose name matches a pattern, after a question.",
        examples: &["disable_all 't.*'", "disable_all 'ns:t.*'"],
        run: |context, args| all(context, &args[0], &DISABLE),
    },
    Command {
        name: "drop_all",
        group: "ddl",
        least: 1,
        most: 1,
        about: "Drop all tables whose name matches a pattern, after a question. They must be disabled.",
        examples: &["drop_all 't.*'", "drop_all 'ns:t.*'"],
        run: |context, args| all(context, &args[0], &DROP),
    },
];

struct Kind {
    verb: &'static str,
    done: &'static str,
    run: fn(&mut Context, &TableName) -> Answer<()>,
    /// Whether HBase's client finds the failure itself, so that its class is named once.
    local: bool,
    /// Whether an empty line follows each failure.
    spaced: bool,
}

const ENABLE: Kind = Kind {
    verb: "Enable",
    done: "enabled",
    run: |context, table| context.connection.enable(table),
    local: true,
    spaced: false,
};
const DISABLE: Kind = Kind {
    verb: "Disable",
    done: "disabled",
    run: |context, table| context.connection.disable(table),
    local: false,
    spaced: false,
};
const DROP: Kind = Kind {
    verb: "Drop",
    done: "dropped",
    run: |context, table| context.connection.drop_table(table),
    local: false,
    spaced: true,
};

fn all(context: &mut Context, value: &Value, kind: &Kind) -> Done {
    let regex = pattern(value)?;
    let tables = matching(context, Some(&regex))?;
    if tables.is_empty() {
        context.out.line(&format!("No tables matched the regex {}", text(value)));
        return Ok(Value::Nil);
    }
    for table in &tables {
        context.out.line(&table.to_string());
    }
    context.out.line("");
    context.out.line(&format!("{} the above {} tables (y/n)?", kind.verb, tables.len()));
    context.out.flush();
    let answer = (context.ask)();
    context.check()?;
    let answer = answer.unwrap_or_default();
    if !answer.contains(['y', 'Y']) {
        return Ok(Value::Nil);
    }
    let mut failed = Vec::new();
    for table in &tables {
        context.check()?;
        match (kind.run)(context, table) {
            Ok(()) => {}
            Err(failure) if failure.reason == Reason::Interrupted => return Err(CommandError::Interrupted),
            Err(failure) => {
                context.out.line(&format!("table:{table}, error:{}", shown(&failure, kind.local)));
                if kind.spaced {
                    context.out.line("");
                }
                failed.push(table.to_string());
            }
        }
    }
    let done = tables.len() - failed.len();
    context.out.line(&format!("{done} tables successfully {}", kind.done));
    if !failed.is_empty() {
        let (count, names) = (failed.len(), failed.join(","));
        context.out.line(&format!("{count} tables not {} due to an exception: {names}", kind.done));
    }
    Ok(Value::Nil)
}

/// A failure as Java prints the exception: one from the master has its class twice.
fn shown(failure: &Failure, local: bool) -> String {
    if failure.class.is_empty() || local { failure.to_string() } else { format!("{}: {failure}", failure.class) }
}
