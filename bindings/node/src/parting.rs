//! The end of an event loop: whatever it has open is closed then, if that is quick.

use std::cell::RefCell;
use std::sync::{Arc, Weak};

use napi::{Env, Result};

use crate::state::State;

thread_local! {
    /// What the event loop of this thread has open.
    static OPEN: RefCell<Vec<Weak<State>>> = const { RefCell::new(Vec::new()) };
}

/// Sees to it that a database is closed when its event loop ends. One hook stands for all of them: hooks cannot be taken back.
pub fn add(env: Env, state: &Arc<State>) -> Result<()> {
    let is_first = OPEN.with_borrow_mut(|open| {
        let is_first = open.capacity() == 0;
        open.retain(|state| state.strong_count() > 0);
        open.push(Arc::downgrade(state));
        is_first
    });
    if is_first {
        env.add_env_cleanup_hook((), |()| {
            for state in OPEN.take().iter().filter_map(Weak::upgrade) {
                state.part();
            }
        })?;
    }
    Ok(())
}
