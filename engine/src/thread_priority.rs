//! The priority of threads whose work can wait.

/// Lets other threads run before the current one, since they serve calls. Has no effect while processors are idle, and
/// on other systems than Linux, where threads have no priorities of their own. The nice value becomes that of the
/// process and `nicer`; it cannot be lowered again without privileges. If the system refuses, it stays as it is.
pub fn lower(nicer: i32) {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{getpid, getpriority_process, setpriority_process};
        // That of the first thread, because others may have inherited a greater one.
        let lowered = getpriority_process(Some(getpid()))
            .and_then(|nice| setpriority_process(Some(rustix::thread::gettid()), nice + nicer));
        if let Err(error) = lowered {
            tracing::debug!(%error, "a thread in the background has the usual priority");
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = nicer;
}
