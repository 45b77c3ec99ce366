//! HBase's keys for kinds of protection that hjall does not have. With such a key, a server must not start without the
//! protection that hjall offers instead.

use super::config::{PlainText, ReadOnly};
use super::sources::SettingError;
use super::startup::StartupOptions;

/// The protection that hjall offers instead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Instead {
    /// Clients prove who they are: `auth.users`, or client certificates.
    Login,
    /// Users with roles: `auth.users`.
    Roles,
    /// TLS for all clients, or all except those on this machine: `tls.certificate` and `tls.plain`.
    Tls,
    /// An info port on a loopback address, or none: it has no TLS.
    LocalInfoPort,
    /// `server.read_only`.
    ReadOnly,
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
            | "hbase.thrift.security.authentication"
            | "hbase.rest.authentication.type"
            | "hbase.security.authentication.ui" => {
                (!value.is_empty() && !value.eq_ignore_ascii_case("simple")).then_some(Instead::Login)
            }
            "hbase.thrift.security.qop"
            | "hbase.thrift.kerberos.principal"
            | "hbase.thrift.keytab.file"
            | "hbase.thrift.spnego.principal"
            | "hbase.thrift.spnego.keytab.file"
            | "hbase.rest.keytab.file"
            | "hbase.rest.kerberos.principal"
            | "hbase.rest.authentication.kerberos.keytab"
            | "hbase.rest.authentication.kerberos.principal" => (!value.is_empty()).then_some(Instead::Login),
            "hbase.security.authorization" | "hadoop.security.authorization" => yes.then_some(Instead::Roles),
            "hbase.coprocessor.master.classes"
            | "hbase.coprocessor.region.classes"
            | "hbase.coprocessor.regionserver.classes" => {
                let controls = ["AccessController", "VisibilityController", "Ranger"];
                controls.iter().any(|name| value.contains(name)).then_some(Instead::Roles)
            }
            "hbase.thrift.ssl.enabled" | "hbase.rest.ssl.enabled" => yes.then_some(Instead::Tls),
            "hbase.rpc.protection" | "hadoop.rpc.protection" => {
                let levels = ["integrity", "privacy"];
                value.split(',').any(|level| levels.contains(&level.trim())).then_some(Instead::Tls)
            }
            "hbase.ssl.enabled" | "hadoop.ssl.enabled" => yes.then_some(Instead::LocalInfoPort),
            "hbase.rest.readonly" => yes.then_some(Instead::ReadOnly),
            _ => None,
        };
        instead.map(|instead| Self { found: format!("{place}: {key} = {value}"), instead })
    }

    /// The error if a server with these settings does not have the protection.
    pub fn missing(&self, startup: &StartupOptions) -> Option<SettingError> {
        let StartupOptions { config, info, .. } = startup;
        let (provided, why) = match self.instead {
            Instead::Login => (
                config.auth.users.is_some() || config.tls.as_ref().is_some_and(|tls| tls.client_authorities.is_some()),
                "hjall does not support Kerberos, and without users it would serve every client; set auth.users or \
                 tls.client_ca, or remove the key if every client may do everything",
            ),
            Instead::Roles => (
                config.auth.users.is_some(),
                "hjall takes users and their roles from auth.users, and without it every client may do everything; set \
                 auth.users, or remove the key",
            ),
            Instead::Tls => match &config.tls {
                None => (
                    false,
                    "hjall does not read Java key stores, and would serve without TLS; set tls.certificate and \
                     tls.key, or remove the key",
                ),
                Some(tls) => (
                    tls.plain_text != PlainText::Allow,
                    "tls.plain = allow also serves clients without TLS; set it to refuse or loopback, or remove the key",
                ),
            },
            Instead::LocalInfoPort => (
                info.is_none_or(|info| info.addr.ip().is_loopback()),
                "hjall's info port has no TLS; let it listen on a loopback address (info.listen), or remove the key",
            ),
            Instead::ReadOnly => (
                config.calls.read_only != ReadOnly::Off,
                "without it, clients of REST could write; set server.read_only, or remove the key",
            ),
        };
        (!provided).then(|| SettingError(format!("{}: {why}", self.found)))
    }
}
