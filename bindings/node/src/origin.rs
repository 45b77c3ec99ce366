//! Where requests are carried out.

/// The thread on which a request is carried out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// On JavaScript's thread, by a `Sync` method or as a short read.
    CallingThread,
    /// On a thread of a lane.
    Lane,
}
