//! Changes a server's settings while it runs, without losing a call.

use std::sync::{Arc, PoisonError};

use super::{Running, Server};
use crate::access::{UserChange, UsersError};
use crate::dispatch::reconfigure::NoThread;
use crate::net::tls::{TlsAcceptor, TlsError};
use crate::observe::SlowSettings;
use crate::settings::config::{AuthSettings, Config, Limits, QueueSettings};

/// The outcome of a change of settings. Settings are named as in [`Config`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reconfigured {
    /// The settings that were changed.
    pub applied: Vec<&'static str>,
    /// The settings that are unchanged, each with the reason.
    pub refused: Vec<(&'static str, String)>,
}

/// The reason for settings that cannot change.
const FIXED: &str = "it is fixed at the start; restart the server to change it";

impl Server {
    /// Applies the settings that can change while the server runs: queues except for their order, limits, the fast
    /// path, HTTP, the thresholds of the slow-call log, and TLS, whose files are read again. Running and waiting calls
    /// are not affected: a lane that shrinks or is removed first finishes its calls.
    pub fn reconfigure(&self, requested: &Config) -> Reconfigured {
        let mut outcome = Reconfigured::default();
        let Some(running) = &self.running else { return outcome };
        let mut changes = running.changing.lock().unwrap_or_else(PoisonError::into_inner);
        let old = running.endpoint.dispatcher.live().config.clone();
        let mut new = old.clone();
        fixed(&mut outcome, &old, requested);
        /// Applies the settings of a group that differ, and adds their names to the outcome. Every field has to be
        /// listed, so that no new one is forgotten.
        macro_rules! take {
            ($group:ident: $type:ident { $($field:ident)* } fixed { $($fixed:ident)* }) => {
                let $type { $($field,)* $($fixed: _,)* } = &requested.$group;
                $(if old.$group.$field != *$field {
                    new.$group.$field = $field.clone();
                    outcome.applied.push(concat!(stringify!($group), ".", stringify!($field)));
                })*
            };
        }
        take!(queues: QueueSettings {
            handlers handler_factor read_ratio scan_ratio length_max waiting_max codel_target codel_interval
            codel_lifo_threshold max_call_delay scan_vtime_weight scan_running_max scan_slice admin_handlers
            admin_waiting_max wait_max
        } fixed { order });
        take!(limits: Limits {
            connections_max connections_per_address_max when_full message_bytes_max frame_bytes_max reply_bytes_max
            page_bytes_max held_bytes_max scanners_max scanners_per_connection_max scanners_per_address_max
            scanner_timeout scanner_orphan_timeout scanner_snapshot_max scanner_snapshot_writes idle_max
            first_call_max stall_max min_rate grace
        } fixed {});
        if old.fast_path != requested.fast_path {
            new.fast_path = requested.fast_path;
            outcome.applied.push("fast_path");
        }
        if old.busy_poll != requested.busy_poll {
            new.busy_poll = requested.busy_poll;
            outcome.applied.push("busy_poll");
        }
        if old.http != requested.http {
            new.http = requested.http.clone();
            outcome.applied.push("http");
        }
        take!(auth: AuthSettings { without_tls tries cache } fixed { users checks });
        if old.auth != new.auth {
            running.endpoint.access.set(&new.auth);
        }
        let slow = SlowSettings { ring_size: old.slow.ring_size, ..requested.slow.clone() };
        if let Some(view) = self.view().filter(|_| old.slow != slow) {
            view.watch.slow.set(slow.clone());
            new.slow = slow;
            outcome.applied.push("slow");
        }
        if old.tls != requested.tls {
            match running.open_tls(requested) {
                Ok(()) => {
                    new.tls = requested.tls.clone();
                    outcome.applied.push("tls");
                }
                Err(error) => outcome.refused.push(("tls", error.to_string())),
            }
        }
        if !outcome.applied.is_empty() || changes.lacks_threads {
            let in_effect = Config { slow: new.slow.clone(), tls: new.tls.clone(), auth: new.auth.clone(), ..old };
            let changed = running.endpoint.dispatcher.reconfigure(new);
            changes.lacks_threads = changed.is_err();
            if let Err(NoThread { error, applied }) = changed {
                let state = if applied {
                    "the lanes have fewer handlers than configured"
                } else {
                    "queues and limits have not changed"
                };
                let why = format!(
                    "the operating system provides no thread: {error}; {state}; allow the process more threads, then \
                     reload the settings"
                );
                if !applied {
                    // These took effect above, and later changes must find them: a reload of TLS opens its files again.
                    // The lanes stay as they are, so no thread is needed that has not been started.
                    outcome.applied.retain(|name| matches!(*name, "slow" | "tls") || name.starts_with("auth."));
                    let _ = running.endpoint.dispatcher.reconfigure(in_effect);
                }
                outcome.refused.push(("queues.handlers", why));
            }
            running.endpoint.permits.changed();
        }
        outcome
    }

