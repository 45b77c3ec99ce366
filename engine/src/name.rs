//! Names of tables, namespaces and families, and the rules for them (HBase's `TableName` and
//! `ColumnFamilyDescriptorBuilder`).

use std::borrow::Cow;
use std::fmt;

use crate::error::{Error, Result};
use crate::quote;

/// The namespace of tables whose name contains none.
pub const DEFAULT_NAMESPACE: &str = "default";
/// The namespace of system tables.
pub const SYSTEM_NAMESPACE: &str = "hbase";
/// The longest name of a table or a namespace, in bytes. A stored key, which holds the name, has no room for more.
pub const NAME_LENGTH_MAX: usize = u16::MAX as usize;
/// The longest family name, in bytes.
pub const FAMILY_LENGTH_MAX: usize = 127;

/// The name of a table: namespace and qualifier. HBase lists tables in the order of [`TableName::with_namespace`],
/// which is not quite this type's.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TableName {
    /// Borrowed for the default namespace, so that most names are copied with one allocation.
    namespace: Cow<'static, str>,
    qualifier: String,
}

impl TableName {
    /// A name as clients write it: `qualifier` or `namespace:qualifier`, in UTF-8.
    ///
    /// # Errors
    /// `InvalidArgument` with HBase's text if it is empty or either part is illegal, or if it is longer than
    /// [`NAME_LENGTH_MAX`].
    pub fn parse(full: &[u8]) -> Result<Self> {
        if full.is_empty() {
            return Err(Error::invalid("Table qualifier must not be empty")
                .with_remedy("a table name has at least one character"));
        }
        match full.iter().position(|&b| b == b':') {
            Some(colon) => Self::checked(&full[..colon], &full[colon + 1..]),
            None => Self::checked(DEFAULT_NAMESPACE.as_bytes(), full),
        }
    }

    /// A name from its two parts; an empty namespace is `default`.
    ///
    /// # Errors
    /// `InvalidArgument` with HBase's text if either part is illegal, or if both are longer than [`NAME_LENGTH_MAX`]; a
    /// qualifier cannot contain a colon.
    pub fn new(namespace: impl AsRef<[u8]>, qualifier: impl AsRef<[u8]>) -> Result<Self> {
        let namespace = match namespace.as_ref() {
            b"" => DEFAULT_NAMESPACE.as_bytes(),
            bytes => bytes,
        };
        Self::checked(namespace, qualifier.as_ref())
    }

    /// `hbase:meta`, the table that lists the others.
    pub fn meta() -> Self {
        Self { namespace: Cow::Borrowed(SYSTEM_NAMESPACE), qualifier: "meta".to_owned() }
    }

    /// Nothing is copied before it has been checked: it may be as long as a message can be.
    fn checked(namespace: &[u8], qualifier: &[u8]) -> Result<Self> {
        check_namespace_bytes(namespace)?;
        check_qualifier(qualifier)?;
        let namespace = match String::from_utf8_lossy(namespace) {
            Cow::Borrowed(DEFAULT_NAMESPACE) => {
                check_length("a table", qualifier.len())?;
                Cow::Borrowed(DEFAULT_NAMESPACE)
            }
            other => {
                check_length("a table", other.len() + 1 + qualifier.len())?;
                Cow::Owned(other.into_owned())
            }
        };
        Ok(Self { namespace, qualifier: String::from_utf8_lossy(qualifier).into_owned() })
    }

    /// The namespace; `default` if none was given.
    pub fn namespace(&self) -> &str {
        &self.namespace
    }

    /// The name inside its namespace.
    pub fn qualifier(&self) -> &str {
        &self.qualifier
    }

    /// Whether it is `hbase:meta`.
    pub fn is_meta(&self) -> bool {
        self.namespace == SYSTEM_NAMESPACE && self.qualifier == "meta"
    }

    /// Whether it lies in the namespace of system tables.
    pub fn is_system(&self) -> bool {
        self.namespace == SYSTEM_NAMESPACE
    }

    /// `namespace:qualifier`, even in the default namespace. Lists of tables are sorted by it.
    pub fn with_namespace(&self) -> String {
        format!("{}:{}", self.namespace, self.qualifier)
    }
}

/// The canonical form: without the namespace if that is `default`.
impl fmt::Display for TableName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.namespace == DEFAULT_NAMESPACE {
            f.write_str(&self.qualifier)
        } else {
            write!(f, "{}:{}", self.namespace, self.qualifier)
        }
    }
}

/// First code points of the groups of ten decimal digits in the Basic Multilingual Plane (Unicode category Nd). Java
/// accepts letters and decimal digits, whereas Rust's `is_numeric` also accepts fractions and superscripts.
const DIGIT_ZEROS: [u32; 37] = [
    0x30, 0x660, 0x6F0, 0x7C0, 0x966, 0x9E6, 0xA66, 0xAE6, 0xB66, 0xBE6, 0xC66, 0xCE6, 0xD66, 0xDE6, 0xE50, 0xED0,
    0xF20, 0x1040, 0x1090, 0x17E0, 0x1810, 0x1946, 0x19D0, 0x1A80, 0x1A90, 0x1B50, 0x1BB0, 0x1C40, 0x1C50, 0xA620,
    0xA8D0, 0xA900, 0xA9D0, 0xA9F0, 0xAA50, 0xABF0, 0xFF10,
];

/// Java checks UTF-16 units one by one, so it accepts no letter beyond the Basic Multilingual Plane.
fn is_letter_or_digit(unit: u16) -> bool {
    let code = u32::from(unit);
    char::from_u32(code).is_some_and(char::is_alphabetic)
        || DIGIT_ZEROS.iter().any(|&zero| (zero..zero + 10).contains(&code))
}

