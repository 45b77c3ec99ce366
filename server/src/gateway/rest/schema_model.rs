//! Schemas of tables in requests and answers: attributes are texts, regardless of their meaning.

use hjall_engine::quote::{self, visible};
use hjall_engine::schema::{FAMILY_DEFAULTS, FamilyDescriptor, TableDescriptor};
use prost::Message;
use serde_json::{Map, Value};

use super::body::{BODIES, check_size};
use super::error::{Answer, Failure, empty_body};
use super::java_order;
use super::json;
use super::protobuf::{self, Pair};
use super::xml;
use crate::dispatch::call_scope::CallScope;
use crate::gateway::context::CallContext;
use crate::wire::rest::Request;
use crate::wire::rest::media::Kind;

/// A family.
#[derive(Debug, Default, PartialEq)]
pub(super) struct FamilySchema {
    /// The name.
    pub(super) name: Option<String>,
    /// The attributes.
    pub(super) attributes: Vec<(String, String)>,
}

/// A table.
#[derive(Debug, Default, PartialEq)]
pub(super) struct TableSchema {
    /// The name, which requests may leave out.
    pub(super) name: Option<String>,
    /// The attributes.
    pub(super) attributes: Vec<(String, String)>,
    /// The families.
    pub(super) families: Vec<FamilySchema>,
}

impl TableSchema {
    /// The schema of a table.
    pub(super) fn of(table: &TableDescriptor) -> Self {
        let mut attributes = texts(&table.attributes);
        const IS_META: &str = "IS_META";
        if !attributes.iter().any(|(key, _)| key == IS_META) {
            attributes.push((IS_META.to_owned(), table.name.is_meta().to_string()));
        }
        java_order::sort(&mut attributes, 1);
        let family = |family: &FamilyDescriptor| {
            let mut attributes = texts(&family.attributes);
            // HBase's builder has these attributes before it gets others.
            attributes.sort_by_key(|(key, _)| FAMILY_DEFAULTS.iter().all(|(name, _)| name != key));
            java_order::sort(&mut attributes, 1);
            FamilySchema { name: Some(String::from_utf8_lossy(&family.name).into_owned()), attributes }
        };
        let families = table.families.values().map(family).collect();
        Self { name: Some(table.name.to_string()), attributes, families }
    }

    /// Reads the schema in the body of a request.
    pub(super) fn read(context: &CallContext<'_>, request: &Request, body: &[u8]) -> Answer<Self> {
        check_size(context, request, body)?;
        match request.input {
            Some(Kind::Xml) => {
                let mut table = Self::default();
                xml::read(body, "TableSchema", &mut table)?;
                Ok(table)
            }
            Some(Kind::Json) => Self::of_json(context.scope, body),
            Some(_) => {
                const COLUMNS: u32 = 3;
                protobuf::decode(context.scope, body, Some(COLUMNS), "schema").map(Self::of_protobuf)
            }
            None if body.is_empty() => Err(empty_body()),
            None => Err(Failure::undeclared_body(BODIES)),
        }
    }

    fn of_json(scope: &CallScope<'_>, body: &[u8]) -> Answer<Self> {
        let fields = json::object(scope, body)?.ok_or_else(empty_body)?;
        let mut table = Self::default();
        for (name, value) in fields {
            match &*name {
                "name" => table.name = json::text("name", &value)?,
                "ColumnSchema" => {
                    for family in json::list("ColumnSchema", &value)?.into_iter().flatten() {
                        let Value::Object(fields) = family else {
                            return Err(Failure::bad("a ColumnSchema must be an object"));
                        };
                        table.families.push(FamilySchema::of_json(fields)?);
                    }
                }
                _ => table.attributes.push((name.clone(), attribute(&name, &value)?)),
            }
        }
        Ok(table)
    }

