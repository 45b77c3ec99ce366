//! Serves Thrift clients from the same process.

use std::ffi::OsString;
use std::io::ErrorKind;
use std::net::ToSocketAddrs;
use std::time::Duration;

use hjall_server::{Config, Server as ThriftServer, StartError};
use parking_lot::Mutex;
use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;

use crate::call::without_gil;
use crate::database::Database;
use crate::error;
use crate::fork::ForkGuard;

/// The implementation of `hjall.Server`.
#[pyclass(frozen, module = "hjall._native")]
pub struct Server {
    /// `None` once the server is closed.
    server: ForkGuard<Mutex<Option<ThriftServer>>>,
    host: String,
    port: u16,
}

#[pymethods]
impl Server {
    /// Starts a server; port 0 chooses a free port.
    #[new]
    fn new(
        py: Python<'_>,
        database: &Bound<'_, Database>,
        host: &str,
        port: u16,
        grace_seconds: f64,
    ) -> PyResult<Self> {
        let grace = Duration::try_from_secs_f64(grace_seconds)
            .map_err(|_| error::invalid("grace must be a non-negative number of seconds"))?;
        let engine = database.get().handle().engine()?;
        let addr = py.detach(|| (host, port).to_socket_addrs().map(|mut found| found.next()));
        let addr = addr.map_err(|cause| no_address(host, &cause.to_string(), cause.raw_os_error()))?;
        let addr = addr.ok_or_else(|| no_address(host, "the name has no address", None))?;
        let mut config = Config::on(addr);
        config.limits.grace = grace;
        let server = py.detach(|| ThriftServer::start(config, engine)).map_err(|error| start_error(&error))?;
        let (host, port) = (server.addr().ip().to_string(), server.addr().port());
        Ok(Self { server: ForkGuard::new(Mutex::new(Some(server))), host, port })
    }

    /// The address that the server listens on.
    #[getter]
    fn address(&self) -> (&str, u16) {
        (&self.host, self.port)
    }

    /// Whether the server is running in this process.
    fn is_open(&self, py: Python<'_>) -> bool {
        self.server.get().is_ok_and(|server| py.detach(|| server.lock().is_some()))
    }

    /// Stops the server. Running calls may finish within the grace period. Returns whether all of them did.
    fn close(&self, py: Python<'_>) -> bool {
        let Ok(server) = self.server.get() else { return true };
        py.detach(|| {
            let server = server.lock().take();
            server.is_none_or(ThriftServer::shutdown)
        })
    }
}

impl Drop for Server {
    /// Stops a server that the program has left running. That waits for replies, which a client in this process cannot
    /// take while this thread holds the GIL.
    fn drop(&mut self) {
        if let Some(server) = self.server.get_mut().and_then(|server| server.get_mut().take()) {
            without_gil(move || drop(server));
        }
    }
}

fn start_error(error: &StartError) -> PyErr {
    match error {
        // The server's own text mentions options of the command line.
        StartError::Listen(addr, cause) if cause.kind() == ErrorKind::AddrInUse => os_error(
            cause.raw_os_error(),
            format!(
                "serve: cannot listen on {addr}: the port is in use: choose another with port=, or any free one with \
                 port=0"
            ),
        ),
        StartError::Listen(addr, cause) => os_error(
            cause.raw_os_error(),
            format!("serve: cannot listen on {addr}: {cause}: choose another address with host= and port="),
        ),
        other => PyOSError::new_err(format!("serve: {other}")),
    }
}

/// The error of a host that is no address and no name of one.
fn no_address(host: &str, why: &str, errno: Option<i32>) -> PyErr {
    let remedy = "give an IP address of this machine, or a name that resolves to one";
    os_error(errno, format!("serve: cannot listen on host {host:?}: {why}: {remedy}"))
}

/// An `OSError` with the operating system's number, if there is one.
fn os_error(errno: Option<i32>, message: String) -> PyErr {
    match errno {
        Some(errno) => PyOSError::new_err((errno, message)),
        None => PyOSError::new_err(message),
    }
}

/// Runs the command line of the program `hjall` and returns its exit code. `arguments` starts with the program's name.
/// Installs signal handlers and a logger for the process.
#[pyfunction]
pub fn command(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| hjall_server::cli::run(arguments))
}
