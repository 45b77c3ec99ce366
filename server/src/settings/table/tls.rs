//! TLS, and what it means for plain connections.

use super::{Default, Kind, ROW, Setting, flag};
use crate::settings::config::{ClientCertificates, PlainText};

pub(super) static SETTINGS: [Setting; 5] = [
    Setting {
        name: "tls.certificate",
        flag: flag("tls-cert", "FILE", ""),
        kind: Kind::Path,
        default: Default::Unset("no TLS"),
        summary: "Certificate chain for TLS, in PEM format",
        reason: "TLS needs a certificate issued for this server",
        set: |startup, value| startup.parts.certificate = Some(value.text().into()),
        ..ROW
    },
    Setting {
        name: "tls.key",
        flag: flag("tls-key", "FILE", ""),
        kind: Kind::Path,
        default: Default::Unset("no TLS"),
        summary: "Private key of the certificate, in PEM format",
        reason: "The key belongs to the certificate",
        set: |startup, value| startup.parts.key = Some(value.text().into()),
        ..ROW
    },
    Setting {
        name: "tls.client_ca",
        flag: flag("tls-client-ca", "FILE", ""),
        kind: Kind::Path,
        default: Default::Unset("client certificates are not requested"),
        summary: "CAs for client certificates, in PEM format. If set, every client must connect with TLS \
                  and present a certificate",
        reason: "Not every network uses client certificates",
        set: |startup, value| startup.parts.client_ca = Some(value.text().into()),
        ..ROW
    },
    Setting {
        name: "tls.client_certificates",
        kind: Kind::Choice(&["require", "request"]),
        default: Default::Is("require"),
        summary: "Whether clients must present a certificate if tls.client_ca is set. If they need not, users log in \
                  without one in other ways, so auth.users has to be set",
        reason: "Without users, the certificate is what gives access",
        set: |startup, value| {
            startup.parts.client_certificates = match value.text() {
                "request" => ClientCertificates::Request,
                _ => ClientCertificates::Require,
            }
        },
        ..ROW
    },
    Setting {
        name: "tls.plain",
        kind: Kind::Choice(&["refuse", "loopback", "allow"]),
        default: Default::Is("refuse"),
        summary: "Whether connections without TLS are served if tls.certificate is set. They cannot be allowed \
                  together with tls.client_ca",
        reason: "If they were served, TLS would protect only the clients that choose it",
        set: |startup, value| {
            startup.parts.plain_text = match value.text() {
                "allow" => PlainText::Allow,
                "loopback" => PlainText::Loopback,
                _ => PlainText::Refuse,
            }
        },
        ..ROW
    },
];
