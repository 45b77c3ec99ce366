//! The effective settings: the value of each and where it comes from.

use super::nearest::nearest;
use super::setting::Setting;
use super::sources::{Assignment, Notes, Origin, Refused, SettingError, Sources};
use super::startup::StartupOptions;
use super::toml::must;
use super::value::Value;
use super::{environment, site, table, toml};

/// The flag that sets any setting by its name.
pub const SET: &str = "--set";

/// All settings, in the table's order.
#[derive(Clone)]
pub struct Effective {
    entries: Vec<Entry>,
    /// Remarks for the log.
    pub notes: Notes,
    sources: Sources,
}

/// The effective value of one setting.
#[derive(Clone)]
pub struct Entry {
    /// The setting.
    pub setting: &'static Setting,
    /// Its value, or `None` if it is unset.
    pub value: Option<Value>,
    /// Where it comes from.
    pub origin: Origin,
}

impl Effective {
    /// Reads all sources.
    ///
    /// # Errors
    /// All errors in all sources.
    pub fn read(sources: &Sources) -> Result<Self, Refused> {
        let (mut wrong, mut notes) = (Vec::new(), Notes::default());
        let mut given = Vec::new();
        if let Some(path) = &sources.toml {
            given.extend(toml::read(path, &mut wrong));
        }
        if let Some(path) = &sources.hbase_site {
            given.extend(site::read(path, &mut wrong, &mut notes));
        }
        given.extend(environment::read(&sources.environment, &mut wrong));
        given.extend(flags(&sources.flags, &mut wrong));
        let mut entries: Vec<_> = table::ALL.iter().map(|setting| Entry::default(setting)).collect();
        for Assignment { setting, text, origin } in given {
            match setting.kind.read(&text) {
                Some(value) => {
                    if let Some(entry) = entries.iter_mut().find(|entry| entry.setting == setting) {
                        *entry = Entry { setting, value: Some(value), origin };
                    }
                }
                None => wrong.push(SettingError(match &origin {
                    Origin::Environment(name) => format!("{name}={text}: must be {}", setting.kind),
                    Origin::Flag(flag) if flag == SET => {
                        format!("{SET} {}={text}: must be {}", setting.name, setting.kind)
                    }
                    Origin::Flag(flag) => format!("{flag} {text}: must be {}", setting.kind),
                    Origin::Default | Origin::Toml(..) | Origin::HBaseSite(..) => {
                        format!("{origin}: {}", must(setting, &text))
                    }
                })),
            }
        }
        let effective = Self { entries, notes, sources: sources.clone() };
        let startup = StartupOptions::of(&effective);
        if let Ok(startup) = &startup {
            wrong.extend(effective.notes.protections.iter().filter_map(|protection| protection.missing(startup)));
        }
        match (wrong.is_empty(), startup) {
            (true, Ok(_)) => Ok(effective),
            (true, Err(impossible)) => Err(Refused(impossible)),
            (false, _) => Err(Refused(wrong)),
        }
    }

    /// The sources that were read.
    pub fn sources(&self) -> &Sources {
        &self.sources
    }

    /// All settings, in the table's order.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Finds a setting by its name.
    pub fn entry(&self, name: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.setting.name == name)
    }

    /// The rank of the layer that the value of a setting comes from.
    pub(super) fn rank(&self, name: &str) -> u8 {
        self.entry(name).map_or(0, |entry| entry.origin.rank())
    }

    /// Returns a copy with `entries` replaced.
    pub(super) fn with(&self, entries: impl IntoIterator<Item = Entry>) -> Self {
        let mut changed = self.clone();
        for entry in entries {
            if let Some(place) = changed.entries.iter_mut().find(|place| place.setting == entry.setting) {
                *place = entry;
            }
        }
        changed
    }
}

impl Entry {
    fn default(setting: &'static Setting) -> Self {
        let value = setting.default_text().and_then(|text| setting.kind.read(&text));
        Self { setting, value, origin: Origin::Default }
    }
}

fn flags(flags: &[(String, String, String)], wrong: &mut Vec<SettingError>) -> Vec<Assignment> {
    let mut given = Vec::new();
    for (flag, name, text) in flags {
        match table::find(name) {
            Some(setting) => {
                given.push(Assignment { setting, text: text.clone(), origin: Origin::Flag(flag.clone()) });
            }
            None => {
                let meant = nearest(name, table::ALL.iter().map(|setting| setting.name));
                let meant = meant.map_or_else(
                    || "`hjall config` lists all settings".to_owned(),
                    |meant| format!("did you mean {meant}?"),
                );
                wrong.push(SettingError(format!("{flag} {name}={text}: {name} is not a setting; {meant}")));
            }
        }
    }
    given
}
