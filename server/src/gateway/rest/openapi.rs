//! The OpenAPI document of the gateway, from its table of operations.

use serde_json::{Map, Value, json};

use crate::wire::method::Rest;
use crate::wire::rest::media::Kind;
use crate::wire::rest::resource::{OPERATIONS, Of, Operation, Parameter, Resource, Verb};

/// The document, as JSON with a line for each value.
pub fn document() -> String {
    let mut paths = Map::new();
    let mut resources: Vec<_> = OPERATIONS.iter().map(|operation| operation.resource).collect();
    resources.dedup();
    resources.sort_unstable();
    resources.dedup();
    for resource in resources {
        for (path, columns, times) in addresses(resource) {
            paths.insert(path, item(resource, columns, times));
        }
    }
    let document = json!({
        "openapi": "3.1.0",
        "info": {
            "title": "hjall REST",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "The REST interface of HBase. Rows, columns and values are base64 in JSON and XML. \
                            docs/rest.md describes it.",
            "license": { "name": "Apache-2.0", "identifier": "Apache-2.0" },
        },
        "paths": paths,
        "components": {
            "schemas": schemas(),
            "securitySchemes": {
                "password": { "type": "http", "scheme": "basic" },
                "token": { "type": "http", "scheme": "bearer" },
            },
        },
        "security": [{}, { "password": [] }, { "token": [] }],
    });
    format!("{document:#}\n")
}

/// The addresses of a resource. Optional parts make separate addresses, each with whether it has columns and times.
fn addresses(resource: Resource) -> Vec<(String, bool, bool)> {
    let address = resource.address().to_owned();
    match resource {
        Resource::Row => vec![
            ("/{table}/{row}".to_owned(), false, false),
            ("/{table}/{row}/{columns}".to_owned(), true, false),
            (address, true, true),
        ],
        // An alias.
        Resource::Version => vec![(address, false, false), ("/version/rest".to_owned(), true, false)],
        Resource::Multiget => vec![(format!("{address}/{{columns}}"), true, false), (address, false, false)],
        _ => vec![(address, false, false)],
    }
}

fn item(resource: Resource, columns: bool, times: bool) -> Value {
    let mut item = Map::new();
    let names = resource.address().split(['/', '*']).filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'));
    let mut parameters: Vec<_> =
        names.filter(|name| !matches!(*name, "columns" | "times")).map(path_parameter).collect();
    let has_columns = columns && resource != Resource::Version;
    parameters.extend(has_columns.then(|| path_parameter("columns")));
    parameters.extend(times.then(|| path_parameter("times")));
    if !parameters.is_empty() {
        item.insert("parameters".to_owned(), parameters.into());
    }
    for operation in resource.operations() {
        let verb = operation.verb.name().to_ascii_lowercase();
        // The values of `check` are one operation.
        if operation.check.is_none() {
            item.insert(verb, described(operation, columns, times));
        }
        if operation.verb == Verb::Get && operation.is_safe() {
            let mut head = described(operation, columns, times);
            head["operationId"] = format!("{}ByHead", head["operationId"].as_str().unwrap_or_default()).into();
            head["summary"] = "As GET, without the body.".into();
            head["responses"]["200"] = json!({ "description": "As GET, without the body." });
            item.insert("head".to_owned(), head);
        }
    }
    item.into()
}

fn path_parameter(name: &str) -> Value {
    let about = match name {
        "table" => "The table, or namespace:table.",
        "namespace" => "The namespace.",
        "row" => "The row. Two rows with a comma between them are a range, whose end is not included.",
        "columns" => "Families, or columns as family:qualifier, separated by commas.",
        "times" => {
            "The timestamp after the greatest one, or the smallest one, a comma, and the one after the greatest."
        }
        "prefix" => "What the rows begin with.",
        _ => "The identifier from the header Location.",
    };
    let mut parameter =
        json!({ "name": name, "in": "path", "required": true, "description": about, "schema": { "type": "string" } });
    if let Some(example) = example_of(name) {
        parameter["example"] = example;
    }
    parameter
}