fn unit_text(unit: u16) -> String {
    String::from_utf16_lossy(&[unit])
}

/// The UTF-16 units of the text of these bytes.
fn units(bytes: &[u8]) -> impl Iterator<Item = u16> + '_ {
    let replacement = |invalid: &[u8]| (!invalid.is_empty()).then_some(0xFFFD);
    bytes.utf8_chunks().flat_map(move |chunk| chunk.valid().encode_utf16().chain(replacement(chunk.invalid())))
}

fn check_length(what: &str, length: usize) -> Result<()> {
    if length <= NAME_LENGTH_MAX {
        return Ok(());
    }
    Err(Error::invalid(format!(
        "the name of {what} has {length} bytes, and may have at most {NAME_LENGTH_MAX}: shorten it"
    )))
}

fn check_qualifier(qualifier: &[u8]) -> Result<()> {
    match qualifier {
        b"" => {
            return Err(Error::invalid("Table qualifier must not be empty")
                .with_remedy("a table name is \"table\" or \"namespace:table\""));
        }
        b"-ROOT-" => return Err(Error::invalid("-ROOT- has been deprecated.").with_remedy("name another table")),
        b".META." => return Err(Error::invalid(".META. no longer exists. The table has been renamed to hbase:meta")),
        b"zookeeper" => {
            return Err(Error::invalid("Tables may not be named 'zookeeper'")
                .with_remedy("HBase reserves the name; choose another one"));
        }
        _ => {}
    }
    if let Some(first @ (b'.' | b'-')) = qualifier.first() {
        return Err(Error::invalid(format!(
            "Illegal first character <{first}> at 0. User-space table qualifiers can only start with 'alphanumeric characters' from any language: {}",
            quote::utf8(qualifier)
        ))
        .with_remedy("begin it with a letter, a digit or an underscore"));
    }
    for (at, unit) in units(qualifier).enumerate() {
        if !is_letter_or_digit(unit) && !matches!(unit, 0x5F | 0x2D | 0x2E) {
            return Err(Error::invalid(format!(
                "Illegal character code:{unit}, <{}> at {at}. User-space table qualifiers may only contain 'alphanumeric characters' and digits: {}",
                unit_text(unit),
                quote::utf8(qualifier)
            ))
            .with_remedy("use letters, digits, underscores, hyphens and periods"));
        }
    }
    Ok(())
}

/// The text of the name of a namespace, which is only copied if it is not valid UTF-8. A name that is too long for any
/// namespace is shortened.
pub fn namespace_text(name: &[u8]) -> Cow<'_, str> {
    if name.len() > NAME_LENGTH_MAX { quote::utf8(name).to_string().into() } else { String::from_utf8_lossy(name) }
}

/// Checks the name of a namespace: letters, digits and underscores of any language.
///
/// # Errors
/// `InvalidArgument` with HBase's text.
pub fn check_namespace(namespace: impl AsRef<[u8]>) -> Result<()> {
    let namespace = namespace.as_ref();
    check_namespace_bytes(namespace)?;
    check_length("a namespace", namespace.len())
}

fn check_namespace_bytes(namespace: &[u8]) -> Result<()> {
    match namespace {
        b"" => {
            return Err(Error::invalid("Namespace name must not be empty")
                .with_remedy("name one, or leave out the colon for the namespace \"default\""));
        }
        b"zookeeper" => {
            return Err(Error::invalid("Namespace may not be named 'zookeeper'")
                .with_remedy("HBase reserves the name; choose another one"));
        }
        _ => {}
    }
    match units(namespace).enumerate().find(|&(_, unit)| !is_letter_or_digit(unit) && unit != 0x5F) {
        None => Ok(()),
        Some((at, unit)) => Err(Error::invalid(format!(
            "Illegal character <{}> at {at}. Namespaces may only contain 'alphanumeric characters' from any language and digits: {}",
            unit_text(unit),
            quote::utf8(namespace)
        ))
        .with_remedy("use letters, digits and underscores")),
    }
}

/// Checks the characters of the name of a family: at least one, and no control characters, `:`, `/` or `\`. HBase
/// checks its length when the family is added to a table, see [`check_family_length`].
///
/// # Errors
/// `InvalidArgument` with HBase's text.
pub fn check_family(name: &[u8]) -> Result<()> {
    let shown = quote::utf8(name);
    if name.is_empty() {
        return Err(Error::invalid("Column Family name can not be empty")
            .with_remedy(format_args!("a family's name has 1 to {FAMILY_LENGTH_MAX} bytes")));
    }
    if name[0] == b'.' {
        return Err(Error::invalid(format!("Column Family names cannot start with a period: {shown}"))
            .with_remedy("begin the name with another character"));
    }
    if let Some(bad) = name.iter().find(|&&b| b < 0x20 || matches!(b, 0x7F | b':' | b'\\' | b'/')) {
        return Err(Error::invalid(format!(
            "Illegal character <{bad}>. Column Family names cannot contain control characters or colons: {shown}",
        ))
        .with_remedy("leave out control characters, ':', '/' and '\\'"));
    }
    if name == b"recovered.edits" {
        return Err(Error::invalid("Column Family name cannot be: recovered.edits")
            .with_remedy("HBase reserves the name; choose another one"));
    }
    Ok(())
}

/// Checks the length of the name of a family: at most 127 bytes.
///
/// # Errors
/// `InvalidArgument` with HBase's text.
pub fn check_family_length(name: &[u8]) -> Result<()> {
    if name.len() > FAMILY_LENGTH_MAX {
        return Err(Error::invalid("The length of family name is bigger than 127")
            .with_remedy(format_args!("it has {} bytes; shorten it", name.len())));
    }
    Ok(())
}
