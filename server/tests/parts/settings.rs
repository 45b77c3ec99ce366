//! Settings of the library: the defaults in the table equal those in the code.

use std::net::SocketAddr;

use hjall_server::Config;
use hjall_server::settings::{Effective, Kind, Sources, StartupOptions, table};

/// `hjall config` prints the defaults of the table, so they must equal those in the code.
#[test]
fn the_tables_defaults_equal_the_codes() {
    let startup = StartupOptions::of(&Effective::read(&Sources::default()).unwrap()).unwrap();
    assert_eq!(format!("{:#?}", startup.config), format!("{:#?}", Config::default()));
    assert_eq!(format!("{:?}", startup.options.limits), format!("{:?}", hjall_engine::Limits::default()));
    assert_eq!(startup.options.write_buffer_bytes, Some(128 << 20));
    assert_eq!(startup.options.sync_interval, Some(hjall_engine::store::SYNC_INTERVAL));
    assert!(!startup.options.fsync);
}

#[test]
fn every_default_is_a_value_of_its_kind() {
    for setting in table::ALL {
        if let Some(text) = setting.default_text() {
            assert!(setting.kind.read(&text).is_some(), "{} = {text}", setting.name);
        }
    }
}

/// A name that occurs twice could be set for one setting and read for the other.
#[test]
fn names_variables_and_keys_are_unique() {
    let mut seen = std::collections::HashSet::new();
    for setting in table::ALL {
        let keys = setting.hbase.iter().map(|key| key.name.to_owned());
        let flag = setting.flag.map(|flag| format!("--{}", flag.long));
        for name in keys.chain(flag).chain([setting.name.to_owned()]).chain(setting.variables()) {
            assert!(seen.insert(name.clone()), "{name} occurs twice");
        }
    }
}

#[test]
fn clients_are_not_told_an_address_that_does_not_lead_to_this_server() {
    let host = |listen: &str| Config::on(listen.parse::<SocketAddr>().unwrap()).host_in_force().unwrap();
    assert_eq!(host("10.0.0.7:9090"), "10.0.0.7");
    assert_eq!(host("[::1]:9090"), "::1");
    let machine = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default().trim().to_owned();
    for everywhere in ["0.0.0.0:9090", "[::]:9090"] {
        let told = host(everywhere);
        assert!(!["0.0.0.0", "::", "localhost"].contains(&&*told) || told == machine, "{everywhere}: {told}");
    }
    let named = Config { host: Some("db.example.com".to_owned()), ..Config::on(([0, 0, 0, 0], 9090).into()) };
    assert_eq!(named.host_in_force().as_deref(), Some("db.example.com"));
}

/// A word that is accepted and means the same as another one would be ignored.
#[test]
fn every_word_of_a_choice_has_an_effect() {
    for setting in table::ALL {
        let Kind::Choice(words) = setting.kind else { continue };
        // A word that needs other settings is refused without them, which is an effect, too.
        let with = |word: &&str| {
            let flag = ("--set".to_owned(), setting.name.to_owned(), (*word).to_owned());
            let sources = Sources { flags: vec![flag], ..Sources::default() };
            let startup = Effective::read(&sources).map(|effective| StartupOptions::of(&effective));
            let fsync = startup.as_ref().is_ok_and(|startup| startup.as_ref().is_ok_and(|all| all.options.fsync));
            format!("{startup:?}, fsync: {fsync}")
        };
        let mut startups: Vec<_> = words.iter().map(with).collect();
        startups.sort();
        startups.dedup();
        assert_eq!(startups.len(), words.len(), "{}: two of {words:?} mean the same", setting.name);
    }
}
