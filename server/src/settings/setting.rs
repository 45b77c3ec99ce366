//! The description of one setting.

use super::startup::StartupOptions;
use super::value::{Kind, Value};

/// One row of the table.
pub struct Setting {
    /// Section and key in the TOML file: `queues.read_ratio`.
    pub name: &'static str,
    /// The flag of `hjall serve` that sets it; every setting can be set with `--set NAME=VALUE` as well.
    pub flag: Option<Flag>,
    /// A short environment variable, in addition to `HJALL_` followed by the name in capitals.
    pub variable: Option<&'static str>,
    /// HBase's keys with the same meaning. If several are given, the first in this list wins.
    pub hbase: &'static [Key],
    /// The values it takes.
    pub kind: Kind,
    /// The value if none is given.
    pub default: Default,
    /// What it does, without a final period.
    pub summary: &'static str,
    /// Whether the default is HBase's.
    pub as_in_hbase: bool,
    /// Why the default is what it is, without a final period. May be empty if the default is HBase's.
    pub reason: &'static str,
    /// Whether SIGHUP can change it in a running server.
    pub reloads: bool,
    /// Applies a value to the startup options.
    pub set: fn(&mut StartupOptions, &Value),
    /// The effective value if the setting has no value of its own; `None` if there is none.
    pub effective: fn(&StartupOptions) -> Option<Value>,
}

/// A flag on the command line.
#[derive(Debug, Clone, Copy)]
pub struct Flag {
    /// The name without its dashes.
    pub long: &'static str,
    /// The placeholder of its value in the help text. Empty for a flag that takes no value and means `true`.
    pub value: &'static str,
    /// The unit of a bare number; empty if the value is not a bare number.
    pub unit: &'static str,
}

impl Flag {
    /// A value that was given to the flag, with a unit if it is a bare number.
    pub fn with_unit(&self, mut text: String) -> String {
        if text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'_') {
            text.push_str(self.unit);
        }
        text
    }
}

/// A key of `hbase-site.xml`.
#[derive(Debug, Clone, Copy)]
pub struct Key {
    /// The key.
    pub name: &'static str,
    /// The unit of its number; empty if it has none. `SWITCH` if it is `true` or `false` where the setting has two
    /// words.
    pub unit: &'static str,
}

/// The unit of a key that chooses between the two words of its setting: the first for `false`, the second for `true`.
pub const SWITCH: &str = "switch";

/// The default of a setting.
#[derive(Debug, Clone, Copy)]
pub enum Default {
    /// A fixed value.
    Is(&'static str),
    /// A value that depends on the machine: a function that computes its text, and a description of the rule.
    Made(fn() -> String, &'static str),
    /// No value, with a description of what that means.
    Unset(&'static str),
}

impl Setting {
    /// The environment variables that set it, of which one may be given.
    pub fn variables(&self) -> impl Iterator<Item = String> + use<> {
        let long = format!("HJALL_{}", self.name.replace('.', "_").to_uppercase());
        self.variable.map(str::to_owned).into_iter().chain([long])
    }

    /// The section and the key in the TOML file.
    pub fn section_and_key(&self) -> (&'static str, &'static str) {
        self.name.split_once('.').unwrap_or(("", self.name))
    }

    /// The text of the default, or `None` if there is no default value.
    pub fn default_text(&self) -> Option<String> {
        match self.default {
            Default::Is(text) => Some(text.to_owned()),
            Default::Made(make, _) => Some(make()),
            Default::Unset(_) => None,
        }
    }

    /// The default as documentation shows it: its value, or a description of the rule.
    pub fn default_words(&self) -> String {
        match self.default {
            Default::Is("") => "none".to_owned(),
            Default::Is(text) => text.to_owned(),
            Default::Made(_, words) | Default::Unset(words) => words.to_owned(),
        }
    }

    /// Why the default is what it is, as the continuation of "Default: 9090": `, as in HBase`, then the reason.
    pub fn default_remark(&self) -> String {
        let hbase = if self.as_in_hbase { ", as in HBase" } else { "" };
        match self.reason {
            "" => format!("{hbase}."),
            reason => format!("{hbase}. {reason}."),
        }
    }
}

/// Compares names, which are unique in the table.
impl PartialEq for Setting {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}
