//! TLS: its files, and what plain connections may do.

use std::path::PathBuf;

/// How TLS is offered. The files are in PEM format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TlsSettings {
    /// The certificate chain of the server.
    pub certificate: PathBuf,
    /// The private key of the certificate.
    pub key: PathBuf,
    /// CAs that issue client certificates, or `None` if clients need no certificate.
    pub client_authorities: Option<PathBuf>,
    /// Whether clients must present a certificate if `client_authorities` is set.
    pub client_certificates: ClientCertificates,
    /// Whether connections without TLS are served on the same ports. They never are if clients must present a
    /// certificate.
    pub plain_text: PlainText,
}

impl TlsSettings {
    /// Whether every client must present a certificate.
    pub fn requires_client_certificate(&self) -> bool {
        self.client_authorities.is_some() && self.client_certificates == ClientCertificates::Require
    }
}

/// What happens to a connection without TLS if TLS is configured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PlainText {
    /// Its first call is answered with an error, and it is closed.
    #[default]
    Refuse,
    /// It is served at a loopback address of the server, and refused at others.
    Loopback,
    /// It is served.
    Allow,
}

/// Whether clients present a certificate if the server knows authorities for them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ClientCertificates {
    /// They must.
    #[default]
    Require,
    /// They may. Users log in without one in other ways.
    Request,
}
