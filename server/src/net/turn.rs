//! How much a connection does before the others of its event loop have their turn.

/// The turn of one connection. What the connection does is counted in bytes.
#[derive(Debug)]
pub struct Turn {
    left: usize,
    /// The bytes after which a turn ends.
    max: usize,
}

impl Turn {
    /// A turn of this many bytes.
    pub const fn new(max: usize) -> Self {
        Self { left: max, max }
    }

    /// The bytes that are left.
    pub fn left(&self) -> usize {
        self.left
    }

    /// Counts what has been done.
    pub fn count(&mut self, bytes: usize) {
        self.left = self.left.saturating_sub(bytes);
    }

    /// Begins a new turn.
    pub fn begin(&mut self) {
        self.left = self.max;
    }

    /// If nothing is left, lets other connections go first and begins a new turn.
    pub async fn give_way(&mut self) {
        if self.left == 0 {
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
        let connection = async |name: char, calls: usize, bytes: usize| {
            let mut turn = Turn::new(8);
            for _ in 0..calls {
                order.borrow_mut().push(name);
                turn.count(bytes);
                turn.give_way().await;
            }
        };
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async { tokio::join!(biased; connection('s', 24, 1), connection('L', 4, 9)) });
        assert_eq!(order.into_inner(), "ssssssssLssssssssLssssssssLL");
    }
}
