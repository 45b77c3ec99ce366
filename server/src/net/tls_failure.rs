//! TLS errors as readable texts. Many texts of rustls are those of Rust's `Debug`.

use std::io;

use tokio_rustls::rustls::{CertificateError, Error, InconsistentKeys};

/// Why a handshake with a client failed. TLS errors are inside those of the connection.
pub fn of_handshake(error: &io::Error) -> String {
    match error.get_ref().and_then(|inner| inner.downcast_ref::<Error>()) {
        Some(Error::InvalidCertificate(error)) => format!("the client's certificate {}", of_certificate(error)),
        Some(error) => described(error),
        None => error.to_string(),
    }
}

/// A TLS error, without a remedy.
pub fn described(error: &Error) -> String {
    match error {
        Error::InvalidCertificate(error) => format!("the certificate {}", of_certificate(error)),
        Error::NoCertificatesPresented => {
            "the client sent no certificate, which tls.client_ca requires: give it one that \
                                           such an authority has signed"
                .to_owned()
        }
        Error::InconsistentKeys(InconsistentKeys::KeyMismatch) => "the key is not that of the certificate".to_owned(),
        Error::PeerIncompatible(why) => format!("the client does not support what the server requires: {}", words(why)),
        Error::PeerMisbehaved(why) => format!("the client violates the protocol: {}", words(why)),
        Error::AlertReceived(alert) => format!("the client refused: {}", words(alert)),
        Error::InvalidMessage(what) => format!("a message is not valid TLS: {}", words(what)),
        other => other.to_string(),
    }
}

/// The error of a certificate, as a text that follows the certificate's name.
fn of_certificate(error: &CertificateError) -> String {
    let text = match error {
        CertificateError::UnknownIssuer => "is not signed by an authority of tls.client_ca",
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => "has expired: replace it",
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => "is not valid yet",
        CertificateError::InvalidPurpose | CertificateError::InvalidPurposeContext { .. } => {
            "is not for clients: create it with extendedKeyUsage = clientAuth"
        }
        CertificateError::BadSignature => "has a signature that is not valid",
        CertificateError::BadEncoding => "cannot be read",
        other => {
            let text = format!("{other:?}");
            return match ["UnsupportedCertVersion", "CaUsedAsEndEntity"].map(|name| text.contains(name)) {
                [true, _] => {
                    "is of version 1: create it with extensions, such as basicConstraints = CA:FALSE".to_owned()
                }
                [_, true] => "is one of an authority: create it with basicConstraints = CA:FALSE".to_owned(),
                _ => format!("cannot be used: {}", words(&other)),
            };
        }
    };
    text.to_owned()
}

/// The name of a variant as words: `HandshakeFailure` becomes `handshake failure`.
fn words(variant: &impl std::fmt::Debug) -> String {
    let name = format!("{variant:?}");
    let mut text = String::new();
    let mut characters = name.chars().peekable();
    let mut before: Option<char> = None;
    while let Some(c) = characters.next() {
        let begins_word = c.is_ascii_uppercase() && before.is_some_and(|before| before.is_ascii_lowercase());
        if begins_word {
            text.push(' ');
        }
        // Abbreviations, such as CA, stay as they are.
        let is_word = characters.peek().is_some_and(char::is_ascii_lowercase);
        text.push(if c.is_ascii_uppercase() && is_word { c.to_ascii_lowercase() } else { c });
        before = Some(c);
    }
    text
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tokio_rustls::rustls::{AlertDescription, OtherError, PeerIncompatible};

    use super::*;

    #[test]
    fn errors_are_told_in_words_with_a_remedy_for_certificates() {
        let certificate =
            |error| of_handshake(&io::Error::new(io::ErrorKind::InvalidData, Error::InvalidCertificate(error)));
        let other =
            |name: &str| certificate(CertificateError::Other(OtherError(Arc::new(io::Error::other(name.to_owned())))));
        assert!(other("UnsupportedCertVersion").starts_with("the client's certificate is of version 1: create it"));
        assert!(other("CaUsedAsEndEntity").contains("is one of an authority"));
        assert_eq!(certificate(CertificateError::Expired), "the client's certificate has expired: replace it");
        assert_eq!(certificate(CertificateError::Revoked), "the client's certificate cannot be used: revoked");
        assert_eq!(described(&Error::AlertReceived(AlertDescription::UnknownCA)), "the client refused: unknown CA");
        assert_eq!(
            described(&Error::PeerIncompatible(PeerIncompatible::NoCipherSuitesInCommon)),
            "the client does not support what the server requires: no cipher suites in common"
        );
        let mismatch = Error::InconsistentKeys(InconsistentKeys::KeyMismatch);
        assert_eq!(described(&mismatch), "the key is not that of the certificate");
        assert!(described(&Error::NoCertificatesPresented).contains("tls.client_ca requires: give it one"));
        assert_eq!(of_handshake(&io::Error::other("gone")), "gone");
    }
}
