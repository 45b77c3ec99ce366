//! Environment variables: `HJALL_`, then section and key in capitals.

use super::given::{Given, Notes, Origin};
use super::nearest::nearest;
use super::table;

/// Variables (or prefixes) that start with `HJALL_` but are not settings: the two files, the binary under test,
/// and data that tests pass to their child processes.
const OTHERS: [&str; 4] = ["HJALL_CONFIG", "HJALL_HBASE_SITE", "HJALL_BIN", "HJALL_TEST_"];

/// Returns the variables that are settings. Unknown variables that start with `HJALL_` are added to `notes`.
pub fn read(variables: &[(String, String)], notes: &mut Notes) -> Vec<Given> {
    let names: Vec<_> = table::ALL.iter().map(|setting| (setting.variable(), setting)).collect();
    let mut given = Vec::new();
    for (name, value) in variables.iter().filter(|(name, _)| name.starts_with("HJALL_")) {
        match names.iter().find(|(known, _)| known == name) {
            // An empty variable is how scripts unset one.
            Some(_) if value.is_empty() => {}
            Some((_, setting)) => {
                given.push(Given { setting, text: value.clone(), origin: Origin::Environment(name.clone()) });
            }
            None if OTHERS.iter().any(|other| name.starts_with(other)) => {}
            None => {
                let meant = nearest(name, names.iter().map(|(name, _)| name.as_str()));
                notes.variables.push((name.clone(), meant.map(str::to_owned)));
            }
        }
    }
    given
}
