//! The names in a client certificate, which identify users.

use std::fmt;

use x509_parser::certificate::X509Certificate;
use x509_parser::extensions::GeneralName;
use x509_parser::prelude::FromDer;
use x509_parser::x509::X509Name;

/// One name of a certificate, as the users file has it. Names are compared exactly.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum CertificateName {
    /// `subject:CN=alice,O=Example`: the whole subject in the notation of RFC 4514, as
    /// `openssl x509 -noout -subject -nameopt RFC2253` prints it.
    Subject(String),
    /// `cn:alice`: the common name of a subject that has exactly one.
    CommonName(String),
    /// `dns:alice.example.com`: a DNS name among the alternative names.
    Dns(String),
    /// `email:alice@example.com`: an e-mail address among the alternative names.
    Email(String),
    /// `uri:spiffe://example.com/alice`: a URI among the alternative names.
    Uri(String),
}

impl CertificateName {
    /// Parses the text of the users file.
    pub fn parse(text: &str) -> Option<Self> {
        let (kind, name) = text.split_once(':')?;
        let name = Some(name.to_owned()).filter(|name| !name.is_empty())?;
        match kind {
            "subject" => Some(Self::Subject(name)),
            "cn" => Some(Self::CommonName(name)),
            "dns" => Some(Self::Dns(name.to_ascii_lowercase())),
            "email" => Some(Self::Email(name)),
            "uri" => Some(Self::Uri(name)),
            _ => None,
        }
    }

    /// All names of a certificate in DER. The certificate has been verified; one that cannot be read has no names.
    pub fn of(certificate: &[u8]) -> Vec<Self> {
        let Ok((_, certificate)) = X509Certificate::from_der(certificate) else { return Vec::new() };
        let mut names = Vec::new();
        let mut common = certificate.subject().iter_common_name();
        if let (Some(Ok(name)), None) = (common.next().map(|name| name.as_str()), common.next()) {
            names.push(Self::CommonName(name.to_owned()));
        }
        names.extend(subject(certificate.subject()).map(Self::Subject));
        let alternative = certificate.subject_alternative_name().ok().flatten();
        for name in alternative.iter().flat_map(|extension| &extension.value.general_names) {
            match name {
                GeneralName::DNSName(name) => names.push(Self::Dns(name.to_ascii_lowercase())),
                GeneralName::RFC822Name(name) => names.push(Self::Email((*name).to_owned())),
                GeneralName::URI(name) => names.push(Self::Uri((*name).to_owned())),
                _ => {}
            }
        }
        names
    }
}

/// The text for the users file.
impl fmt::Display for CertificateName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Subject(name) => write!(f, "subject:{name}"),
            Self::CommonName(name) => write!(f, "cn:{name}"),
            Self::Dns(name) => write!(f, "dns:{name}"),
            Self::Email(name) => write!(f, "email:{name}"),
            Self::Uri(name) => write!(f, "uri:{name}"),
        }
    }
}

/// A subject in the notation of RFC 4514. `None` if it has an attribute that is not text or has no short name.
fn subject(name: &X509Name<'_>) -> Option<String> {
    let mut relative = Vec::new();
    for rdn in name.iter_rdn() {
        let attributes: Option<Vec<_>> = rdn
            .iter()
            .map(|attribute| {
                let key = short_name(&attribute.attr_type().to_id_string())?;
                Some(format!("{key}={}", escaped(attribute.as_str().ok()?)))
            })
            .collect();
        relative.push(attributes?.join("+"));
    }
    relative.reverse();
    Some(relative.join(",")).filter(|text| !text.is_empty())
}

/// The short names of RFC 4514, and that of the e-mail address as OpenSSL writes it.
fn short_name(oid: &str) -> Option<&'static str> {
    Some(match oid {
        "2.5.4.3" => "CN",
        "2.5.4.5" => "serialNumber",
        "2.5.4.6" => "C",
        "2.5.4.7" => "L",
        "2.5.4.8" => "ST",
        "2.5.4.9" => "street",
        "2.5.4.10" => "O",
        "2.5.4.11" => "OU",
        "0.9.2342.19200300.100.1.25" => "DC",
        "0.9.2342.19200300.100.1.1" => "UID",
        "1.2.840.113549.1.9.1" => "emailAddress",
        _ => return None,
    })
}

fn escaped(value: &str) -> String {
    let last = value.chars().count().saturating_sub(1);
    let mut text = String::new();
    for (at, character) in value.chars().enumerate() {
        let special = matches!(character, ',' | '+' | '"' | '\\' | '<' | '>' | ';')
            || (at == 0 && matches!(character, ' ' | '#'))
            || (at == last && character == ' ');
        if special {
            text.push('\\');
        }
        match character {
            '\0' => text.push_str("\\00"),
            _ => text.push(character),
        }
    }
    text
}
