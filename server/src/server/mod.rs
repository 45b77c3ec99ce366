//! A running server: starts it, and stops it without losing a call.

mod doubtful;
mod reconfigure;
pub mod view;

pub use crate::net::descriptors::{Connectable, connectable};
pub use doubtful::doubtful_settings;
pub use reconfigure::Reconfigured;

use std::fmt;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::{Arc, Mutex, Weak};
use std::thread::{self, Builder, JoinHandle};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use hjall_engine::Engine;
use tokio::runtime;
use tokio::sync::{Notify, oneshot};

use crate::access::{Access, UsersError};
use crate::dispatch::call::Services;
use crate::dispatch::clock::Monotonic;
use crate::dispatch::dispatcher::Dispatcher;
use crate::dispatch::identity::Identity;
use crate::dispatch::loop_writes::LoopWrites;
use crate::dispatch::mailbox::Mailbox;
use crate::dispatch::runner::ActiveSettings;
use crate::gateway::compactor::Compactor;
use crate::gateway::context::Context;
use crate::gateway::periodic_thread::PeriodicThread;
use crate::gateway::scanners::Scanners;
use crate::gateway::{lease_sweeper, recovery};
use crate::net::acceptor::{self, Acceptor};
use crate::net::endpoint::Endpoint;
use crate::net::loop_turn;
use crate::net::loops::load::{LoopHandle, LoopLoad};
use crate::net::loops::{Loops, balancer};
use crate::net::tls::{TlsAcceptor, TlsError};
use crate::observe::{LaneMetrics, SUMMARY_SECONDS, Watch};
use crate::settings::config::{Config, Listen};
use view::View;

/// The reasons for which a server does not start.
#[derive(Debug)]
pub enum StartError {
    /// An address cannot be listened on.
    Listen(SocketAddr, io::Error),
    /// The configuration names no address.
    NoAddress,
    /// The users file cannot be used.
    Users(UsersError),
    /// The certificate or the key cannot be used.
    Tls(TlsError),
    /// The operating system provides no thread or event loop.
    Threads(io::Error),
}

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Listen(addr, error) if error.kind() == io::ErrorKind::AddrInUse => {
                write!(
                    f,
                    "cannot listen on {addr}: another program uses the port; stop it, or choose another port with --listen \
                     (for REST alone: --rest-listen)"
                )
            }
            Self::Listen(addr, error) => {
                let why = listen_failure(*addr, error);
                write!(f, "cannot listen on {addr}: {why}; choose another address with --listen")
            }
            Self::NoAddress => f.write_str("no address to listen on is configured; set one with --listen"),
            Self::Users(error) => write!(f, "the users file cannot be used: {error}"),
            Self::Tls(error) => write!(f, "TLS cannot be offered: {error}"),
            Self::Threads(error) => write!(
                f,
                "cannot start threads: {error}; is the limit on open files (ulimit -n), on processes (ulimit -u) or on memory \
                 (ulimit -v) too low?"
            ),
        }
    }
}

impl std::error::Error for StartError {}

/// Why an address cannot be listened on.
pub fn listen_failure(addr: SocketAddr, error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::PermissionDenied if addr.port() < 1024 => format!(
            "{error}: ports below 1024 need root, or the capability CAP_NET_BIND_SERVICE (AmbientCapabilities= in systemd)"
        ),
        _ => error.to_string(),
    }
}

/// The time in which a call that was stopped at the end of the grace period has to return.
const STOPPED_CALLS_WAIT: Duration = Duration::from_secs(2);

/// A running server. Dropping it stops it.
pub struct Server {
    addrs: Vec<SocketAddr>,
    listening: Vec<Listen>,
    running: Option<Running>,
    loops: Vec<Loop>,
    periodic: Vec<PeriodicThread>,
    view: Option<View>,
}

/// The state of a server until it stops.
struct Running {
    endpoint: Arc<Endpoint>,
    /// Held while settings change, so that only one change runs at a time.
    changing: Mutex<Changes>,
}

