//! Keeps web pages out: a browser on the same machine or network sends requests on behalf of any page it shows.
//!
//! A page can send a request to another site without asking only if it looks like a form's. The content type of Thrift
//! is none of those, so requiring it makes browsers ask first (CORS preflight). A page whose own host name resolves to
//! this server (DNS rebinding) needs no permission, but sends that name in `Host`. `Origin` and `Sec-Fetch-Site` are
//! set by browsers, and pages cannot change them.

use std::net::{IpAddr, Ipv6Addr};

use hyper::header::{CONTENT_TYPE, HOST, HeaderMap, HeaderValue, ORIGIN};
use hyper::{StatusCode, Uri};

use crate::settings::config::HttpSettings;

/// The media types of Thrift messages: the usual one, and those registered with IANA.
const MEDIA_TYPES: [&str; 3] =
    ["application/x-thrift", "application/vnd.apache.thrift.binary", "application/vnd.apache.thrift.compact"];

/// A refused request: the status of the answer, and its text.
pub type Refused = (StatusCode, String);

/// Checks where a request comes from. Returns the origin of its web page if that is allowed, or `None` if the client is
/// not a browser.
///
/// `checks_host` is whether the request could be the result of DNS rebinding: it arrived at a loopback address without
/// TLS. (A browser does not accept the certificate of another host.) `own_host` is the host name that the server was
/// given.
pub fn origin(
    headers: &HeaderMap,
    uri: &Uri,
    settings: &HttpSettings,
    checks_host: bool,
    own_host: Option<&str>,
) -> Result<Option<HeaderValue>, Refused> {
    if checks_host {
        host(headers, uri, settings, own_host)?;
    }
    let mut origins = headers.get_all(ORIGIN).iter();
    match (origins.next(), origins.next()) {
        (None, _) if !headers.contains_key("sec-fetch-site") => Ok(None),
        (Some(origin), None) if allows(settings, origin) => Ok(Some(origin.clone())),
        (origin, _) => {
            let origin = origin.map_or_else(|| "unknown".to_owned(), |origin| printable(origin.as_bytes()));
            let why = format!(
                "The request comes from a web page (origin {origin}), which the server does not allow. The setting http.origins lists \
                 the origins that it allows.\n"
            );
            Err((StatusCode::FORBIDDEN, why))
        }
    }
}

/// Checks that the body is declared as a Thrift message.
pub fn content_type(headers: &HeaderMap) -> Result<(), Refused> {
    let mut types = headers.get_all(CONTENT_TYPE).iter();
    let declared = types.next().and_then(|value| value.to_str().ok()).unwrap_or_default();
    let media_type = declared.split(';').next().unwrap_or_default().trim();
    if types.next().is_none() && MEDIA_TYPES.iter().any(|one| one.eq_ignore_ascii_case(media_type)) {
        return Ok(());
    }
    let why = format!("The Content-Type must be application/x-thrift, not \"{}\".\n", printable(declared.as_bytes()));
    Err((StatusCode::UNSUPPORTED_MEDIA_TYPE, why))
}

fn allows(settings: &HttpSettings, origin: &HeaderValue) -> bool {
    let matches = |allowed: &String| allowed == "*" || allowed.as_bytes().eq_ignore_ascii_case(origin.as_bytes());
    settings.origins.iter().any(matches)
}

/// Checks that the host name of the request is one that another machine's DNS cannot give to this address.
fn host(headers: &HeaderMap, uri: &Uri, settings: &HttpSettings, own_host: Option<&str>) -> Result<(), Refused> {
    let mut hosts = headers.get_all(HOST).iter();
    let named = match (uri.authority(), hosts.next(), hosts.next()) {
        (_, _, Some(_)) => Some("several hosts"),
        (Some(authority), ..) => Some(authority.as_str()),
        (None, Some(host), None) => Some(host.to_str().unwrap_or("a host that is not ASCII")),
        // Browsers always send it.
        (None, None, None) => None,
    };
    let Some(named) = named else { return Ok(()) };
    let name = without_port(named);
    let is = |allowed: &str| allowed.eq_ignore_ascii_case(name);
    let lower = name.to_ascii_lowercase();
    let is_address = name.parse::<IpAddr>().is_ok() || bare_v6(name).is_some();
    if is_address
        || lower == "localhost"
        || lower.ends_with(".localhost")
        || own_host.is_some_and(is)
        || settings.hosts.iter().any(|host| is(host))
    {
        return Ok(());
    }
    let why = format!(
        "The request is for the host {}, but arrived at a loopback address. Use localhost or an IP address, or add the host to the \
         setting http.hosts.\n",
        printable(named.as_bytes())
    );
    Err((StatusCode::MISDIRECTED_REQUEST, why))
}

fn bare_v6(name: &str) -> Option<Ipv6Addr> {
    name.strip_prefix('[')?.strip_suffix(']')?.parse().ok()
}

/// The host of `host:port`, without the dot that may end a full name.
fn without_port(named: &str) -> &str {
    let host = match named.rsplit_once(':') {
        Some((host, port))
            if port.bytes().all(|byte| byte.is_ascii_digit()) && (!host.contains(':') || host.ends_with(']')) =>
        {
            host
        }
        _ => named,
    };
    host.strip_suffix('.').unwrap_or(host)
}

/// Foreign text for an answer: escaped, and not longer than necessary.
fn printable(text: &[u8]) -> String {
    text.get(..100).unwrap_or(text).escape_ascii().to_string()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn host_is_allowed(value: &str) -> bool {
        let mut headers = HeaderMap::new();
        headers.insert(HOST, HeaderValue::from_str(value).unwrap());
        let settings = HttpSettings { hosts: vec!["proxy.example".to_owned()], ..HttpSettings::default() };
        origin(&headers, &Uri::from_static("/"), &settings, true, Some("own.example")).is_ok()
    }

    #[test]
    fn hosts_that_foreign_dns_cannot_resolve_here_are_allowed() {
        for host in [
            "localhost",
            "LOCALHOST:9090",
            "localhost.",
            "db.localhost:1",
            "127.0.0.1",
            "127.0.0.1:9090",
            "[::1]:9090",
            "[::1]",
            "proxy.example",
            "Own.Example:9090",
        ] {
            assert!(host_is_allowed(host), "{host}");
        }
        for host in [
            "evil.example",
            "evil.example:9090",
            "localhost.evil.example",
            "127.0.0.1.evil.example",
            "evillocalhost",
            "",
            ":9090",
            "proxy.example.evil.example",
            "localhost@evil.example",
            "[::1].evil.example",
        ] {
            assert!(!host_is_allowed(host), "{host}");
        }
    }
}
