//! One setting, as data.

use super::launch::Launch;
use super::value::{Kind, Value};

/// One row of the table.
pub struct Setting {
    /// Section and key in the TOML file: `queues.read_ratio`.
    pub name: &'static str,
    /// The flag of `hjall serve` that sets it; every setting can be set with `--set NAME=VALUE` as well.
    pub flag: Option<Flag>,
    /// The variable in the environment where it is not the name in capitals behind `HJALL_`.
    pub variable: Option<&'static str>,
    /// HBase's keys for the same; the first one that is given counts.
    pub hbase: &'static [Key],
    /// What values there are.
    pub kind: Kind,
    /// What holds without any.
    pub default: Default,
    /// What it is, in one sentence.
    pub says: &'static str,
    /// Why the default is what it is.
    pub because: &'static str,
    /// Whether SIGHUP can change it in a running server.
    pub reloads: bool,
    /// What it does to a launch.
    pub set: fn(&mut Launch, &Value),
}

/// A flag on the command line.
#[derive(Debug, Clone, Copy)]
pub struct Flag {
    /// Without its dashes.
    pub long: &'static str,
    /// How help calls its value; empty: it takes none and means `true`.
    pub value: &'static str,
    /// The unit that its number is in; empty where it is no bare number.
    pub unit: &'static str,
}

/// A key of `hbase-site.xml`.
#[derive(Debug, Clone, Copy)]
pub struct Key {
    /// The key.
    pub name: &'static str,
    /// The unit that its number is in; empty where it has none.
    pub unit: &'static str,
}

/// What holds where nothing is given.
#[derive(Debug, Clone, Copy)]
pub enum Default {
    /// This value.
    Is(&'static str),
    /// A value that depends on the machine: its text, and the rule in words.
    Made(fn() -> String, &'static str),
    /// No value; what that means, in words.
    Unset(&'static str),
}

impl Setting {
    /// Its variable in the environment.
    pub fn variable(&self) -> String {
        match self.variable {
            Some(name) => name.to_owned(),
            None => format!("HJALL_{}", self.name.replace('.', "_").to_uppercase()),
        }
    }

    /// Section and key.
    pub fn section_and_key(&self) -> (&'static str, &'static str) {
        self.name.split_once('.').unwrap_or(("", self.name))
    }

    /// The text of its default; `None`: it has none.
    pub fn default_text(&self) -> Option<String> {
        match self.default {
            Default::Is(text) => Some(text.to_owned()),
            Default::Made(make, _) => Some(make()),
            Default::Unset(_) => None,
        }
    }

    /// Its default in words, for people.
    pub fn default_words(&self) -> String {
        match self.default {
            Default::Is("") => "none".to_owned(),
            Default::Is(text) => text.to_owned(),
            Default::Made(_, words) | Default::Unset(words) => words.to_owned(),
        }
    }
}

/// Equal by name: the table has each name once.
impl PartialEq for Setting {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}
