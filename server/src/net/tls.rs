//! TLS from PEM files.

use std::fmt;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;

use bytes::BytesMut;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_rustls::Accept;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::server::WebPkiClientVerifier;
use tokio_rustls::rustls::{RootCertStore, ServerConfig, crypto};

use crate::net::rewind::Rewind;
use crate::net::tls_failure::described;
use crate::net::tls_stream::Encrypted;
use crate::settings::config::{ClientCertificates, PlainText, TlsSettings};

/// Why TLS cannot be offered. The text names the file and the reason.
#[derive(Debug)]
pub struct TlsError(String);

impl fmt::Display for TlsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for TlsError {}

impl TlsSettings {
    /// Checks that TLS can be offered with the files as they are now.
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
}

impl TlsAcceptor {
    /// Reads certificate, key and CAs.
    pub fn open(files: &TlsSettings) -> Result<Self, TlsError> {
        let chain = certificates(&files.certificate)?;
        let key = PrivateKeyDer::from_pem_file(&files.key)
            .map_err(|e| TlsError(format!("cannot read a private key from {}: {e}", files.key.display())))?;
        let provider = Arc::new(crypto::ring::default_provider());
        let config = ServerConfig::builder_with_provider(provider.clone())
            .with_safe_default_protocol_versions()
            .map_err(|e| TlsError(e.to_string()))?;
        let config = match &files.client_authorities {
            None => config.with_no_client_auth(),
            Some(path) => {
                let mut roots = RootCertStore::empty();
                for certificate in certificates(path)? {
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
        let config = config.with_single_cert(chain, key).map_err(|e| {
            TlsError(format!(
                "the certificate {} and the key {} cannot be used together: {}",
                files.certificate.display(),
                files.key.display(),
                described(&e)
            ))
        })?;
        Ok(Self {
            acceptor: tokio_rustls::TlsAcceptor::from(Arc::new(config)),
            // Without TLS there is no client certificate to verify.
            plain_text: match (&files.client_authorities, files.client_certificates) {
                (Some(_), ClientCertificates::Require) => PlainText::Refuse,
                _ => files.plain_text,
            },
        })
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

fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    let unreadable = |e| TlsError(format!("cannot read certificates from {}: {e}", path.display()));
    let all = CertificateDer::pem_file_iter(path).map_err(unreadable)?;
    let all = all.collect::<Result<Vec<_>, _>>().map_err(unreadable)?;
    if all.is_empty() {
        return Err(TlsError(format!("{} contains no certificate in PEM format", path.display())));
    }
    Ok(all)
}

fn unusable(path: &Path, why: &dyn fmt::Display) -> TlsError {
    TlsError(format!("the certificates in {} cannot be used: {why}", path.display()))
}
