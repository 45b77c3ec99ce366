//! The pages of the web server, for requests that reach no operation.
//!
//! Their types and first lines are those of Jetty, in which HBase's gateway runs. The reason is added.

use super::media;

/// The body of the answer to a path that cannot be decoded.
pub const BAD_MESSAGE: &str = "<h1>Bad Message 400</h1><pre>reason: Bad Request</pre>";

/// The name of a status.
pub fn name(status: u16) -> &'static str {
    match status {
        400 => "Bad Request",
        404 => "Not Found",
        405 => "Method Not Allowed",
        406 => "Not Acceptable",
        415 => "Unsupported Media Type",
        _ => "Request failed.",
    }
}

/// The type and the text of a page, in the first representation that `Accept` asks for and that exists. `reason` is for
/// the client: what is wrong, and what would be right.
pub fn page(status: u16, path: &str, accept: Option<&str>, reason: &str) -> Option<(String, String)> {
    let Some(accept) = accept.filter(|accept| !accept.trim().is_empty()) else {
        return Some(html(status, path, reason));
    };
    let mut accepted: Vec<_> = accept.split(',').take(64).filter_map(media::parse).collect();
    accepted.sort_by(|a, b| b.quality.total_cmp(&a.quality));
    // Parameters are part of the comparison.
    let names = accepted.iter().map(|one| format!("{}{}", one.name, one.parameters));
    names.into_iter().find_map(|name| match &*name {
        "text/html" | "text/*" | "*/*" => Some(html(status, path, reason)),
        "application/json" | "text/json" => Some(json(status, path, &name, reason)),
        "text/plain" => Some(plain(status, path, reason)),
        _ => None,
    })
}

fn html(status: u16, path: &str, reason: &str) -> (String, String) {
    let (name, path, reason) = (name(status), quick_xml::escape::escape(path), quick_xml::escape::escape(reason));
    let text = format!(
        "<html>\n<head>\n<title>Error {status} {name}</title>\n</head>\n<body><h2>HTTP ERROR {status} {name}</h2>\n\
         <table>\n<tr><th>URI:</th><td>{path}</td></tr>\n<tr><th>REASON:</th><td>{reason}</td></tr>\n</table>\n\
         </body>\n</html>\n"
    );
    ("text/html;charset=iso-8859-1".to_owned(), ascii(&text))
}

fn json(status: u16, path: &str, kind: &str, reason: &str) -> (String, String) {
    let (path, reason) = (serde_json::Value::from(path), serde_json::Value::from(reason));
    let text = format!(
        "{{\n\"servlet\":\"hjall\",\n\"message\":\"{}\",\n\"reason\":{reason},\n\"url\":{path},\n\"status\":\"{status}\"\n}}",
        name(status)
    );
    (kind.to_owned(), text)
}

fn plain(status: u16, path: &str, reason: &str) -> (String, String) {
    let name = name(status);
    let text =
        format!("HTTP ERROR {status} {name}\nURI: {path}\nSTATUS: {status}\nMESSAGE: {name}\nREASON: {reason}\n");
    ("text/plain;charset=iso-8859-1".to_owned(), ascii(&text))
}

/// The declared character set has no other characters in common with UTF-8.
fn ascii(text: &str) -> String {
    text.chars().map(|c| if c.is_ascii() { c } else { '?' }).collect()
}
