//! Reads settings from a TOML file.

use std::path::Path;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::named_file;
use super::nearest::nearest;
use super::setting::Setting;
use super::sources::{Assignment, Origin, SettingError};
use super::table;
use super::text::shown;
use super::toml_text::{duplicate, in_order, line, strings};
use super::value::Kind;

/// Reads a file. All errors in it are added to `wrong`.
pub fn read(path: &Path, wrong: &mut Vec<SettingError>) -> Vec<Assignment> {
    let text = match named_file::read_text(path) {
        Ok(text) => text,
        Err(error) => {
            wrong.push(SettingError(format!("{}: cannot be read: {error}", path.display())));
            return Vec::new();
        }
    };
    let mut file = File { path, text: &text, given: Vec::new(), wrong };
    match DeTable::parse(&text) {
        Ok(root) => file.sections(root.get_ref()),
        Err(error) => {
            let line = error.span().map_or(1, |span| line(&text, span.start));
            let why = duplicate(&text, &error).unwrap_or_else(|| error.message().trim().to_owned());
            file.refuse(line, &format!("is not valid TOML: {why}"));
        }
    }
    file.given
}

struct File<'a> {
    path: &'a Path,
    text: &'a str,
    given: Vec<Assignment>,
    wrong: &'a mut Vec<SettingError>,
}

impl File<'_> {
    fn sections(&mut self, root: &DeTable<'_>) {
        for (section, inside) in in_order(root) {
            let line = line(self.text, section.span().start);
            let section = section.get_ref().as_ref();
            let known = table::sections().any(|known| known == section);
            match inside.get_ref() {
                DeValue::Table(keys) if known => self.keys(section, keys),
                DeValue::Table(_) => {
                    let meant = nearest(section, table::sections()).map(|name| format!("[{name}]"));
                    self.unknown(line, &format!("[{section}]"), "a section", meant);
                }
                _ => self.unknown_setting(line, section),
            }
        }
    }

    fn keys(&mut self, section: &str, keys: &DeTable<'_>) {
        for (key, value) in in_order(keys) {
            let line = line(self.text, key.span().start);
            let name = format!("{section}.{}", key.get_ref());
            let Some(setting) = table::find(&name) else {
                self.unknown_setting(line, &name);
                continue;
            };
            let written = self.text.get(value.span()).unwrap_or("this value");
            match text(&setting.kind, value) {
                Some(text) => {
                    let (written, origin) = (written.to_owned(), Origin::Toml(self.path.to_owned(), line));
                    self.given.push(Assignment { setting, text, written, origin });
                }
                None => self.refuse(line, &must(setting, written)),
            }
        }
    }

    fn unknown_setting(&mut self, line: usize, name: &str) {
        let meant = nearest(name, table::ALL.iter().map(|setting| setting.name)).map(str::to_owned);
        self.unknown(line, name, "a setting", meant);
    }

    fn unknown(&mut self, line: usize, wrong: &str, what: &str, meant: Option<String>) {
        let remedy = meant.map_or_else(
            || "`hjall config --default` lists all settings".to_owned(),
            |meant| format!("did you mean {meant}?"),
        );
        self.refuse(line, &format!("{wrong} is not {what}; {remedy}"));
    }

    fn refuse(&mut self, line: usize, why: &str) {
        self.wrong.push(SettingError(format!("{}:{line}: {why}", self.path.display())));
    }
}

/// The error message for an invalid value.
pub fn must(setting: &Setting, given: &str) -> String {
    format!("{} = {}: must be {}", setting.name, shown(given), setting.kind)
}

/// Converts a TOML value to the text form that all layers share. Returns `None` if its type does not match the
/// kind of the setting.
fn text(kind: &Kind, value: &Spanned<DeValue<'_>>) -> Option<String> {
    match (kind, value.get_ref()) {
        (Kind::Bool | Kind::Choice(_), DeValue::Boolean(yes)) => Some(yes.to_string()),
        (
            Kind::Count { .. } | Kind::Bytes { .. } | Kind::Ratio { .. } | Kind::Time { .. },
            DeValue::Integer(number),
        ) => i128::from_str_radix(number.as_str(), number.radix()).ok().map(|number| number.to_string()),
        (Kind::Ratio { .. }, DeValue::Float(number)) => Some(number.as_str().to_owned()),
        (Kind::Bool | Kind::Ratio { .. }, _) => None,
        (Kind::Count { .. }, DeValue::String(word)) => word.eq_ignore_ascii_case("off").then(|| word.to_string()),
        (Kind::Addresses | Kind::Origins | Kind::Hosts, list @ DeValue::Array(_)) => {
            strings(list).map(|texts| texts.join(","))
        }
        (_, DeValue::String(text)) => Some(text.to_string()),
        _ => None,
    }
}
