//! Serves a database to Thrift clients from within the program that opened it.

use std::collections::HashMap;
use std::net::{SocketAddr, ToSocketAddrs};
use std::time::Duration;

use hjall_engine::{Engine, Error, ErrorKind, Result};
use hjall_server::{Config, Server, StartError};
use parking_lot::Mutex;

use crate::request::Request;

/// The time for which a server that is being stopped, and the program with it, waits for running calls.
const GRACE: Duration = Duration::from_secs(5);

/// The servers of one database, by the numbers that JavaScript gave them.
#[derive(Default)]
pub struct Servers(Mutex<HashMap<u32, Server>>);

impl Servers {
    /// Starts a server and returns the address that it listens on. The request has the server's number, the host and
    /// the port (0: any free one).
    ///
    /// # Errors
    /// `InvalidArgument` for an invalid host or port; `Io` if the server cannot listen there.
    pub fn start(&self, engine: Engine, from: &mut Request) -> Result<SocketAddr> {
        let (number, host, port) = (from.u32()?, from.text()?, from.u32()?);
        let port = u16::try_from(port).map_err(|_| Error::invalid(format!("a port is at most 65535, not {port}")))?;
        let address = (host.as_str(), port).to_socket_addrs().ok().and_then(|mut addresses| addresses.next());
        let address = address.ok_or_else(|| {
            Error::invalid(format!(
                "cannot listen on \"{host}\": give an IP address of this machine, or a name that resolves to one"
            ))
        })?;
        let mut config = Config::on(address);
        config.limits.grace = GRACE;
        let server = Server::start(config, engine)
            .map_err(|error| Error::new(ErrorKind::Io, reason(&error)).with_source(error))?;
        let address = server.addr();
        self.0.lock().insert(number, server);
        Ok(address)
    }

    /// Stops a server after its current calls. Does nothing if there is no such server.
    pub fn stop(&self, number: u32) {
        let server = self.0.lock().remove(&number);
        if let Some(server) = server {
            server.shutdown();
        }
    }

    /// Stops all servers.
    pub fn stop_all(&self) {
        let servers = std::mem::take(&mut *self.0.lock());
        for server in servers.into_values() {
            server.shutdown();
        }
    }
}

/// Why a server does not start. Its own text advises options of the command line.
fn reason(error: &StartError) -> String {
    match error {
        StartError::Listen(address, error) if error.kind() == std::io::ErrorKind::AddrInUse => format!(
            "cannot listen on {address}: the port is in use; choose another with the option `port`, or any free one with \
             `port: 0`"
        ),
        StartError::Listen(address, error) => {
            format!("cannot listen on {address}: {error}; choose another address with the options `host` and `port`")
        }
        other => other.to_string(),
    }
}
