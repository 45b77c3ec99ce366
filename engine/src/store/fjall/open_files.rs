//! The number of data files that are kept open.

/// The largest number of files, well below the 1,024 descriptors that a process is commonly allowed.
pub const CACHED_FILES_MAX: usize = 400;
const FILES_MAX: u64 = CACHED_FILES_MAX as u64;
/// The smallest number of files. With fewer, nearly every read would open a file.
const FILES_MIN: u64 = 8;

/// The number of data files that fjall keeps open: a quarter of the descriptors that the process may have, so that
/// enough remain for flushes, compactions, journals and connections.
pub fn cached_files_max() -> usize {
    usize::try_from(within(limit())).unwrap_or(usize::MAX)
}

fn within(limit: Option<u64>) -> u64 {
    // `None` means unlimited.
    limit.map_or(FILES_MAX, |limit| (limit / 4).clamp(FILES_MIN, FILES_MAX))
}

#[cfg(unix)]
fn limit() -> Option<u64> {
    rustix::process::getrlimit(rustix::process::Resource::Nofile).current
}

#[cfg(not(unix))]
fn limit() -> Option<u64> {
    None
}

#[cfg(test)]
mod tests {
    use super::within;

    #[test]
    fn the_number_follows_the_limit_on_descriptors() {
        let numbers = [Some(20), Some(128), Some(1024), Some(1 << 20), None].map(within);
        assert_eq!(numbers, [8, 32, 256, 400, 400]);
    }
}
