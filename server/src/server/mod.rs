//! A running server: starting it, and stopping it without losing a call.

mod reconfigure;
pub mod view;

pub use reconfigure::Reconfigured;

use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, Weak};
use std::thread::{self, Builder, JoinHandle};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use hjall_engine::Engine;
use tokio::runtime;
use tokio::sync::oneshot;

use crate::dispatch::call::Handler;
use crate::dispatch::clock::Monotonic;
use crate::dispatch::dispatcher::Dispatcher;
use crate::dispatch::identity::Identity;
use crate::dispatch::runner::ActiveSettings;
use crate::gateway::compactor::Compactor;
use crate::gateway::context::Context;
use crate::gateway::lease::Sweeper;
use crate::gateway::scanners::Scanners;
use crate::net::acceptor::{self, Acceptor};
use crate::net::endpoint::Endpoint;
use crate::net::tls::{TlsAcceptor, TlsError};
use crate::observe::{LaneMetrics, SUMMARY_PERIOD, Watch};
use crate::settings::config::Config;
use view::View;

/// Why a server does not start.
#[derive(Debug)]
pub enum StartError {
    /// An address cannot be listened on.
    Listen(SocketAddr, io::Error),
    /// The configuration names no address.
    NoAddress,
    /// The certificate or the key cannot be used.
    Tls(TlsError),
    /// The operating system gives no thread or event loop.
    Threads(io::Error),
}

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Listen(addr, error) if error.kind() == io::ErrorKind::AddrInUse => {
                write!(f, "cannot listen on {addr}: another program does; stop it or choose another port with --listen")
            }
            Self::Listen(addr, error) => {
                write!(f, "cannot listen on {addr}: {error}; choose another address with --listen")
            }
            Self::NoAddress => f.write_str("there is no address to listen on; give one with --listen"),
            Self::Tls(error) => write!(f, "TLS cannot be offered: {error}"),
            Self::Threads(error) => write!(f, "cannot start threads: {error}; is the limit on processes too low?"),
        }
    }
}

impl std::error::Error for StartError {}

/// The time in which a call that was stopped at the end of the grace period has to return.
const STOPPED_CALLS_WAIT: Duration = Duration::from_secs(2);

/// A running server. Dropping it stops it.
pub struct Server {
    addrs: Vec<SocketAddr>,
    running: Option<Running>,
    loops: Vec<Loop>,
    sweeper: Option<Sweeper>,
    view: Option<View>,
}

/// What a server has until it stops.
struct Running {
    endpoint: Arc<Endpoint>,
    /// Held while settings change: one change at a time.
    changing: Mutex<()>,
}

/// An event loop on its own thread, until its sender is dropped.
struct Loop {
    handle: runtime::Handle,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    /// Serves an engine. The engine stays the caller's: close it after [`Self::shutdown`].
    pub fn start(mut config: Config, engine: Engine) -> Result<Self, StartError> {
        let watch = Arc::new(Watch::new(config.slow.clone(), config.observer.take()));
        config.observer = Some(watch.clone());
        let scanners = Scanners::new(&config.limits, Arc::new(Monotonic::default()));
        let compactor = Compactor::start(engine.clone(), config.compaction.clone()).map_err(StartError::Threads)?;
        let options = config.calls;
        let mut context = None;
        let mut server = Self::with_handler(config, |identity| {
            let made = Arc::new(Context { engine, scanners, compactor, identity, options, watch });
            context = Some(made.clone());
            made
        })?;
        if let (Some(context), Some(running)) = (context, &server.running) {
            server.view = Some(View::new(&running.endpoint, &context));
            server.sweeper = Some(Sweeper::start(context).map_err(StartError::Threads)?);
        }
        Ok(server)
    }

    /// Serves any handler; it is told the server's name, whose port is known only once it listens.
    pub fn with_handler(
        config: Config,
        handler: impl FnOnce(Identity) -> Arc<dyn Handler>,
    ) -> Result<Self, StartError> {
        let tls = config.tls.as_ref().map(TlsAcceptor::open).transpose().map_err(StartError::Tls)?;
        let mut listeners = Vec::new();
        for listen in &config.listen {
            let bound = acceptor::bind(listen.addr).and_then(|bound| Ok((bound.local_addr()?, bound)));
            let (addr, bound) = bound.map_err(|e| StartError::Listen(listen.addr, e))?;
            listeners.push((addr, bound, *listen));
        }
        let addrs: Vec<_> = listeners.iter().map(|(addr, ..)| *addr).collect();
        let first = addrs.first().ok_or(StartError::NoAddress)?;
        let identity = Identity {
            host: config.host.clone().unwrap_or_else(|| reachable(*first)),
            port: first.port(),
            start_code: SystemTime::now()
                .duration_since(UNIX_EPOCH)
                .map_or(0, |d| i64::try_from(d.as_millis()).unwrap_or(i64::MAX)),
        };
        let handler = handler(identity.clone());
        let live = ActiveSettings::new(config);
        let dispatcher = Arc::new(Dispatcher::new(handler, identity, live.clone()));
        dispatcher.start_workers().map_err(StartError::Threads)?;
        let endpoint = Arc::new(Endpoint::new(dispatcher, tls));
        let loops = (0..live.config.loops.max(1)).map(Loop::start).collect::<io::Result<Vec<_>>>();
        let loops = loops.map_err(StartError::Threads)?;
        let handles = loops.iter().map(|l| l.handle.clone()).collect();
        let acceptor = Arc::new(Acceptor::new(endpoint.clone(), handles));
        if let Some(first) = loops.first() {
            first.handle.spawn(summarise_client_errors(Arc::downgrade(&endpoint)));
            for (_, bound, listen) in listeners {
                first.handle.spawn(acceptor.clone().accept(bound, listen));
            }
        }
        let running = Running { endpoint, changing: Mutex::new(()) };
        Ok(Self { addrs, running: Some(running), loops, sweeper: None, view: None })
    }

