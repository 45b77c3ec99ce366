//! `hjall serve`: opens the database and serves it until a signal.

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use hjall_engine::{Engine, Options, Result as EngineResult};
use hjall_server::info::{Info, SeriesLimits};
use hjall_server::settings::config::{PlainText, ReadOnly, TlsSettings, WithoutTls};
use hjall_server::settings::{Effective, Refused, Sources, StartupOptions, exceeded_memory, startup};
use hjall_server::{Config, PreparedServer, Server};
use tokio::runtime::Runtime;
use tokio::sync::oneshot;

#[cfg(unix)]
use super::control::Control;
use super::exit::Failure;
use super::folder;
use super::log;
use super::open_files;
use super::output;
use super::reload;
use super::signals::{Signal, Signals};

/// Serves until SIGTERM or SIGINT.
pub fn run(sources: &Sources) -> Result<(), Failure> {
    let started = Instant::now();
    let effective = Effective::read(sources).map_err(Failure::Settings)?;
    let startup = StartupOptions::of(&effective).map_err(|wrong| Failure::Settings(Refused(wrong)))?;
    let log = log::start(&startup, &effective)?;
    for line in effective.notes.lines(sources.hbase_site.as_deref()) {
        tracing::warn!("{line}");
    }
    if let Some(line) = exceeded_memory(&startup) {
        tracing::warn!("{line}");
    }
    open_files::raise()?;
    let connections_max = startup.config.limits.connections_max;
    let StartupOptions { config, data, memory, options, info, .. } = startup;
    let exposure = Exposure::of(&config);
    let read_only = config.calls.read_only;
    let info = InfoPort::take(info)?;
    // Before the database is opened, so that a start that cannot listen creates none.
    let prepared = PreparedServer::new(config).map_err(Failure::Start)?;
    let opened = if memory { Engine::memory(options) } else { open_folder(&data, options) };
    let engine = opened.map_err(|e| Failure::Data(data.clone(), e))?;
    // Handlers are installed before clients can connect, so that a signal after the line on standard output
    // stops the server in order.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(Failure::Signals)?;
    let mut signals = {
        let _inside = runtime.enter();
        Signals::new().map_err(Failure::Signals)?
    };
    let server = match prepared.start(engine.clone()) {
        Ok(server) => server,
        Err(error) => {
            // The error of the start is the one to report. No data has changed.
            let _ = engine.close();
            return Err(Failure::Start(error));
        }
    };
    let place = if memory { "memory".to_owned() } else { data.display().to_string() };
    let info = info.serve(&server);
    #[cfg(unix)]
    let control = if memory {
        None
    } else {
        let _inside = runtime.enter();
        let started = Control::start(&data, engine.clone(), server.addrs().to_vec());
        started
            .inspect_err(|error| {
                tracing::warn!(%error, "no control socket in the data folder: `hjall backup` has to wait until the server has stopped");
            })
            .ok()
    };
    exposure.warn(&server);
    info.warn();
    log_read_only(read_only);
    announce(&place, &server, &info, started, &log);
    open_files::compare(connections_max);

    let (name, drain) = serve_until_stopped(&runtime, &mut signals, effective, exposure, &server, &log);
    if !drain.is_zero() {
        server.drain();
        tracing::info!(signal = name, ?drain, "draining: /readyz reports it, clients are still served");
        let second = runtime.block_on(async { tokio::time::timeout(drain, signals.next_stop()).await });
        if second.is_ok() {
            return Err(Failure::SecondSignal);
        }
    }
    // The info port stays up, so that /readyz reports the stop; it ends with the process.
    tracing::info!(signal = name, "stopping, waiting for running calls");
    let stop = move || {
        let quiet = server.shutdown();
        #[cfg(unix)]
        if let Some(control) = control {
            control.stop();
        }
        (quiet, engine.close())
    };
    finish(&runtime, &mut signals, data, stop)
}

