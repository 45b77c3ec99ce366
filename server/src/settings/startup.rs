//! Builds the startup options of a server from the effective settings.

use std::net::{SocketAddr, ToSocketAddrs};
use std::path::{Path, PathBuf};
use std::time::Duration;

use hjall_engine::Options;

use super::effective::Effective;
use super::sources::SettingError;
use super::text::{is_host, quoted};
use crate::settings::config::{ClientCertificates, Config, Listen, OffPeak, PlainText, TlsSettings};
use crate::wire::method::Service;

/// Everything needed to start a server.
#[derive(Debug)]
pub struct StartupOptions {
    /// The configuration of the server.
    pub config: Config,
    /// The database folder.
    pub data: PathBuf,
    /// Whether the database is kept in memory and `data` is not used.
    pub memory: bool,
    /// How long the server still accepts clients after it has been told to stop.
    pub drain: Duration,
    /// How the database is opened.
    pub options: Options,
    /// The info port, or `None` if it is switched off.
    pub info: Option<Info>,
    /// The log of the process.
    pub log: Log,
    /// The URL that spans are sent to, by OTLP over HTTP; `None` if they are not sent.
    pub traces: Option<String>,
    /// Values that are combined before use, and addresses before name resolution.
    pub(super) parts: Parts,
}

/// The info port.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Info {
    /// Its address.
    pub addr: SocketAddr,
    /// Whether the address was set explicitly. If so, failing to bind it is an error; if the default address is
    /// taken, the server starts without an info port.
    pub asked: bool,
    /// Tables that have their own metrics.
    pub tables: usize,
    /// Regions that have their own metrics.
    pub regions: usize,
}

/// The log of the process.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Log {
    /// What is logged.
    pub filter: String,
    /// Whether each line is a JSON object.
    pub json: bool,
}

/// Settings that are combined, such as an address and a port.
#[derive(Debug, Clone, Default)]
pub(super) struct Parts {
    pub address: String,
    pub port: u16,
    pub listen: Vec<String>,
    pub listen_thrift1: Vec<String>,
    pub listen_thrift2: Vec<String>,
    pub listen_rest: Vec<String>,
    /// The settings that the addresses in [`Config::listen`] come from.
    pub listen_names: Vec<&'static str>,
    pub certificate: Option<PathBuf>,
    pub key: Option<PathBuf>,
    pub client_ca: Option<PathBuf>,
    pub plain_text: PlainText,
    pub client_certificates: ClientCertificates,
    pub info_listen: Option<String>,
    pub info_address: String,
    pub info_port: Option<u16>,
    pub info_tables: usize,
    pub info_regions: usize,
    pub offpeak_start: Option<u64>,
    pub offpeak_end: Option<u64>,
}

impl Default for StartupOptions {
    fn default() -> Self {
        Self {
            config: Config::default(),
            data: PathBuf::new(),
            memory: false,
            drain: Duration::ZERO,
            options: Options::default(),
            info: None,
            log: Log::default(),
            traces: None,
            parts: Parts::default(),
        }
    }
}

impl StartupOptions {
    /// Applies every setting.
    ///
    /// # Errors
    /// Settings that are valid alone but inconsistent together, and addresses that cannot be resolved.
    pub fn of(effective: &Effective) -> Result<Self, Vec<SettingError>> {
        let mut startup = Self::default();
        for entry in effective.entries() {
            if let Some(value) = &entry.value {
                (entry.setting.set)(&mut startup, value);
            }
        }
        if effective.rank("limits.scanner_snapshot_writes") == 0 {
            startup.config.limits.scanner_snapshot_writes = Some(startup.options.write_buffer_limit());
        }
        let mut wrong = Vec::new();
        startup.place(effective, &mut wrong);
        startup.listen(effective, &mut wrong);
        startup.tls(effective, &mut wrong);
        startup.info(effective, &mut wrong);
        startup.off_peak(effective, &mut wrong);
        if let (Some(_), false, Some(entry)) = (&startup.traces, cfg!(feature = "otel"), effective.entry("log.traces"))
        {
            let remedy =
                "hjall was built without OpenTelemetry; rebuild it with `cargo build --release --features otel`";
            wrong.push(SettingError(format!("{}: log.traces: {remedy}", entry.origin)));
        }
        if wrong.is_empty() { Ok(startup) } else { Err(wrong) }
    }

