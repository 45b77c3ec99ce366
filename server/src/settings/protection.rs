//! HBase's keys that protect a server in ways that hjall does not have. A server that is configured so must not start
//! without the protection that hjall has instead.

use std::net::IpAddr;

use super::effective::Effective;
use super::sources::SettingError;
use super::value::Value;

/// What hjall offers instead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Instead {
    /// Clients prove who they are: `auth.users`, or client certificates.
    Login,
    /// Users with roles: `auth.users`.
    Roles,
    /// `tls.certificate`.
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

    /// The error if the settings do not have the protection.
    pub fn missing(&self, effective: &Effective) -> Option<SettingError> {
        let value = |name: &str| effective.entry(name).and_then(|entry| entry.value.as_ref());
        let is_set = |name: &str| value(name).is_some();
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
            Instead::LocalInfoPort => (
                has_local_info_port(effective),
                "hjall's info port has no TLS; let it listen on a loopback address (info.listen), or remove the key",
            ),
            Instead::ReadOnly => (
                value("server.read_only")
                    .is_some_and(|value| value.is_true() || ["true", "all"].contains(&value.text())),
                "without it, clients of REST could write; set server.read_only, or remove the key",
            ),
        };
        (!provided).then(|| SettingError(format!("{}: {why}", self.found)))
    }
}

/// Whether the info port listens on a loopback address, if at all.
fn has_local_info_port(effective: &Effective) -> bool {
    let value = |name: &str| effective.entry(name).and_then(|entry| entry.value.as_ref());
    let host = match (value("info.listen"), value("info.port")) {
        (Some(Value::Off), _) | (None, None | Some(Value::Off)) => return true,
        (Some(listen), _) if listen.text() == "off" => return true,
        (Some(listen), _) => listen.text().rsplit_once(':').map_or("", |(host, _)| host),
        (None, Some(_)) => value("info.address").map_or("", Value::text),
    };
    let host = host.trim_matches(['[', ']']);
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}
