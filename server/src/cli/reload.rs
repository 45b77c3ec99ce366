//! SIGHUP: reads the settings again and applies what can change in a running server.

use std::path::Path;

use hjall_server::Server;
use hjall_server::access::audit;
use hjall_server::settings::{Difference, Effective, SettingError, StartupOptions};

use super::log::{self, Log};

/// Reads the settings again, applies the differences, and returns the effective settings. An invalid file
/// changes nothing. The metrics show whether everything could be read and applied. If the log's filter changes, the
/// earlier one applies, too, until [`Log::narrow`] is called, so that the lines about the changes are logged.
pub fn run(effective: Effective, server: &Server, log: &Log) -> Effective {
    let (next, succeeded) = read_again(effective, server, log);
    server.reload_ended(succeeded);
    next
}

/// As [`run`]. Also returns whether everything succeeded.
fn read_again(effective: Effective, server: &Server, log: &Log) -> (Effective, bool) {
    let sources = effective.sources();
    if let Err(why) = check_readable(&[sources.toml.as_deref(), sources.hbase_site.as_deref()]) {
        tracing::error!("settings are unchanged: {why}");
        return (effective, false);
    }
    let read = match Effective::read(effective.sources()) {
        Ok(read) => read,
        Err(refused) => {
            for wrong in refused.0 {
                tracing::error!("settings are unchanged: {}", wrong.0);
            }
            return (effective, false);
        }
    };
    let Difference { changes, waiting, overridden, next } = Difference::between(&effective, &read);
    let succeeded = match apply(&next, server, log) {
        Ok(all) => all,
        Err(why) => {
            tracing::error!("settings are unchanged: {why}");
            return (effective, false);
        }
    };
    for change in &changes {
        let [before, now] = change.values();
        tracing::info!(target: audit::TARGET, setting = change.setting.name, before, now, "audit: setting changed: {change}");
    }
    for change in &waiting {
        tracing::warn!("setting needs a restart to change: {change}");
    }
    for entry in &overridden {
        let (name, origin) = (entry.setting.name, &entry.origin);
        let value = entry.value.as_ref().map(ToString::to_string).unwrap_or_default();
        let by = read.entry(name).map(|by| by.origin.to_string()).unwrap_or_default();
        tracing::warn!("setting has no effect: {name} = {value} ({origin}), because {by} overrides it");
    }
    if changes.is_empty() && waiting.is_empty() && overridden.is_empty() {
        tracing::info!("settings read again, none has changed");
    }
    (next, succeeded)
}

/// Checks that files can be read again. Opening a named pipe would wait for a writer, and signals with it; a pipe of a
/// shell (`<(…)`) has delivered its text before.
fn check_readable(paths: &[Option<&Path>]) -> Result<(), String> {
    for path in paths.iter().flatten() {
        // A file that does not exist is reported by its reader.
        if path.metadata().is_ok_and(|metadata| !metadata.is_file()) {
            let path = path.display();
            return Err(format!("{path} is not a regular file, so it cannot be read again; use a file, or restart"));
        }
    }
    Ok(())
}

/// Applies the settings. Everything that can fail validation is checked before the first change. Returns whether
/// nothing failed afterwards.
fn apply(next: &Effective, server: &Server, log: &Log) -> Result<bool, String> {
    let joined = |wrong: Vec<SettingError>| wrong.into_iter().map(|wrong| wrong.0).collect::<Vec<_>>().join("; ");
    let startup = StartupOptions::of(next).map_err(joined)?;
    log::check(&startup, next).map_err(|failure| failure.to_string())?;
    check_readable(&[startup.config.auth.users.as_deref()])?;
    if let Some(files) = &startup.config.tls {
        check_readable(&[Some(&files.certificate), Some(&files.key), files.client_authorities.as_deref()])?;
    }
    server.check_reload(&startup.config)?;
    log.widen(&startup.log.filter)?;
    let mut succeeded = true;
    for (setting, why) in server.reconfigure(&startup.config).refused {
        succeeded = false;
        tracing::error!(setting, "setting is unchanged: {why}");
    }
    match server.reload_users() {
        Ok(Some(changes)) if changes.is_empty() => tracing::info!("users file read again, nothing has changed"),
        Ok(Some(changes)) => {
            for change in changes {
                let (change, subject) = (change.kind, &*change.user);
                tracing::info!(target: audit::TARGET, change, subject, "audit: users changed by SIGHUP");
            }
        }
        Ok(None) => {}
        Err(error) => {
            succeeded = false;
            tracing::error!("users are unchanged: {error}");
        }
    }
    // The files may have new contents even if their paths are unchanged.
    match server.reload_tls() {
        Ok(true) => tracing::info!("certificates read again"),
        Ok(false) => {}
        Err(error) => {
            succeeded = false;
            tracing::error!("certificates are unchanged: {error}");
        }
    }
    Ok(succeeded)
}
