//! The priority of threads that work in the background.

/// The priority, as a nice value.
#[cfg(target_os = "linux")]
const NICE: i32 = 10;

/// Lets other threads run before the current one, since they serve calls. Has no effect while processors are idle. On
/// Linux, each thread has a priority of its own; it cannot be raised again without privileges.
#[cfg(target_os = "linux")]
pub(super) fn lower() {
    if let Err(error) = rustix::process::setpriority_process(Some(rustix::thread::gettid()), NICE) {
        tracing::debug!(%error, "a thread in the background has the usual priority");
    }
}

#[cfg(not(target_os = "linux"))]
pub(super) fn lower() {}
