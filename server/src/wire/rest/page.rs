//! The pages of the web server, for requests that reach no operation.
//!
//! Their types and first lines are those of Jetty, in which HBase's gateway runs.

use super::media;

/// The body of the answer to a path that cannot be decoded.
pub const BAD_MESSAGE: &str = "<h1>Bad Message 400</h1><pre>reason: Bad Request</pre>";

/// The name of a status.
pub fn reason(status: u16) -> &'static str {
    match status {
        400 => "Bad Request",
        404 => "Not Found",
        405 => "Method Not Allowed",
        406 => "Not Acceptable",
        415 => "Unsupported Media Type",
        _ => "Request failed.",
    }
}

/// The type and the text of a page, in the first representation that `Accept` asks for and that exists.
pub fn page(status: u16, path: &str, accept: Option<&str>) -> Option<(String, String)> {
    let Some(accept) = accept.filter(|accept| !accept.trim().is_empty()) else { return Some(html(status, path)) };
    let mut accepted: Vec<_> = accept.split(',').take(64).filter_map(media::parse).collect();
    accepted.sort_by(|a, b| b.quality.total_cmp(&a.quality));
    // Parameters are part of the comparison.
    let names = accepted.iter().map(|one| format!("{}{}", one.name, one.parameters));
    names.into_iter().find_map(|name| match &*name {
        "text/html" | "text/*" | "*/*" => Some(html(status, path)),
        "application/json" | "text/json" => Some(json(status, path, &name)),
        "text/plain" => Some(plain(status, path)),
        _ => None,
    })
}

/// What a client of Thrift with a wrong content type needs to know.
fn hint(status: u16, path: &str) -> &'static str {
    match (status, path) {
        (405, "/") => "Messages of Thrift need the Content-Type application/x-thrift.\n",
        _ => "",
    }
}

fn html(status: u16, path: &str) -> (String, String) {
    let (reason, hint, path) = (reason(status), hint(status, path), quick_xml::escape::escape(path));
    let text = format!(
        "<html>\n<head>\n<title>Error {status} {reason}</title>\n</head>\n<body><h2>HTTP ERROR {status} {reason}</h2>\n\
         <table>\n<tr><th>URI:</th><td>{path}</td></tr>\n</table>\n{hint}</body>\n</html>\n"
    );
    ("text/html;charset=iso-8859-1".to_owned(), ascii(&text))
}

fn json(status: u16, path: &str, name: &str) -> (String, String) {
    let quoted = serde_json::Value::from(path);
    let text = format!(
        "{{\n\"servlet\":\"hjall\",\n\"message\":\"{}\",\n\"url\":{quoted},\n\"status\":\"{status}\"\n}}",
        reason(status)
    );
    (name.to_owned(), text)
}

fn plain(status: u16, path: &str) -> (String, String) {
    let (reason, hint) = (reason(status), hint(status, path));
    let text = format!("HTTP ERROR {status} {reason}\nURI: {path}\nSTATUS: {status}\nMESSAGE: {reason}\n{hint}");
    ("text/plain;charset=iso-8859-1".to_owned(), ascii(&text))
}

/// The declared character set has no other characters in common with UTF-8.
fn ascii(text: &str) -> String {
    text.chars().map(|c| if c.is_ascii() { c } else { '?' }).collect()
}
