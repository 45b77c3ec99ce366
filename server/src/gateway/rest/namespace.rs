//! Namespaces.

use std::collections::BTreeMap;

use hjall_engine::quote::{self, visible};
use hjall_engine::schema::NamespaceDescriptor;
use hjall_engine::{Error, ErrorKind};
use prost::Message;
use serde_json::Value;

use super::body::{BODIES, Body, check_size};
use super::error::{Answer, Failure};
use super::java_order;
use super::json;
use super::protobuf::{self, Pair};
use super::server::{self, TABLE_LIST, names, table_names, take_name};
use super::{Response, xml};
use crate::gateway::context::CallContext;
use crate::wire::rest::Request;
use crate::wire::rest::media::Kind;

/// The namespaces.
pub(super) fn list(context: &CallContext<'_>, request: &Request) -> Answer {
    let mut all = Vec::new();
    context.engine.visit_namespaces(|namespace| -> Answer<()> {
        take_name(context, &namespace.name)?;
        all.push(namespace.name.clone());
        Ok(())
    })?;
    let output = server::output(request);
    let body = match output.kind {
        Kind::Json => serde_json::json!({ "Namespace": all }).to_string().into_bytes(),
        Kind::Xml => {
            let mut out = format!("{}<Namespaces>", xml::DECLARATION).into_bytes();
            all.iter().try_for_each(|name| xml::text(&mut out, "Namespace", name)).map_err(Failure::bad)?;
            out.extend(b"</Namespaces>");
            out
        }
        Kind::Protobuf | Kind::ProtobufIetf => protobuf::Names { names: all }.encode_to_vec(),
        Kind::Text | Kind::Binary => all.iter().map(|name| format!("{name}\n")).collect::<String>().into_bytes(),
    };
    Ok(Response { body: Body::Bytes(body), ..Response::empty(200).with("Content-Type", output.content_type) })
}

fn name(request: &Request) -> &str {
    request.place.namespace().unwrap_or_default()
}

/// The properties of a namespace.
pub(super) fn get(context: &CallContext<'_>, request: &Request) -> Answer {
    let namespace = context.engine.namespace(name(request)).map_err(|error| missing(request, &error))?;
    let mut properties: Vec<_> = namespace.configuration.clone().into_iter().collect();
    java_order::sort(&mut properties, 0);
    let output = server::output(request);
    let body = match output.kind {
        Kind::Json => json_of(&properties).into_bytes(),
        Kind::Xml => xml_of(&properties).map_err(Failure::bad)?,
        Kind::Protobuf | Kind::ProtobufIetf => {
            let properties = properties.into_iter().map(|(name, value)| Pair { name, value }).collect();
            protobuf::NamespaceProperties { properties }.encode_to_vec()
        }
        Kind::Text | Kind::Binary => {
            let pairs = properties.iter().map(|(key, value)| format!(", {key} => '{value}'")).collect::<String>();
            visible(&format!("{{NAME => '{}'{pairs}}}", namespace.name)).into_owned().into_bytes()
        }
    };
    Ok(Response { body: Body::Bytes(body), ..Response::empty(200).with("Content-Type", output.content_type) })
}

fn json_of(properties: &[(String, String)]) -> String {
    if properties.is_empty() {
        return r#"{"properties":null}"#.to_owned();
    }
    let pairs = properties.iter().map(|(key, value)| format!("{}:{}", Value::from(&**key), Value::from(&**value)));
    format!("{{\"properties\":{{{}}}}}", pairs.collect::<Vec<_>>().join(","))
}

fn xml_of(properties: &[(String, String)]) -> std::io::Result<Vec<u8>> {
    let mut out = xml::DECLARATION.as_bytes().to_vec();
    if properties.is_empty() {
        out.extend(b"<NamespaceProperties/>");
        return Ok(out);
    }
    out.extend(b"<NamespaceProperties><properties>");
    for (key, value) in properties {
        out.extend(b"<entry>");
        xml::text(&mut out, "key", key)?;
        xml::text(&mut out, "value", value)?;
        out.extend(b"</entry>");
    }
    out.extend(b"</properties></NamespaceProperties>");
    Ok(out)
}

fn missing(request: &Request, error: &Error) -> Failure {
    match error.kind() {
        ErrorKind::NamespaceNotFound | ErrorKind::InvalidArgument => {
            Failure::of(&Error::namespace_not_found(quote::escaped_text(name(request))))
        }
        _ => Failure::of(error),
    }
}

/// The tables of a namespace, without its name.
pub(super) fn tables(context: &CallContext<'_>, request: &Request) -> Answer {
    let namespace = name(request);
    context.engine.namespace(namespace).map_err(|error| missing(request, &error))?;
    let all = table_names(context, |name| (name.namespace() == namespace).then(|| name.qualifier().to_owned()))?;
    let output = server::output(request);
    let body = names(&TABLE_LIST, output.kind, all)?;
    Ok(Response { body: Body::Bytes(body), ..Response::empty(200).with("Content-Type", output.content_type) })
}

