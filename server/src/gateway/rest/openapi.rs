//! The OpenAPI document of the gateway, from its table of operations.

use serde_json::{Map, Value, json};

use crate::wire::rest::media::Kind;
use crate::wire::rest::resource::{OPERATIONS, Of, Operation, Parameter, Resource};

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

/// The addresses of a resource. Optional parts make addresses of their own, with whether they have columns and times.
fn addresses(resource: Resource) -> Vec<(String, bool, bool)> {
    let address = resource.address().to_owned();
    match resource {
        Resource::Row => vec![
            ("/{table}/{row}".to_owned(), false, false),
            ("/{table}/{row}/{columns}".to_owned(), true, false),
            (address, true, true),
        ],
        Resource::Multiget => vec![(format!("{address}/{{columns}}"), true, false), (address, false, false)],
        _ => vec![(address, false, false)],
    }
}

fn item(resource: Resource, columns: bool, times: bool) -> Value {
    let mut item = Map::new();
    let names = resource.address().split(['/', '*']).filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'));
    let mut parameters: Vec<_> =
        names.filter(|name| !matches!(*name, "columns" | "times")).map(path_parameter).collect();
    parameters.extend(columns.then(|| path_parameter("columns")));
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
    json!({ "name": name, "in": "path", "required": true, "description": about, "schema": { "type": "string" } })
}

fn parameter(parameter: &Parameter) -> Value {
    let schema = match parameter.of {
        Of::Text => json!({ "type": "string" }),
        Of::Texts => json!({ "type": "array", "items": { "type": "string" } }),
        Of::Number => json!({ "type": "integer" }),
        Of::Flag => json!({ "type": "boolean" }),
    };
    let place = if parameter.header { "header" } else { "query" };
    json!({ "name": parameter.name, "in": place, "description": parameter.about, "schema": schema })
}

fn described(operation: &Operation, columns: bool, times: bool) -> Value {
    let suffix = match (columns, times) {
        (true, true) => "InTimes",
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
        let content: Map<_, _> =
            operation.consumes.iter().map(|kind| (kind.name().to_owned(), media(operation, *kind, true))).collect();
        described.insert("requestBody".to_owned(), json!({ "required": true, "content": content }));
    }
    described.insert("responses".to_owned(), responses(operation));
    described.into()
}

fn responses(operation: &Operation) -> Value {
    const ALWAYS: [u16; 9] = [400, 401, 403, 405, 406, 413, 415, 429, 503];
    let mut responses = Map::new();
    for status in operation.statuses.iter().copied().chain(ALWAYS) {
        let about = match status {
            200 => "Done.",
            201 => "Created.",
            204 => "There are no more cells.",
            304 => "Not changed.",
            400 => "The request has a mistake, which the text names.",
            401 => "The server has users, and the request has no login that is allowed.",
            403 => "The user may not do this, or the namespace is not in the state for it.",
            404 => "There is no such row, table or family.",
            405 => "The resource does not have this method.",
            406 => "The answer does not exist in a type that the request accepts.",
            410 => "The table was disabled. The scanner is closed.",
            413 => "The body is too large.",
            415 => "The body has a type that cannot be read.",
            429 => "Too many logins have failed.",
            _ => "The server cannot do this now.",
        };
        let mut response = json!({ "description": about });
        if status == 200 && !operation.produces.is_empty() {
            let content: Map<_, _> = operation
                .produces
                .iter()
                .map(|kind| (kind.name().to_owned(), media(operation, *kind, false)))
                .collect();
            response["content"] = content.into();
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

fn media(operation: &Operation, kind: Kind, sent: bool) -> Value {
    if kind != Kind::Json {
        return json!({});
    }
    let schema = match operation.resource {
        Resource::Tables | Resource::NamespaceTables => "TableList",
        Resource::Version => "Version",
        Resource::ClusterVersion => "ClusterVersion",
        Resource::Status => "ClusterStatus",
        Resource::Namespaces => "Namespaces",
        Resource::Namespace => "NamespaceProperties",
        Resource::Schema => "TableSchema",
        Resource::Regions => "TableInfo",
        Resource::Exists => return json!({}),
        Resource::Scanners => "Scanner",
        Resource::Scanner | Resource::Multiget | Resource::Row | Resource::Scan if sent => "SentCellSet",
        Resource::Scanner | Resource::Multiget | Resource::Row | Resource::Scan => "CellSet",
    };
    json!({ "schema": { "$ref": format!("#/components/schemas/{schema}") } })
}

/// An object with these fields, which it has always if `required`.
fn object(fields: &Value, required: bool) -> Value {
    let names: Vec<_> = fields.as_object().map(|fields| fields.keys().cloned().collect()).unwrap_or_default();
    let mut schema = json!({ "type": "object", "properties": fields });
    if required {
        schema["required"] = json!(names);
    }
    schema
}

fn schemas() -> Value {
    let bytes = json!({ "type": "string", "contentEncoding": "base64" });
    let number = json!({ "type": "integer", "format": "int64" });
    let text = json!({ "type": "string" });
    let list = |items: Value| json!({ "type": "array", "items": items });
    let cell = json!({ "column": bytes, "timestamp": number, "$": bytes });
    let cells = |required| {
        let row = json!({ "key": bytes, "Cell": list(object(&cell, required)) });
        object(&json!({ "Row": list(object(&row, required)) }), required)
    };
    let name = json!({ "name": text });
    let attributes = json!({ "type": "object", "properties": name, "additionalProperties": { "type": ["string", "number", "boolean"] } });
    let mut schema = attributes.clone();
    schema["properties"]["ColumnSchema"] = list(attributes);
    let node = json!({
        "name": text, "startCode": number, "requests": number, "heapSizeMB": number, "maxHeapSizeMB": number,
        "Region": list(json!({ "type": "object" })),
    });
    let region = json!({ "id": number, "startKey": bytes, "endKey": bytes, "location": text, "name": text });
    let version = json!({
        "Server": text, "Jersey": text, "Version": text, "Revision": text, "REST": text, "JVM": text, "OS": text,
    });
    json!({
        "CellSet": cells(true),
        "SentCellSet": cells(false),
        "TableList": object(&json!({ "table": list(object(&name, true)) }), true),
        "Version": object(&version, true),
        "ClusterVersion": object(&json!({ "Version": text }), true),
        "ClusterStatus": object(&json!({
            "LiveNodes": list(object(&node, true)), "DeadNodes": list(text.clone()), "regions": number,
            "requests": number, "averageLoad": { "type": "number" },
        }), true),
        "Namespaces": object(&json!({ "Namespace": list(text.clone()) }), true),
        "NamespaceProperties": object(&json!({
            "properties": { "type": ["object", "null"], "additionalProperties": text }
        }), false),
        "TableSchema": schema,
        "TableInfo": object(&json!({ "name": text, "Region": list(object(&region, true)) }), true),
        "Scanner": object(&json!({
            "batch": number, "startRow": bytes, "endRow": bytes, "column": list(bytes.clone()), "startTime": number,
            "endTime": number, "maxVersions": number, "caching": number, "cacheBlocks": { "type": "boolean" },
            "labels": list(text.clone()), "filter": text,
        }), false),
    })
}
