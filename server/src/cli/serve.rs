//! `hjall serve`: opens the database, serves it, and stops when told.

use std::io::{self, Write};
use std::net::{SocketAddr, ToSocketAddrs};
use std::time::{Duration, Instant};

use hjall_engine::{Engine, Options};
use hjall_server::config::{Limits, Listen, TlsFiles, WhenFull};
use hjall_server::context::CallOptions;
use hjall_server::method::Service;
use hjall_server::{Config, Server};
use tokio::sync::oneshot;

use super::args::{self, ServeArgs};
use super::exit::Failure;
use super::log;

/// Serves until a signal.
pub fn run(args: ServeArgs) -> Result<(), Failure> {
    let started = Instant::now();
    log::start(args.log_format, &args.log)?;
    let config = config(&args)?;
    let options = Options { cache_bytes: args.cache_mib.map(|mib| mib.saturating_mul(1 << 20)), ..Options::default() };
    let opened = if args.memory { Engine::memory(options) } else { Engine::open(&args.data, options) };
    let engine = opened.map_err(|e| Failure::Data(args.data.clone(), e))?;
    // Signals are taken before anyone can connect: from the line on standard output on, a signal ends the process in order.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(Failure::Signals)?;
    let mut signals = {
        let _inside = runtime.enter();
        Signals::new().map_err(Failure::Signals)?
    };
    let server = match Server::start(config, engine.clone()) {
        Ok(server) => server,
        Err(error) => {
            // The start is what failed and is reported; the data is as it was.
            let _ = engine.close();
            return Err(Failure::Start(error));
        }
    };
    announce(&args, &server, started);

    let name = runtime.block_on(signals.next());
    tracing::info!(signal = name, "stopping: running calls finish");
    let (stopped, stopping) = oneshot::channel();
    std::thread::spawn(move || {
        let quiet = server.shutdown();
        // Nobody waits any more after a second signal.
        let _ = stopped.send((quiet, engine.close()));
    });
    let outcome = runtime.block_on(async {
        tokio::select! {
            outcome = stopping => Some(outcome),
            _ = signals.next() => None,
        }
    });
    match outcome {
        None => Err(Failure::Impatient),
        Some(Ok((true, Ok(())))) => {
            tracing::info!("stopped, all data is flushed");
            Ok(())
        }
        Some(Ok((_, Err(error)))) => Err(Failure::Data(args.data, error)),
        Some(Ok((false, Ok(()))) | Err(_)) => Err(Failure::Unfinished),
    }
}

fn announce(args: &ServeArgs, server: &Server, started: Instant) {
    let addrs: Vec<_> = server.addrs().iter().map(ToString::to_string).collect();
    let data = if args.memory { "memory".to_owned() } else { args.data.display().to_string() };
    let startup_ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
    tracing::info!(version = env!("CARGO_PKG_VERSION"), addresses = addrs.join(","), data, startup_ms, "hjall serves");
    let mut out = io::stdout().lock();
    for addr in addrs {
        // Whoever closed standard output does not want to know.
        let _ = writeln!(out, "hjall listening on {addr}");
    }
    let _ = out.flush();
}

fn config(args: &ServeArgs) -> Result<Config, Failure> {
    let mut listen = Vec::new();
    let default = ["127.0.0.1:9090".to_owned()];
    let none = args.listen.is_empty() && args.listen_thrift1.is_empty() && args.listen_thrift2.is_empty();
    let both = if none { default.as_slice() } else { &args.listen };
    let groups = [
        (both, None, "--listen"),
        (&args.listen_thrift1, Some(Service::Thrift1), "--listen-thrift1"),
        (&args.listen_thrift2, Some(Service::Thrift2), "--listen-thrift2"),
    ];
    for (texts, only, option) in groups {
        for text in texts {
            listen.push(Listen { addr: address(text, option)?, only });
        }
    }
    let tls = match (&args.tls_cert, &args.tls_key) {
        (Some(certificate), Some(key)) => Some(TlsFiles {
            certificate: certificate.clone(),
            key: key.clone(),
            client_authorities: args.tls_client_ca.clone(),
        }),
        _ => None,
    };
    Ok(Config {
        listen,
        host: args.host.clone(),
        limits: Limits {
            message_bytes_max: usize::from(args.max_message_mib) << 20,
            frame_bytes_max: usize::from(args.max_frame_mib) << 20,
            connections_max: usize::try_from(args.max_connections).unwrap_or(usize::MAX),
            when_full: match args.when_full {
                args::WhenFull::Wait => WhenFull::Wait,
                args::WhenFull::Refuse => WhenFull::Refuse,
            },
            idle_max: (args.idle_timeout > 0).then(|| Duration::from_secs(args.idle_timeout)),
            grace: Duration::from_secs(args.grace),
            ..Limits::default()
        },
        tls,
        calls: CallOptions { read_only: args.read_only },
        ..Config::default()
    })
}

fn address(text: &str, option: &str) -> Result<SocketAddr, Failure> {
    let wrong =
        |why: &str| Failure::Usage(format!("{option} {text}: {why}; write host and port, for example 127.0.0.1:9090"));
    match text.to_socket_addrs() {
        Ok(mut found) => found.next().ok_or_else(|| wrong("the host has no address")),
        Err(error) => Err(wrong(&error.to_string())),
    }
}

/// The signals that end the process.
#[cfg(unix)]
struct Signals {
    terminate: tokio::signal::unix::Signal,
    interrupt: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    fn new() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self { terminate: signal(SignalKind::terminate())?, interrupt: signal(SignalKind::interrupt())? })
    }

    async fn next(&mut self) -> &'static str {
        tokio::select! {
            _ = self.terminate.recv() => "SIGTERM",
            _ = self.interrupt.recv() => "SIGINT",
        }
    }
}

/// The signal that ends the process.
#[cfg(not(unix))]
struct Signals;

#[cfg(not(unix))]
impl Signals {
    fn new() -> io::Result<Self> {
        Ok(Self)
    }

    async fn next(&mut self) -> &'static str {
        // Without a console there is no such signal, and nothing to wait for but the end.
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
        "Ctrl-C"
    }
}
