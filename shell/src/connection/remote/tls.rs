//! TLS.

use std::fs;
use std::io;
use std::net::TcpStream;
use std::path::Path;
use std::sync::Arc;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};

use super::ServerOptions;

/// Where systems keep the authorities that they trust.
const SYSTEM: [&str; 4] = [
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
];

fn wrong(text: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, text)
}

fn certificates(path: &Path) -> io::Result<Vec<CertificateDer<'static>>> {
    let text = fs::read(path).map_err(|error| wrong(format!("cannot read {}: {error}", path.display())))?;
    CertificateDer::pem_slice_iter(&text)
        .collect::<Result<Vec<_>, _>>()
        .map_err(|error| wrong(format!("{} is no file of certificates in PEM format: {error}", path.display())))
}

/// Begins TLS on a connection.
///
/// # Errors
/// Files that cannot be used, and the refusals of either side.
pub fn connect(options: &ServerOptions, mut stream: TcpStream) -> io::Result<StreamOwned<ClientConnection, TcpStream>> {
    let mut roots = RootCertStore::empty();
    let from = match &options.ca {
        Some(path) => path.clone(),
        None => {
            let variable = std::env::var_os("SSL_CERT_FILE").map(std::path::PathBuf::from);
            let found = variable.or_else(|| SYSTEM.iter().map(std::path::PathBuf::from).find(|path| path.exists()));
            found.ok_or_else(|| {
                wrong("this system has no list of trusted authorities; name one with --tls-ca".to_owned())
            })?
        }
    };
    let (trusted, _) = roots.add_parsable_certificates(certificates(&from)?);
    if trusted == 0 {
        return Err(wrong(format!("{} contains no certificate that can be used", from.display())));
    }
    let config = ClientConfig::builder().with_root_certificates(roots);
    let config = match (&options.certificate, &options.key) {
        (Some(certificate), Some(key)) => {
            let chain = certificates(certificate)?;
            let text = fs::read(key).map_err(|error| wrong(format!("cannot read {}: {error}", key.display())))?;
            let key = PrivateKeyDer::from_pem_slice(&text)
                .map_err(|error| wrong(format!("{} is no private key in PEM format: {error}", key.display())))?;
            config
                .with_client_auth_cert(chain, key)
                .map_err(|error| wrong(format!("the client's certificate cannot be used: {error}")))?
        }
        (None, None) => config.with_no_client_auth(),
        _ => return Err(wrong("--tls-cert and --tls-key belong together".to_owned())),
    };
    let name = ServerName::try_from(options.host.clone())
        .map_err(|_| wrong(format!("{} is no name that a certificate can have", options.host)))?;
    let mut connection = ClientConnection::new(Arc::new(config), name).map_err(|error| wrong(error.to_string()))?;
    // The handshake now, so that its failure is reported as such.
    while connection.is_handshaking() {
        connection.complete_io(&mut stream)?;
    }
    Ok(StreamOwned::new(connection, stream))
}
