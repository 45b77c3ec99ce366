//! TLS beside plain connections.

use super::{Default, Kind, ROW, Setting, flag};

pub(super) static SETTINGS: [Setting; 3] = [
    Setting {
        name: "tls.certificate",
        flag: flag("tls-cert", "FILE", ""),
        kind: Kind::Path,
        default: Default::Unset("no TLS"),
        says: "Certificate chain for TLS, PEM",
        because: "a certificate has to be made first",
        set: |launch, value| launch.parts.certificate = Some(value.text().into()),
        ..ROW
    },
    Setting {
        name: "tls.key",
        flag: flag("tls-key", "FILE", ""),
        kind: Kind::Path,
        default: Default::Unset("no TLS"),
        says: "The certificate's private key, PEM",
        because: "a key belongs to a certificate",
        set: |launch, value| launch.parts.key = Some(value.text().into()),
        ..ROW
    },
    Setting {
        name: "tls.client_ca",
        flag: flag("tls-client-ca", "FILE", ""),
        kind: Kind::Path,
        default: Default::Unset("clients need no certificate"),
        says: "Authorities for clients' certificates, PEM; with it every TLS client must show one",
        because: "not every network needs it",
        set: |launch, value| launch.parts.client_ca = Some(value.text().into()),
        ..ROW
    },
];
