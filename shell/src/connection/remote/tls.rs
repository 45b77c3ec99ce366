//! TLS.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};

use super::ServerOptions;
use super::socket::Socket;
use crate::named_file;

/// Where systems keep the authorities that they trust.
const SYSTEM: [&str; 4] = [
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
];

/// The configuration of TLS with a server.
pub struct Client {
    config: Arc<ClientConfig>,
    name: ServerName<'static>,
}

/// The content of a file, and what named it in the error.
fn read(option: &str, path: &Path) -> Result<Vec<u8>, String> {
    named_file::read(path)
        .map_err(|error| format!("cannot read {option} {}: {error}; name a file in PEM format", path.display()))
}

fn certificates(option: &str, path: &Path) -> Result<Vec<CertificateDer<'static>>, String> {
    let shown = path.display();
    let text = read(option, path)?;
    CertificateDer::pem_slice_iter(&text)
        .collect::<Result<Vec<_>, _>>()
        .map_err(|error| format!("{option} {shown} does not have certificates in PEM format: {error}"))
}

/// The file of the authorities to trust, after what named it.
fn authorities(options: &ServerOptions) -> Result<(&'static str, PathBuf), String> {
    if let Some(path) = &options.ca {
        return Ok(("--tls-ca", path.clone()));
    }
    if let Some(path) = std::env::var_os("SSL_CERT_FILE") {
        return Ok(("SSL_CERT_FILE", PathBuf::from(path)));
    }
    let system = SYSTEM.iter().map(PathBuf::from).find(|path| path.exists());
    system.map(|path| ("the system's authorities", path)).ok_or_else(|| {
        "this system has no list of trusted authorities; name the file of one with --tls-ca FILE".to_owned()
    })
}

impl Client {
    /// Reads the files that the options name.
    ///
    /// # Errors
    /// Files that cannot be used, and which option named them.
    pub fn new(options: &ServerOptions) -> Result<Self, String> {
        let mut roots = RootCertStore::empty();
        let (option, from) = authorities(options)?;
        let (trusted, _) = roots.add_parsable_certificates(certificates(option, &from)?);
        if trusted == 0 {
            return Err(format!(
                "{option} {} contains no certificate that can be used; name the file of an authority with --tls-ca FILE",
                from.display()
            ));
        }
        let config = ClientConfig::builder().with_root_certificates(roots);
        let config = match (&options.certificate, &options.key) {
            (Some(certificate), Some(key)) => {
                let chain = certificates("--tls-cert", certificate)?;
                let shown = key.display();
                let text = read("--tls-key", key)?;
                let key = PrivateKeyDer::from_pem_slice(&text)
                    .map_err(|error| format!("--tls-key {shown} is not a private key in PEM format: {error}"))?;
                let config = config.with_client_auth_cert(chain, key);
                config.map_err(|error| match error {
                    rustls::Error::InconsistentKeys(rustls::InconsistentKeys::KeyMismatch) => format!(
                        "the key --tls-key {shown} is not that of the certificate --tls-cert {}; name files that belong \
                         together",
                        certificate.display()
                    ),
                    other => format!("--tls-cert and --tls-key cannot be used: {}", described(&other)),
                })?
            }
            (None, None) => config.with_no_client_auth(),
            _ => return Err("--tls-cert and --tls-key belong together".to_owned()),
        };
        let name = ServerName::try_from(options.host.clone())
            .map_err(|_| format!("a certificate cannot have the name {}", options.host))?;
        Ok(Self { config: Arc::new(config), name })
    }

    /// Begins TLS on a connection.
    ///
    /// # Errors
    /// The refusals of either side, and those of the connection.
    pub fn handshake(self, mut socket: Socket) -> Result<StreamOwned<ClientConnection, Socket>, String> {
        let mut connection =
            ClientConnection::new(self.config, self.name).map_err(|error| described(&error).to_owned())?;
        // The handshake now, so that its failure is reported as such.
        while connection.is_handshaking() {
            connection.complete_io(&mut socket).map_err(|error| refusal(&error))?;
        }
        Ok(StreamOwned::new(connection, socket))
    }
}

