//! Replies on their way from a worker to the connections of an event loop.
//!
//! Each wake-up of an event loop by another thread is a system call. A worker that answers several calls at once
//! therefore collects the replies of each loop and wakes it once. A task of the loop passes them on.

use std::cell::RefCell;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{Notify, oneshot};

use super::job::Reply;

/// A reply and where it goes.
pub type Addressed = (oneshot::Sender<Reply>, Reply);

/// The replies for the connections of one event loop.
#[derive(Debug, Default)]
pub struct Mailbox {
    waiting: Mutex<Vec<Addressed>>,
    filled: Notify,
}

thread_local! {
    static CURRENT: RefCell<Option<Arc<Mailbox>>> = const { RefCell::new(None) };
}

impl Mailbox {
    /// Makes this the mailbox of the current thread, which runs an event loop. [`Self::deliver`] has to run on it.
    pub fn enter(self: &Arc<Self>) {
        CURRENT.with_borrow_mut(|current| *current = Some(self.clone()));
    }

    /// The mailbox of the current thread, if that runs an event loop.
    pub fn current() -> Option<Arc<Self>> {
        CURRENT.with_borrow(Clone::clone)
    }

    /// Passes replies on until the event loop ends.
    pub async fn deliver(self: Arc<Self>) {
        loop {
            self.filled.notified().await;
            let replies = std::mem::take(&mut *self.lock());
            for (reply, bytes) in replies {
                // Fails only if the connection has ended meanwhile.
                let _ = reply.send(bytes);
            }
        }
    }

    fn is_current(self: &Arc<Self>) -> bool {
        CURRENT.with_borrow(|current| current.as_ref().is_some_and(|current| Arc::ptr_eq(current, self)))
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Addressed>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Replies of calls that have ended at the same time. They are sent when this is dropped.
#[derive(Default)]
pub struct Replies(Vec<Arc<Mailbox>>);

impl Replies {
    /// Adds a reply. `mailbox` is the mailbox of the connection's event loop, if it has one.
    pub fn add(&mut self, mailbox: Option<Arc<Mailbox>>, reply: Addressed) {
        let Some(mailbox) = mailbox.filter(|mailbox| !mailbox.is_current()) else {
            let (reply, bytes) = reply;
            let _ = reply.send(bytes);
            return;
        };
        mailbox.lock().push(reply);
        if !self.0.iter().any(|added| Arc::ptr_eq(added, &mailbox)) {
            self.0.push(mailbox);
        }
    }
}

impl Drop for Replies {
    fn drop(&mut self) {
        for mailbox in &self.0 {
            mailbox.filled.notify_one();
        }
    }
}