    fn of_protobuf(sent: protobuf::TableSchema) -> Self {
        let pairs = |pairs: Vec<Pair>| pairs.into_iter().map(|pair| (pair.name, pair.value)).collect::<Vec<_>>();
        let mut attributes = pairs(sent.attributes);
        attributes.extend(sent.read_only.map(|read_only| ("READONLY".to_owned(), read_only.to_string())));
        let family = |sent: protobuf::ColumnSchema| {
            let mut attributes = pairs(sent.attributes);
            attributes.extend(sent.ttl.map(|ttl| ("TTL".to_owned(), ttl.to_string())));
            attributes.extend(sent.max_versions.map(|versions| ("VERSIONS".to_owned(), versions.to_string())));
            attributes.extend(sent.compression.map(|compression| ("COMPRESSION".to_owned(), compression)));
            // Java has an empty name for a missing one.
            FamilySchema { name: Some(sent.name.unwrap_or_default()), attributes }
        };
        Self { name: sent.name, attributes, families: sent.columns.into_iter().map(family).collect() }
    }

    /// Writes the schema.
    pub(super) fn written(&self, kind: Kind) -> Answer<Vec<u8>> {
        match kind {
            Kind::Json => Ok(self.to_json()),
            Kind::Xml => self.to_xml().map_err(Failure::bad),
            Kind::Protobuf | Kind::ProtobufIetf => Ok(self.to_protobuf().encode_to_vec()),
            Kind::Text | Kind::Binary => Ok(visible(&self.to_text()).into_owned().into_bytes()),
        }
    }

    fn to_json(&self) -> Vec<u8> {
        let quoted = |text: &str| Value::from(text).to_string();
        let pairs = |attributes: &[(String, String)]| {
            attributes.iter().map(|(key, value)| format!(",{}:{}", quoted(key), quoted(value))).collect::<String>()
        };
        let family = |family: &FamilySchema| {
            let name = quoted(family.name.as_deref().unwrap_or_default());
            format!("{{\"name\":{name}{}}}", pairs(&family.attributes))
        };
        let families = self.families.iter().map(family).collect::<Vec<_>>().join(",");
        let name = quoted(self.name.as_deref().unwrap_or_default());
        format!("{{\"name\":{name},\"ColumnSchema\":[{families}]{}}}", pairs(&self.attributes)).into_bytes()
    }

    fn to_xml(&self) -> std::io::Result<Vec<u8>> {
        let mut out = xml::DECLARATION.as_bytes().to_vec();
        let open = |out: &mut Vec<u8>, element, name: &Option<String>, attributes: &[(String, String)], empty| {
            let name = [("name", name.as_deref().unwrap_or_default())];
            let others = attributes.iter().map(|(key, value)| (&**key, &**value));
            xml::open(out, element, &name.into_iter().chain(others).collect::<Vec<_>>(), empty)
        };
        open(&mut out, "TableSchema", &self.name, &self.attributes, false)?;
        for family in &self.families {
            open(&mut out, "ColumnSchema", &family.name, &family.attributes, true)?;
        }
        out.extend(b"</TableSchema>");
        Ok(out)
    }

    fn to_text(&self) -> String {
        let pairs = |attributes: &[(String, String)]| {
            attributes.iter().map(|(key, value)| format!(", {key} => '{value}'")).collect::<String>()
        };
        let family = |family: &FamilySchema| {
            format!("{{ NAME => '{}'{} }}", family.name.as_deref().unwrap_or_default(), pairs(&family.attributes))
        };
        let families = self.families.iter().map(family).collect::<Vec<_>>().join(", ");
        let name = self.name.as_deref().unwrap_or_default();
        format!("{{ NAME=> '{name}'{}, COLUMNS => [ {families} ] }}", pairs(&self.attributes))
    }