/// Opens the database of a folder, and creates it if there is none.
fn open_folder(data: &Path, options: Options) -> EngineResult<Engine> {
    if let Some(owner) = folder::other_owner(data) {
        // Not an error: a container may run as root over a volume of another user.
        tracing::warn!(
            folder = %data.display(),
            owner,
            "the server runs as root, and the data folder belongs to another user, who cannot open the files that it \
             creates there; run it as that user, or give the folder to root"
        );
    }
    // Every data folder has this file.
    let is_new = !data.join("FORMAT").exists();
    let engine = Engine::open(data, options)?;
    if is_new {
        let place = folder::absolute(data);
        tracing::info!(
            folder = %place.display(),
            "a new database was created, because the folder did not exist or was empty"
        );
    }
    Ok(engine)
}

fn log_read_only(read_only: ReadOnly) {
    match read_only {
        ReadOnly::Off => {}
        ReadOnly::AsHBase => tracing::info!(
            "read-only as in HBase: changes through REST and of data through Thrift2 are refused; Thrift1, and changes of tables \
             through Thrift2, stay allowed unless server.read_only is all"
        ),
        ReadOnly::All => tracing::info!("read-only: all changes through all services are refused"),
    }
}

/// Serves until a signal asks to stop, and reads the settings again when one asks for that. Returns the name of the
/// signal, and how long to drain.
fn serve_until_stopped(
    runtime: &Runtime,
    signals: &mut Signals,
    mut effective: Effective,
    mut exposure: Exposure,
    server: &Server,
    log: &log::Log,
) -> (&'static str, Duration) {
    let name = loop {
        match runtime.block_on(signals.next()) {
            Signal::Stop(name) => break name,
            Signal::Reload => {
                effective = reload::run(effective, server, log);
                let now = StartupOptions::of(&effective).map_or(exposure, |startup| Exposure::of(&startup.config));
                if now != exposure {
                    exposure = now;
                    exposure.warn(server);
                }
                log.narrow();
            }
        }
    };
    (name, StartupOptions::of(&effective).map_or(Duration::ZERO, |startup| startup.drain))
}

/// Runs `stop`, which ends the server and closes the database, unless a second signal arrives meanwhile.
fn finish(
    runtime: &Runtime,
    signals: &mut Signals,
    data: PathBuf,
    stop: impl FnOnce() -> (bool, EngineResult<()>) + Send + 'static,
) -> Result<(), Failure> {
    let (stopped, stopping) = oneshot::channel();
    // After a second signal there is no receiver.
    std::thread::spawn(move || stopped.send(stop()));
    let outcome = runtime.block_on(async {
        tokio::select! {
            outcome = stopping => Some(outcome),
            _ = signals.next_stop() => None,
        }
    });
    match outcome {
        None => Err(Failure::SecondSignal),
        Some(Ok((true, Ok(())))) => {
            tracing::info!("stopped, all data flushed");
            Ok(())
        }
        Some(Ok((_, Err(error)))) => Err(Failure::Data(data, error)),
        Some(Ok((false, Ok(()))) | Err(_)) => Err(Failure::Unfinished),
    }
}

/// The protection against clients, for the warnings of a start or a change of settings.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Exposure {
    /// Every client has to log in or to present a certificate.
    Closed,
    /// There are users, and no way to log in.
    NoLogin,
    /// Clients log in, but may do so without TLS.
    UnencryptedLogins,
    /// Every client may do everything.
    Open,
}

impl Exposure {
    fn of(config: &Config) -> Self {
        let requires_certificates = config.tls.as_ref().is_some_and(TlsSettings::requires_client_certificate);
        let serves_plain_text = config.tls.as_ref().is_none_or(|tls| tls.plain_text == PlainText::Allow);
        match (&config.auth.users, config.auth.without_tls) {
            (None, _) if requires_certificates => Self::Closed,
            (None, _) => Self::Open,
            // With TLS, connections without it are refused, except at loopback addresses, unless all are allowed.
            (Some(_), WithoutTls::Allow) if !requires_certificates && serves_plain_text => Self::UnencryptedLogins,
            (Some(_), WithoutTls::Refuse) if config.tls.is_none() => Self::NoLogin,
            (Some(_), _) => Self::Closed,
        }
    }

