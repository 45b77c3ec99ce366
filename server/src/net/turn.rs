//! The amount of work of a connection before the others of its event loop have their turn.

/// The turn of one connection. Its work is counted in bytes.
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

    /// Counts work, in bytes.
    pub fn count(&mut self, bytes: usize) {
        self.left = self.left.saturating_sub(bytes);
    }

    /// Begins a new turn.
    pub fn begin(&mut self) {
        self.left = self.max;
    }
}