    fn to_protobuf(&self) -> protobuf::TableSchema {
        let pairs = |attributes: &[(String, String)]| {
            attributes.iter().map(|(key, value)| Pair { name: key.clone(), value: value.clone() }).collect()
        };
        let family = |family: &FamilySchema| protobuf::ColumnSchema {
            name: family.name.clone(),
            attributes: pairs(&family.attributes),
            ttl: value(&family.attributes, "TTL").and_then(|ttl| ttl.parse().ok()),
            max_versions: value(&family.attributes, "VERSIONS").and_then(|versions| versions.parse().ok()),
            compression: value(&family.attributes, "COMPRESSION").map(str::to_owned),
        };
        protobuf::TableSchema {
            name: self.name.clone(),
            attributes: pairs(&self.attributes),
            columns: self.families.iter().map(family).collect(),
            in_memory: None,
            read_only: value(&self.attributes, "READONLY").map(|text| text.eq_ignore_ascii_case("true")),
        }
    }
}

impl FamilySchema {
    fn of_json(fields: &Map<String, Value>) -> Answer<Self> {
        let mut family = Self::default();
        for (name, value) in fields {
            match &**name {
                "name" => family.name = json::text("name", value)?,
                _ => family.attributes.push((name.clone(), attribute(name, value)?)),
            }
        }
        Ok(family)
    }
}

fn attribute(name: &str, value: &Value) -> Answer<String> {
    let wrong = || Failure::bad(format!("{} must be a string, a number, true or false", quote::escaped_text(name)));
    json::text(name, value)?.ok_or_else(wrong)
}

fn value<'a>(attributes: &'a [(String, String)], key: &str) -> Option<&'a str> {
    attributes.iter().find(|(known, _)| known == key).map(|(_, value)| &**value)
}

fn texts(attributes: &hjall_engine::schema::Attributes) -> Vec<(String, String)> {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    attributes.iter().map(|(key, value)| (text(key), text(value))).collect()
}

impl xml::Visitor for TableSchema {
    fn start(&mut self, depth: usize, name: &str, attributes: xml::Attributes) -> Answer<bool> {
        let split = |attributes: xml::Attributes| {
            let (names, others): (Vec<_>, Vec<_>) = attributes.into_iter().partition(|(key, _)| key == "name");
            (names.into_iter().next().map(|(_, name)| name), others)
        };
        match (depth, name) {
            (0, _) => (self.name, self.attributes) = split(attributes),
            (1, "ColumnSchema") => {
                let (name, attributes) = split(attributes);
                self.families.push(FamilySchema { name, attributes });
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn text(&mut self, _: usize, _: &str) -> Answer<()> {
        Ok(())
    }

    fn end(&mut self, _: usize, _: &str) -> Answer<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_can_be_read() {
        let pair = |key: &str, value: &str| (key.to_owned(), value.to_owned());
        let table = TableSchema {
            name: Some("t".to_owned()),
            attributes: vec![pair("IS_META", "false"), pair("NOTE", "a\"<b>'\\")],
            families: vec![
                FamilySchema { name: Some("f".to_owned()), attributes: vec![pair("KEEP_DELETED_CELLS", "TRUE")] },
                FamilySchema { name: Some("g".to_owned()), attributes: Vec::new() },
            ],
        };
        let mut of_xml = TableSchema::default();
        assert!(xml::read(&table.to_xml().unwrap(), "TableSchema", &mut of_xml).is_ok());
        assert_eq!(of_xml, table);
        let message = protobuf::TableSchema::decode(&table.to_protobuf().encode_to_vec()[..]).unwrap();
        assert_eq!(TableSchema::of_protobuf(message), table);
        let json: Value = serde_json::from_slice(&table.to_json()).unwrap();
        assert_eq!(json["ColumnSchema"][0]["KEEP_DELETED_CELLS"], "TRUE");
        assert_eq!(json["NOTE"], "a\"<b>'\\");
        assert_eq!(
            table.to_text(),
            "{ NAME=> 't', IS_META => 'false', NOTE => 'a\"<b>'\\', COLUMNS => [ { NAME => 'f', KEEP_DELETED_CELLS => 'TRUE' }, { NAME => 'g' } ] }"
        );
    }
}