/// The state of changes of settings.
#[derive(Default)]
struct Changes {
    /// Whether the last change could not start all threads that it needs.
    lacks_threads: bool,
}

/// An event loop on its own thread, until its sender is dropped.
struct Loop {
    handle: Arc<LoopHandle>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// A server that listens and does not accept connections yet: they wait in the backlog.
pub struct PreparedServer {
    config: Config,
    access: Arc<Access>,
    tls: Option<TlsAcceptor>,
    listeners: Vec<(SocketAddr, TcpListener, Listen)>,
}

impl PreparedServer {
    /// Reads the files that the configuration names, and listens on its addresses. What can fail for a reason outside
    /// of the database fails here.
    ///
    /// # Errors
    /// The server cannot listen, or cannot use the TLS files or the users file.
    pub fn new(config: Config) -> Result<Self, StartError> {
        let access = Access::new(&config.auth, Arc::new(Monotonic::default())).map_err(StartError::Users)?;
        let tls = config.tls.as_ref().map(TlsAcceptor::open).transpose().map_err(StartError::Tls)?;
        if let (Some(tls), Some(files)) = (&tls, &config.tls) {
            for line in tls.warnings(files) {
                tracing::warn!("{line}");
            }
        }
        let mut listeners = Vec::new();
        for listen in &config.listen {
            let bound = acceptor::bind(listen.addr).and_then(|bound| Ok((bound.local_addr()?, bound)));
            let (addr, bound) = bound.map_err(|e| StartError::Listen(listen.addr, e))?;
            listeners.push((addr, bound, *listen));
        }
        Ok(Self { config, access: Arc::new(access), tls, listeners })
    }

    /// Serves an engine. The caller closes the engine after [`Server::shutdown`].
    ///
    /// # Errors
    /// The configuration names no address, or the server gets no thread.
    pub fn start(mut self, engine: Engine) -> Result<Server, StartError> {
        let config = &mut self.config;
        let watch = Arc::new(Watch::new(config.slow.clone(), config.observer.take()));
        config.observer = Some(watch.clone());
        let scanners = Scanners::new(&config.limits, Arc::new(Monotonic::default()));
        let compactor = Compactor::start(engine.clone(), config.compaction.clone()).map_err(StartError::Threads)?;
        let options = config.calls;
        let mut context = None;
        let access = self.access.clone();
        let mut server = self.launch(|identity| {
            let made = Arc::new(Context { access, engine, scanners, compactor, identity, options, watch });
            context = Some(made.clone());
            made
        })?;
        if let (Some(context), Some(running)) = (context, &server.running) {
            let of = Arc::downgrade(&context);
            context.watch.find_tables_of_scanners(move |service, scanner| {
                let (_, table) = of.upgrade()?.scanners.opened(service, scanner)?;
                Some(table.to_string())
            });
            server.view = Some(View::new(&running.endpoint, &context));
            server.periodic.push(recovery::start(context.engine.clone()).map_err(StartError::Threads)?);
            server.periodic.push(lease_sweeper::start(context).map_err(StartError::Threads)?);
        }
        Ok(server)
    }

