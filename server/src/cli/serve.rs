//! `hjall serve`: opens the database and serves it until a signal.

use std::io;
#[cfg(unix)]
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use hjall_engine::{Engine, Options, Result as EngineResult};
use hjall_server::info::{Info, SeriesLimits};
#[cfg(unix)]
use hjall_server::settings::config::Config;
use hjall_server::settings::config::ReadOnly;
use hjall_server::settings::{Effective, Refused, Sources, StartupOptions, startup};
use hjall_server::{PreparedServer, Server};
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
use super::warnings;

/// Serves until SIGTERM or SIGINT.
pub fn run(sources: &Sources) -> Result<(), Failure> {
    let started = Instant::now();
    let effective = Effective::read(sources).map_err(Failure::Settings)?;
    let startup = StartupOptions::of(&effective).map_err(|wrong| Failure::Settings(Refused(wrong)))?;
    let log = log::start(&startup, &effective)?;
    open_files::raise()?;
    let warned = warnings::of(&effective, &startup);
    for line in &warned {
        tracing::warn!("{line}");
    }
    let StartupOptions { config, data, memory, options, info, .. } = startup;
    let read_only = config.calls.read_only;
    #[cfg(unix)]
    let shown = ShownAddresses::of(&config);
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
        let started = Control::start(&data, engine.clone(), shown.all(server.addrs()));
        started
            .inspect_err(|error| {
                let why = super::control::why_missing(&data, error);
                tracing::warn!(
                    "`hjall backup` has to wait until the server has stopped, which has no control socket: {why}"
                );
            })
            .ok()
    };
    log_read_only(read_only);
    announce(&place, &server, &info, started, &log);

    let (name, drain) = serve_until_stopped(&runtime, &mut signals, effective, warned, &server, &log);
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

/// How the addresses of the server are shown to a user of this machine: as arguments of `hjall shell --server`.
#[cfg(unix)]
struct ShownAddresses {
    /// The name of this machine for clients, in place of an address that stands for all interfaces.
    host: Option<String>,
    options: String,
}

#[cfg(unix)]
impl ShownAddresses {
    fn of(config: &Config) -> Self {
        let tls = config.tls.as_ref().map_or("", |_| " --tls --tls-ca FILE");
        let user = config.auth.users.as_ref().map_or("", |_| " --user NAME");
        Self { host: config.host.clone(), options: format!("{tls}{user}") }
    }

    fn all(&self, addresses: &[SocketAddr]) -> Vec<String> {
        addresses.iter().map(|address| format!("{}{}", self.reachable(*address), self.options)).collect()
    }

    fn reachable(&self, address: SocketAddr) -> String {
        let loopback = match address.ip() {
            ip if !ip.is_unspecified() => return address.to_string(),
            IpAddr::V4(_) => IpAddr::V4(Ipv4Addr::LOCALHOST),
            IpAddr::V6(_) => IpAddr::V6(Ipv6Addr::LOCALHOST),
        };
        match &self.host {
            Some(host) => format!("{host}:{}", address.port()),
            None => SocketAddr::new(loopback, address.port()).to_string(),
        }
    }
}

/// Opens the database of a folder, and creates it if there is none.
fn open_folder(data: &Path, options: Options) -> EngineResult<Engine> {
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

/// Serves until a signal asks to stop, and reads the settings again when one asks for that. `warned`: the warnings that
/// have been logged. Returns the name of the signal, and how long to drain.
fn serve_until_stopped(
    runtime: &Runtime,
    signals: &mut Signals,
    mut effective: Effective,
    mut warned: Vec<String>,
    server: &Server,
    log: &log::Log,
) -> (&'static str, Duration) {
    let name = loop {
        match runtime.block_on(signals.next()) {
            Signal::Stop(name) => break name,
            Signal::Reload => {
                effective = reload::run(effective, server, log);
                if let Ok(startup) = StartupOptions::of(&effective) {
                    let before = std::mem::replace(&mut warned, warnings::of(&effective, &startup));
                    for line in warned.iter().filter(|line| !before.contains(line)) {
                        tracing::warn!("{line}");
                    }
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
        Some(Ok((false, Ok(())))) => {
            tracing::info!("stopped, all data flushed; some calls or replies were not finished");
            Err(Failure::Unfinished)
        }
        Some(Err(_)) => Err(Failure::Unfinished),
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
