//! Reads and writes XML as JAXB does, which HBase's gateway uses: unknown elements and attributes are ignored.
//!
//! A document type is refused, so there are no entities to expand.

use std::fmt;
use std::io::{self, Write};

use hjall_engine::quote::{self, Quoted};
use quick_xml::escape::escape;
use quick_xml::events::{BytesDecl, BytesStart, Event};
use quick_xml::name::{NamespaceError, ResolveResult};
use quick_xml::reader::NsReader;
use quick_xml::{Error, XmlVersion};

use super::error::{Answer, Failure};

/// The deepest nesting of elements.
const DEPTH_MAX: usize = 64;
/// The most attributes of an element. The parser keeps their places, to find repeated ones.
const ATTRIBUTES_MAX: usize = 64 << 10;

/// The elements that are the root of some representation. As the root of another one they have a separate error.
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
    /// Whether an attribute of this name is kept. The others take no memory.
    fn keeps(&self, _attribute: &str) -> bool {
        true
    }

    /// An element begins. Returns whether it is known: unknown elements are ignored with all that they contain.
    fn start(&mut self, depth: usize, name: &str, attributes: Attributes) -> Answer<bool>;

    /// Text of the element at this depth.
    fn text(&mut self, depth: usize, text: &str) -> Answer<()>;

    /// The element at this depth ends.
    fn end(&mut self, depth: usize, name: &str) -> Answer<()>;
}

/// The failure for a body that is not a document.
fn malformed(reason: impl fmt::Display) -> Failure {
    Failure::Page(400, format!("the body is not XML: {}", Quoted(reason)))
}

/// The failure for what the parser refuses. Some of its texts name functions for programs that use it.
fn unreadable(error: Error) -> Failure {
    match error {
        Error::Namespace(NamespaceError::TooManyBindings(max)) => {
            malformed(format_args!("more than {max} namespaces are declared at once; declare fewer"))
        }
        other => malformed(other),
    }
}

/// Reads a document with this root.
pub(super) fn read(body: &[u8], root: &str, visitor: &mut dyn Visitor) -> Answer<()> {
    let text = std::str::from_utf8(body).map_err(malformed)?;
    if let Some(at) = text.find(|c| !is_allowed(c)) {
        return Err(malformed(format_args!("the character at byte {at} is not allowed")));
    }
    let mut reader = NsReader::from_str(text.strip_prefix('\u{feff}').unwrap_or(text));
    reader.config_mut().expand_empty_elements = true;
    let mut names: Vec<String> = Vec::new();
    // The depth of the unknown element that is being ignored.
    let mut unknown: Option<usize> = None;
    let mut has_ended = false;
    loop {
        let event = reader.read_resolved_event().map_err(unreadable)?;
        match event {
            (namespace, Event::Start(start)) => {
                let depth = names.len();
                if has_ended {
                    return Err(malformed("there is an element behind the root"));
                }
                if depth >= DEPTH_MAX {
                    return Err(malformed(format_args!("elements are nested more than {DEPTH_MAX} levels deep")));
                }
                let is_plain = namespace == ResolveResult::Unbound;
                let name = if is_plain { start.local_name().as_ref().to_owned() } else { String::new() };
                check_root(depth, &name, root)?;
                let attributes = attributes(&start, &|name| unknown.is_none() && visitor.keeps(name))?;
                if unknown.is_none() && !visitor.start(depth, &name, attributes)? {
                    unknown = Some(depth);
                }
                names.push(name);
            }
            (_, Event::End(_)) => {
                let name = names.pop().ok_or_else(|| malformed("an end tag has no start tag"))?;
                match unknown {
                    None => visitor.end(names.len(), &name)?,
                    Some(depth) if depth == names.len() => unknown = None,
                    Some(_) => {}
                }
                has_ended = names.is_empty();
            }
            (_, Event::Text(text)) => content(&names, unknown, &text.xml10_content(), visitor)?,
            (_, Event::CData(text)) if !names.is_empty() => content(&names, unknown, &text.xml10_content(), visitor)?,
            (_, Event::GeneralRef(reference)) if !names.is_empty() => {
                let character = reference.resolve_char_ref().map_err(malformed)?;
                let resolved = match character {
                    Some(character) if is_allowed(character) => character.to_string(),
                    Some(_) => return Err(malformed("it refers to a character that is not allowed")),
                    None => quick_xml::escape::resolve_xml_entity(&reference.xml10_content())
                        .ok_or_else(|| malformed("it refers to an entity that XML does not define"))?
                        .to_owned(),
                };
                content(&names, unknown, &resolved, visitor)?;
            }
            (_, Event::Eof) => {
                return if has_ended { Ok(()) } else { Err(malformed("it ends before the root does")) };
            }
            (_, Event::Decl(declaration)) => check_encoding(&declaration)?,
            (_, Event::Comment(_) | Event::PI(_)) => {}
            (_, Event::DocType(_)) => return Err(malformed("a document type is not accepted")),
            (_, Event::CData(_) | Event::GeneralRef(_) | Event::Empty(_)) => {
                return Err(malformed("there is text outside of the root"));
            }
        }
    }
}