fn parameter(parameter: &Parameter) -> Value {
    let schema = match parameter.of {
        Of::Text => json!({ "type": "string" }),
        Of::Texts => json!({ "type": "array", "items": { "type": "string" } }),
        Of::OneOf(values) => json!({ "type": "string", "enum": values }),
        Of::Number => json!({ "type": "integer" }),
        Of::Flag => json!({ "type": "boolean" }),
    };
    let place = if parameter.header { "header" } else { "query" };
    let mut described =
        json!({ "name": parameter.name, "in": place, "description": parameter.about, "schema": schema });
    if let Some(example) = example_of(parameter.name) {
        described["example"] = example;
    }
    described
}

/// A value of a parameter. Together with the bodies' examples, it makes a request that succeeds.
fn example_of(name: &str) -> Option<Value> {
    Some(match name {
        "table" => json!("t"),
        "namespace" => json!("n"),
        "columns" => json!("f:a1"),
        "times" => json!("4102444800000"),
        "prefix" => json!("row"),
        "row" | "startrow" => json!("row1"),
        "endrow" => json!("row9"),
        "column" => json!(["f:a1"]),
        "v" | "maxversions" | "batchsize" => json!(2),
        "limit" | "n" | "c" => json!(10),
        "starttime" | "X-Timestamp" => json!(5),
        "endtime" => json!(4_102_444_800_000_i64),
        "reversed" | "cacheblocks" | "rr" => json!(true),
        "check" => json!("append"),
        "filter" => json!("PrefixFilter('row')"),
        "filter_b64" => json!("UHJlZml4RmlsdGVyKCdyb3cnKQ"),
        _ => return None,
    })
}

/// Whether a representation exists at an address: a value is that of one column.
fn exists(operation: &Operation, kind: Kind, columns: bool) -> bool {
    kind != Kind::Binary || columns || operation.resource != Resource::Row
}

fn described(operation: &Operation, columns: bool, times: bool) -> Value {
    let suffix = match (columns, times) {
        (true, true) => "InTimes",
        (true, false) if operation.resource == Resource::Version => "AtItsAlias",
        (true, false) => "OfColumns",
        _ => "",
    };
    let name = hjall_idl::Method::Rest(operation.method).name();
    let verb = operation.verb.name();
    // PUT and POST of cells are the same method.
    let same = matches!(operation.resource, Resource::Row | Resource::Scanners);
    let by_verb = if same && operation.consumes.contains(&Kind::Json) { format!("By{verb}") } else { String::new() };
    let mut described = Map::new();
    described.insert("operationId".to_owned(), format!("{name}{suffix}{by_verb}").into());
    described.insert("summary".to_owned(), operation.about.into());
    if !operation.parameters.is_empty() {
        described.insert("parameters".to_owned(), operation.parameters.iter().map(parameter).collect());
    }
    if !operation.consumes.is_empty() {
        let read = operation.consumes.iter().filter(|kind| exists(operation, **kind, columns));
        let content: Map<_, _> =
            read.map(|kind| (kind.name().to_owned(), media(operation, *kind, Direction::Sent))).collect();
        // A namespace may be created without properties.
        let required = operation.resource != Resource::Namespace;
        described.insert("requestBody".to_owned(), json!({ "required": required, "content": content }));
    }
    described.insert("responses".to_owned(), responses(operation, columns));
    described.into()
}

fn responses(operation: &Operation, columns: bool) -> Value {
    const ALWAYS: [u16; 12] = [400, 401, 403, 405, 406, 408, 413, 415, 421, 429, 431, 503];
    let mut responses = Map::new();
    // The values of `check` are one operation.
    let same = |other: &&Operation| (other.resource, other.verb) == (operation.resource, operation.verb);
    let statuses = OPERATIONS.iter().filter(same).flat_map(|other| other.statuses).copied();
    for status in statuses.chain(ALWAYS) {
        let about = match status {
            200 if operation.method == Rest::PutRows => {
                "Done. The body is empty, except for append and increment with rr=true, which answer with the new cells."
            }
            200 => "Done.",
            201 => "Created.",
            204 => "There are no more cells.",
            304 if operation.resource == Resource::Row => "The check has failed: the cell has another value.",
            304 => "Not changed: another request has created the table meanwhile.",
            400 => "The request has a mistake, which the text names.",
            401 => "The server has users, and the request has no login that is allowed.",
            403 => "The user may not do this, or the namespace is not in the state for it.",
            404 => "There is no such row, table or family, or a parameter is not a number.",
            405 => "The resource does not have this method.",
            406 => "The answer does not exist in a type that the request accepts.",
            408 => "The body has not arrived in time.",
            410 => "The table was disabled. The scanner is closed.",
            413 => "The body is too large.",
            415 => "The body has a type that cannot be read.",
            421 => "The request is for a host that this server is not.",
            429 => "Too many logins have failed.",
            431 => "The head of the request is too large.",
            _ => "The server cannot do this now.",
        };
        let mut response = json!({ "description": about });
        // A table that exists is answered without a body.
        if status == 200 && !operation.produces.is_empty() && operation.resource != Resource::Exists {
            let given = operation.produces.iter().filter(|kind| exists(operation, **kind, columns));
            let content: Map<_, _> =
                given.map(|kind| (kind.name().to_owned(), media(operation, *kind, Direction::Given))).collect();
            response["content"] = content.into();
        }
        if matches!(status, 429 | 503) {
            response["headers"] = json!({
                "Retry-After": { "description": "Seconds; if a later try may succeed.", "schema": { "type": "integer" } }
            });
        }
        if status == 201 {
            response["headers"] = json!({
                "Location": { "description": "The address of what was created.", "schema": { "type": "string" } }
            });
        }
        responses.insert(status.to_string(), response);
    }
    responses.into()
}

