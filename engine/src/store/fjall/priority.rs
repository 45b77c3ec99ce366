//! The priority of threads that work in the background.

/// By how much the nice value is greater than that of the process.
#[cfg(target_os = "linux")]
const NICER: i32 = 10;

/// Lets other threads run before the current one, since they serve calls. Has no effect while processors are idle. On
/// Linux, each thread has a priority of its own; it cannot be raised again without privileges. The priority of the
/// first thread is taken for that of the process, because other threads may have inherited a lower one.
#[cfg(target_os = "linux")]
pub(super) fn lower() {
    use rustix::process::{getpid, getpriority_process, setpriority_process};
    let lowered = getpriority_process(Some(getpid()))
        .and_then(|nice| setpriority_process(Some(rustix::thread::gettid()), nice + NICER));
    if let Err(error) = lowered {
        tracing::debug!(%error, "a thread in the background has the usual priority");
    }
}

#[cfg(not(target_os = "linux"))]
pub(super) fn lower() {}
