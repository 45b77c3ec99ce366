//! The operating system's limit on open files, which also limits connections.

use super::exit::Failure;

/// With fewer descriptors, the store cannot create tables or no connection is accepted.
#[cfg(unix)]
const FILES_MIN: u64 = 64;

/// Descriptors for everything except connections: files and journals of the store, listeners, the log.
#[cfg(unix)]
const OTHER_FILES: u64 = 1024;

/// Raises the soft limit to the hard limit. Only the binary does this; as a library, the server does not change the
/// limits of its process.
///
/// # Errors
/// The limit is too low to serve anything.
#[cfg(unix)]
pub fn raise() -> Result<(), Failure> {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    if limit.current != limit.maximum
        && let Err(error) = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit })
    {
        tracing::warn!(%error, "the limit on open files cannot be raised");
    }
    // `None` means unlimited.
    match getrlimit(Resource::Nofile).current {
        Some(limit) if limit < FILES_MIN => Err(Failure::OpenFiles { limit, needed: FILES_MIN }),
        _ => Ok(()),
    }
}

/// Logs a warning if the limit is too low for this many connections.
#[cfg(unix)]
pub fn compare(connections: usize) {
    use rustix::process::{Resource, getrlimit};
    let needed = u64::try_from(connections).unwrap_or(u64::MAX).saturating_add(OTHER_FILES);
    // `None` means unlimited.
    if let Some(allowed) = getrlimit(Resource::Nofile).current.filter(|allowed| *allowed < needed) {
        tracing::warn!(
            allowed,
            needed,
            "the limit on open files is too low for limits.connections: raise it (ulimit -Hn, or LimitNOFILE= in systemd) or \
             lower limits.connections"
        );
    }
}

/// Does nothing: this platform has no such limit.
#[cfg(not(unix))]
pub fn raise() -> Result<(), Failure> {
    Ok(())
}

/// Does nothing: this platform has no such limit.
#[cfg(not(unix))]
pub fn compare(_connections: usize) {}