    /// The first address, with the port it got.
    pub fn addr(&self) -> SocketAddr {
        self.addrs.first().copied().unwrap_or_else(|| SocketAddr::from(([0, 0, 0, 0], 0)))
    }

    /// All addresses, in the order of the configuration.
    pub fn addrs(&self) -> &[SocketAddr] {
        &self.addrs
    }

    /// What the lanes have counted: those that the settings have.
    pub fn lanes(&self) -> Vec<LaneMetrics> {
        self.running.as_ref().map_or_else(Vec::new, |running| running.endpoint.dispatcher.lane_metrics())
    }

    /// The same of all lanes, those included that were there under earlier settings.
    pub fn all_lanes(&self) -> Vec<LaneMetrics> {
        self.running
            .iter()
            .flat_map(|running| running.endpoint.dispatcher.lanes.iter().map(|lane| lane.metrics()))
            .collect()
    }

    /// The server for those who watch it; `None`: it serves another handler than the database's.
    pub fn view(&self) -> Option<View> {
        self.view.clone()
    }

    /// Connections open now.
    pub fn connections(&self) -> usize {
        self.running.as_ref().map_or(0, |running| running.endpoint.permits.in_use())
    }

    /// Bytes of messages and replies under way that count towards the limit.
    pub fn held_bytes(&self) -> usize {
        self.running.as_ref().map_or(0, |running| running.endpoint.dispatcher.quota.used())
    }

    /// Reports from now on that the server is stopping, so that load balancers send no more clients. The server goes on until
    /// [`Self::shutdown`].
    pub fn drain(&self) {
        if let Some(running) = &self.running {
            running.endpoint.dispatcher.shutdown.drain();
        }
    }

    /// Stops: no new connection, no new call; what runs may finish and be answered within the time of grace. Blocks until all threads
    /// have ended; never call it from one of a call's. Returns whether every call finished.
    pub fn shutdown(mut self) -> bool {
        self.stop()
    }

    fn stop(&mut self) -> bool {
        let Some(Running { endpoint, .. }) = self.running.take() else { return true };
        let dispatcher = endpoint.dispatcher.clone();
        dispatcher.shutdown.stop();
        dispatcher.runner.client_errors.summarise();
        if let Some(view) = &self.view {
            view.stop_compactions();
        }
        let until = Instant::now() + dispatcher.live().config.limits.grace;
        while !dispatcher.shutdown.is_quiet() && Instant::now() < until {
            thread::sleep(Duration::from_millis(1));
        }
        let quiet = dispatcher.shutdown.is_quiet();
        if !quiet {
            let calls: usize = dispatcher.lanes.iter().map(|lane| lane.under_way()).sum();
            tracing::warn!(calls, "calls did not finish in time and get no answer");
        }
        // Ends all connections; those of their calls that still wait are then not run.
        self.loops.iter_mut().for_each(|each| drop(each.stop.take()));
        self.sweeper = None;
        drop(endpoint);
        let loops = self.loops.drain(..).filter_map(|mut each| each.thread.take());
        let threads: Vec<_> = loops.chain(dispatcher.workers.retire_all()).collect();
        drop(dispatcher);
        // The calls that did not finish have been stopped. One that does not notice in time keeps its thread.
        let until = Instant::now() + STOPPED_CALLS_WAIT;
        for thread in threads {
            while !quiet && !thread.is_finished() && Instant::now() < until {
                thread::sleep(Duration::from_millis(1));
            }
            if quiet || thread.is_finished() {
                join(thread);
            }
        }
        quiet
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop();
    }
}

impl Loop {
    fn start(number: usize) -> io::Result<Self> {
        let runtime = runtime::Builder::new_current_thread().enable_all().build()?;
        let handle = runtime.handle().clone();
        let (stop, stopped) = oneshot::channel::<()>();
        let thread = Builder::new().name(format!("hjall-io-{number}")).spawn(move || {
            // Either way it is the end: a message or the sender's drop.
            let _ = runtime.block_on(stopped);
        })?;
        Ok(Self { handle, stop: Some(stop), thread: Some(thread) })
    }
}

/// Logs a summary of clients' errors once per period, until the server stops.
async fn summarise_client_errors(endpoint: Weak<Endpoint>) {
    loop {
        tokio::time::sleep(SUMMARY_PERIOD).await;
        let Some(endpoint) = endpoint.upgrade() else { return };
        endpoint.dispatcher.runner.client_errors.summarise();
    }
}

fn join(thread: JoinHandle<()>) {
    if thread.join().is_err() {
        tracing::error!("a thread of the server panicked");
    }
}

/// The host by which clients reach an address. If the server listens on all interfaces, this is the name of the machine, as in
/// HBase, so that clients on other machines can use it.
fn reachable(addr: SocketAddr) -> String {
    if addr.ip().is_unspecified() {
        host_name().unwrap_or_else(|| "localhost".to_owned())
    } else {
        addr.ip().to_string()
    }
}

/// The name of this machine, if it has one.
fn host_name() -> Option<String> {
    #[cfg(unix)]
    let name = rustix::system::uname().nodename().to_str().ok().map(str::to_owned);
    #[cfg(not(unix))]
    let name = std::env::var("COMPUTERNAME").ok();
    name.filter(|name| !name.is_empty() && name != "(none)")
}
