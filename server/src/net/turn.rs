//! How much of its work a connection does before others of its event loop have theirs.
//!
//! Short calls run on the event loop. A client that sends them without waiting for replies always has a next one, and
//! one message of a few bytes may ask for a reply of many kilobytes. So a turn ends by its calls and the size of their
//! replies, and connections with calls in their buffers take turns.

/// The size of the replies after which a turn ends, in bytes.
const TURN_BYTES: usize = 8 << 10;

/// What a call counts beside its reply, in bytes.
const CALL_BYTES: usize = 1 << 10;

/// The turn of one connection.
#[derive(Debug, Default)]
pub struct Turn {
    done: usize,
}

impl Turn {
    /// Begins a new turn, because the connection has waited.
    pub fn begin(&mut self) {
        self.done = 0;
    }

    /// Counts a call that was run on the event loop, with the size of its reply. Lets other connections go first if the
    /// turn has ended.
    pub async fn ran(&mut self, reply_bytes: usize) {
        self.done += CALL_BYTES + reply_bytes;
        if self.done >= TURN_BYTES {
            self.begin();
            tokio::task::yield_now().await;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    /// Two connections with many calls each, one with larger replies.
    #[test]
    fn connections_take_turns() {
        let order = RefCell::new(String::new());
        let connection = async |name: char, calls: usize, reply_bytes: usize| {
            let mut turn = Turn::default();
            for _ in 0..calls {
                order.borrow_mut().push(name);
                turn.ran(reply_bytes).await;
            }
        };
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async { tokio::join!(biased; connection('s', 24, 0), connection('L', 4, 8 << 10)) });
        assert_eq!(order.into_inner(), "ssssssssLssssssssLssssssssLL");
    }
}
