//! Serving a database to Thrift clients from inside the host program.

use std::net::ToSocketAddrs;
use std::time::Duration;

use hjall_engine::{Engine, Error, ErrorKind, Result};
use hjall_server::{Config, Server};
use parking_lot::Mutex;

use crate::request::Request;

/// Calls that run when a server is told to stop may take so long to finish: the program that stops it waits.
const GRACE: Duration = Duration::from_secs(5);

/// The servers of one database, by the number that JavaScript gave them.
#[derive(Default)]
pub struct Servers(Mutex<Vec<(u32, Server)>>);

impl Servers {
    /// Starts one: number, host, port (0: any free one). Returns where it listens.
    ///
    /// # Errors
    /// `InvalidArgument` for a host that is none, `Io` if it cannot listen there.
    pub fn start(&self, engine: Engine, from: &mut Request) -> Result<(String, u16)> {
        let (number, host, port) = (from.u32()?, from.text()?, from.u32()?);
        let port = u16::try_from(port).map_err(|_| Error::invalid(format!("a port is at most 65535, not {port}")))?;
        let addr =
            (host.as_str(), port).to_socket_addrs().ok().and_then(|mut addrs| addrs.next()).ok_or_else(|| {
                Error::invalid(format!(
                    "\"{host}\" is no address to listen on: give an IP address or a name of this machine"
                ))
            })?;
        let mut config = Config::on(addr);
        config.limits.grace = GRACE;
        let server = Server::start(config, engine)
            .map_err(|error| Error::new(ErrorKind::Io, error.to_string()).with_source(error))?;
        let addr = server.addr();
        self.0.lock().push((number, server));
        Ok((addr.ip().to_string(), addr.port()))
    }

    /// Stops one, once the calls that run are done.
    pub fn stop(&self, number: u32) {
        let found = {
            let mut servers = self.0.lock();
            let at = servers.iter().position(|(n, _)| *n == number);
            at.map(|at| servers.swap_remove(at))
        };
        if let Some((_, server)) = found {
            server.shutdown();
        }
    }

    /// Stops all.
    pub fn stop_all(&self) {
        let all = std::mem::take(&mut *self.0.lock());
        for (_, server) in all {
            server.shutdown();
        }
    }
}
