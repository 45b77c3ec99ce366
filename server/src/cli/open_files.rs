//! The operating system's limit on open files, which also limits connections.

use hjall_server::{Connectable, connectable};

use super::exit::Failure;

/// With fewer descriptors, the store cannot create tables or no connection is accepted.
#[cfg(unix)]
const FILES_MIN: u64 = 64;

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

/// Does nothing: this platform has no such limit.
#[cfg(not(unix))]
pub fn raise() -> Result<(), Failure> {
    Ok(())
}

/// A warning if the limit is too low for this many connections.
pub fn too_few(connections: usize) -> Option<String> {
    let Connectable { limit, all, of_one_address, reserve } = connectable()?;
    let needed = u64::try_from(connections).unwrap_or(u64::MAX).saturating_add(reserve);
    (all < connections).then(|| {
        format!(
            "the limit on open files is {limit}, and limits.connections = {connections} needs {needed}: only {all} connections can \
             be open, {of_one_address} of them from one address; raise the limit (ulimit -Hn, or LimitNOFILE= in systemd), or \
             lower limits.connections"
        )
    })
}
