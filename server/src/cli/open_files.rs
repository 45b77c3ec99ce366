//! How many files and connections the system lets this process have open.

/// Files that a server has open besides connections: the store's tables and journals, listeners, the log.
#[cfg(unix)]
const BESIDE: u64 = 1024;

/// Takes as many as the system allows. Only the process does this; as a library the server leaves its process's limits alone.
#[cfg(unix)]
pub fn raise() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    if limit.current != limit.maximum
        && let Err(error) = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit })
    {
        tracing::warn!(%error, "the limit on open files cannot be raised");
    }
}

/// Says so where that is too few for this many connections.
#[cfg(unix)]
pub fn compare(connections: usize) {
    use rustix::process::{Resource, getrlimit};
    let needed = u64::try_from(connections).unwrap_or(u64::MAX).saturating_add(BESIDE);
    // Without a number there is no limit.
    if let Some(allowed) = getrlimit(Resource::Nofile).current.filter(|allowed| *allowed < needed) {
        tracing::warn!(
            allowed,
            needed,
            "the limit on open files is too low for limits.connections: raise it (ulimit -Hn, LimitNOFILE= of systemd), or lower \
             limits.connections"
        );
    }
}

/// Elsewhere there is no such limit.
#[cfg(not(unix))]
pub fn raise() {}

/// Elsewhere there is no such limit.
#[cfg(not(unix))]
pub fn compare(_connections: usize) {}