    fn launch(self, services: impl FnOnce(Identity) -> Arc<dyn Services>) -> Result<Server, StartError> {
        let Self { config, access, tls, listeners } = self;
        let addrs: Vec<_> = listeners.iter().map(|(addr, ..)| *addr).collect();
        let listening = listeners.iter().map(|(addr, _, listen)| Listen { addr: *addr, ..*listen }).collect();
        let first = addrs.first().ok_or(StartError::NoAddress)?;
        let identity = Identity {
            host: config.host_in_force().unwrap_or_else(|| first.ip().to_string()),
            port: first.port(),
            start_code: SystemTime::now()
                .duration_since(UNIX_EPOCH)
                .map_or(0, |d| i64::try_from(d.as_millis()).unwrap_or(i64::MAX)),
        };
        let services = services(identity.clone());
        let live = ActiveSettings::new(config);
        let dispatcher = Arc::new(Dispatcher::new(services, identity, live.clone()));
        dispatcher.start_workers().map_err(StartError::Threads)?;
        let least = live.config.loops.max(1);
        let measuring = Arc::<Notify>::default();
        let start = |number| Loop::start(number, &dispatcher, &measuring);
        let loops = (0..live.config.loops_max.max(least)).map(start).collect::<io::Result<Vec<_>>>();
        let loops = loops.map_err(StartError::Threads)?;
        let all = Arc::new(Loops::new(loops.iter().map(|each| each.handle.clone()).collect(), least));
        let endpoint = Arc::new(Endpoint::new(dispatcher, all.clone(), tls, access));
        let acceptor = Arc::new(Acceptor::new(endpoint.clone()));
        if let Some(first) = loops.first().map(|first| &first.handle.runtime) {
            first.spawn(log_summaries(Arc::downgrade(&endpoint)));
            first.spawn(balancer::run(all, least, measuring));
            for (_, bound, listen) in listeners {
                first.spawn(acceptor.clone().accept(bound, listen));
            }
        }
        let running = Running { endpoint, changing: Mutex::default() };
        Ok(Server { addrs, listening, running: Some(running), loops, periodic: Vec::new(), view: None })
    }
}

impl Server {
    /// Serves an engine. The caller closes the engine after [`Self::shutdown`].
    ///
    /// # Errors
    /// Those of [`PreparedServer::new`] and [`PreparedServer::start`].
    pub fn start(config: Config, engine: Engine) -> Result<Self, StartError> {
        PreparedServer::new(config)?.start(engine)
    }

    /// Serves these services, which are created with the server's name, because the port is only known once the server
    /// listens.
    ///
    /// # Errors
    /// As for [`Self::start`].
    pub fn with_services(
        config: Config,
        services: impl FnOnce(Identity) -> Arc<dyn Services>,
    ) -> Result<Self, StartError> {
        PreparedServer::new(config)?.launch(services)
    }

    /// The first address, with the port that was bound.
    pub fn addr(&self) -> SocketAddr {
        self.addrs.first().copied().unwrap_or_else(|| SocketAddr::from(([0, 0, 0, 0], 0)))
    }

    /// All addresses, in the order of the configuration.
    pub fn addrs(&self) -> &[SocketAddr] {
        &self.addrs
    }

    /// The addresses with their services, in the same order.
    pub fn listening(&self) -> &[Listen] {
        &self.listening
    }

    /// The figures of the lanes that the settings have.
    pub fn lanes(&self) -> Vec<LaneMetrics> {
        self.running.as_ref().map_or_else(Vec::new, |running| running.endpoint.dispatcher.lane_metrics())
    }

    /// The figures of all lanes, including those that only earlier settings had.
    pub fn all_lanes(&self) -> Vec<LaneMetrics> {
        self.running
            .iter()
            .flat_map(|running| running.endpoint.dispatcher.lanes.iter().map(|lane| lane.metrics()))
            .collect()
    }

    /// The view of the server for monitoring, or `None` if the server was started by [`Self::with_services`].
    pub fn view(&self) -> Option<View> {
        self.view.clone()
    }

    /// Number of open connections.
    pub fn connections(&self) -> usize {
        self.running.as_ref().map_or(0, |running| running.endpoint.permits.in_use())
    }

    /// The number of connections of each event loop.
    pub fn loop_connections(&self) -> Vec<usize> {
        self.running.as_ref().map_or_else(Vec::new, |running| running.endpoint.loops.connections())
    }

    /// Lets connections of one event loop go to another one: this number, each after its next answer. The server does
    /// so by itself when that helps; tests do not wait for it.
    #[doc(hidden)]
    pub fn move_connections(&self, from: usize, to: usize, connections: usize) {
        if let Some(running) = &self.running {
            running.endpoint.loops.move_connections(from, to, connections);
        }
    }

