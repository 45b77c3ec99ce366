//! Changing a server's settings while it runs, without losing a call.

use std::sync::{Arc, PoisonError};

use super::{Running, Server};
use crate::net::tls::{TlsAcceptor, TlsError};
use crate::observe::SlowSettings;
use crate::settings::config::Config;

/// What became of a change of settings, by their names in [`Config`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reconfigured {
    /// In force from now on.
    pub applied: Vec<&'static str>,
    /// As they were, and why.
    pub refused: Vec<(&'static str, String)>,
}

/// What to say of a setting that is fixed.
const FIXED: &str = "it is fixed at the start; restart the server to change it";

impl Server {
    /// Puts new settings into force, as far as they can change while the server runs: those of queues but for their order, all limits,
    /// the fast path, the rules of HTTP, what is slow, and TLS, whose files are read anew. Calls that run or wait are not touched: a lane that becomes smaller works
    /// off what it has, a lane that is no longer there too.
    pub fn reconfigure(&self, wanted: &Config) -> Reconfigured {
        let mut told = Reconfigured::default();
        let Some(running) = &self.running else { return told };
        let _alone = running.changing.lock().unwrap_or_else(PoisonError::into_inner);
        let old = running.endpoint.dispatcher.live().config.clone();
        let mut new = old.clone();
        fixed(&mut told, &old, wanted);
        /// Takes a setting over, and says so.
        macro_rules! take {
            ($group:ident . $($field:ident)*) => {
                $(if old.$group.$field != wanted.$group.$field {
                    new.$group.$field = wanted.$group.$field.clone();
                    told.applied.push(concat!(stringify!($group), ".", stringify!($field)));
                })*
            };
        }
        take!(queues . handlers handler_factor read_ratio scan_ratio length_max waiting_max codel_target codel_interval
            codel_lifo_threshold max_call_delay scan_vtime_weight scan_running_max admin_handlers admin_waiting_max wait_max);
        take!(limits . connections_max connections_per_address_max when_full message_bytes_max frame_bytes_max reply_bytes_max
            page_bytes_max held_bytes_max scanners_max scanners_per_connection_max scanner_timeout idle_max first_call_max stall_max
            min_rate grace);
        if old.fast_path != wanted.fast_path {
            new.fast_path = wanted.fast_path;
            told.applied.push("fast_path");
        }
        if old.http != wanted.http {
            new.http = wanted.http.clone();
            told.applied.push("http");
        }
        let slow = SlowSettings { ring_size: old.slow.ring_size, ..wanted.slow.clone() };
        if let Some(view) = self.view().filter(|_| old.slow != slow) {
            view.watch.slow.set(slow.clone());
            new.slow = slow;
            told.applied.push("slow");
        }
        if old.tls != wanted.tls {
            match running.open_tls(wanted) {
                Ok(()) => {
                    new.tls = wanted.tls.clone();
                    told.applied.push("tls");
                }
                Err(error) => told.refused.push(("tls", error.to_string())),
            }
        }
        if !told.applied.is_empty() {
            if let Err(error) = running.endpoint.dispatcher.reconfigure(new) {
                let why = format!("the system gives no thread: {error}; the lanes have fewer");
                told.refused.push(("queues.handlers", why));
            }
            running.endpoint.permits.changed();
        }
        told
    }

    /// Reads the files of TLS anew: connections from now on see what they say, open ones keep what they have. `false`: there is no TLS.
    ///
    /// # Errors
    /// The files cannot be used; the server goes on with what it has.
    pub fn reload_tls(&self) -> Result<bool, TlsError> {
        let Some(running) = &self.running else { return Ok(false) };
        let _alone = running.changing.lock().unwrap_or_else(PoisonError::into_inner);
        let config = running.endpoint.dispatcher.live().config.clone();
        running.open_tls(&config)?;
        Ok(config.tls.is_some())
    }
}

/// Names the settings that differ and cannot change.
fn fixed(told: &mut Reconfigured, old: &Config, wanted: &Config) {
    let differ = [
        ("listen", old.listen != wanted.listen),
        ("host", old.host != wanted.host),
        ("loops", old.loops != wanted.loops),
        ("calls", old.calls != wanted.calls),
        ("compaction", old.compaction != wanted.compaction),
        ("queues.order", old.queues.order != wanted.queues.order),
        ("slow.ring_size", old.slow.ring_size != wanted.slow.ring_size),
    ];
    told.refused.extend(differ.into_iter().filter(|(_, differs)| *differs).map(|(name, _)| (name, FIXED.to_owned())));
}

impl Running {
    fn open_tls(&self, config: &Config) -> Result<(), TlsError> {
        let acceptor = config.tls.as_ref().map(TlsAcceptor::open).transpose()?;
        self.endpoint.tls.store(acceptor.map(Arc::new));
        Ok(())
    }
}
