//! The warnings about settings, which `hjall serve` logs at its start and `hjall config` prints. Those of the users
//! file and of the files of TLS come from their readers.

use std::net::SocketAddr;

use hjall_server::settings::config::{PlainText, TlsSettings, WithoutTls};
use hjall_server::settings::{Effective, StartupOptions, exceeded_memory};
use hjall_server::{Config, doubtful_settings};

use super::{folder, open_files};

/// All warnings, one a line.
pub fn of(effective: &Effective, startup: &StartupOptions) -> Vec<String> {
    let mut lines = effective.notes.lines(effective.sources().hbase_site.as_deref());
    lines.extend(doubtful_settings(effective, startup));
    lines.extend(exceeded_memory(startup));
    lines.extend(open_files::too_few(startup.config.limits.connections_max));
    lines.extend(of_root(startup));
    lines.extend(exposure(&startup.config));
    lines.extend(startup.info.and_then(|info| info_port(info.addr)));
    lines
}

/// Not an error: a container may run as root over a volume of another user.
fn of_root(startup: &StartupOptions) -> Option<String> {
    let owner = if startup.memory { None } else { folder::other_owner(&startup.data) }?;
    Some(format!(
        "the server runs as root, and the data folder {} belongs to the user {owner}, who cannot open the files that it creates \
         there; run it as that user, or give the folder to root",
        startup.data.display()
    ))
}

/// Logins that cannot succeed, and addresses that other machines can reach without protection.
fn exposure(config: &Config) -> Option<String> {
    let requires_certificates = config.tls.as_ref().is_some_and(TlsSettings::requires_client_certificate);
    let serves_plain_text = config.tls.as_ref().is_none_or(|tls| tls.plain_text == PlainText::Allow);
    let has_users = config.auth.users.is_some();
    if has_users && config.auth.without_tls == WithoutTls::Refuse && config.tls.is_none() {
        return Some(
            "no client can log in: there is no TLS, and logins without it are refused; set tls.certificate and tls.key, or \
             auth.without_tls"
                .to_owned(),
        );
    }
    let addrs = config.listen.iter().map(|listen| listen.addr).filter(is_reachable);
    let addrs = addrs.map(|addr| addr.to_string()).collect::<Vec<_>>().join(", ");
    if addrs.is_empty() || requires_certificates {
        return None;
    }
    if !has_users {
        return Some(format!(
            "OPEN TO THE NETWORK: there are no users, so anyone who can reach {addrs} can read, change and drop every \
             table; set auth.users (--users) or tls.client_ca, or listen on 127.0.0.1"
        ));
    }
    // With TLS, connections without it are refused, except at loopback addresses, unless all are allowed.
    (config.auth.without_tls == WithoutTls::Allow && serves_plain_text).then(|| {
        format!(
            "UNENCRYPTED LOGINS: clients may send passwords and tokens to {addrs} without TLS (auth.without_tls); anyone on \
             the network can read them"
        )
    })
}

fn info_port(addr: SocketAddr) -> Option<String> {
    is_reachable(&addr).then(|| {
        format!(
            "INFO PORT OPEN TO THE NETWORK: anyone who can reach {addr} can read names of tables and users, and addresses \
             of clients, without a login; let a firewall admit only the machines that monitor the server, or set \
             --info-listen to an address at 127.0.0.1"
        )
    })
}

/// Whether other machines can reach an address.
fn is_reachable(addr: &SocketAddr) -> bool {
    !addr.ip().to_canonical().is_loopback()
}
