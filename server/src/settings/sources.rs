//! Values given in the layers, their origins, and errors in them.

use std::fmt;
use std::path::{Path, PathBuf};

use super::hbase;
use super::protection::Protection;
use super::setting::Setting;

/// The sources of settings.
#[derive(Debug, Clone, std::default::Default)]
pub struct Sources {
    /// A TOML file.
    pub toml: Option<PathBuf>,
    /// An `hbase-site.xml`.
    pub hbase_site: Option<PathBuf>,
    /// Environment variables: name and value.
    pub environment: Vec<(String, String)>,
    /// Settings on the command line: the flag as written, the name of the setting, the value.
    pub flags: Vec<(String, String, String)>,
}

/// Where a value comes from. Later variants override earlier ones.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    /// No source sets it.
    Default,
    /// The TOML file: path and line.
    Toml(PathBuf, usize),
    /// `hbase-site.xml`: path, line and key.
    HBaseSite(PathBuf, usize, String),
    /// An environment variable.
    Environment(String),
    /// A flag.
    Flag(String),
}

impl Origin {
    /// The number of the layer. Higher layers override lower ones.
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

/// One value as given in a source.
#[derive(Clone)]
pub struct Assignment {
    /// The setting.
    pub setting: &'static Setting,
    /// The value in the notation of the setting.
    pub text: String,
    /// The value as it was written, for errors.
    pub written: String,
    /// Where it was given.
    pub origin: Origin,
}

impl Assignment {
    /// A value that was written in the notation of the setting.
    pub fn new(setting: &'static Setting, text: String, origin: Origin) -> Self {
        Self { setting, written: text.clone(), text, origin }
    }
}

/// Remarks that are not errors but belong in the log.
#[derive(Debug, Clone, std::default::Default, PartialEq, Eq)]
pub struct Notes {
    /// Unknown keys in `hbase-site.xml`, with their lines.
    pub unknown: Vec<(String, usize)>,
    /// HBase's keys that have no effect in hjall, with the reason.
    pub without_effect: Vec<(String, &'static str)>,
    /// Keys in `hbase-site.xml` that ask for protection.
    pub protections: Vec<Protection>,
    /// One line for each setting that has no effect, because another one in the same layer takes precedence, and for
    /// each property that has none, because an earlier one is final.
    pub unused: Vec<String>,
}

impl Notes {
    /// One line for each kind of remark present.
    pub fn lines(&self, site: Option<&Path>) -> Vec<String> {
        let mut lines = self.unused.clone();
        let file = site.map(|path| path.display().to_string()).unwrap_or_default();
        if !self.unknown.is_empty() {
            let keys = self.unknown.iter().map(|(key, line)| format!("{key} (line {line}{})", meant(key)));
            let keys: Vec<_> = keys.collect();
            lines.push(format!("{file}: unknown keys are ignored: {}", keys.join(", ")));
        }
        if !self.without_effect.is_empty() {
            let keys = self.without_effect.iter().map(|(key, why)| format!("{key} ({why}{})", meant(key)));
            let keys: Vec<_> = keys.collect();
            lines.push(format!("{file}: HBase keys without effect in hjall: {}", keys.join(", ")));
        }
        lines
    }
}

/// A question after a key that is similar to one with an effect.
fn meant(key: &str) -> String {
    hbase::meant(key).map(|meant| format!("; did you mean {meant}?")).unwrap_or_default()
}

/// An error in a setting: where it was given, the value, and what is allowed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingError(pub String);

/// All errors in the settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused(pub Vec<SettingError>);

impl fmt::Display for Refused {
    /// One error per line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines: Vec<_> = self.0.iter().map(|wrong| wrong.0.as_str()).collect();
        f.write_str(&lines.join("\n"))
    }
}

impl std::error::Error for Refused {}
