//! The OpenAPI document of the REST gateway.

use std::path::Path;

use hjall_server::gateway::rest::openapi;
use hjall_server::wire::rest::{Request, RequestHead};
use serde_json::Value;

#[test]
fn the_document_is_that_of_the_operations() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/openapi.json");
    if std::env::var_os("WRITE_OPENAPI").is_some() {
        std::fs::write(&path, openapi::document()).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(committed == openapi::document(), "run WRITE_OPENAPI=1 cargo test --test parts openapi");
}

/// Every address, method and type of the document is recognised, and answers as the document says.
#[test]
fn the_server_has_every_operation_of_the_document() {
    let document: Value = serde_json::from_str(&openapi::document()).unwrap();
    let mut names = Vec::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        let filled = path
            .replace("{table}", "t")
            .replace("{namespace}", "n")
            .replace("{row}", "r")
            .replace("{columns}", "f:q")
            .replace("{times}", "5")
            .replace("{prefix}", "a")
            .replace("{scanner}", "10000000a");
        for verb in ["get", "head", "put", "post", "delete"] {
            let operation = &item[verb];
            let head = RequestHead { verb: &verb.to_ascii_uppercase(), path: &filled, ..RequestHead::default() };
            if operation.is_null() {
                assert_eq!(Request::recognise(&head).unwrap_err().status, 405, "{verb} {path}");
                continue;
            }
            let keys = |value: &Value| value.as_object().map(|all| all.keys().cloned().collect()).unwrap_or_default();
            let (sent, given): (Vec<String>, Vec<String>) =
                (keys(&operation["requestBody"]["content"]), keys(&operation["responses"]["200"]["content"]));
            for content_type in sent.iter().map(|kind| Some(&**kind)).chain(sent.is_empty().then_some(None)) {
                for accept in given.iter().map(|kind| Some(&**kind)).chain([None]) {
                    let request = Request::recognise(&RequestHead { content_type, accept, ..head }).unwrap();
                    let output = request.output.as_ref().map(|output| &*output.content_type);
                    assert!(accept.is_none() || output == accept, "{verb} {path} {accept:?}: {output:?}");
                    let name = hjall_server::wire::method::Method::Rest(request.method).name();
                    assert!(operation["operationId"].as_str().unwrap().starts_with(name), "{verb} {path}: {name}");
                }
            }
            names.push(operation["operationId"].clone());
        }
    }
    let count = names.len();
    names.sort_by_key(Value::to_string);
    names.dedup();
    assert_eq!(names.len(), count, "names of operations are unique");
}
