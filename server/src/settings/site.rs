//! Reads settings from `hbase-site.xml`, by HBase's keys and in HBase's units.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use roxmltree::{Document, Node};

use super::hbase;
use super::named_file;
use super::protection::Protection;
use super::setting::{Key, SWITCH, Setting};
use super::sources::{Assignment, Notes, Origin, SettingError};
use super::substitution;
use super::table;
use super::text::shown;
use super::value::Kind;

/// The namespace of inclusions of other files, and its usual prefix.
const INCLUSIONS: &str = "http://www.w3.org/2001/XInclude";
const INCLUSIONS_PREFIX: &str = "xi";

const NOT_INCLUDED: &str = "other files are not included; put the properties of that file into this one";

/// A property in the file.
struct Property {
    value: String,
    line: usize,
    /// Whether later ones with the same name are ignored.
    is_final: bool,
}

/// Reads a file. `environment` has the variables that it may refer to. Errors are added to `wrong`, unused keys to
/// `notes`.
pub fn read(
    path: &Path,
    environment: &[(String, String)],
    wrong: &mut Vec<SettingError>,
    notes: &mut Notes,
) -> Vec<Assignment> {
    let refuse = |why: String| SettingError(format!("{}{why}", path.display()));
    let text = match named_file::read_text(path) {
        Ok(text) => text,
        Err(error) => {
            wrong.push(refuse(format!(": cannot be read: {error}")));
            return Vec::new();
        }
    };
    let document = match Document::parse(&text) {
        Ok(document) => document,
        Err(error) => {
            let why = match &error {
                roxmltree::Error::UnknownNamespace(prefix, _) if prefix == INCLUSIONS_PREFIX => {
                    format!("<{prefix}:include>: {NOT_INCLUDED}")
                }
                _ => format!("is not valid XML: {error}"),
            };
            wrong.push(refuse(format!(":{}: {why}", error.pos().row)));
            return Vec::new();
        }
    };
    let root = document.root_element();
    if root.tag_name().name() != "configuration" {
        let found = root.tag_name().name();
        wrong.push(refuse(format!(":1: the root element is <{found}>; it must be <configuration>, as in Hadoop")));
        return Vec::new();
    }
    let mut properties = BTreeMap::<String, Property>::new();
    for node in root.children().filter(Node::is_element) {
        let line = line(&document, &node);
        match property(&node, line) {
            // The first final one of several properties with one name wins, or else the last, as in Hadoop.
            Some((name, property)) => match properties.get(&name) {
                Some(earlier) if earlier.is_final => {
                    if earlier.value != property.value {
                        notes.unused.push(format!(
                            "{}:{line}: {name} is not used, because the one in line {} is final",
                            path.display(),
                            earlier.line
                        ));
                    }
                }
                _ => drop(properties.insert(name, property)),
            },
            None if node.tag_name().namespace() == Some(INCLUSIONS) => {
                let found = node.tag_name().name();
                let file = node.attribute("href").map(|file| format!(" of {file}")).unwrap_or_default();
                wrong.push(refuse(format!(":{line}: <{INCLUSIONS_PREFIX}:{found}>{file}: {NOT_INCLUDED}")));
            }
            None => {
                let found = node.tag_name().name();
                wrong.push(refuse(format!(":{line}: <{found}>: must be <property> with a <name> and a <value>")));
            }
        }
    }
    let values: BTreeMap<_, _> = properties.iter().map(|(name, it)| (name.clone(), it.value.clone())).collect();
    let mut used = BTreeSet::new();
    for property in properties.values_mut() {
        property.value = substitution::resolved(&property.value, &values, environment, &mut used);
    }
    take(path, properties, &used, wrong, notes)
}

fn line(document: &Document<'_>, node: &Node<'_, '_>) -> usize {
    usize::try_from(document.text_pos_at(node.range().start).row).unwrap_or(usize::MAX)
}

/// The name of a property, and the property as it is written.
fn property(node: &Node<'_, '_>, line: usize) -> Option<(String, Property)> {
    let child = |tag| node.children().find(|child| child.has_tag_name(tag));
    let text = |node: Node<'_, '_>| node.text().unwrap_or_default().trim().to_owned();
    if !node.has_tag_name("property") {
        return None;
    }
    let is_final = child("final").is_some_and(|child| text(child) == "true");
    Some((text(child("name")?), Property { value: text(child("value")?), line, is_final }))
}

/// Returns the known keys, and adds the others to `notes`, except for those that are used as variables.
fn take(
    path: &Path,
    mut properties: BTreeMap<String, Property>,
    used: &BTreeSet<String>,
    wrong: &mut Vec<SettingError>,
    notes: &mut Notes,
) -> Vec<Assignment> {
    let mut given = Vec::new();
    for setting in table::ALL.iter() {
        let mut taken = false;
        for key in setting.hbase {
            let Some(Property { value, line, .. }) = properties.remove(key.name) else { continue };
            if taken {
                notes.without_effect.push((key.name.to_owned(), "another key with the same meaning is also set"));
                continue;
            }
            taken = true;
            if let Some(variable) = substitution::variable(&value) {
                let place = format!("{}:{line}: {} = {}", path.display(), key.name, shown(&value));
                wrong.push(SettingError(format!("{place}: {}", substitution::without_value(variable))));
                continue;
            }
            match native(setting, key, &value) {
                Some(text) => {
                    let origin = Origin::HBaseSite(path.to_owned(), line, key.name.to_owned());
                    given.push(Assignment { setting, text, written: value, origin });
                }
                None => {
                    wrong.push(SettingError(format!("{}:{line}: {}", path.display(), expected(setting, key, &value))))
                }
            }
        }
    }
    for (name, Property { value, line, .. }) in properties {
        notes.protections.extend(Protection::of(&format!("{}:{line}", path.display()), &name, &value));
        match hbase::without_effect(&name) {
            Some(why) => notes.without_effect.push((name, why)),
            None if used.contains(&name) => {}
            None => notes.unknown.push((name, line)),
        }
    }
    notes.unknown.sort_by_key(|(_, line)| *line);
    given
}

/// Converts a value from HBase's notation: adds the unit, and turns negative numbers into `off` where that is allowed.
fn native(setting: &Setting, key: &Key, value: &str) -> Option<String> {
    let number = value.parse::<i64>().ok();
    let text = match (setting.kind, number) {
        (Kind::Count { off: true, .. } | Kind::Time { off: true, .. }, Some(..0)) => "off".to_owned(),
        (Kind::Bytes { off: true, .. }, Some(..=0)) => "off".to_owned(),
        (Kind::Time { .. } | Kind::Bytes { .. }, Some(number)) => format!("{number}{}", key.unit),
        (Kind::Time { .. } | Kind::Bytes { .. }, None) => return None,
        (Kind::Choice([off, on]), _) if key.unit == SWITCH => match value {
            "true" => (*on).to_owned(),
            "false" => (*off).to_owned(),
            _ => return None,
        },
        _ => value.to_owned(),
    };
    setting.kind.read(&text).map(|_| text)
}

fn expected(setting: &Setting, key: &Key, value: &str) -> String {
    let unit = match key.unit {
        SWITCH => return format!("{} = {}: must be true or false", key.name, shown(value)),
        "" => String::new(),
        unit => format!(" (in this file, a number without a unit, in {unit})"),
    };
    format!("{} = {}: must be {}{unit}", key.name, shown(value), setting.kind)
}
