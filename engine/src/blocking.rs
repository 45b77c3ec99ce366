//! A notice that the current thread may wait for something other than a processor.
//!
//! A pool that runs few calls at once can start another one for each call that waits. The engine gives the notice
//! before it waits for a sync, a row lock, the clock, or flushes and compactions, and before a write reads its row,
//! which may be on disk.

use std::cell::RefCell;
use std::rc::Rc;

type Hook = Rc<dyn Fn()>;

thread_local! {
    static HOOK: RefCell<Option<Hook>> = const { RefCell::new(None) };
}

/// Sets the function that is called on this thread before the engine waits. The function may be called several times in
/// one call of the engine. Locks of the engine may be held, so it must be short and must not call the engine.
pub fn on_wait(hook: impl Fn() + 'static) {
    HOOK.with_borrow_mut(|slot| *slot = Some(Rc::new(hook)));
}

/// Calls the function that was set for this thread, if any.
pub(crate) fn may_wait() {
    // Fails while the thread ends.
    let hook = HOOK.try_with(|slot| slot.try_borrow().ok()?.clone()).ok().flatten();
    if let Some(hook) = hook {
        hook();
    }
}
