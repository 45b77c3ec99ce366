//! SIGHUP: reads the settings again and applies what can change in a running server.

use std::path::Path;

use hjall_server::Server;
use hjall_server::access::{Users, audit};
use hjall_server::settings::{Difference, Effective, SettingError, StartupOptions};

use super::log::{self, Log};

/// Reads the settings again, applies the differences, and returns the effective settings. An invalid file
/// changes nothing. If the log's filter changes, the earlier one applies, too, until [`Log::narrow`] is called, so that
/// the lines about the changes are logged.
pub fn run(effective: Effective, server: &Server, log: &Log) -> Effective {
    let sources = effective.sources();
    if let Err(why) = check_readable(&[sources.toml.as_deref(), sources.hbase_site.as_deref()]) {
        tracing::error!("settings are unchanged: {why}");
        return effective;
    }
    let read = match Effective::read(effective.sources()) {
        Ok(read) => read,
        Err(refused) => {
            for wrong in refused.0 {
                tracing::error!("settings are unchanged: {}", wrong.0);
            }
            return effective;
        }
    };
    let Difference { changes, waiting, overridden, next } = Difference::between(&effective, &read);
    if let Err(why) = apply(&next, server, log) {
        tracing::error!("settings are unchanged: {why}");
        return effective;
    }
    for change in &changes {
        tracing::info!(target: audit::TARGET, "audit: setting changed: {change}");
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
    for line in read.notes.lines(read.sources().hbase_site.as_deref()) {
        tracing::warn!("{line}");
    }
    next
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

/// Applies the settings. Everything that can fail validation is checked before the first change.
fn apply(next: &Effective, server: &Server, log: &Log) -> Result<(), String> {
    let joined = |wrong: Vec<SettingError>| wrong.into_iter().map(|wrong| wrong.0).collect::<Vec<_>>().join("; ");
    let startup = StartupOptions::of(next).map_err(joined)?;
    log::check(&startup.log.filter).map_err(|why| format!("log.filter {why}"))?;
    check_readable(&[startup.config.auth.users.as_deref()])?;
    if let Some(files) = &startup.config.tls {
        check_readable(&[Some(&files.certificate), Some(&files.key), files.client_authorities.as_deref()])?;
        files.check().map_err(|error| error.to_string())?;
    }
    if let Some(path) = &startup.config.auth.users {
        Users::read(path).map_err(|error| error.to_string())?;
    }
    log.widen(&startup.log.filter)?;
    for (setting, why) in server.reconfigure(&startup.config).refused {
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
        Err(error) => tracing::error!("users are unchanged: {error}"),
    }
    // The files may have new contents even if their paths are unchanged.
    match server.reload_tls() {
        Ok(true) => tracing::info!("certificates read again"),
        Ok(false) => {}
        Err(error) => tracing::error!("certificates are unchanged: {error}"),
    }
    Ok(())
}