    /// Refuses `server.memory` beside a folder that the same or a later layer names, which would not be used.
    fn place(&self, effective: &Effective, wrong: &mut Vec<SettingError>) {
        let Some(data) = effective.entry("server.data") else { return };
        // The output of `hjall config` has both, with the default of the folder.
        let is_default =
            matches!(data.setting.default, super::setting::Default::Is(folder) if self.data == Path::new(folder));
        if !self.memory || is_default || effective.rank("server.memory") > effective.rank("server.data") {
            return;
        }
        let memory = effective.entry("server.memory").map(|entry| entry.origin.to_string()).unwrap_or_default();
        wrong.push(SettingError(format!(
            "{memory}: server.memory cannot be combined with server.data ({}): a database in memory has no folder; \
             remove one of the two",
            data.origin
        )));
    }

    /// The addresses for clients: `server.listen`, or `server.address` and `server.port`, whichever comes from
    /// the later layer.
    fn listen(&mut self, effective: &Effective, wrong: &mut Vec<SettingError>) {
        let parts = &self.parts;
        let single = effective.rank("server.address").max(effective.rank("server.port"));
        let whole = effective.rank("server.listen");
        let elsewhere = effective.rank("server.listen_thrift1").max(effective.rank("server.listen_thrift2"));
        let mut listen = Vec::new();
        let both = match (whole, single, elsewhere) {
            (0, 0, 1..) => &[][..],
            (whole, single, _) if whole > 0 && whole >= single => &parts.listen[..],
            _ => {
                match host(effective, "server.address", &parts.address, parts.port) {
                    Ok(addr) => listen.push((Listen { addr, only: None }, "server.address")),
                    Err(why) => wrong.push(why),
                }
                &[][..]
            }
        };
        let groups = [
            (both, None, "server.listen"),
            (&parts.listen_thrift1, Some(Service::Thrift1), "server.listen_thrift1"),
            (&parts.listen_thrift2, Some(Service::Thrift2), "server.listen_thrift2"),
            (&parts.listen_rest, Some(Service::Rest), "rest.listen"),
        ];
        for (texts, only, name) in groups {
            for text in texts {
                match address(effective, name, text) {
                    Ok(addr) => listen.push((Listen { addr, only }, name)),
                    Err(why) => wrong.push(why),
                }
            }
        }
        for (n, (Listen { addr, .. }, name)) in listen.iter().enumerate() {
            let same = |(one, _): &&(Listen, &str)| one.addr == *addr && addr.port() != 0;
            if let Some((_, other)) = listen.iter().take(n).find(same) {
                let origin = effective.origin(name);
                wrong.push(SettingError(match name == other {
                    true => format!("{origin}: {name} names {addr} twice; remove one"),
                    false => format!(
                        "{origin}: {other} and {name} both have the address {addr}; a port of one service needs a separate \
                         address"
                    ),
                }));
            }
        }
        (self.config.listen, self.parts.listen_names) = listen.into_iter().unzip();
    }

