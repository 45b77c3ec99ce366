//! HBase's keys that protect a server in ways that hjall does not have. A server that is configured so must not start
//! without the protection that hjall has instead.

use super::effective::Effective;
use super::sources::SettingError;

/// What hjall offers instead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Instead {
    /// Clients prove who they are: `auth.users`, or client certificates.
    Login,
    /// Users with roles: `auth.users`.
    Roles,
    /// `tls.certificate`.
    Tls,
}

/// A key that asks for protection, as found in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Protection {
    /// File, line, key and value.
    found: String,
    instead: Instead,
}

impl Protection {
    /// The protection that a key with this value asks for. `place` is the file and the line.
    pub fn of(place: &str, key: &str, value: &str) -> Option<Self> {
        let value = value.trim();
        let yes = value.eq_ignore_ascii_case("true");
        let instead = match key {
            "hbase.security.authentication"
            | "hadoop.security.authentication"
            | "hbase.thrift.security.authentication" => {
                (!value.is_empty() && !value.eq_ignore_ascii_case("simple")).then_some(Instead::Login)
            }
            "hbase.thrift.security.qop"
            | "hbase.thrift.kerberos.principal"
            | "hbase.thrift.keytab.file"
            | "hbase.thrift.spnego.principal"
            | "hbase.thrift.spnego.keytab.file" => (!value.is_empty()).then_some(Instead::Login),
            "hbase.security.authorization" | "hadoop.security.authorization" => yes.then_some(Instead::Roles),
            "hbase.coprocessor.master.classes"
            | "hbase.coprocessor.region.classes"
            | "hbase.coprocessor.regionserver.classes" => {
                let controls = ["AccessController", "VisibilityController", "Ranger"];
                controls.iter().any(|name| value.contains(name)).then_some(Instead::Roles)
            }
            "hbase.thrift.ssl.enabled" => yes.then_some(Instead::Tls),
            _ => None,
        };
        instead.map(|instead| Self { found: format!("{place}: {key} = {value}"), instead })
    }

    /// The error if the settings do not have the protection.
    pub fn missing(&self, effective: &Effective) -> Option<SettingError> {
        let is_set = |name: &str| effective.entry(name).is_some_and(|entry| entry.value.is_some());
        let (provided, why) = match self.instead {
            Instead::Login => (
                is_set("auth.users") || is_set("tls.client_ca"),
                "hjall does not support Kerberos, and without users it would serve every client; set auth.users or \
                 tls.client_ca, or remove the key if every client may do everything",
            ),
            Instead::Roles => (
                is_set("auth.users"),
                "hjall takes users and their roles from auth.users, and without it every client may do everything; set \
                 auth.users, or remove the key",
            ),
            Instead::Tls => (
                is_set("tls.certificate"),
                "hjall does not read Java key stores, and would serve without TLS; set tls.certificate and tls.key, or \
                 remove the key",
            ),
        };
        (!provided).then(|| SettingError(format!("{}: {why}", self.found)))
    }
}
