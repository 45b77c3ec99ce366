//! The effective settings: the value of each and where it comes from.

use super::nearest::nearest;
use super::setting::Setting;
use super::sources::{Assignment, Notes, Origin, Refused, SettingError, Sources};
use super::startup::{self, StartupOptions};
use super::text::shown;
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
    /// Values that later layers override.
    overridden: Vec<Entry>,
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
        let (mut given, mut overridden) = (Vec::new(), Vec::new());
        if let Some(path) = &sources.toml {
            given.extend(toml::read(path, &mut wrong));
        }
        if let Some(path) = &sources.hbase_site {
            given.extend(site::read(path, &sources.environment, &mut wrong, &mut notes));
        }
        given.extend(environment::read(&sources.environment, &mut wrong));
        given.extend(flags(&sources.flags, &mut wrong));
        let mut entries: Vec<_> = table::ALL.iter().map(|setting| Entry::default(setting)).collect();
        for Assignment { setting, text, written, origin } in given {
            match setting.kind.read(&text) {
                Some(value) => {
                    if let Some(entry) = entries.iter_mut().find(|entry| entry.setting == setting) {
                        let earlier = std::mem::replace(entry, Entry { setting, value: Some(value), origin });
                        if (1..entry.origin.rank()).contains(&earlier.origin.rank()) {
                            overridden.push(earlier);
                        }
                    }
                }
                None => wrong.push(SettingError(match &origin {
                    Origin::Environment(name) => format!("{name}={written}: must be {}", setting.kind),
                    Origin::Flag(flag) if flag == SET => {
                        format!("{SET} {}={}: must be {}", setting.name, shown(&written), setting.kind)
                    }
                    Origin::Flag(flag) => {
                        let unit = setting.flag.map_or("", |flag| flag.unit);
                        let remark = if unit.is_empty() {
                            String::new()
                        } else {
                            format!("; for this flag, a number without a unit is in {unit}")
                        };
                        format!("{flag} {}: must be {}{remark}", shown(&written), setting.kind)
                    }
                    Origin::Default | Origin::Toml(..) | Origin::HBaseSite(..) => {
                        format!("{origin}: {}", must(setting, &written))
                    }
                })),
            }
        }
        let mut effective = Self { entries, notes, overridden, sources: sources.clone() };
        let unused = startup::unused(&effective).into_iter().filter(|unused| unused.same_layer);
        let origin = |name| effective.entry(name).map(|entry| entry.origin.to_string()).unwrap_or_default();
        let unused = unused.map(|unused| {
            format!("{}: {} is not used, because {} is set, too", origin(unused.name), unused.name, unused.by)
        });
        let unused: Vec<_> = unused.collect();
        effective.notes.unused.extend(unused);
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

    /// Where the value of a setting comes from, for errors: file and line, variable or flag.
    pub fn origin(&self, name: &str) -> String {
        self.entry(name).map(|entry| entry.origin.to_string()).unwrap_or_default()
    }

    /// The overridden values that `before` does not have.
    pub(super) fn overridden_since(&self, before: &Self) -> Vec<Entry> {
        let is_in = |entries: &[Entry], one: &Entry| {
            entries.iter().any(|other| {
                other.setting == one.setting && other.value == one.value && other.origin.rank() == one.origin.rank()
            })
        };
        self.overridden.iter().filter(|one| !is_in(&before.overridden, one)).cloned().collect()
    }

    /// Takes over the overridden values and the remarks of settings that were read later.
    pub(super) fn with_notes_of(mut self, read: &Self) -> Self {
        self.overridden = read.overridden.clone();
        self.notes = read.notes.clone();
        self
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
    /// Whether the value is that of the default, wherever it comes from.
    pub fn is_default(&self) -> bool {
        self.value == Self::default(self.setting).value
    }

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
                given.push(Assignment::new(setting, text.clone(), Origin::Flag(flag.clone())));
            }
            None => {
                let meant = nearest(name, table::ALL.iter().map(|setting| setting.name));
                let meant = meant.map_or_else(
                    || "`hjall config` lists all settings".to_owned(),
                    |meant| format!("did you mean {meant}?"),
                );
                let (name, text) = (shown(name), shown(text));
                wrong.push(SettingError(format!("{flag} {name}={text}: {name} is not a setting; {meant}")));
            }
        }
    }
    given
}