/// Why a handshake failed. TLS errors are inside those of the connection.
fn refusal(error: &io::Error) -> String {
    match error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>()) {
        Some(tls) => described(tls),
        None if error.kind() == io::ErrorKind::UnexpectedEof => {
            "the server closed the connection; does it use TLS?".to_owned()
        }
        None => error.to_string(),
    }
}

/// A TLS error, with what to do about those that users can cause.
fn described(error: &rustls::Error) -> String {
    use rustls::{CertificateError, Error};
    match error {
        Error::InvalidCertificate(CertificateError::UnknownIssuer) => {
            "the server's certificate is not signed by a trusted authority; name the authority's certificate, or a \
             self-signed one itself, with --tls-ca FILE"
                .to_owned()
        }
        Error::InvalidCertificate(
            error @ (CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. }),
        ) => {
            format!("the server's certificate is for another name; use a name that it has with --server ({error})")
        }
        Error::InvalidCertificate(error) if error.to_string().contains("CaUsedAsEndEntity") => {
            "the server's certificate is one of an authority (CA:TRUE), which cannot identify a server; create it with \
             basicConstraints=critical,CA:FALSE"
                .to_owned()
        }
        Error::InvalidCertificate(CertificateError::Expired | CertificateError::ExpiredContext { .. }) => {
            "the server's certificate has expired; replace it on the server (tls.certificate)".to_owned()
        }
        Error::InvalidCertificate(CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. }) => {
            "the server's certificate is not valid yet; check the clocks of both machines".to_owned()
        }
        Error::InvalidCertificate(CertificateError::BadSignature) => {
            "the server's certificate is not signed by the trusted authority of that name; name the authority that has \
             signed it with --tls-ca FILE"
                .to_owned()
        }
        Error::InvalidCertificate(
            CertificateError::InvalidPurpose | CertificateError::InvalidPurposeContext { .. },
        ) => "the server's certificate is not for servers; create it with extendedKeyUsage = serverAuth".to_owned(),
        Error::InvalidCertificate(error) if error.to_string().contains("UnsupportedCertVersion") => {
            "a certificate is of version 1; create it with extensions, such as basicConstraints = CA:FALSE".to_owned()
        }
        Error::InvalidMessage(_) => "the server does not speak TLS on this port; leave out --tls".to_owned(),
        Error::AlertReceived(alert) => about_certificate(*alert).unwrap_or_else(|| error.to_string()),
        other => other.to_string(),
    }
}

/// The remedy for a server that refuses the client's certificate. TLS 1.3 tells the client only when it reads the first
/// answer.
fn about_certificate(alert: rustls::AlertDescription) -> Option<String> {
    use rustls::AlertDescription as Alert;
    let why = match alert {
        Alert::CertificateRequired => {
            return Some("the server asks for a client certificate: --tls-cert FILE and --tls-key FILE".to_owned());
        }
        Alert::CertificateExpired => "has expired, or is not valid yet",
        Alert::CertificateRevoked => "has been revoked",
        Alert::UnknownCA => "is not signed by an authority that the server trusts (tls.client_ca)",
        Alert::UnsupportedCertificate => "is not for clients (extendedKeyUsage = clientAuth)",
        Alert::DecryptError => "has a signature that is not valid",
        Alert::BadCertificate | Alert::CertificateUnknown => "cannot be used; the log of the server has the reason",
        _ => return None,
    };
    Some(format!("the client certificate {why}: name another one with --tls-cert FILE and --tls-key FILE"))
}

/// The remedy for an error of an open connection if the server has refused the client's certificate.
pub fn refused_certificate(message: &str) -> Option<String> {
    use rustls::AlertDescription as Alert;
    let name = message.strip_prefix("received fatal alert: ")?;
    let alerts = [
        Alert::CertificateRequired,
        Alert::CertificateExpired,
        Alert::CertificateRevoked,
        Alert::UnknownCA,
        Alert::UnsupportedCertificate,
        Alert::DecryptError,
        Alert::BadCertificate,
        Alert::CertificateUnknown,
    ];
    alerts.into_iter().find(|alert| format!("{alert:?}") == name).and_then(about_certificate)
}