    /// Checks that a reload with these settings can use the users file and the files of TLS. Nothing changes.
    ///
    /// # Errors
    /// A message for the operator.
    pub fn check_reload(&self, requested: &Config) -> Result<(), String> {
        let Some(running) = &self.running else { return Ok(()) };
        running.opened_tls(requested).map_err(|error| error.to_string())?;
        running.endpoint.access.check_reload().map_err(|error| error.to_string())
    }

    /// Remembers the outcome of a reload of the settings for the metrics.
    pub fn reload_ended(&self, succeeded: bool) {
        if let Some(running) = &self.running {
            running.endpoint.reloads.ended(succeeded);
        }
    }

    /// Reads the users file again. The change takes effect with the next call of each connection. Returns what has
    /// changed, or `None` if the server has no users.
    ///
    /// # Errors
    /// All errors in the file. The users are unchanged.
    pub fn reload_users(&self) -> Result<Option<Vec<UserChange>>, UsersError> {
        match &self.running {
            Some(running) => running.endpoint.access.reload(),
            None => Ok(None),
        }
    }

    /// Reads the TLS files again and uses them for new connections. Returns `false` if TLS is not configured.
    ///
    /// # Errors
    /// The files cannot be used, or the certificate is not valid now and the previous one is. The server keeps the
    /// previous files.
    pub fn reload_tls(&self) -> Result<bool, TlsError> {
        let Some(running) = &self.running else { return Ok(false) };
        let _one_change_at_a_time = running.changing.lock().unwrap_or_else(PoisonError::into_inner);
        let config = running.endpoint.dispatcher.live().config.clone();
        running.open_tls(&config)?;
        if let (Some(tls), Some(files)) = (&*running.endpoint.tls.load(), &config.tls) {
            for line in tls.warnings(files) {
                tracing::warn!("{line}");
            }
        }
        Ok(config.tls.is_some())
    }
}

/// Adds the settings that differ but cannot change to the outcome.
fn fixed(outcome: &mut Reconfigured, old: &Config, requested: &Config) {
    let differ = [
        ("listen", old.listen != requested.listen),
        ("host", old.host != requested.host),
        ("loops", old.loops != requested.loops),
        ("loops_max", old.loops_max != requested.loops_max),
        ("calls", old.calls != requested.calls),
        ("auth.users", old.auth.users != requested.auth.users),
        ("auth.checks", old.auth.checks != requested.auth.checks),
        ("compaction", old.compaction != requested.compaction),
        ("queues.order", old.queues.order != requested.queues.order),
        ("slow.ring_size", old.slow.ring_size != requested.slow.ring_size),
    ];
    outcome
        .refused
        .extend(differ.into_iter().filter(|(_, differs)| *differs).map(|(name, _)| (name, FIXED.to_owned())));
}

impl Running {
    fn open_tls(&self, config: &Config) -> Result<(), TlsError> {
        let acceptor = self.opened_tls(config)?;
        self.endpoint.tls.store(acceptor.map(Arc::new));
        Ok(())
    }

    /// Reads the files of TLS, which may replace those in use.
    fn opened_tls(&self, config: &Config) -> Result<Option<TlsAcceptor>, TlsError> {
        let acceptor = config.tls.as_ref().map(TlsAcceptor::open).transpose()?;
        if let (Some(acceptor), Some(files), Some(before)) = (&acceptor, &config.tls, &*self.endpoint.tls.load()) {
            acceptor.check_replaces(before, files)?;
        }
        Ok(acceptor)
    }
}