    fn tls(&mut self, effective: &Effective, wrong: &mut Vec<SettingError>) {
        let parts = self.parts.clone();
        let (plain_text, client_certificates) = (parts.plain_text, parts.client_certificates);
        let (name, conflict) = match (parts.certificate, parts.key, parts.client_ca) {
            (Some(_), Some(_), Some(_))
                if plain_text != PlainText::Refuse && client_certificates == ClientCertificates::Require =>
            {
                (
                    "tls.plain",
                    match plain_text {
                        PlainText::Loopback => {
                            "= loopback cannot be combined with tls.client_ca: a connection without TLS cannot present a certificate"
                        }
                        _ => {
                            "= allow cannot be combined with tls.client_ca: a connection without TLS cannot present a certificate"
                        }
                    },
                )
            }
            (_, _, Some(_))
                if client_certificates == ClientCertificates::Request && self.config.auth.users.is_none() =>
            {
                (
                    "tls.client_certificates",
                    "= request needs auth.users: otherwise clients without a certificate could do everything",
                )
            }
            (_, _, None) if client_certificates == ClientCertificates::Request => {
                ("tls.client_certificates", "= request needs tls.client_ca")
            }
            (None, None, None) if plain_text == PlainText::Loopback => (
                "tls.plain",
                "= loopback requires tls.certificate and tls.key: without them, connections without TLS are served everywhere",
            ),
            (Some(certificate), Some(key), client_authorities) => {
                self.config.tls =
                    Some(TlsSettings { certificate, key, client_authorities, client_certificates, plain_text });
                return;
            }
            (None, None, None) => return,
            (None, None, Some(_)) => ("tls.client_ca", "requires tls.certificate and tls.key"),
            (Some(_), None, _) => ("tls.certificate", "requires tls.key (--tls-key)"),
            (None, Some(_), _) => ("tls.key", "requires tls.certificate (--tls-cert)"),
        };
        let origin = effective.entry(name).map(|entry| entry.origin.to_string()).unwrap_or_default();
        wrong.push(SettingError(format!("{origin}: {name} {conflict}")));
    }

    fn off_peak(&mut self, effective: &Effective, wrong: &mut Vec<SettingError>) {
        let hour = |hour: u64| u32::try_from(hour).unwrap_or(0);
        let (given, why) = match (self.parts.offpeak_start, self.parts.offpeak_end) {
            (None, None) => return,
            (Some(start), Some(end)) if start != end => {
                self.config.compaction.off_peak = Some(OffPeak { start: hour(start), end: hour(end) });
                return;
            }
            (Some(_), Some(_)) => ("compaction.offpeak_end", "must differ from compaction.offpeak_start"),
            (Some(_), None) => ("compaction.offpeak_start", "requires compaction.offpeak_end"),
            (None, Some(_)) => ("compaction.offpeak_end", "requires compaction.offpeak_start"),
        };
        let origin = effective.entry(given).map(|entry| entry.origin.to_string()).unwrap_or_default();
        wrong.push(SettingError(format!("{origin}: {given} {why}")));
    }

    fn info(&mut self, effective: &Effective, wrong: &mut Vec<SettingError>) {
        let parts = &self.parts;
        let single = effective.rank("info.address").max(effective.rank("info.port"));
        let whole = effective.rank("info.listen");
        let (name, found) = match (&parts.info_listen, parts.info_port) {
            (Some(text), _) if whole >= single && text.eq_ignore_ascii_case("off") => return,
            (Some(text), _) if whole >= single => ("info.listen", address(effective, "info.listen", text)),
            (_, Some(port)) => ("info.address", host(effective, "info.address", &parts.info_address, port)),
            _ => return,
        };
        let addr = match found {
            Ok(addr) => addr,
            Err(why) => return wrong.push(why),
        };
        let asked = whole.max(single) > 0;
        let mut clients = self.config.listen.iter().zip(&parts.listen_names);
        if let Some((listen, other)) = clients.find(|(listen, _)| asked && overlap(listen.addr, addr)) {
            wrong.push(SettingError(format!(
                "{}: {name} ({addr}) and {other} ({}) have the same port; choose another one for one of them",
                effective.origin(name),
                listen.addr
            )));
        }
        let (tables, regions) = (parts.info_tables, parts.info_regions);
        self.info = Some(Info { addr, asked, tables, regions });
    }
}

