//! TLS from PEM files.

use std::fmt;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;

use bytes::BytesMut;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_rustls::Accept;
use tokio_rustls::rustls::pki_types::pem::{self, PemObject};
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::server::{NoServerSessionStorage, WebPkiClientVerifier};
use tokio_rustls::rustls::{RootCertStore, ServerConfig, crypto};
use x509_parser::certificate::X509Certificate;
use x509_parser::prelude::FromDer;

use crate::access::warn_if_exposed;
use crate::net::rewind::Rewind;
use crate::net::tls_failure::described;
use crate::net::tls_stream::Encrypted;
use crate::settings::config::{ClientCertificates, PlainText, TlsSettings};

/// The error of settings with which TLS cannot be offered. The text names the setting, the file and the reason.
#[derive(Debug)]
pub struct TlsError(String);

impl fmt::Display for TlsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for TlsError {}

impl TlsSettings {
    /// Checks that TLS can be offered with the current files.
    ///
    /// # Errors
    /// What is wrong with them.
    pub fn check(&self) -> Result<(), TlsError> {
        TlsAcceptor::open(self).map(drop)
    }
}

/// Performs the server's side of TLS handshakes.
#[derive(Clone)]
pub struct TlsAcceptor {
    acceptor: tokio_rustls::TlsAcceptor,
    plain_text: PlainText,
    requires_certificate: bool,
    /// The validity period of the certificate, in seconds since 1970.
    valid: Option<(i64, i64)>,
}

impl TlsAcceptor {
    /// Reads certificate, key and CAs.
    pub fn open(files: &TlsSettings) -> Result<Self, TlsError> {
        let chain = certificates("tls.certificate", &files.certificate)?;
        let valid = chain.first().and_then(|certificate| X509Certificate::from_der(certificate).ok());
        let valid = valid.map(|(_, certificate)| certificate.validity().clone());
        let valid = valid.map(|valid| (valid.not_before.timestamp(), valid.not_after.timestamp()));
        let key = PrivateKeyDer::from_pem_file(&files.key).map_err(|e| {
            let why = match e {
                pem::Error::NoItemsFound => "it contains no private key in PEM format".to_owned(),
                other => readable(&other),
            };
            TlsError(format!("tls.key: cannot read {}: {why}", files.key.display()))
        })?;
        let provider = Arc::new(crypto::ring::default_provider());
        let config = ServerConfig::builder_with_provider(provider.clone())
            .with_safe_default_protocol_versions()
            .map_err(|e| TlsError(e.to_string()))?;
        let config = match &files.client_authorities {
            None => config.with_no_client_auth(),
            Some(path) => {
                let mut roots = RootCertStore::empty();
                for certificate in certificates("tls.client_ca", path)? {
                    roots.add(certificate).map_err(|e| unusable(path, &described(&e)))?;
                }
                let verifier = WebPkiClientVerifier::builder_with_provider(roots.into(), provider);
                let verifier = match files.client_certificates {
                    ClientCertificates::Require => verifier,
                    ClientCertificates::Request => verifier.allow_unauthenticated(),
                };
                config.with_client_cert_verifier(verifier.build().map_err(|e| unusable(path, &e))?)
            }
        };
        let mut config = config.with_single_cert(chain, key).map_err(|e| {
            TlsError(format!(
                "the certificate {} (tls.certificate) and the key {} (tls.key) cannot be used together: {}",
                files.certificate.display(),
                files.key.display(),
                described(&e)
            ))
        })?;
        if files.client_authorities.is_some() {
            // A resumed session keeps the certificate of the client without verifying it again, also after its end.
            config.session_storage = Arc::new(NoServerSessionStorage {});
            config.send_tls13_tickets = 0;
        }
        let requires_certificate = files.requires_client_certificate();
        Ok(Self {
            acceptor: tokio_rustls::TlsAcceptor::from(Arc::new(config)),
            // Without TLS there is no client certificate to verify.
            plain_text: if requires_certificate { PlainText::Refuse } else { files.plain_text },
            requires_certificate,
            valid,
        })
    }

    /// The time at which the server's certificate expires, in seconds since 1970; `None` if it is unknown.
    pub fn expires(&self) -> Option<i64> {
        self.valid.map(|(_, until)| until)
    }

    /// Warns of a certificate that clients refuse now, and of a private key that other users of the machine can read.
    pub fn warn(&self, files: &TlsSettings) {
        let path = files.certificate.display();
        let now = chrono::Utc::now().timestamp();
        let date = |seconds| chrono::DateTime::from_timestamp(seconds, 0).unwrap_or_default().format("%F %T UTC");
        match self.valid {
            Some((_, until)) if until < now => {
                tracing::warn!(
                    "the certificate {path} (tls.certificate) has expired on {}; replace it, and send SIGHUP",
                    date(until)
                );
            }
            Some((from, _)) if from > now => {
                tracing::warn!(
                    "the certificate {path} (tls.certificate) is not valid before {}; check the clock, or replace the certificate",
                    date(from)
                );
            }
            _ => {}
        }
        warn_if_exposed("the private key", &files.key);
    }

    /// Whether clients have to present a certificate.
    pub fn requires_certificate(&self) -> bool {
        self.requires_certificate
    }

    /// Whether a connection without TLS to this address of the server is refused.
    pub fn requires_tls(&self, local: SocketAddr) -> bool {
        match self.plain_text {
            PlainText::Refuse => true,
            PlainText::Loopback => !local.ip().to_canonical().is_loopback(),
            PlainText::Allow => false,
        }
    }

    /// Performs the handshake of a connection of which `read` has been read already.
    pub fn accept<S: AsyncRead + AsyncWrite + Unpin>(&self, stream: S, read: BytesMut) -> Accept<Encrypted<S>> {
        self.acceptor.accept(Encrypted::new(Rewind::new(read, stream)))
    }
}

fn certificates(setting: &str, path: &Path) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    let unreadable = |e| TlsError(format!("{setting}: cannot read {}: {}", path.display(), readable(&e)));
    let all = CertificateDer::pem_file_iter(path).map_err(unreadable)?;
    let all = all.collect::<Result<Vec<_>, _>>().map_err(unreadable)?;
    if all.is_empty() {
        return Err(TlsError(format!("{setting}: {} contains no certificate in PEM format", path.display())));
    }
    Ok(all)
}

/// Why a file in PEM format cannot be read.
fn readable(error: &pem::Error) -> String {
    match error {
        pem::Error::Io(error) => error.to_string(),
        other => format!("it is damaged ({other}); create it in PEM format"),
    }
}

fn unusable(path: &Path, why: &dyn fmt::Display) -> TlsError {
    TlsError(format!("tls.client_ca: the certificates in {} cannot be used: {why}", path.display()))
}