/// Which way a body goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Direction {
    Sent,
    Given,
}

fn media(operation: &Operation, kind: Kind, direction: Direction) -> Value {
    let sent = direction == Direction::Sent;
    let example = if sent { example(operation.resource, kind) } else { None };
    if kind != Kind::Json {
        return example.map_or(json!({}), |example| json!({ "example": example }));
    }
    let schema = match operation.resource {
        Resource::Tables | Resource::NamespaceTables => "TableList",
        Resource::Version => "Version",
        Resource::ClusterVersion => "ClusterVersion",
        Resource::Status => "ClusterStatus",
        Resource::Namespaces => "Namespaces",
        Resource::Namespace if sent => "SentNamespaceProperties",
        Resource::Namespace => "NamespaceProperties",
        Resource::Schema if sent => "SentTableSchema",
        Resource::Schema => "TableSchema",
        Resource::Regions => "TableInfo",
        Resource::Exists => return json!({}),
        Resource::Scanners => "Scanner",
        Resource::Scanner | Resource::Multiget | Resource::Row | Resource::Scan if sent => "SentCellSet",
        Resource::Scanner | Resource::Multiget | Resource::Row | Resource::Scan => "CellSet",
    };
    let mut media = json!({ "schema": { "$ref": format!("#/components/schemas/{schema}") } });
    if let Some(example) = example {
        media["example"] = example;
    }
    media
}