/// A setting that has a value and no effect.
pub(super) struct Unused {
    /// Its name.
    pub name: &'static str,
    /// The setting that is used instead.
    pub by: &'static str,
    /// Whether one layer sets both, which is hardly intended. A later layer overrides an earlier one on purpose.
    pub same_layer: bool,
}

/// The addresses and ports that are set and not used; see [`StartupOptions::listen`].
pub(super) fn unused(effective: &Effective) -> Vec<Unused> {
    let pairs = [("server.listen", ["server.address", "server.port"]), ("info.listen", ["info.address", "info.port"])];
    let mut unused = Vec::new();
    for (whole, parts) in pairs {
        let rank = effective.rank(whole);
        // The output of `hjall config` has the defaults, too.
        let is_changed = |name: &str| effective.entry(name).is_some_and(|entry| !entry.is_default());
        let later = parts.into_iter().max_by_key(|part| effective.rank(part));
        match later {
            _ if rank == 0 => {}
            Some(by) if effective.rank(by) > rank => unused.push(Unused { name: whole, by, same_layer: false }),
            _ => unused.extend(parts.into_iter().filter(|part| is_changed(part)).map(|name| Unused {
                name,
                by: whole,
                same_layer: effective.rank(name) == rank,
            })),
        }
    }
    unused
}

/// Whether two addresses cannot be listened on together.
fn overlap(one: SocketAddr, other: SocketAddr) -> bool {
    let is_all = |addr: SocketAddr| addr.ip().is_unspecified();
    let same_host = one.ip() == other.ip() || one.is_ipv4() == other.is_ipv4() && (is_all(one) || is_all(other));
    one.port() == other.port() && one.port() != 0 && same_host
}

/// The address of a setting that has a host without a port.
fn host(effective: &Effective, name: &str, given: &str, port: u16) -> Result<SocketAddr, SettingError> {
    let bare = without_brackets(given);
    // An address may have a zone, such as fe80::1%2.
    if let Ok(addr) = format!("[{bare}]:{port}").parse() {
        return Ok(addr);
    }
    if is_host(bare) {
        return resolved(effective, name, given, (bare, port));
    }
    Err(SettingError(format!(
        "{}: {name} = {}: must be a host name or an IP address, without a port; the port is {}",
        effective.origin(name),
        quoted(given),
        name.replace("address", "port"),
    )))
}

/// The address of a setting that has a host and a port.
fn address(effective: &Effective, name: &str, given: &str) -> Result<SocketAddr, SettingError> {
    if let Ok(addr) = given.parse() {
        return Ok(addr);
    }
    let parts = given.rsplit_once(':').and_then(|(host, port)| Some((without_brackets(host), port.parse().ok()?)));
    if let Some((host, port)) = parts.filter(|(host, _)| is_host(host)) {
        return resolved(effective, name, given, (host, port));
    }
    Err(SettingError(format!(
        "{}: {name} = {}: must be a host and a port from 0 to 65535, such as 127.0.0.1:9090 or [::1]:9090",
        effective.origin(name),
        quoted(given)
    )))
}

/// An IPv6 address without its brackets, or any other text as it is.
fn without_brackets(host: &str) -> &str {
    host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(host)
}

fn resolved(effective: &Effective, name: &str, given: &str, address: (&str, u16)) -> Result<SocketAddr, SettingError> {
    let wrong = |why: &str| {
        let (origin, given) = (effective.origin(name), quoted(given));
        let remedy = "write a host name that resolves here, or an IP address";
        SettingError(format!("{origin}: {name} = {given}: the name cannot be resolved ({why}); {remedy}"))
    };
    match address.to_socket_addrs() {
        Ok(mut found) => found.next().ok_or_else(|| wrong("it has no address")),
        Err(error) => Err(wrong(&error.to_string())),
    }
}
