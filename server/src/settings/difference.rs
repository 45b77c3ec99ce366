//! The difference between the effective settings and the ones read again on SIGHUP.

use super::effective::{Effective, Entry};
use super::setting::Setting;
use super::value::Value;

/// The difference between two sets of settings.
pub struct Difference {
    /// Changes that take effect in the running server.
    pub changes: Vec<Change>,
    /// Changes that need a restart.
    pub waiting: Vec<Change>,
    /// Values that were read now for the first time and that a later layer overrides.
    pub overridden: Vec<Entry>,
    /// The effective settings after `changes`.
    pub next: Effective,
}

/// A change of one setting.
pub struct Change {
    /// The setting.
    pub setting: &'static Setting,
    /// The old value.
    pub before: Option<Value>,
    /// The new value.
    pub now: Option<Value>,
}

impl Difference {
    /// Compares the effective settings with those just read.
    pub fn between(before: &Effective, read: &Effective) -> Self {
        let (mut changes, mut waiting, mut taken) = (Vec::new(), Vec::new(), Vec::<Entry>::new());
        for (old, new) in before.entries().iter().zip(read.entries()) {
            let setting = old.setting;
            if setting.reloads {
                taken.push(new.clone());
            }
            if old.value != new.value {
                let change = Change { setting, before: old.value.clone(), now: new.value.clone() };
                if setting.reloads { changes.push(change) } else { waiting.push(change) }
            }
        }
        let next = before.with(taken).with_notes_of(read);
        Self { changes, waiting, overridden: read.overridden_since(before), next }
    }
}

impl Change {
    /// The old and the new value as text.
    pub fn values(&self) -> [String; 2] {
        [&self.before, &self.now].map(|value| value.as_ref().map_or_else(|| "unset".to_owned(), Value::to_string))
    }
}

impl std::fmt::Display for Change {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [before, now] = self.values();
        write!(f, "{} {before} → {now}", self.setting.name)
    }
}
