//! Reads arbitrary settings: a TOML file, an hbase-site.xml and environment variables, together. There must be no
//! panic. A refusal names its source. Settings that are accepted are shown as a TOML file with the same values, and
//! as a JSON document.
//!
//! Run with `cargo +nightly fuzz run settings` in the root of the repository.
//!
//! The input's first byte chooses between raw files and files with the names of settings in them. Zero bytes separate
//! the TOML file, the XML file and the variables; an empty file is left out.
#![no_main]

use std::cell::OnceCell;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use hjall_server::settings::{self, Effective, Setting, Sources, StartupOptions, table};
use libfuzzer_sys::fuzz_target;

thread_local! {
    static FOLDER: OnceCell<PathBuf> = const { OnceCell::new() };
}

/// A folder for this process, in memory where Linux has one.
fn folder_of_process() -> PathBuf {
    let memory = Path::new("/dev/shm");
    let parent = if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() };
    let folder = parent.join(format!("hjall-fuzz-settings-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder for the files");
    folder
}

/// Addresses are resolved when settings are read. These flags override all others, so that no name server is asked.
fn fixed_addresses() -> Vec<(String, String, String)> {
    let fixed = [
        ("server.listen", "127.0.0.1:1"),
        ("server.listen_thrift1", "127.0.0.1:2"),
        ("server.listen_thrift2", "127.0.0.1:3"),
        ("info.listen", "127.0.0.1:4"),
    ];
    fixed.map(|(name, value)| ("--set".to_owned(), name.to_owned(), value.to_owned())).to_vec()
}

/// The lines of a part, each with the setting that its first byte chooses and its other bytes as the value.
fn chosen(part: &[u8]) -> impl Iterator<Item = (&'static Setting, String)> {
    part.split(|byte| *byte == b'\n').filter_map(|line| {
        let (choice, value) = line.split_first()?;
        let setting = table::ALL.get(usize::from(*choice) % table::ALL.len())?;
        Some((*setting, String::from_utf8_lossy(value).into_owned()))
    })
}

fn toml_of(part: &[u8]) -> Vec<u8> {
    chosen(part).map(|(setting, value)| format!("{} = {value}\n", setting.name)).collect::<String>().into_bytes()
}

fn site_of(part: &[u8]) -> Vec<u8> {
    let mut xml = String::from("<configuration>");
    for (setting, value) in chosen(part) {
        let Some(key) = setting.hbase.first() else { continue };
        let value = value.replace('&', "&amp;").replace('<', "&lt;");
        let _ = write!(xml, "<property><name>{}</name><value>{value}</value></property>", key.name);
    }
    xml.push_str("</configuration>");
    xml.into_bytes()
}

/// Writes a file, unless it is empty.
fn file(folder: &Path, name: &str, contents: &[u8]) -> Option<PathBuf> {
    if contents.is_empty() {
        return None;
    }
    let path = folder.join(name);
    std::fs::write(&path, contents).expect("a file");
    Some(path)
}

/// What the settings are, whatever their origin is.
fn values(effective: &Effective) -> Vec<(&'static str, Option<String>)> {
    effective.entries().iter().map(|entry| (entry.setting.name, entry.value.as_ref().map(|v| v.to_string()))).collect()
}

fn read(folder: &Path, toml: &[u8], site: &[u8], environment: Vec<(String, String)>) {
    let sources = Sources {
        toml: file(folder, "hjall.toml", toml),
        hbase_site: file(folder, "hbase-site.xml", site),
        environment,
        flags: fixed_addresses(),
    };
    let effective = match Effective::read(&sources) {
        Ok(effective) => effective,
        Err(refused) => {
            assert!(!refused.0.is_empty(), "a refusal gives a reason");
            for wrong in &refused.0 {
                assert!(!wrong.0.trim().is_empty(), "a refusal gives a reason");
            }
            return;
        }
    };
    let startup = StartupOptions::of(&effective).expect("what was read can be used");
    let shown = settings::shown(&effective, &startup);
    let again =
        Sources { toml: file(folder, "shown.toml", shown.as_bytes()), flags: fixed_addresses(), ..Sources::default() };
    match Effective::read(&again) {
        Ok(again) => assert_eq!(values(&effective), values(&again), "{shown}"),
        Err(refused) => panic!("{refused}\n{shown}"),
    }
    let json = settings::json(&effective, &startup);
    serde_json::from_str::<serde_json::Value>(&json).unwrap_or_else(|error| panic!("{error}\n{json}"));
}

fuzz_target!(|bytes: &[u8]| {
    let Some((mode, rest)) = bytes.split_first() else { return };
    let mut parts = rest.splitn(3, |byte| *byte == 0);
    let mut part = || parts.next().unwrap_or_default();
    let (toml, site, variables) = (part(), part(), part());
    FOLDER.with(|folder| {
        let folder = folder.get_or_init(folder_of_process);
        if mode % 2 == 0 {
            let environment = String::from_utf8_lossy(variables);
            let environment = environment.lines().filter_map(|line| line.split_once('='));
            read(folder, toml, site, environment.map(|(name, value)| (name.to_owned(), value.to_owned())).collect());
        } else {
            let environment =
                chosen(variables).filter_map(|(setting, value)| Some((setting.variables().next()?, value)));
            read(folder, &toml_of(toml), &site_of(site), environment.collect());
        }
    });
});
