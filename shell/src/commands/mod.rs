//! The commands. Each is one [`Command`], with its help; a file has the commands of one subject.

mod alter;
mod arguments;
mod constants;
mod context;
mod counting;
mod create;
mod describe;
mod display;
mod explain;
mod families;
mod general;
mod help;
mod lifecycle;
mod many;
mod missing;
mod namespaces;
mod read_options;
mod reading;
mod reference;
mod regions;
mod tables;
mod tools;
mod writing;

pub use arguments::{CommandError, Done, TABLE_MISSING};
pub use constants::{CONSTANTS, constant};
pub use context::Context;
pub use general::{BANNER, VERSION};
pub use missing::why as why_missing;
pub use reference::TABLE_METHODS;

use crate::language::Value;

/// A command.
pub struct Command {
    /// The name.
    pub name: &'static str,
    /// The group that `help` lists it in.
    pub group: &'static str,
    /// The smallest number of arguments.
    pub least: usize,
    /// The largest number of arguments; `usize::MAX`: any.
    pub most: usize,
    /// What it does, in one sentence or more.
    pub about: &'static str,
    /// Lines that can be typed as they are.
    pub examples: &'static [&'static str],
    /// Runs it.
    pub run: fn(&mut Context, Vec<Value>) -> Done,
}

/// All commands, by group.
pub const ALL: &[&[Command]] = &[
    general::COMMANDS,
    tables::COMMANDS,
    create::COMMANDS,
    alter::COMMANDS,
    describe::COMMANDS,
    lifecycle::COMMANDS,
    many::COMMANDS,
    namespaces::COMMANDS,
    reading::COMMANDS,
    counting::COMMANDS,
    writing::COMMANDS,
    regions::COMMANDS,
    tools::COMMANDS,
    explain::COMMANDS,
    help::COMMANDS,
];

/// The command of this name. `desc` is another name of `describe`.
pub fn find(name: &str) -> Option<&'static Command> {
    let name = if name == "desc" { "describe" } else { name };
    all().find(|command| command.name == name)
}

/// All commands.
pub fn all() -> impl Iterator<Item = &'static Command> {
    ALL.iter().copied().flatten()
}