/// A body of a request.
fn example(resource: Resource, kind: Kind) -> Option<Value> {
    Some(match (resource, kind) {
        (Resource::Row, Kind::Json) => json!({
            "Row": [{ "key": "cm93MQ==", "Cell": [{ "column": "ZjphMQ==", "timestamp": 5, "$": "dmFsdWU=" }] }]
        }),
        (Resource::Row, Kind::Xml) => {
            json!(
                r#"<CellSet><Row key="cm93MQ=="><Cell column="ZjphMQ==" timestamp="5">dmFsdWU=</Cell></Row></CellSet>"#
            )
        }
        (Resource::Row, Kind::Binary) => json!("value"),
        (Resource::Schema, Kind::Json) => json!({ "ColumnSchema": [{ "name": "f", "VERSIONS": "3" }] }),
        (Resource::Schema, Kind::Xml) => json!(r#"<TableSchema><ColumnSchema name="f" VERSIONS="3"/></TableSchema>"#),
        (Resource::Namespace, Kind::Json) => json!({ "properties": { "owner": "docs" } }),
        (Resource::Namespace, Kind::Xml) => json!(
            "<NamespaceProperties><properties><entry><key>owner</key><value>docs</value></entry></properties>\
             </NamespaceProperties>"
        ),
        (Resource::Scanners, Kind::Json) => json!({
            "batch": 10, "startRow": "cm93MQ==", "column": ["ZjphMQ=="], "maxVersions": 1,
            "filter": "{\"type\":\"PrefixFilter\",\"value\":\"cm93\"}",
        }),
        (Resource::Scanners, Kind::Xml) => {
            json!(r#"<Scanner batch="10" startRow="cm93MQ==" maxVersions="1"><column>ZjphMQ==</column></Scanner>"#)
        }
        _ => return None,
    })
}

/// An object with these fields. In an answer it has all of them, and in a request no others.
fn object(fields: &Value, direction: Direction) -> Value {
    let names: Vec<_> = fields.as_object().map(|fields| fields.keys().cloned().collect()).unwrap_or_default();
    let mut schema = json!({ "type": "object", "properties": fields });
    match direction {
        Direction::Given => schema["required"] = json!(names),
        Direction::Sent => schema["additionalProperties"] = json!(false),
    }
    schema
}

fn schemas() -> Value {
    let bytes = json!({ "type": "string", "contentEncoding": "base64" });
    let number = json!({ "type": "integer", "format": "int64" });
    let text = json!({ "type": "string" });
    let list = |items: Value| json!({ "type": "array", "items": items });
    let cell = json!({ "column": bytes, "timestamp": number, "$": bytes });
    let cells = |direction| {
        let row = json!({ "key": bytes, "Cell": list(object(&cell, direction)) });
        object(&json!({ "Row": list(object(&row, direction)) }), direction)
    };
    let given = |fields: Value| object(&fields, Direction::Given);
    let name = json!({ "name": text });
    let attributes = json!({ "type": "object", "properties": name, "additionalProperties": { "type": ["string", "number", "boolean"] } });
    let mut schema = attributes.clone();
    schema["properties"]["ColumnSchema"] = list(attributes.clone());
    let mut family = attributes;
    family["required"] = json!(["name"]);
    let mut sent_schema = schema.clone();
    sent_schema["properties"]["ColumnSchema"] = json!({ "type": "array", "items": family, "minItems": 1 });
    sent_schema["required"] = json!(["ColumnSchema"]);
    let node = json!({
        "name": text, "startCode": number, "requests": number, "heapSizeMB": number, "maxHeapSizeMB": number,
        "Region": list(json!({ "type": "object" })),
    });
    let region = json!({ "id": number, "startKey": bytes, "endKey": bytes, "location": text, "name": text });
    let version = json!({
        "Server": text, "Jersey": text, "Version": text, "Revision": text, "REST": text, "JVM": text, "OS": text,
    });
    let about = |mut schema: Value, about: &str| {
        schema["description"] = about.into();
        schema
    };
    let scanner = json!({
        "batch": about(number.clone(), "The most cells in one answer; default: no limit. An answer ends at about 8 MiB."),
        "startRow": about(bytes.clone(), "The first row."),
        "endRow": about(bytes.clone(), "The row after the last one."),
        "column": about(list(bytes.clone()), "Families, or columns as family:qualifier; default: all."),
        "startTime": about(number.clone(), "The smallest timestamp, in milliseconds."),
        "endTime": about(number.clone(), "The timestamp after the greatest one, in milliseconds."),
        "maxVersions": about(number.clone(), "The number of versions per column; default: all that are stored."),
        "filter": about(text.clone(), "A filter as JSON in a string, such as {\"type\":\"PrefixFilter\",\"value\":\"cm93\"}."),
        "caching": about(number.clone(), "The number of rows that are read ahead; without effect on the answers."),
        "cacheBlocks": about(json!({ "type": "boolean" }), "Accepted for HBase's clients; without effect."),
        "labels": about(list(text.clone()), "Accepted for HBase's clients; without effect."),
    });
    let properties = json!({ "type": "object", "additionalProperties": text });
    let mut sent_properties = object(&json!({ "properties": properties }), Direction::Sent);
    sent_properties["required"] = json!(["properties"]);
    json!({
        "CellSet": cells(Direction::Given),
        "SentCellSet": cells(Direction::Sent),
        "TableList": given(json!({ "table": list(given(name)) })),
        "Version": given(version),
        "ClusterVersion": given(json!({ "Version": text })),
        "ClusterStatus": given(json!({
            "LiveNodes": list(given(node)), "DeadNodes": list(text.clone()), "regions": number, "requests": number,
            "averageLoad": { "type": "number" },
        })),
        "Namespaces": given(json!({ "Namespace": list(text.clone()) })),
        "NamespaceProperties": given(json!({
            "properties": { "type": ["object", "null"], "additionalProperties": text }
        })),
        "SentNamespaceProperties": sent_properties,
        "TableSchema": schema,
        "SentTableSchema": sent_schema,
        "TableInfo": given(json!({ "name": text, "Region": list(given(region)) })),
        "Scanner": object(&scanner, Direction::Sent),
    })
}
