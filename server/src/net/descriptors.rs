//! File descriptors: connections leave enough of them to the store.

use tokio::net::TcpStream;

/// Descriptors that are reserved beside the files of the store: event loops, listeners, journals, the log, the info
/// port, and the copy of a backup.
const FIXED: u64 = 128;
/// The last descriptors of the process are never given to connections.
const LAST: u64 = 24;

/// Whether a new connection leaves enough descriptors to the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Headroom {
    /// The connection leaves enough.
    Ample,
    /// The connection does not leave enough, and may only be answered with an error.
    Scarce,
    /// The process has almost no descriptor left, and the connection has to be closed at once.
    Exhausted,
}

/// The number of descriptors that connections leave to the rest of the process, which may open `limit`. `store_files`
/// is the largest number of data files that the store keeps open: it may have few when the connections arrive, and many
/// later.
///
/// Compactions open files in addition, hence twice the number. With a low limit, a quarter remains for connections.
fn reserve(store_files: u64, limit: u64) -> u64 {
    FIXED.saturating_add(store_files.saturating_mul(2)).min(limit / 4 * 3)
}

/// The connections that the process's limit on open files allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Connectable {
    /// The limit on open files.
    pub limit: u64,
    /// Connections of all addresses together.
    pub all: usize,
    /// Connections of one address: three quarters of them.
    pub of_one_address: usize,
    /// Descriptors that a server needs beside those of its connections if there is no limit.
    pub reserve: u64,
}

impl Connectable {
    /// Beside a store with this many files. `None` if there is no limit.
    pub fn beside(store_files: u64) -> Option<Self> {
        limit().map(|limit| Self::within(store_files, limit))
    }

    fn within(store_files: u64, limit: u64) -> Self {
        let connections = limit.saturating_sub(reserve(store_files, limit));
        let count = |connections: u64| usize::try_from(connections).unwrap_or(usize::MAX);
        Self {
            limit,
            all: count(connections),
            of_one_address: count(connections / 4 * 3).max(1),
            reserve: reserve(hjall_engine::Options::default_open_files_max() as u64, u64::MAX),
        }
    }
}

/// The connections that a server in this process can have, or `None` if the process may open any number of files.
pub fn connectable() -> Option<Connectable> {
    Connectable::beside(hjall_engine::Options::default_open_files() as u64)
}

/// Whether a connection that is refused may be answered: answers take at most half of the reserve.
pub fn may_answer(stream: &TcpStream, store_files: u64) -> bool {
    let has_room = |limit: u64| number(stream) < limit.saturating_sub(LAST.max(reserve(store_files, limit) / 2));
    limit().is_none_or(has_room)
}

/// Whether a connection leaves enough descriptors to a store with this many files, beside `others` connections.
pub fn headroom(stream: &TcpStream, others: usize, store_files: u64) -> Headroom {
    let others = u64::try_from(others).unwrap_or(u64::MAX);
    // `None` means unlimited.
    limit().map_or(Headroom::Ample, |limit| headroom_within(number(stream), others, store_files, limit))
}

fn headroom_within(number: u64, others: u64, store_files: u64, limit: u64) -> Headroom {
    let reserve = reserve(store_files, limit);
    let scarce = others >= limit - reserve;
    // Answers take descriptors of the reserve for a short time, but not more than half of them.
    let kept = if scarce { LAST.max(reserve / 2) } else { LAST };
    // A new descriptor has the lowest free number, so all lower ones are in use.
    match (number >= limit.saturating_sub(kept), scarce) {
        (true, _) => Headroom::Exhausted,
        (false, true) => Headroom::Scarce,
        (false, false) => Headroom::Ample,
    }
}

#[cfg(unix)]
fn number(stream: &TcpStream) -> u64 {
    use std::os::fd::AsRawFd;
    u64::try_from(stream.as_raw_fd()).unwrap_or(u64::MAX)
}

#[cfg(not(unix))]
fn number(_stream: &TcpStream) -> u64 {
    0
}

/// The limit on open files of the process, or `None` if there is none.
#[cfg(unix)]
pub fn limit() -> Option<u64> {
    rustix::process::getrlimit(rustix::process::Resource::Nofile).current
}

/// The limit on open files of the process. This platform has none.
#[cfg(not(unix))]
pub fn limit() -> Option<u64> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reserve_depends_on_the_files_of_the_store() {
        // A store without files, twice the files, and three quarters of a low limit.
        for (files, limit, reserved) in [(0, 20_000, 128), (400, 20_000, 928), (256, 1024, 640), (64, 256, 192)] {
            assert_eq!(reserve(files, limit), reserved);
            assert_eq!(headroom_within(20, limit - reserved - 1, files, limit), Headroom::Ample);
            assert_eq!(headroom_within(20, limit - reserved, files, limit), Headroom::Scarce);
            assert_eq!(headroom_within(limit - reserved / 2, limit - reserved, files, limit), Headroom::Exhausted);
            assert_eq!(headroom_within(limit - LAST - 1, 0, files, limit), Headroom::Ample);
            assert_eq!(headroom_within(limit - LAST, 0, files, limit), Headroom::Exhausted);
            let allowed = Connectable::within(files, limit);
            assert_eq!(allowed.all as u64, limit - reserved);
            assert!(allowed.of_one_address > 0 && allowed.of_one_address < allowed.all, "room for other addresses");
        }
    }
}
