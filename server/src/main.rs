//! The `hjall` binary. Everything else is in the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    #[cfg(all(feature = "jemalloc", target_os = "linux", target_env = "gnu"))]
    allocator::configure();
    ExitCode::from(hjall_server::cli::run(std::env::args_os()))
}

/// jemalloc, because glibc's allocator keeps much of the memory that is freed under a mixed load.
#[cfg(all(feature = "jemalloc", target_os = "linux", target_env = "gnu"))]
mod allocator {
    use tikv_jemalloc_ctl::{Access, AsName, background_thread};

    #[global_allocator]
    static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

    /// How long freed memory is kept for reuse before it is returned to the system, in milliseconds.
    const DECAY_MS: isize = 100;

    /// Lets a thread of jemalloc return freed memory. To be called before other threads are started.
    ///
    /// Set here rather than when jemalloc is built, because variables of a build do not apply to every way of
    /// installing.
    pub fn configure() {
        // The arena of this thread, and those that are created later. If this fails, jemalloc's defaults apply, and
        // memory is returned after ten seconds.
        for name in ["arena.0.dirty_decay_ms\0", "arenas.dirty_decay_ms\0"] {
            let _ = name.name().write(DECAY_MS);
        }
        let _ = background_thread::write(true);
    }
}
