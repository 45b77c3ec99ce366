//! What the layers give, where each value comes from, and what is wrong with them.

use std::fmt;
use std::path::{Path, PathBuf};

use super::setting::Setting;

/// Where values may come from.
#[derive(Debug, Clone, std::default::Default)]
pub struct Sources {
    /// A TOML file.
    pub toml: Option<PathBuf>,
    /// An `hbase-site.xml`.
    pub hbase_site: Option<PathBuf>,
    /// Variables of the environment, by name.
    pub environment: Vec<(String, String)>,
    /// What the command line sets: the flag as it was written, the setting's name, the value.
    pub flags: Vec<(String, String, String)>,
}

/// Where a value comes from; the later overrule the earlier.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    /// Nothing was given.
    Default,
    /// The TOML file: path and line.
    Toml(PathBuf, usize),
    /// `hbase-site.xml`: path, line and key.
    HBaseSite(PathBuf, usize, String),
    /// A variable.
    Environment(String),
    /// A flag.
    Flag(String),
}

impl Origin {
    /// Its layer's number: the greater overrules the smaller.
    pub fn rank(&self) -> u8 {
        match self {
            Self::Default => 0,
            Self::Toml(..) => 1,
            Self::HBaseSite(..) => 2,
            Self::Environment(_) => 3,
            Self::Flag(_) => 4,
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::Toml(path, line) => write!(f, "{}:{line}", path.display()),
            Self::HBaseSite(path, line, key) => write!(f, "{}:{line} {key}", path.display()),
            Self::Environment(name) => f.write_str(name),
            Self::Flag(flag) => f.write_str(flag),
        }
    }
}

/// One value, as it was written.
#[derive(Clone)]
pub struct Given {
    /// Of which setting.
    pub setting: &'static Setting,
    /// In the setting's own notation.
    pub text: String,
    /// Where it stands.
    pub origin: Origin,
}

/// What is no error, but worth a line in the log.
#[derive(Debug, Clone, std::default::Default, PartialEq, Eq)]
pub struct Notes {
    /// Keys of `hbase-site.xml` that nobody knows, with their lines.
    pub unknown: Vec<(String, usize)>,
    /// Keys of HBase that mean nothing here, with the reason.
    pub without_effect: Vec<(String, &'static str)>,
    /// Variables that begin with `HJALL_` and are no setting's, with the name that was probably meant.
    pub variables: Vec<(String, Option<String>)>,
}

impl Notes {
    /// One line for each kind of note that there is.
    pub fn lines(&self, site: Option<&Path>) -> Vec<String> {
        let mut lines = Vec::new();
        let file = site.map(|path| path.display().to_string()).unwrap_or_default();
        if !self.unknown.is_empty() {
            let keys: Vec<_> = self.unknown.iter().map(|(key, line)| format!("{key} (line {line})")).collect();
            lines.push(format!("{file}: unknown keys are ignored: {}", keys.join(", ")));
        }
        if !self.without_effect.is_empty() {
            let keys: Vec<_> = self.without_effect.iter().map(|(key, why)| format!("{key} ({why})")).collect();
            lines.push(format!("{file}: keys of HBase without effect here: {}", keys.join(", ")));
        }
        if !self.variables.is_empty() {
            let names = self.variables.iter().map(|(name, meant)| match meant {
                Some(meant) => format!("{name} (did you mean {meant}?)"),
                None => name.clone(),
            });
            lines.push(format!("environment: unknown variables are ignored: {}", names.collect::<Vec<_>>().join(", ")));
        }
        lines
    }
}

/// Something that cannot be used: where it stands, what it is, and what is allowed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wrong(pub String);

/// Everything that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused(pub Vec<Wrong>);

impl fmt::Display for Refused {
    /// A line each.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines: Vec<_> = self.0.iter().map(|wrong| wrong.0.as_str()).collect();
        f.write_str(&lines.join("\n"))
    }
}

impl std::error::Error for Refused {}
