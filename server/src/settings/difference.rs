//! What a second reading of the settings changes in a running server.

use super::force::{Entry, InForce};
use super::setting::Setting;
use super::value::Value;

/// What differs between two readings.
pub struct Difference {
    /// What can change at once: the setting, its value before and now.
    pub changes: Vec<Change>,
    /// What only a new start can change.
    pub waiting: Vec<Change>,
    /// What is in force with the changes that can be made.
    pub next: InForce,
}

/// One setting's change.
pub struct Change {
    /// Which.
    pub setting: &'static Setting,
    /// What it was.
    pub before: Option<Value>,
    /// What it is to be.
    pub now: Option<Value>,
}

impl Difference {
    /// From what is in force to what was read now.
    pub fn between(before: &InForce, read: &InForce) -> Self {
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
        Self { changes, waiting, next: before.with(taken) }
    }
}

impl std::fmt::Display for Change {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let shown = |value: &Option<Value>| value.as_ref().map_or_else(|| "unset".to_owned(), Value::to_string);
        write!(f, "{} {} → {}", self.setting.name, shown(&self.before), shown(&self.now))
    }
}
