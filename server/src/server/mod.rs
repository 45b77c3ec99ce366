//! A running server: starting it, and stopping it without losing a call.

mod reconfigure;
pub mod view;

pub use reconfigure::Reconfigured;

use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::thread::{self, Builder, JoinHandle};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use hjall_engine::Engine;
use tokio::runtime;
use tokio::sync::oneshot;

use crate::dispatch::call::Handler;
use crate::dispatch::runner::Live;
use crate::dispatch::shared::Shared;
use crate::dispatch::worker_pool::Crew;
use crate::gateway::compactor::Compactor;
use crate::gateway::context::{Context, Identity};
use crate::gateway::lease::Sweeper;
use crate::gateway::scanners::{Monotonic, Scanners};
use crate::net::acceptor::{self, Door};
use crate::net::connection_permits::Places;
use crate::net::tls::{Acceptor, TlsError};
use crate::observe::Watch;
use crate::observe::metrics::LaneMetrics;
use crate::server::view::View;
use crate::settings::config::Config;

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

/// A running server. Dropping it stops it.
pub struct Server {
    addrs: Vec<SocketAddr>,
    pub(crate) running: Option<Running>,
    loops: Vec<Loop>,
    _sweeper: Option<Sweeper>,
    view: Option<View>,
}

/// What a server has until it stops.
pub(crate) struct Running {
    pub(crate) shared: Arc<Shared>,
    pub(crate) crew: Crew,
    pub(crate) places: Arc<Places>,
    /// Held while settings change: one change at a time.
    pub(crate) changing: Mutex<()>,
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
        let compactor = Compactor::start(engine.clone()).map_err(StartError::Threads)?;
        let options = config.calls;
        let mut context = None;
        let mut server = Self::with_handler(config, |identity| {
            let made = Arc::new(Context { engine, scanners, compactor, identity, options, watch });
            context = Some(made.clone());
            made
        })?;
        if let (Some(context), Some(running)) = (context, &server.running) {
            server.view = Some(View::new(&running.shared, &running.places, &context));
            server._sweeper = Some(Sweeper::start(context).map_err(StartError::Threads)?);
        }
        Ok(server)
    }

    /// Serves any handler; it is told the server's name, whose port is known only once it listens.
    pub fn with_handler(
        config: Config,
        handler: impl FnOnce(Identity) -> Arc<dyn Handler>,
    ) -> Result<Self, StartError> {
        let tls = config.tls.as_ref().map(Acceptor::open).transpose().map_err(StartError::Tls)?;
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
        let live = Live::new(config);
        let shared = Arc::new(Shared::new(handler, identity, live.clone(), tls));
        let crew = Crew::new(shared.runner.clone(), shared.lanes.clone());
        crew.grow(&live.lanes).map_err(StartError::Threads)?;
        let loops = (0..live.config.loops.max(1)).map(Loop::start).collect::<io::Result<Vec<_>>>();
        let loops = loops.map_err(StartError::Threads)?;
        let places = Arc::<Places>::default();
        let handles = loops.iter().map(|l| l.handle.clone()).collect();
        let door = Arc::new(Door::new(shared.clone(), handles, places.clone()));
        if let Some(first) = loops.first() {
            for (_, bound, listen) in listeners {
                first.handle.spawn(door.clone().accept(bound, listen));
            }
        }
        let running = Running { shared, crew, places, changing: Mutex::new(()) };
        Ok(Self { addrs, running: Some(running), loops, _sweeper: None, view: None })
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
        let Some(Running { shared, .. }) = &self.running else { return Vec::new() };
        let live = shared.live();
        live.lanes.iter().map(|(kind, _)| shared.lane(kind).metrics()).collect()
    }

    /// The same of all lanes, those included that were there under earlier settings.
    pub fn all_lanes(&self) -> Vec<LaneMetrics> {
        self.running.iter().flat_map(|running| running.shared.lanes.iter().map(|lane| lane.metrics())).collect()
    }

    /// The server for those who watch it; `None`: it serves another handler than the database's.
    pub fn view(&self) -> Option<View> {
        self.view.clone()
    }

    /// Connections open now.
    pub fn connections(&self) -> usize {
        self.running.as_ref().map_or(0, |running| running.places.taken())
    }

    /// Bytes of messages and replies under way that count towards the limit.
    pub fn held_bytes(&self) -> usize {
        self.running.as_ref().map_or(0, |running| running.shared.held.load(Ordering::Relaxed))
    }

    /// Stops: no new connection, no new call; what runs may finish and be answered within the time of grace. Blocks until all threads
    /// have ended; never call it from one of a call's. Returns whether every call finished.
    pub fn shutdown(mut self) -> bool {
        self.stop()
    }

    fn stop(&mut self) -> bool {
        let Some(Running { shared, crew, .. }) = self.running.take() else { return true };
        shared.stop();
        let until = Instant::now() + shared.live().config.limits.grace;
        while !shared.is_quiet() && Instant::now() < until {
            thread::sleep(Duration::from_millis(1));
        }
        let quiet = shared.is_quiet();
        if !quiet {
            let calls: usize = shared.lanes.iter().map(|lane| lane.under_way()).sum();
            tracing::warn!(calls, "calls did not finish in time and get no answer");
        }
        // Ends all connections; calls of theirs that still wait are then not run.
        self.loops.iter_mut().for_each(|each| drop(each.stop.take()));
        self._sweeper = None;
        drop(shared);
        let loops = self.loops.drain(..).filter_map(|mut each| each.thread.take());
        let threads: Vec<_> = loops.chain(crew.dismiss()).collect();
        // A call that did not finish keeps its thread, worker or loop; all are left behind then.
        if quiet {
            threads.into_iter().for_each(join);
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

fn join(thread: JoinHandle<()>) {
    if thread.join().is_err() {
        tracing::error!("a thread of the server panicked");
    }
}

/// The host of an address, as clients can use it: all interfaces are reached by name.
fn reachable(addr: SocketAddr) -> String {
    if addr.ip().is_unspecified() { "localhost".to_owned() } else { addr.ip().to_string() }
}
