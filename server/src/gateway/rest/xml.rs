//! Reads and writes XML as JAXB does, which HBase's gateway uses: unknown elements and attributes are ignored.
//!
//! A document type is refused, so there are no entities to expand.

use std::io::{self, Write};

use quick_xml::XmlVersion;
use quick_xml::escape::escape;
use quick_xml::events::{BytesStart, Event};
use quick_xml::name::ResolveResult;
use quick_xml::reader::NsReader;

use super::error::{Answer, Failure};

/// The deepest nesting of elements.
const DEPTH_MAX: usize = 64;

/// The elements that are the root of some representation. As the root of another one they are a mistake of its own.
const ROOTS: [&str; 12] = [
    "Cell",
    "CellSet",
    "ClusterStatus",
    "ClusterVersion",
    "ColumnSchema",
    "NamespaceProperties",
    "Namespaces",
    "Row",
    "Scanner",
    "TableInfo",
    "TableList",
    "TableSchema",
];

/// The declaration at the beginning of a document.
pub(super) const DECLARATION: &str = r#"<?xml version="1.0" encoding="UTF-8" standalone="yes"?>"#;

/// The attributes of an element, without those of other namespaces.
pub(super) type Attributes = Vec<(String, String)>;

/// Receives the elements of a document. Depth 0 is the root.
pub(super) trait Visitor {
    /// An element begins.
    fn start(&mut self, depth: usize, name: &str, attributes: Attributes) -> Answer<()>;

    /// Text of the element at this depth.
    fn text(&mut self, depth: usize, text: &str) -> Answer<()>;

    /// The element at this depth ends.
    fn end(&mut self, depth: usize, name: &str) -> Answer<()>;
}

/// Reads a document with this root.
pub(super) fn read(body: &[u8], root: &str, visitor: &mut dyn Visitor) -> Answer<()> {
    let text = std::str::from_utf8(body).map_err(|_| Failure::Page(400))?;
    let mut reader = NsReader::from_str(text.strip_prefix('\u{feff}').unwrap_or(text));
    reader.config_mut().expand_empty_elements = true;
    let mut names: Vec<String> = Vec::new();
    let mut has_ended = false;
    loop {
        let event = reader.read_resolved_event().map_err(|_| Failure::Page(400))?;
        match event {
            (namespace, Event::Start(start)) => {
                let depth = names.len();
                if has_ended || depth >= DEPTH_MAX {
                    return Err(Failure::Page(400));
                }
                let is_plain = namespace == ResolveResult::Unbound;
                let name = if is_plain { start.local_name().as_ref().to_owned() } else { String::new() };
                check_root(depth, &name, root)?;
                visitor.start(depth, &name, attributes(&start)?)?;
                names.push(name);
            }
            (_, Event::End(_)) => {
                let name = names.pop().ok_or(Failure::Page(400))?;
                visitor.end(names.len(), &name)?;
                has_ended = names.is_empty();
            }
            (_, Event::Text(text)) => content(&names, &text.xml10_content(), visitor)?,
            (_, Event::CData(text)) if !names.is_empty() => visitor.text(names.len() - 1, &text.xml10_content())?,
            (_, Event::GeneralRef(reference)) if !names.is_empty() => {
                let character = reference.resolve_char_ref().map_err(|_| Failure::Page(400))?;
                let resolved = match character {
                    Some(character) => character.to_string(),
                    None => quick_xml::escape::resolve_xml_entity(&reference.xml10_content())
                        .ok_or(Failure::Page(400))?
                        .to_owned(),
                };
                visitor.text(names.len() - 1, &resolved)?;
            }
            (_, Event::Eof) => return if has_ended { Ok(()) } else { Err(Failure::Page(400)) },
            (_, Event::Comment(_) | Event::Decl(_) | Event::PI(_)) => {}
            (_, Event::DocType(_) | Event::CData(_) | Event::GeneralRef(_) | Event::Empty(_)) => {
                return Err(Failure::Page(400));
            }
        }
    }
}

fn check_root(depth: usize, name: &str, root: &str) -> Answer<()> {
    match name {
        name if depth > 0 || name == root => Ok(()),
        name if ROOTS.contains(&name) => Err(Failure::bad(format!("the root is {name}, not {root}"))),
        _ => Err(Failure::Page(400)),
    }
}

fn content(names: &[String], text: &str, visitor: &mut dyn Visitor) -> Answer<()> {
    match names.len() {
        0 if text.trim().is_empty() => Ok(()),
        0 => Err(Failure::Page(400)),
        depth => visitor.text(depth - 1, text),
    }
}

fn attributes(start: &BytesStart<'_>) -> Answer<Attributes> {
    let mut all = Vec::new();
    for attribute in start.attributes() {
        let attribute = attribute.map_err(|_| Failure::Page(400))?;
        let name = attribute.key.as_ref();
        if name == "xmlns" || name.contains(':') {
            continue;
        }
        let value = attribute.normalized_value(XmlVersion::Implicit1_0).map_err(|_| Failure::Page(400))?;
        all.push((name.to_owned(), value.into_owned()));
    }
    Ok(all)
}

