//! Logins over HTTP: the header `Authorization` with the schemes Basic and Bearer.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use hyper::StatusCode;
use hyper::header::{AUTHORIZATION, HeaderMap};

/// The credentials of a request.
pub enum Credentials {
    /// A user and a password (RFC 7617).
    Password {
        /// The name of the user.
        name: String,
        /// The password.
        password: Vec<u8>,
    },
    /// A token (RFC 6750).
    Token(Vec<u8>),
}

/// The answer to a request that has to log in.
pub const CHALLENGES: [&str; 2] = ["Basic realm=\"hjall\", charset=\"UTF-8\"", "Bearer realm=\"hjall\""];

/// The credentials of a request, or `None` if it has none.
///
/// # Errors
/// The header cannot be understood, or has a scheme that the server does not have: a status, and a text for the client.
pub fn credentials(headers: &HeaderMap) -> Result<Option<Credentials>, (StatusCode, &'static str)> {
    let bad = |why| (StatusCode::BAD_REQUEST, why);
    let mut values = headers.get_all(AUTHORIZATION).iter();
    let value = match (values.next(), values.next()) {
        (None, _) => return Ok(None),
        (Some(value), None) => value.to_str().map_err(|_| bad("the header Authorization is not ASCII"))?,
        (Some(_), Some(_)) => return Err(bad("the request has several headers Authorization")),
    };
    let (scheme, given) = value.trim().split_once(' ').unwrap_or((value, ""));
    let given = given.trim();
    if scheme.eq_ignore_ascii_case("bearer") && !given.is_empty() {
        return Ok(Some(Credentials::Token(given.as_bytes().to_vec())));
    }
    if !scheme.eq_ignore_ascii_case("basic") {
        let why = "the server accepts the schemes Basic and Bearer in the header Authorization";
        return Err((StatusCode::UNAUTHORIZED, why));
    }
    const MALFORMED: &str = "the header Authorization has no user and password in the form of Basic";
    let decoded = BASE64_STANDARD.decode(given).map_err(|_| bad(MALFORMED))?;
    let colon = decoded.iter().position(|byte| *byte == b':').ok_or(bad(MALFORMED))?;
    let (name, password) = decoded.split_at(colon);
    let name = String::from_utf8(name.to_vec()).map_err(|_| bad(MALFORMED))?;
    Ok(Some(Credentials::Password { name, password: password.get(1..).unwrap_or_default().to_vec() }))
}

#[cfg(test)]
mod tests {
    use hyper::header::HeaderValue;

    use super::*;

    fn of(values: &[&str]) -> Result<Option<Credentials>, (StatusCode, &'static str)> {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(AUTHORIZATION, HeaderValue::from_str(value).unwrap());
        }
        credentials(&headers)
    }

    #[test]
    fn basic_and_bearer_are_understood() {
        assert!(of(&[]).unwrap().is_none());
        for basic in ["Basic YWxpY2U6YTpi", "basic  YWxpY2U6YTpi "] {
            let Some(Credentials::Password { name, password }) = of(&[basic]).unwrap() else { panic!("{basic}") };
            assert_eq!((name.as_str(), &password[..]), ("alice", &b"a:b"[..]));
        }
        let Some(Credentials::Token(token)) = of(&["BEARER abc.def"]).unwrap() else { panic!() };
        assert_eq!(token, b"abc.def");
        for wrong in [
            &["Basic"][..],
            &["Basic !!!"],
            &["Basic YWxpY2U="],
            &["Basic /zph"],
            &["Basic YWxpY2U6YTpi", "Bearer abc"],
        ] {
            assert_eq!(of(wrong).err().unwrap().0, StatusCode::BAD_REQUEST, "{wrong:?}");
        }
        for unknown in ["Negotiate YII=", "Digest x", "Bearer", "Bearer ", ""] {
            assert_eq!(of(&[unknown]).err().unwrap().0, StatusCode::UNAUTHORIZED, "{unknown}");
        }
    }
}
