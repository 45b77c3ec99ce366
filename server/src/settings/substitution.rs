//! Variables in the values of `hbase-site.xml`, by the rules of Hadoop's `Configuration`: `${name}` stands for another
//! property, `${env.NAME}` for an environment variable. Java's system properties do not exist here.

use std::collections::{BTreeMap, BTreeSet};

/// The number of variables that are replaced in one value.
const ROUNDS_MAX: usize = 20;

/// A value with its variables replaced, whose names are added to `used`. It still contains a variable if that has no
/// value, or if variables refer to each other in a cycle.
pub fn resolved(
    raw: &str,
    properties: &BTreeMap<String, String>,
    environment: &[(String, String)],
    used: &mut BTreeSet<String>,
) -> String {
    let mut value = raw.to_owned();
    for _ in 0..ROUNDS_MAX {
        let Some(name) = variable(&value) else { break };
        let found = match name.strip_prefix("env.").filter(|of| !of.is_empty()) {
            Some(of) => from_environment(of, environment).or_else(|| properties.get(name).map(String::as_str)),
            None => properties.get(name).map(String::as_str),
        };
        let (Some(found), written) = (found, format!("${{{name}}}")) else { break };
        used.insert(name.to_owned());
        if found.contains(&written) {
            return raw.to_owned();
        }
        // The first occurrence is the one that was found: an earlier one would have been, too.
        value = value.replacen(&written, found, 1);
    }
    value
}

/// The name of the first variable in a value.
pub fn variable(value: &str) -> Option<&str> {
    let mut rest = value;
    while let Some((_, after)) = rest.split_once("${") {
        // Names have neither spaces nor `$`. So the inner one of nested variables is found.
        match after.find(['}', ' ', '$']) {
            Some(end) if end > 0 && after[end..].starts_with('}') => return Some(&after[..end]),
            _ => rest = after,
        }
    }
    None
}

/// What is wrong with a value that still contains a variable.
pub fn without_value(name: &str) -> String {
    match name.strip_prefix("env.").filter(|of| !of.is_empty()) {
        Some(of) => {
            let of = of.split_once(":-").or_else(|| of.split_once('-')).map_or(of, |(of, _)| of);
            format!(
                "the variable ${{{name}}} has no value; set {of} in the environment, or give a default: ${{env.{of}:-VALUE}}"
            )
        }
        None => format!(
            "the variable ${{{name}}} has no value, or refers to itself; add the property {name} to this file, or write the value"
        ),
    }
}

/// The value of `NAME`, `NAME:-DEFAULT` (if the variable is unset or empty) or `NAME-DEFAULT` (if it is unset).
fn from_environment<'a>(of: &'a str, environment: &'a [(String, String)]) -> Option<&'a str> {
    let get = |name: &str| environment.iter().find(|(given, _)| given == name).map(|(_, value)| value.as_str());
    match of.split_once('-') {
        Some((name, default)) => match name.strip_suffix(':') {
            Some(name) => get(name).filter(|value| !value.is_empty()).or(Some(default)),
            None => get(name).or(Some(default)),
        },
        None => get(of),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(raw: &str) -> String {
        let pairs =
            |pairs: &[(&str, &str)]| pairs.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect::<Vec<_>>();
        let properties = pairs(&[
            ("a", "1"),
            ("b", "${a}2"),
            ("one", "a"),
            ("self", "x${self}"),
            ("ping", "${pong}"),
            ("pong", "${ping}"),
            ("env.IN_FILE", "file"),
        ]);
        let environment = pairs(&[("SET", "s"), ("EMPTY", "")]);
        resolved(raw, &properties.into_iter().collect(), &environment, &mut BTreeSet::new())
    }

    #[test]
    fn variables_are_replaced_as_in_hadoop() {
        for (raw, expected) in [
            ("plain", "plain"),
            ("${a}", "1"),
            ("<${b}|${a}>", "<12|1>"),
            ("${${one}}", "1"),
            ("${env.SET}${env.EMPTY}", "s"),
            ("${env.EMPTY:-d}${env.EMPTY-d}${env.NONE:-e}${env.NONE-f}", "def"),
            ("${env.SET:-d}${env.SET-d}", "ss"),
            ("${env.NONE-a-b}", "a-b"),
            ("${env.IN_FILE}", "file"),
            ("${none} ${a}", "${none} ${a}"),
            ("${a} ${none} ${a}", "1 ${none} ${a}"),
            ("${}", "${}"),
            ("$a {a} ${a", "$a {a} ${a"),
            ("${a b}${a}", "${a b}1"),
            ("${self}", "${self}"),
        ] {
            assert_eq!(value(raw), expected, "{raw}");
        }
        assert!(variable(&value("${ping}")).is_some());
        assert_eq!(value(&"${a}".repeat(20)), "1".repeat(20));
        assert!(variable(&value(&"${a}".repeat(21))).is_some());
    }
}
