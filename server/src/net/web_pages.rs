//! Keeps web pages out: a browser on the same machine or network sends requests on behalf of any page it shows.
//!
//! A page can send a request to another site without permission only if the request looks like that of a form. The
//! content type of Thrift is none of those, so requiring it makes browsers ask first (CORS preflight). A page whose own
//! host name resolves to this server (DNS rebinding) needs no permission, but sends that name in `Host`. `Origin` and
//! `Sec-Fetch-Site` are set by browsers, and pages cannot change them. Browsers send `Origin` with everything but GET
//! and HEAD, and with these if a script of another site reads the answer.

use std::net::{IpAddr, Ipv6Addr};

use hyper::header::{CONTENT_TYPE, HOST, HeaderMap, HeaderValue, ORIGIN};
use hyper::{Method, StatusCode, Uri};

use crate::settings::config::HttpSettings;

/// The media types of Thrift messages: the usual one, and those registered with IANA.
const MEDIA_TYPES: [&str; 3] =
    ["application/x-thrift", "application/vnd.apache.thrift.binary", "application/vnd.apache.thrift.compact"];

/// A refused request: the status of the answer, and its text.
pub type Refused = (StatusCode, String);

/// Checks where a request comes from. Returns the origin of its web page if that is allowed, or `None` if there is no
/// page, or one that reads without an origin: browsers may send GET and HEAD for their user, who has entered the
/// address (`Sec-Fetch-Site: none`), and for a page of this host (`same-origin`).
///
/// `checks_host` is whether the request could be the result of DNS rebinding ([`may_be_rebound`]). `own_host` is the
/// host name that the server was given.
pub fn origin(
    method: &Method,
    headers: &HeaderMap,
    uri: &Uri,
    settings: &HttpSettings,
    checks_host: bool,
    own_host: Option<&str>,
) -> Result<Option<HeaderValue>, Refused> {
    if headers.get_all(HOST).iter().nth(1).is_some() {
        return Err((StatusCode::BAD_REQUEST, "The request has several Host headers; send one.\n".to_owned()));
    }
    if checks_host {
        host(headers, uri, settings, own_host)?;
    }
    let mut origins = headers.get_all(ORIGIN).iter();
    match (origins.next(), origins.next()) {
        (None, _) => match headers.get("sec-fetch-site").map(HeaderValue::as_bytes) {
            None => Ok(None),
            Some(b"none") if method.is_safe() => Ok(None),
            Some(_) if method.is_safe() && settings.origins.iter().any(|origin| origin == "*") => Ok(None),
            Some(b"same-origin") if method.is_safe() => match is_origin(headers, settings) {
                true => Ok(None),
                false => host(headers, uri, settings, own_host).map(|()| None),
            },
            Some(_) => {
                let why = "A browser has sent the request for a web page, without the page's origin. Enter the address in the \
                           browser, or send the request with fetch from a page whose origin the setting http.origins lists.\n";
                Err((StatusCode::FORBIDDEN, why.to_owned()))
            }
        },
        (Some(origin), None) if allows(settings, origin) => Ok(Some(origin.clone())),
        (Some(origin), _) => {
            let origin = printable(origin.as_bytes());
            let why = format!(
                "The request comes from a web page (origin {origin}), which the server does not allow. The setting http.origins lists \
                 the origins that it allows.\n"
            );
            Err((StatusCode::FORBIDDEN, why))
        }
    }
}

/// Whether a request that arrived at the address `local` could be the result of DNS rebinding: it is a loopback
/// address, and there is no TLS. (A browser does not accept the certificate of another host.)
pub fn may_be_rebound(local: IpAddr, tls: bool) -> bool {
    local.to_canonical().is_loopback() && !tls
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

/// Whether the host of a request is that of an allowed origin.
fn is_origin(headers: &HeaderMap, settings: &HttpSettings) -> bool {
    let Some(host) = headers.get(HOST).and_then(|host| host.to_str().ok()) else { return false };
    let of = |origin: &String| origin.split_once("://").is_some_and(|(_, named)| named.eq_ignore_ascii_case(host));
    settings.origins.iter().any(of)
}

/// Checks that the host name of the request is one that another machine's DNS cannot give to this address.
fn host(headers: &HeaderMap, uri: &Uri, settings: &HttpSettings, own_host: Option<&str>) -> Result<(), Refused> {
    let named = match (uri.authority(), headers.get(HOST)) {
        (Some(authority), _) => Some(authority.as_str()),
        (None, Some(host)) => Some(host.to_str().unwrap_or("a host that is not ASCII")),
        // Browsers always send it.
        (None, None) => None,
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
        "The request is for the host {}, which is not known as a name of this server. Use localhost or an IP address, or add the \
         host to the setting http.hosts.\n",
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
pub fn printable(text: &[u8]) -> String {
    text.get(..100).unwrap_or(text).escape_ascii().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host_is_allowed(value: &str) -> bool {
        let mut headers = HeaderMap::new();
        headers.insert(HOST, HeaderValue::from_str(value).unwrap());
        let settings = HttpSettings { hosts: vec!["proxy.example".to_owned()], ..HttpSettings::default() };
        origin(&Method::PUT, &headers, &Uri::from_static("/"), &settings, true, Some("own.example")).is_ok()
    }

    #[test]
    fn browsers_may_read_for_their_users_and_for_pages_of_this_host() {
        let outcome = |method: Method, host: &str, site: &str, origins: &[&str]| {
            let mut headers = HeaderMap::new();
            headers.insert(HOST, HeaderValue::from_str(host).unwrap());
            headers.insert("sec-fetch-site", HeaderValue::from_str(site).unwrap());
            let origins = origins.iter().map(|origin| (*origin).to_owned()).collect();
            let settings = HttpSettings { origins, ..HttpSettings::default() };
            origin(&method, &headers, &Uri::from_static("/"), &settings, false, None).map_err(|(status, _)| status)
        };
        let (forbidden, misdirected) = (Err(StatusCode::FORBIDDEN), Err(StatusCode::MISDIRECTED_REQUEST));
        let listed = ["https://app.example"];
        for (method, host, site, origins, wanted) in [
            (Method::GET, "localhost:1", "none", &[][..], Ok(None)),
            (Method::HEAD, "localhost:1", "none", &[], Ok(None)),
            (Method::PUT, "localhost:1", "none", &[], forbidden.clone()),
            (Method::DELETE, "localhost:1", "same-origin", &[], forbidden.clone()),
            (Method::GET, "10.0.0.1:1", "same-origin", &[], Ok(None)),
            (Method::GET, "rebound.example", "same-origin", &[], misdirected),
            (Method::GET, "app.example", "same-origin", &listed, Ok(None)),
            (Method::GET, "localhost:1", "cross-site", &[], forbidden.clone()),
            (Method::GET, "localhost:1", "same-site", &listed, forbidden.clone()),
            (Method::GET, "localhost:1", "cross-site", &["*"], Ok(None)),
            (Method::POST, "localhost:1", "cross-site", &["*"], forbidden),
        ] {
            assert_eq!(outcome(method.clone(), host, site, origins), wanted, "{method} {host} {site} {origins:?}");
        }
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
