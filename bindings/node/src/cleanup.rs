//! The end of an event loop: closes the databases that it left open.

use std::cell::RefCell;
use std::sync::{Arc, Weak, mpsc};
use std::thread::Builder;
use std::time::Duration;

use napi::{Env, Result};

use crate::session::Session;

/// The longest time that the end of a process waits for pending calls. Acknowledged writes are safe without waiting.
const EXIT_TIMEOUT: Duration = Duration::from_secs(2);

thread_local! {
    /// The databases that the event loop of this thread has open.
    static SESSIONS: RefCell<Vec<Weak<Session>>> = const { RefCell::new(Vec::new()) };
}

/// Makes sure that a database is closed when its event loop ends. All databases of a loop share one hook, since hooks
/// cannot be removed.
pub fn register(env: Env, session: &Arc<Session>) -> Result<()> {
    let is_first = SESSIONS.with_borrow_mut(|sessions| {
        let is_first = sessions.capacity() == 0;
        sessions.retain(|session| session.strong_count() > 0);
        sessions.push(Arc::downgrade(session));
        is_first
    });
    if is_first {
        env.add_env_cleanup_hook((), |()| {
            for session in SESSIONS.take().iter().filter_map(Weak::upgrade) {
                close_at_exit(&session);
            }
        })?;
    }
    Ok(())
}

/// Closes a database if its calls end within [`EXIT_TIMEOUT`]; otherwise leaves it to the end of the process.
pub fn close_at_exit(session: &Arc<Session>) {
    session.begin_closing();
    session.scanners.clear();
    session.lanes.stop();
    if !session.is_open() {
        return;
    }
    let (done, closed) = mpsc::channel();
    let session = Arc::clone(session);
    let closing = Builder::new().name("hjall-close".to_owned()).spawn(move || {
        session.servers.stop_all();
        if session.lanes.wait_idle(0, Some(EXIT_TIMEOUT)) {
            let _ = session.close_engine();
        }
        let _ = done.send(());
    });
    if closing.is_ok() {
        let _ = closed.recv_timeout(EXIT_TIMEOUT);
    }
}
