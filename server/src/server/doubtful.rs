//! Settings that are valid and have another effect than they seem to, or none.

use crate::dispatch::largest_message;
use crate::settings::{Effective, StartupOptions, Value};

/// One line for each of them.
pub fn doubtful_settings(effective: &Effective, startup: &StartupOptions) -> Vec<String> {
    let (limits, auth) = (&startup.config.limits, &startup.config.auth);
    let mut lines = Vec::new();
    let changed = |name: &str| effective.entry(name).is_some_and(|entry| !entry.is_default());
    let mut doubt = |name: &str, why: String| lines.push(format!("{}: {name} {why}", effective.origin(name)));
    let bytes = |bytes: usize| Value::Bytes(u64::try_from(bytes).unwrap_or(u64::MAX)).to_string();
    if limits.page_bytes_max >= limits.reply_bytes_max {
        let (page, reply) = (bytes(limits.page_bytes_max), bytes(limits.reply_bytes_max));
        let later = if changed("limits.reply") { "limits.reply" } else { "limits.page" };
        doubt(
            later,
            format!(
                "makes fetches of scanners fail, because a page may be larger than a reply: limits.page = {page} must be \
                 less than limits.reply = {reply}"
            ),
        );
    }
    let largest = largest_message(limits.held_bytes_max);
    for (name, max) in [("limits.message", limits.message_bytes_max), ("limits.frame", limits.frame_bytes_max)] {
        if largest < max {
            let later = if changed("limits.bytes_in_flight") { "limits.bytes_in_flight" } else { name };
            doubt(
                later,
                format!(
                    "limits messages to {} bytes, which is less than {name} = {}: one connection may hold two thirds of \
                     limits.bytes_in_flight = {}, without the part for small messages; raise it, or lower {name}",
                    largest,
                    bytes(max),
                    bytes(limits.held_bytes_max)
                ),
            );
        }
    }
    if changed("limits.connections_per_address") && limits.connections_per_address_max > limits.connections_max {
        doubt(
            "limits.connections_per_address",
            format!("has no effect: it is more than limits.connections = {}", limits.connections_max),
        );
    }
    if changed("auth.without_tls") && auth.users.is_none() {
        doubt("auth.without_tls", "has no effect without auth.users: nobody logs in".to_owned());
    }
    if changed("tls.plain") && startup.config.tls.is_none() {
        doubt("tls.plain", "has no effect without tls.certificate: all connections are without TLS".to_owned());
    }
    lines
}