    /// Bytes of messages and replies in flight that count towards the limit.
    pub fn held_bytes(&self) -> usize {
        self.running.as_ref().map_or(0, |running| running.endpoint.dispatcher.quota.used())
    }

    /// Reports from now on that the server is stopping, so that load balancers send no more clients. The server serves
    /// calls until [`Self::shutdown`].
    pub fn drain(&self) {
        if let Some(running) = &self.running {
            running.endpoint.dispatcher.shutdown.drain();
        }
    }

    /// Stops the server: it accepts no further connections and calls, and running calls may finish within the grace
    /// period. Blocks until all threads have ended, so it must not be called on a thread that runs calls. Returns
    /// whether all calls finished and all replies were sent.
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
        while dispatcher.shutdown.under_way() > 0 && Instant::now() < until {
            thread::sleep(Duration::from_millis(1));
        }
        let under_way = dispatcher.shutdown.under_way();
        let quiet = under_way == 0;
        if !quiet {
            // The other calls have ended, and their clients have not taken the replies.
            let calls = dispatcher.lanes.iter().map(|lane| lane.under_way()).sum::<usize>().min(under_way);
            let replies = under_way - calls;
            tracing::warn!(
                calls,
                replies,
                "calls did not finish within server.grace and get no answer; replies that clients did not take in time are \
                 cut off"
            );
        }
        // Ends all connections. Their waiting calls are not run.
        self.loops.iter_mut().for_each(|each| drop(each.stop.take()));
        self.periodic.clear();
        let access = endpoint.access.clone();
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
        access.log_hidden(true);
        quiet
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop();
    }
}

impl Loop {
    fn start(number: usize, dispatcher: &Arc<Dispatcher>, measuring: &Arc<Notify>) -> io::Result<Self> {
        let write_lane = dispatcher.write_lane().clone();
        let runtime = runtime::Builder::new_current_thread().enable_all().build()?;
        let load = Arc::new(LoopLoad::new(measuring.clone()));
        let handle = Arc::new(LoopHandle { runtime: runtime.handle().clone(), load: load.clone() });
        let of = Arc::downgrade(dispatcher);
        let window = move || of.upgrade().map_or(Some(Duration::ZERO), |dispatcher| dispatcher.busy_poll_window());
        let (stop, stopped) = oneshot::channel::<()>();
        let thread = Builder::new().name(format!("hjall-io-{number}")).spawn(move || {
            let mailbox = Arc::<Mailbox>::default();
            mailbox.enter();
            load.runs_here();
            loop_turn::enter(load.clone());
            runtime.spawn(mailbox.deliver());
            let writes = LoopWrites::enter(write_lane);
            runtime.spawn(writes.deliver_syncs());
            runtime.spawn(load.busy_poll.clone().run(window));
            // A message and the drop of the sender both end the loop.
            let _ = runtime.block_on(stopped);
            // The connections end before their last writes are committed, so that they make no further writes.
            drop(runtime);
            drop(writes);
        })?;
        Ok(Self { handle, stop: Some(stop), thread: Some(thread) })
    }
}

/// Logs the numbers of lines about clients that were left out, until the server stops: those of the audit log each
/// second, those of clients' errors once per period.
async fn log_summaries(endpoint: Weak<Endpoint>) {
    for second in 1_u64.. {
        tokio::time::sleep(Duration::from_secs(1)).await;
        let Some(endpoint) = endpoint.upgrade() else { return };
        endpoint.access.log_hidden(false);
        if second.is_multiple_of(SUMMARY_SECONDS) {
            endpoint.dispatcher.runner.client_errors.summarise();
        }
    }
}

fn join(thread: JoinHandle<()>) {
    if thread.join().is_err() {
        tracing::error!("a thread of the server panicked");
    }
}
