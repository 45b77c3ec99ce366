//! Serving Thrift clients from the same process.

use std::ffi::OsString;
use std::net::ToSocketAddrs;
use std::time::Duration;

use hjall_server::{Config, Server as ThriftServer, StartError};
use parking_lot::Mutex;
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;

use crate::database::Database;
use crate::fork::Owned;

/// A running server; `hjall.Server` holds one.
#[pyclass(frozen, module = "hjall._native")]
pub struct Server {
    /// `None` once it is closed.
    server: Owned<Mutex<Option<ThriftServer>>>,
    host: String,
    port: u16,
}

#[pymethods]
impl Server {
    /// Listens; port 0 takes a free one.
    #[new]
    fn new(
        py: Python<'_>,
        database: &Bound<'_, Database>,
        host: &str,
        port: u16,
        grace_seconds: f64,
    ) -> PyResult<Self> {
        let grace = Duration::try_from_secs_f64(grace_seconds)
            .map_err(|_| PyValueError::new_err("grace must be a number of seconds that is not negative"))?;
        let engine = database.get().shared().engine()?;
        let addr = py.detach(|| (host, port).to_socket_addrs().map(|mut found| found.next()))?;
        let addr = addr.ok_or_else(|| PyOSError::new_err(format!("the host {host:?} has no address")))?;
        let mut config = Config::on(addr);
        config.limits.grace = grace;
        let server = py.detach(|| ThriftServer::start(config, engine)).map_err(|error| not_started(&error))?;
        let (host, port) = (server.addr().ip().to_string(), server.addr().port());
        Ok(Self { server: Owned::new(Mutex::new(Some(server))), host, port })
    }

    /// The address, with the port it got.
    #[getter]
    fn address(&self) -> (&str, u16) {
        (&self.host, self.port)
    }

    /// Whether it still serves, in this process.
    fn is_open(&self, py: Python<'_>) -> bool {
        self.server.get().is_ok_and(|server| py.detach(|| server.lock().is_some()))
    }

    /// Stops: running calls finish and are answered, within the time of grace. Returns whether all did.
    fn close(&self, py: Python<'_>) -> bool {
        let Ok(server) = self.server.get() else { return true };
        py.detach(|| {
            let server = server.lock().take();
            server.is_none_or(ThriftServer::shutdown)
        })
    }
}

fn not_started(error: &StartError) -> PyErr {
    match error {
        // The text speaks of the command line's options.
        StartError::Listen(addr, cause) => PyOSError::new_err((
            cause.raw_os_error(),
            format!("cannot listen on {addr}: {cause}; port=0 takes a free one"),
        )),
        other => PyOSError::new_err(other.to_string()),
    }
}

/// The command line of the program `hjall`, the program's name first; returns its exit code. Takes over the process's signals and its log.
#[pyfunction]
pub fn command(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| hjall_server::cli::run(arguments))
}