/// The value of an attribute.
pub(super) fn attribute<'a>(attributes: &'a Attributes, name: &str) -> Option<&'a str> {
    attributes.iter().find(|(known, _)| known == name).map(|(_, value)| &**value)
}

/// Decodes base64 as JAXB does: characters outside of the alphabet are ignored, and so is an incomplete end.
pub(super) fn base64(text: &str) -> Vec<u8> {
    let (mut bytes, mut quad, mut count, mut padding) = (Vec::with_capacity(text.len() / 4 * 3), 0_u32, 0, 0);
    for byte in text.bytes() {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            b'=' => {
                padding += 1;
                0
            }
            _ => continue,
        };
        quad = quad << 6 | u32::from(value);
        count += 1;
        if count == 4 {
            let [_, triple @ ..] = quad.to_be_bytes();
            bytes.extend(triple.iter().take(3 - padding.min(3)));
            (quad, count, padding) = (0, 0, 0);
        }
    }
    bytes
}

/// Writes an element with these attributes. Names that XML does not allow are left out.
pub(super) fn open(out: &mut dyn Write, name: &str, attributes: &[(&str, &str)], empty: bool) -> io::Result<()> {
    write!(out, "<{name}")?;
    for (key, value) in attributes.iter().filter(|(key, _)| is_name(key)) {
        write!(out, " {key}=\"{}\"", escape(printable(value)))?;
    }
    out.write_all(if empty { b"/>" } else { b">" })
}

/// Writes an element that contains a text.
pub(super) fn text(out: &mut dyn Write, name: &str, text: &str) -> io::Result<()> {
    write!(out, "<{name}>{}</{name}>", escape(printable(text)))
}

fn is_name(name: &str) -> bool {
    let begins = |c: char| c.is_alphabetic() || c == '_';
    let continues = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    name.starts_with(begins) && name.chars().all(continues)
}

/// The text without the control characters that XML cannot contain.
fn printable(text: &str) -> String {
    let is_allowed = |c: char| c >= ' ' && !matches!(c, '\u{fffe}' | '\u{ffff}') || matches!(c, '\t' | '\n' | '\r');
    text.chars().map(|c| if is_allowed(c) { c } else { '\u{fffd}' }).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[derive(Default)]
    struct Log(String);

    impl Visitor for Log {
        fn start(&mut self, depth: usize, name: &str, attributes: Attributes) -> Answer<()> {
            self.0.push_str(&format!("{depth}<{name} {attributes:?}"));
            Ok(())
        }

        fn text(&mut self, _: usize, text: &str) -> Answer<()> {
            self.0.push_str(text);
            Ok(())
        }

        fn end(&mut self, depth: usize, name: &str) -> Answer<()> {
            self.0.push_str(&format!("{depth}>{name}"));
            Ok(())
        }
    }

    fn of(text: &str) -> Result<String, String> {
        let mut log = Log::default();
        read(text.as_bytes(), "CellSet", &mut log).map(|()| log.0).map_err(|failure| failure.to_string())
    }

    #[test]
    fn documents_are_read_with_their_references() {
        let read =
            of("<?xml version='1.0'?><!-- c --><CellSet a='&lt;&#65;'>x&amp;y<b/><![CDATA[<z>]]></CellSet>\n").unwrap();
        assert_eq!(read, r#"0<CellSet [("a", "<A")]x&y1<b []1>b<z>0>CellSet"#);
    }

    #[test]
    fn what_is_not_well_formed_is_refused() {
        let deep = format!("<CellSet>{}{}</CellSet>", "<a>".repeat(100), "</a>".repeat(100));
        let bomb = "<!DOCTYPE x [<!ENTITY a 'aa'><!ENTITY b '&a;&a;'>]><CellSet>&b;</CellSet>";
        for wrong in [
            "",
            "nonsense",
            "<CellSet",
            "<CellSet>",
            "<CellSet></Other>",
            "<CellSet/><CellSet/>",
            "<CellSet/>x",
            "<Nope/>",
            "<x:CellSet xmlns:x='urn:x'/>",
            "<CellSet xmlns='urn:x'/>",
            "<CellSet>&unknown;</CellSet>",
            "<CellSet a='1' a='2'/>",
            "<CellSet a='&unknown;'/>",
            &deep,
            bomb,
        ] {
            assert_eq!(of(wrong), Err("status 400".to_owned()), "{wrong}");
        }
        assert!(of("<Row/>").unwrap_err().contains("the root is Row, not CellSet"));
    }

    #[test]
    fn base64_is_read_as_leniently_as_by_jaxb() {
        for (text, bytes) in [
            ("Zm9v", "foo"),
            (" Zm\n9v ", "foo"),
            ("Zm8=", "fo"),
            ("Zg==", "f"),
            ("Z-m9v", "foo"),
            ("Zm9vZ", "foo"),
            ("", ""),
        ] {
            assert_eq!(base64(text), bytes.as_bytes(), "{text}");
        }
    }

    #[test]
    fn names_and_characters_that_xml_cannot_contain_are_left_out() {
        let mut out = Vec::new();
        open(&mut out, "t", &[("a", "\"<\u{1}"), ("b c", "x"), ("hbase.x-y", "z")], true).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), "<t a=\"&quot;&lt;\u{fffd}\" hbase.x-y=\"z\"/>");
    }
}