/// The properties in the body of a request.
fn properties(context: &CallContext<'_>, request: &Request, body: &[u8]) -> Answer<BTreeMap<String, String>> {
    check_size(context, request, body)?;
    match request.input {
        Some(Kind::Xml) => {
            let mut reader = XmlProperties::default();
            xml::read(body, "NamespaceProperties", &mut reader)?;
            Ok(reader.properties)
        }
        Some(Kind::Json) => {
            let Some(fields) = json::object(context.scope, body)? else { return Ok(BTreeMap::new()) };
            let mut properties = BTreeMap::new();
            for (name, value) in &fields {
                match (&**name, value) {
                    ("properties", Value::Null) => properties = BTreeMap::new(),
                    ("properties", Value::Object(pairs)) => {
                        let pair = |(key, value): (&String, &Value)| {
                            let wrong = || Failure::bad(format!("{} must be a string", quote::escaped_text(key)));
                            Ok((key.clone(), json::text(key, value)?.ok_or_else(wrong)?))
                        };
                        properties = pairs.iter().map(pair).collect::<Answer<_>>()?;
                    }
                    ("properties", _) => return Err(Failure::bad("properties must be an object")),
                    _ => return Err(json::unknown(name, &["properties"])),
                }
            }
            Ok(properties)
        }
        Some(_) => {
            let sent: protobuf::NamespaceProperties = protobuf::decode(context.scope, body, None, "namespace")?;
            Ok(sent.properties.into_iter().map(|pair| (pair.name, pair.value)).collect())
        }
        None if body.is_empty() => Ok(BTreeMap::new()),
        None => Err(Failure::undeclared_body(BODIES)),
    }
}

/// Reads `<properties><entry><key>…</key><value>…</value></entry></properties>`.
#[derive(Default)]
struct XmlProperties {
    properties: BTreeMap<String, String>,
    key: String,
    value: String,
    text: String,
}

impl xml::Visitor for XmlProperties {
    fn start(&mut self, depth: usize, name: &str, _: xml::Attributes) -> Answer<bool> {
        self.text.clear();
        Ok(matches!((depth, name), (0, _) | (1, "properties") | (2, "entry") | (3, "key" | "value")))
    }

    fn text(&mut self, depth: usize, text: &str) -> Answer<()> {
        if depth == 3 {
            self.text.push_str(text);
        }
        Ok(())
    }

    fn end(&mut self, depth: usize, name: &str) -> Answer<()> {
        match (depth, name) {
            (3, "key") => self.key = std::mem::take(&mut self.text),
            (3, "value") => self.value = std::mem::take(&mut self.text),
            (2, "entry") => {
                self.properties.insert(std::mem::take(&mut self.key), std::mem::take(&mut self.value));
            }
            _ => {}
        }
        Ok(())
    }
}

/// The failure for an error of the master. For an invalid name, HBase's client tries until it gives up.
fn of_master(error: &Error) -> Failure {
    match error.kind() {
        ErrorKind::InvalidArgument => Failure::of(&error.as_kind(ErrorKind::Unprocessable)),
        _ => Failure::of(error),
    }
}

fn exists(context: &CallContext<'_>, request: &Request) -> bool {
    context.engine.namespace(name(request)).is_ok()
}

/// Creates a namespace.
pub(super) fn create(context: &CallContext<'_>, request: &Request, body: &[u8]) -> Answer {
    let configuration = properties(context, request, body)?;
    let name = name(request);
    if exists(context, request) {
        let text = format!("Namespace '{name}' already exists.  Use REST PUT to alter the existing namespace.");
        return Err(Failure::Text(403, text));
    }
    let namespace = NamespaceDescriptor { name: name.to_owned(), configuration };
    context.changes().create_namespace(namespace).map_err(|error| of_master(&error))?;
    Ok(Response::empty(201).with("Location", request.location.clone()))
}

/// Replaces the properties of a namespace.
pub(super) fn modify(context: &CallContext<'_>, request: &Request, body: &[u8]) -> Answer {
    let configuration = properties(context, request, body)?;
    let name = name(request);
    if !exists(context, request) {
        let text = format!("Namespace '{name}' does not exist. Use REST POST to create the namespace.");
        return Err(Failure::Text(403, text));
    }
    let namespace = NamespaceDescriptor { name: name.to_owned(), configuration };
    context.changes().modify_namespace(namespace).map_err(|error| of_master(&error))?;
    Ok(Response::text(200, request.location.clone()))
}

/// Deletes an empty namespace.
pub(super) fn delete(context: &CallContext<'_>, request: &Request) -> Answer {
    let name = name(request);
    if !exists(context, request) {
        let text = format!("Namespace '{name}' does not exists.  Cannot drop namespace.");
        return Err(Failure::Text(404, text));
    }
    context.changes().delete_namespace(name).map(|()| Response::empty(200)).map_err(|error| of_master(&error))
}
