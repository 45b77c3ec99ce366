//! Environment variables: `HJALL_`, then section and key in capitals.

use super::nearest::nearest;
use super::setting::Setting;
use super::sources::{Assignment, Origin, SettingError};
use super::table;

/// Variables that start with `HJALL_` but are not settings: the two files, those of `hjall shell`, and what tests,
/// benchmarks and the Node package pass to their child processes.
const OTHERS: [&str; 7] = [
    "HJALL_CONFIG",
    "HJALL_HBASE_SITE",
    "HJALL_SHELL_SERVER",
    "HJALL_PASSWORD",
    "HJALL_BIN",
    "HJALL_RELEASE_BIN",
    "HJALL_NODE_ADDON",
];

/// The beginning of the variables that tests pass to their child processes.
const TEST: &str = "HJALL_TEST_";

/// Returns the variables that are settings. Unknown variables that start with `HJALL_`, and settings with two
/// variables, are added to `wrong`.
pub fn read(variables: &[(String, String)], wrong: &mut Vec<SettingError>) -> Vec<Assignment> {
    let mut given: Vec<Assignment> = Vec::new();
    // Scripts unset a variable by making it empty.
    for (name, value) in variables.iter().filter(|(name, value)| name.starts_with("HJALL_") && !value.is_empty()) {
        let Some(setting) = table::ALL.iter().copied().find(|setting| setting.variables().any(|known| known == *name))
        else {
            if !is_foreign(name, value) {
                wrong.push(unknown(name));
            }
            continue;
        };
        let origin = Origin::Environment(name.clone());
        if let Some(other) = given.iter().find(|other| other.setting == setting && other.origin != origin) {
            let why = format!("{name} and {} both set {}; unset one of them", other.origin, setting.name);
            wrong.push(SettingError(why));
        }
        given.push(Assignment::new(setting, value.clone(), origin));
    }
    given
}

/// Whether a variable has another purpose. Kubernetes gives each container the address of each service in its
/// namespace: of a service `hjall`, `HJALL_SERVICE_HOST`, `HJALL_SERVICE_PORT`, `HJALL_PORT=tcp://10.0.0.1:9090`,
/// `HJALL_PORT_9090_TCP_ADDR` and others.
fn is_foreign(name: &str, value: &str) -> bool {
    let of_kubernetes = name.ends_with("_SERVICE_HOST")
        || name.contains("_SERVICE_PORT")
        || ["_TCP", "_UDP", "_SCTP"].iter().any(|protocol| name.contains(&format!("{protocol}_")))
        || ["tcp://", "udp://", "sctp://"].iter().any(|protocol| value.starts_with(protocol));
    OTHERS.contains(&name) || name.starts_with(TEST) || of_kubernetes
}

/// The error does not show the value, which may be a secret of another program.
fn unknown(name: &str) -> SettingError {
    let names: Vec<_> = table::ALL.iter().copied().flat_map(Setting::variables).collect();
    let meant = nearest(name, names.iter().map(String::as_str));
    let remedy = meant.map_or_else(|| "unset it".to_owned(), |meant| format!("did you mean {meant}?"));
    SettingError(format!("{name} is not the variable of a setting; {remedy}"))
}
