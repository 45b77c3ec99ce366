//! Users and logins.

use super::{Default, Kind, ROW, Setting, count, flag, time_or_off};
use crate::settings::config::{Config, WithoutTls};

pub(super) static SETTINGS: [Setting; 5] = [
    Setting {
        name: "auth.users",
        flag: flag("users", "FILE", ""),
        kind: Kind::Path,
        default: Default::Unset("every client may do everything"),
        summary: "File with the users and their roles, in TOML format. If set, every client must log in. SIGHUP reads \
                  the file again; a file with an error changes nothing",
        reason: "There are no users until the operator has created them",
        reloads: false,
        set: |startup, value| startup.config.auth.users = Some(value.text().into()),
        ..ROW
    },
    Setting {
        name: "auth.without_tls",
        kind: Kind::Choice(&["refuse", "loopback", "allow"]),
        default: Default::Is("refuse"),
        summary: "Where clients may send passwords and tokens without TLS: nowhere, from loopback addresses (a proxy on \
                  the same machine), or from everywhere",
        reason: "Anyone on the network could read them",
        set: |startup, value| {
            startup.config.auth.without_tls = match value.text() {
                "allow" => WithoutTls::Allow,
                "loopback" => WithoutTls::Loopback,
                _ => WithoutTls::Refuse,
            }
        },
        ..ROW
    },
    Setting {
        name: "auth.tries",
        kind: count(1, 100_000),
        default: Default::Is("10"),
        summary: "Failed logins of one user from one address in a minute. Further ones are refused without checking the \
                  password. One address may fail ten times as often in all",
        reason: "More than a person mistypes, and too few to guess a password",
        set: |startup, value| startup.config.auth.tries = value.number().and_then(|n| n.try_into().ok()).unwrap_or(1),
        ..ROW
    },
    Setting {
        name: "auth.cache",
        kind: time_or_off(1000),
        default: Default::Is("5m"),
        summary: "How long a password that was right is remembered, as a keyed hash. A change of the users file takes \
                  effect at once",
        reason: "Checking a password takes tens of milliseconds on purpose, and HTTP clients send it with each request",
        set: |startup, value| startup.config.auth.cache = value.time(),
        ..ROW
    },
    Setting {
        name: "auth.checks",
        kind: count(1, 64),
        default: Default::Made(|| Config::default().auth.checks.to_string(), "half the cores, 1 to 4"),
        summary: "Passwords that are checked at the same time, each with a thread and about 20 MiB of memory. Up to 64 \
                  more wait",
        reason: "Clients that guess must not take the processor from the others",
        reloads: false,
        set: |startup, value| startup.config.auth.checks = value.size(),
        ..ROW
    },
];
