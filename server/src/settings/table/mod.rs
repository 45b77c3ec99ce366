//! Every setting, by section.

mod auth;
mod compaction;
mod http;
mod info;
mod limits;
mod log;
mod queues;
mod rest;
mod server;
mod slow;
mod store;
mod tls;

use std::time::Duration;

use super::setting::{Default, Flag, Key, Setting};
use super::value::Kind;

/// All settings, in the order in which they are listed and applied.
pub static ALL: [&Setting; COUNT] = {
    let parts: [&'static [Setting]; 12] = [
        &server::SETTINGS,
        &tls::SETTINGS,
        &auth::SETTINGS,
        &http::SETTINGS,
        &rest::SETTINGS,
        &queues::SETTINGS,
        &limits::SETTINGS,
        &store::SETTINGS,
        &compaction::SETTINGS,
        &info::SETTINGS,
        &log::SETTINGS,
        &slow::SETTINGS,
    ];
    let mut all = [&parts[0][0]; COUNT];
    let (mut part, mut at) = (0, 0);
    while part < parts.len() {
        let mut i = 0;
        while i < parts[part].len() {
            all[at] = &parts[part][i];
            at += 1;
            i += 1;
        }
        part += 1;
    }
    all
};

const COUNT: usize = server::SETTINGS.len()
    + tls::SETTINGS.len()
    + auth::SETTINGS.len()
    + http::SETTINGS.len()
    + rest::SETTINGS.len()
    + queues::SETTINGS.len()
    + limits::SETTINGS.len()
    + store::SETTINGS.len()
    + compaction::SETTINGS.len()
    + info::SETTINGS.len()
    + log::SETTINGS.len()
    + slow::SETTINGS.len();

/// Finds a setting by its name.
pub fn find(name: &str) -> Option<&'static Setting> {
    ALL.iter().copied().find(|setting| setting.name == name)
}

/// The names of the sections, in order.
pub fn sections() -> impl Iterator<Item = &'static str> {
    let mut last = "";
    ALL.iter().filter_map(move |setting| {
        let (section, _) = setting.section_and_key();
        (section != last).then(|| {
            last = section;
            section
        })
    })
}

/// Base of every row: no flag, no HBase key, reloadable, no effect, no derived value.
const ROW: Setting = Setting {
    name: "",
    flag: None,
    variable: None,
    hbase: &[],
    kind: Kind::Bool,
    default: Default::Is("false"),
    summary: "",
    as_in_hbase: false,
    reason: "",
    reloads: true,
    set: |_, _| {},
    effective: |_| None,
};

const fn flag(long: &'static str, value: &'static str, unit: &'static str) -> Option<Flag> {
    Some(Flag { long, value, unit })
}

const fn key(name: &'static str) -> Key {
    Key { name, unit: "" }
}

const fn key_in(name: &'static str, unit: &'static str) -> Key {
    Key { name, unit }
}

const fn count(min: u64, max: u64) -> Kind {
    Kind::Count { min, max, off: false }
}

const RATIO: Kind = Kind::Ratio { min: 0.0, max: 1.0 };

const fn bytes(min: u64, max: u64) -> Kind {
    Kind::Bytes { min, max, off: false }
}

const DAY: Duration = Duration::from_secs(86_400);

const fn time(min_ms: u64) -> Kind {
    Kind::Time { min: Duration::from_millis(min_ms), max: DAY, off: false }
}

const fn time_or_off(min_ms: u64) -> Kind {
    Kind::Time { min: Duration::from_millis(min_ms), max: DAY, off: true }
}
