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

use crate::access::exposed;
use crate::net::rewind::Rewind;
use crate::net::tls_failure::described;
use crate::net::tls_stream::Encrypted;
use crate::settings::config::{ClientCertificates, PlainText, TlsSettings};
use crate::settings::named_file;

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
    /// Checks that TLS can be offered with the current files. Returns warnings.
    ///
    /// # Errors
    /// What is wrong with them.
    pub fn check(&self) -> Result<Vec<String>, TlsError> {
        TlsAcceptor::open(self).map(|tls| tls.warnings(self))
    }
}

/// Performs the server's side of TLS handshakes.
#[derive(Clone)]
pub struct TlsAcceptor {
    acceptor: tokio_rustls::TlsAcceptor,
    plain_text: PlainText,
    requires_certificate: bool,
    certificate: Described,
    /// Those of `tls.client_ca`.
    authorities: Vec<Described>,
}

impl TlsAcceptor {
    /// Reads certificate, key and CAs.
    pub fn open(files: &TlsSettings) -> Result<Self, TlsError> {
        let chain = certificates("tls.certificate", &files.certificate)?;
        let certificate = chain.first().map(|certificate| Described::of(certificate)).unwrap_or_default();
        let mut authorities = Vec::new();
        let key = private_key(&files.key)?;
        let provider = Arc::new(crypto::ring::default_provider());
        let config = ServerConfig::builder_with_provider(provider.clone())
            .with_safe_default_protocol_versions()
            .map_err(|e| TlsError(e.to_string()))?;
        let config = match &files.client_authorities {
            None => config.with_no_client_auth(),
            Some(path) => {
                let mut roots = RootCertStore::empty();
                for certificate in certificates("tls.client_ca", path)? {
                    authorities.push(Described::of(&certificate));
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
            certificate,
            authorities,
        })
    }

    /// The time at which the server's certificate expires, in seconds since 1970; `None` if it is unknown.
    pub fn expires(&self) -> Option<i64> {
        self.certificate.valid.map(|(_, until)| until)
    }

    /// Warnings of certificates that are refused now, or by some clients, and of a private key that other users of the
    /// machine can read.
    pub fn warnings(&self, files: &TlsSettings) -> Vec<String> {
        let (path, now) = (files.certificate.display(), now());
        let mut lines = Vec::new();
        lines.extend(self.certificate.invalid_at(now).map(|why| {
            let remedy = self.certificate.remedy(now);
            format!("the certificate {path} (tls.certificate) {why}; {remedy}")
        }));
        if self.certificate.is_authority {
            lines.push(format!(
                "the certificate {path} (tls.certificate) is one of an authority (CA:TRUE), which some clients refuse as the \
                 certificate of a server; create it with basicConstraints=critical,CA:FALSE"
            ));
        }
        if let Some(path) = &files.client_authorities {
            let path = path.display();
            lines.extend(self.authorities.iter().filter_map(|authority| {
                let why = authority.invalid_at(now)?;
                let (name, remedy) = (&authority.subject, authority.remedy(now));
                Some(format!(
                    "the certificate of the authority {name} in {path} (tls.client_ca) {why}, and clients with \
                     certificates that it has issued may be refused; {remedy}"
                ))
            }));
        }
        lines.extend(exposed("the private key", &files.key));
        lines
    }

    /// Checks that this certificate may replace an earlier one.
    ///
    /// # Errors
    /// Clients refuse this certificate now, and do not refuse the earlier one.
    pub fn check_replaces(&self, before: &Self, files: &TlsSettings) -> Result<(), TlsError> {
        let now = now();
        match (self.certificate.invalid_at(now), before.certificate.valid) {
            (Some(why), Some((_, until))) if before.certificate.invalid_at(now).is_none() => Err(TlsError(format!(
                "the certificate {} (tls.certificate) {why}; the server keeps the one before, which is valid until {}; {}",
                files.certificate.display(),
                date(until),
                self.certificate.remedy(now)
            ))),
            _ => Ok(()),
        }
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

/// What warnings tell of a certificate.
#[derive(Debug, Clone, Default)]
struct Described {
    /// Its subject.
    subject: String,
    /// Its validity period, in seconds since 1970.
    valid: Option<(i64, i64)>,
    /// Whether it may issue others.
    is_authority: bool,
}

impl Described {
    fn of(der: &[u8]) -> Self {
        let Ok((_, certificate)) = X509Certificate::from_der(der) else { return Self::default() };
        let valid = certificate.validity();
        Self {
            subject: certificate.subject().to_string(),
            valid: Some((valid.not_before.timestamp(), valid.not_after.timestamp())),
            is_authority: certificate.is_ca(),
        }
    }

    /// Why it is not valid at this time, in seconds since 1970: a text that continues its name.
    fn invalid_at(&self, now: i64) -> Option<String> {
        match self.valid? {
            (_, until) if until < now => Some(format!("expired on {}", date(until))),
            (from, _) if from > now => Some(format!("is not valid before {}", date(from))),
            _ => None,
        }
    }

    /// What helps against that.
    fn remedy(&self, now: i64) -> &'static str {
        match self.valid {
            Some((from, _)) if from > now => "check the clock, or replace the certificate and send SIGHUP",
            _ => "replace it, and send SIGHUP",
        }
    }
}

/// The current time in seconds since 1970.
fn now() -> i64 {
    chrono::Utc::now().timestamp()
}

fn date(seconds: i64) -> impl fmt::Display {
    chrono::DateTime::from_timestamp(seconds, 0).unwrap_or_default().format("%F %T UTC")
}

/// Reads a private key.
fn private_key(path: &Path) -> Result<PrivateKeyDer<'static>, TlsError> {
    let shown = path.display();
    let unreadable = |why: &dyn fmt::Display| TlsError(format!("tls.key: cannot read {shown}: {why}"));
    let file = named_file::read(path).map_err(|error| unreadable(&error))?;
    PrivateKeyDer::from_pem_slice(&file).map_err(|error| {
        let why = match error {
            _ if is_encrypted(&file) => format!(
                "it is encrypted, and a server cannot ask for the password; decrypt it with openssl pkey -in {shown} -out FILE, \
                 and name FILE, which only the server may read"
            ),
            _ if is_der(&file) => format!(
                "it is in DER format; convert it to PEM format with openssl pkey -inform DER -in {shown} -out FILE"
            ),
            pem::Error::NoItemsFound => "it contains no private key in PEM format".to_owned(),
            other => readable(&other),
        };
        unreadable(&why)
    })
}

/// Whether a file in PEM format has an encrypted private key: one of PKCS #8, or of OpenSSL's older format.
fn is_encrypted(file: &[u8]) -> bool {
    let text = String::from_utf8_lossy(file);
    text.contains("-----BEGIN ENCRYPTED PRIVATE KEY-----") || text.contains("Proc-Type: 4,ENCRYPTED")
}

/// Whether a file may be in DER format: a sequence with a length of one or more bytes.
fn is_der(file: &[u8]) -> bool {
    matches!(file, [0x30, 0x81..=0x84, ..])
        || matches!(file, [0x30, length, rest @ ..] if usize::from(*length) == rest.len())
}

fn certificates(setting: &str, path: &Path) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    let shown = path.display();
    let unreadable = |why: &dyn fmt::Display| TlsError(format!("{setting}: cannot read {shown}: {why}"));
    let file = named_file::read(path).map_err(|error| unreadable(&error))?;
    let all = CertificateDer::pem_slice_iter(&file).collect::<Result<Vec<_>, _>>();
    let all = all.map_err(|error| unreadable(&readable(&error)))?;
    if all.is_empty() {
        let remedy = match is_der(&file) {
            true => format!("; it is in DER format: convert it with openssl x509 -inform DER -in {shown} -out FILE"),
            false => String::new(),
        };
        return Err(TlsError(format!("{setting}: {shown} contains no certificate in PEM format{remedy}")));
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