fn check_encoding(declaration: &BytesDecl<'_>) -> Answer<()> {
    match declaration.encoding().transpose().map_err(malformed)? {
        Some(name) if !["utf-8", "utf8", "us-ascii"].iter().any(|known| name.eq_ignore_ascii_case(known)) => Err(
            malformed(format_args!("its encoding is declared as {}; only UTF-8 is read", quote::escaped_text(&name))),
        ),
        _ => Ok(()),
    }
}

fn check_root(depth: usize, name: &str, root: &str) -> Answer<()> {
    match name {
        name if depth > 0 || name == root => Ok(()),
        name if ROOTS.contains(&name) => Err(Failure::bad(format!("the root is {name}, not {root}"))),
        _ => Err(Failure::Page(
            400,
            format!("the body is not a {root} in XML: its root must be {root}, without a namespace"),
        )),
    }
}

fn content(names: &[String], unknown: Option<usize>, text: &str, visitor: &mut dyn Visitor) -> Answer<()> {
    match names.len() {
        0 if text.trim().is_empty() => Ok(()),
        0 => Err(malformed("there is text outside of the root")),
        _ if unknown.is_some() => Ok(()),
        depth => visitor.text(depth - 1, text),
    }
}

fn attributes(start: &BytesStart<'_>, keeps: &dyn Fn(&str) -> bool) -> Answer<Attributes> {
    let mut all = Vec::new();
    for (count, attribute) in start.attributes().enumerate() {
        let attribute = attribute.map_err(malformed)?;
        if count >= ATTRIBUTES_MAX {
            return Err(malformed(format_args!("an element has more than {ATTRIBUTES_MAX} attributes")));
        }
        let name = attribute.key.as_ref();
        if name == "xmlns" || name.contains(':') {
            continue;
        }
        let value = attribute.normalized_value(XmlVersion::Implicit1_0).map_err(malformed)?;
        if keeps(name) {
            all.push((name.to_owned(), value.into_owned()));
        }
    }
    Ok(all)
}

/// The value of an attribute.
pub(super) fn attribute<'a>(attributes: &'a Attributes, name: &str) -> Option<&'a str> {
    attributes.iter().find(|(known, _)| known == name).map(|(_, value)| &**value)
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
    text.chars().map(|c| if is_allowed(c) { c } else { '\u{fffd}' }).collect()
}

/// Whether XML can contain a character.
fn is_allowed(c: char) -> bool {
    c >= ' ' && !matches!(c, '\u{fffe}' | '\u{ffff}') || matches!(c, '\t' | '\n' | '\r')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Default)]
    struct Log(String);

    impl Visitor for Log {
        fn start(&mut self, depth: usize, name: &str, attributes: Attributes) -> Answer<bool> {
            self.0.push_str(&format!("{depth}<{name} {attributes:?}"));
            Ok(name != "Unknown")
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
        read(text.as_bytes(), "CellSet", &mut log).map(|()| log.0).map_err(|failure| failure.reason())
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
            "<CellSet>\u{1}</CellSet>",
            "<CellSet>&#1;</CellSet>",
            &deep,
            bomb,
        ] {
            let error = of(wrong).unwrap_err();
            assert!(error.starts_with("the body is not "), "{wrong}: {error}");
        }
        assert!(of("<Row/>").unwrap_err().contains("the root is Row, not CellSet"));
    }

    #[test]
    fn unknown_elements_are_ignored_with_their_content() {
        let read = of("<CellSet><Row>a<Unknown><Row>b</Row>c</Unknown>d</Row><Unknown/></CellSet>").unwrap();
        assert_eq!(read, "0<CellSet []1<Row []a2<Unknown []d1>Row1<Unknown []0>CellSet");
    }

    #[test]
    fn remedies_are_for_clients() {
        let many: String = (0..100_000).map(|number| format!(" xmlns:a{number}='urn:x'")).collect();
        let error = of(&format!("<CellSet{many}/>")).unwrap_err();
        assert!(error.contains("declare fewer") && !error.contains("NamespaceResolver"), "{error}");
    }

    #[test]
    fn long_names_are_shortened() {
        let long = "\u{80}".repeat(1 << 20);
        for wrong in [
            format!("<CellSet><a{long}></b{long}></CellSet>"),
            format!("<CellSet a='&{long};'/>"),
            format!("<?xml version='1.0' encoding='{long}'?><CellSet/>"),
        ] {
            let error = of(&wrong).unwrap_err();
            assert!(error.contains('…') && error.len() < 10_000, "{}", error.len());
        }
    }

    #[test]
    fn only_utf8_is_read() {
        for known in ["UTF-8", "utf-8", "US-ASCII"] {
            assert!(of(&format!("<?xml version='1.0' encoding='{known}'?><CellSet/>")).is_ok(), "{known}");
        }
        for other in ["UTF-16", "ISO-8859-1", "windows-1252"] {
            let error = of(&format!("<?xml version='1.0' encoding='{other}'?><CellSet/>")).unwrap_err();
            assert!(error.contains("only UTF-8 is read"), "{error}");
        }
    }

    #[test]
    fn names_and_characters_that_xml_cannot_contain_are_left_out() {
        let mut out = Vec::new();
        open(&mut out, "t", &[("a", "\"<\u{1}"), ("b c", "x"), ("hbase.x-y", "z")], true).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), "<t a=\"&quot;&lt;\u{fffd}\" hbase.x-y=\"z\"/>");
    }
}
