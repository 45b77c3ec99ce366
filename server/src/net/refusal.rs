//! The reasons for which a connection is not served.

use hyper::StatusCode;

use crate::wire::fault::Fault;

/// The answer to the first call of a connection that is not served.
#[derive(Debug, Clone)]
pub struct Refusal {
    /// The answer to a Thrift client.
    pub fault: Fault,
    /// The status of the answer to an HTTP client.
    pub status: StatusCode,
    /// Its text.
    pub text: String,
}

impl Refusal {
    /// A limit on connections is reached. `reason` names it.
    pub fn no_room(reason: &str) -> Self {
        let text = format!("{reason}; close some, try again later, or raise the limit");
        let fault = Fault::io(format!("java.io.IOException: {text}"), true);
        Self { fault, status: StatusCode::SERVICE_UNAVAILABLE, text }
    }

    /// The connection does not use TLS, and the server requires it. Whether it also requires a client certificate.
    pub fn plain_text(certificate: bool) -> Self {
        let (with, setting) = match certificate {
            true => {
                (" with a client certificate", "tls.client_certificates = \"request\" and tls.plain = \"allow\" permit")
            }
            false => ("", "tls.plain = \"allow\" permits"),
        };
        let text = |remedy: &str| {
            format!(
                "this server accepts only TLS connections{with}; {remedy}{with} (on the server, {setting} connections \
                 without TLS)"
            )
        };
        let reason = text("enable TLS in the client");
        let fault = Fault::io(format!("org.apache.hadoop.hbase.DoNotRetryIOException: {reason}"), false);
        Self { fault, status: StatusCode::FORBIDDEN, text: text("use https:// instead of http://") }
    }

    /// The server has users, and the client has not logged in. `certificate` is the reason why its certificate
    /// identifies no user.
    pub fn login_required(certificate: Option<&str>) -> Self {
        let reason = match certificate {
            None => "this server has users; log in with SASL PLAIN inside TLS, with a client certificate, or over HTTP"
                .to_owned(),
            Some(why) => format!("this server has users: {why}, or log in with SASL PLAIN or over HTTP"),
        };
        let fault = Fault::io(format!("org.apache.hadoop.hbase.security.AccessDeniedException: {reason}"), false);
        Self { fault, status: StatusCode::UNAUTHORIZED, text: reason }
    }
}
