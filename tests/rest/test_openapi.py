"""docs/openapi.json: every request that can be made from its examples is answered as it says."""
import base64
import json
from urllib.parse import quote

import pytest
from sending import BYTES, JSON, send
from serving import ROOT

DOCUMENT = json.loads((ROOT / "docs" / "openapi.json").read_text())
VERBS = ("get", "head", "put", "post", "delete")
SCHEMAS = DOCUMENT["components"]["schemas"]
TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "number": (int, float), "integer": int, "null": type(None)}


def mistakes(value, schema, place="$"):
    """What differs between a JSON value and a schema, in the part of JSON Schema that the document uses."""
    if "$ref" in schema:
        schema = SCHEMAS[schema["$ref"].rsplit("/", 1)[1]]
    unknown = set(schema) - {"type", "properties", "required", "additionalProperties", "items", "minItems", "contentEncoding", "format", "description", "enum"}
    assert not unknown, f"the check does not know {unknown}"
    types = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    if not any(isinstance(value, TYPES[name]) for name in types):
        return [f"{place} is {value!r}, not {types}"]
    if schema.get("contentEncoding") == "base64":
        base64.b64decode(value, validate=True)
    found = []
    if isinstance(value, dict):
        found += [f"{place} lacks {name}" for name in schema.get("required", ()) if name not in value]
        for name, member in value.items():
            of = schema.get("properties", {}).get(name, schema.get("additionalProperties", {"type": list(TYPES)}))
            found += [f"{place} has {name}"] if of is False else mistakes(member, of, f"{place}.{name}") if of is not True else []
    if isinstance(value, list):
        found += [one for n, member in enumerate(value) for one in mistakes(member, schema["items"], f"{place}[{n}]")]
    return found


def cases():
    """(id, verb, path, query or header, type and example of the body, Accept, the operation)."""
    for template, item in DOCUMENT["paths"].items():
        for verb in (verb for verb in VERBS if verb in item):
            operation = item[verb]
            path = template
            for parameter in item.get("parameters", ()):
                path = path.replace(f"{{{parameter['name']}}}", quote(str(parameter.get("example", "SCANNER")), safe=":,"))
            sent = [(kind, media["example"]) for kind, media in operation.get("requestBody", {}).get("content", {}).items() if "example" in media]
            answered = item["get"] if verb == "head" else operation
            given = list(answered["responses"].get("200", {}).get("content", {})) or [None]
            options = [None, *(parameter for parameter in operation.get("parameters", ()) if "example" in parameter)]
            for option in options:
                for body in sent or [None]:
                    for accept in given:
                        yield verb, path, option, body, accept, operation


def with_option(path, option):
    """The path with a parameter of the query, and headers."""
    if option is None:
        return path, {}
    values = option["example"] if isinstance(option["example"], list) else [option["example"]]
    texts = [value if isinstance(value, str) else json.dumps(value) for value in values]
    if option["in"] == "header":
        return path, {option["name"]: texts[0]}
    return path + "?" + "&".join(f"{option['name']}={quote(text)}" for text in texts), {}


@pytest.fixture
def prepared(address):
    """Brings the server into the state that the examples assume. Returns the path of an open scanner."""
    made = send(address, "PUT", "/t/schema", '{"ColumnSchema":[{"name":"f"}]}', Content_Type=JSON)
    assert made[0] == 201

    def prepare(operation):
        send(address, "DELETE", "/namespaces/n")
        send(address, "PUT", "/t/schema", '{"ColumnSchema":[{"name":"f"}]}', Content_Type=JSON)
        assert send(address, "PUT", "/t/row1/f:a1", "value", Content_Type=BYTES)[0] == 200
        if not operation["operationId"].startswith("createNamespace"):
            assert send(address, "POST", "/namespaces/n", "")[0] == 201
        return send(address, "PUT", "/t/scanner", "{}", Content_Type=JSON)[1]["Location"].rsplit("/", 1)[1]

    yield prepare
    for path in ("/t/schema", "/namespaces/n"):
        send(address, "DELETE", path)


def test_requests_from_the_document_are_answered_as_it_says(address, prepared):
    count, statuses = 0, set()
    for verb, path, option, body, accept, operation in cases():
        scanner = prepared(operation)
        target, headers = with_option(path.replace("SCANNER", scanner), option)
        kind, example = body or (None, None)
        data = json.dumps(example) if kind == JSON else example
        headers = {**headers, **({"Content-Type": kind} if body else {}), **({"Accept": accept} if accept else {})}
        status, got, text = send(address, verb.upper(), target, data, **headers)
        shown = (verb, target, kind, accept, status, text[:300])
        assert status in (200, 201, 204, 404) and str(status) in operation["responses"], shown
        assert status != 404 or path.endswith("/multiget") or "/multiget/" in path, shown
        media = operation["responses"][str(status)].get("content")
        if media and text:
            assert got["Content-Type"] == accept, shown
            assert accept != JSON or not mistakes(json.loads(text), media[JSON]["schema"]), shown
        if kind == JSON:
            assert not mistakes(example, operation["requestBody"]["content"][JSON]["schema"]), shown
        count, statuses = count + 1, statuses | {status}
    assert count > 150 and statuses >= {200, 201}


def test_every_operation_has_an_example():
    """Protobuf has none, because the document is text."""
    for path, item in DOCUMENT["paths"].items():
        for verb in (verb for verb in VERBS if verb in item):
            content = item[verb].get("requestBody", {}).get("content", {})
            assert [kind for kind, media in content.items() if "protobuf" not in kind and "example" not in media] == [], (path, verb)