    /// Warns of logins that cannot succeed, and of addresses that other machines can reach.
    fn warn(self, server: &Server) {
        let is_reachable = |addr: &&SocketAddr| !addr.ip().to_canonical().is_loopback();
        let addrs: Vec<_> = server.addrs().iter().filter(is_reachable).map(ToString::to_string).collect();
        let addrs = addrs.join(", ");
        match self {
            Self::NoLogin => tracing::warn!(
                "no client can log in: there is no TLS, and logins without it are refused; set tls.certificate and tls.key, or \
                 auth.without_tls"
            ),
            _ if addrs.is_empty() => {}
            Self::Closed => {}
            Self::UnencryptedLogins => tracing::warn!(
                "UNENCRYPTED LOGINS: clients may send passwords and tokens to {addrs} without TLS (auth.without_tls); anyone on \
                 the network can read them"
            ),
            Self::Open => tracing::warn!(
                "OPEN TO THE NETWORK: there are no users, so anyone who can reach {addrs} can read, change and drop every \
                 table; set auth.users (--users) or tls.client_ca, or listen on 127.0.0.1"
            ),
        }
    }
}

/// The info port.
enum InfoPort {
    Off,
    /// The default address, which is taken.
    Missing(SocketAddr, io::Error),
    Taken(TcpListener, SeriesLimits),
    Serving(Info),
}

impl InfoPort {
    /// Binds the port. Called before anything else, so that a failing start changes nothing.
    fn take(wanted: Option<startup::Info>) -> Result<Self, Failure> {
        let Some(startup::Info { addr, asked, tables, regions }) = wanted else { return Ok(Self::Off) };
        match Info::bind(addr) {
            Ok(bound) => Ok(Self::Taken(bound, SeriesLimits { tables, regions })),
            Err(error) if asked => Err(Failure::Info(addr, error)),
            Err(error) => Ok(Self::Missing(addr, error)),
        }
    }

    fn serve(self, server: &Server) -> Self {
        match (self, server.view()) {
            (Self::Taken(bound, series), Some(view)) => match Info::start(bound, view, series) {
                Ok(info) => Self::Serving(info),
                Err(error) => Self::Missing(SocketAddr::from(([0, 0, 0, 0], 0)), error),
            },
            (other, _) => other,
        }
    }
}

impl InfoPort {
    /// Warns if other machines can reach the port.
    fn warn(&self) {
        let Self::Serving(info) = self else { return };
        let addr = info.addr();
        if !addr.ip().to_canonical().is_loopback() {
            tracing::warn!(
                "INFO PORT OPEN TO THE NETWORK: anyone who can reach {addr} can read names of tables and users, and addresses \
                 of clients, without a login; let a firewall admit only the machines that monitor the server, or set \
                 --info-listen to an address at 127.0.0.1"
            );
        }
    }
}

fn announce(data: &str, server: &Server, info: &InfoPort, started: Instant, log: &log::Log) {
    let addrs: Vec<_> = server.addrs().iter().map(ToString::to_string).collect();
    let startup_ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
    let metrics = match info {
        InfoPort::Serving(info) => format!("http://{}/", info.addr()),
        _ => "off".to_owned(),
    };
    let version = env!("CARGO_PKG_VERSION");
    tracing::info!(version, addresses = addrs.join(","), data, metrics, startup_ms, "hjall is serving");
    if let InfoPort::Missing(addr, error) = info {
        tracing::warn!(
            "no info port: cannot listen on {addr}: {error}; choose another address with --info-listen, or set it to off"
        );
    }
    // A reader of both outputs sees the log of the start first.
    log.flush();
    let lines: String = server.listening().iter().map(|addr| format!("hjall listening on {addr}\n")).collect();
    if let Err(error) = output::write(&lines)
        && error.kind() != io::ErrorKind::BrokenPipe
    {
        // Not a failure: clients can connect.
        tracing::warn!("{}", output::cannot_write(&error));
    }
}
