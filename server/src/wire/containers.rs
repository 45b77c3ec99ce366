//! The stack of open containers (structs, lists, sets and maps) while a message is walked.
//!
//! It serves both walks over a message: measuring, which finds the end of the message, and reading, which checks that
//! each value has the type that the message announced.

use thrift::protocol::TType;

use super::DEPTH_MAX;

/// An open container.
#[derive(Debug, Clone, Copy)]
pub(super) enum Container {
    /// A struct, which ends with a stop field.
    Struct,
    /// A list or a set: the type of its elements, and the number of those not yet taken.
    List(TType, u32),
    /// A map: the types of its keys and values, and the number of both together not yet taken. If it is even, a key is
    /// next.
    Map(TType, TType, u32),
}

impl Container {
    /// A map of `pairs` pairs. Sizes have 31 bits on the wire, so doubling one does not overflow.
    pub(super) fn map(key: TType, value: TType, pairs: u32) -> Self {
        Self::Map(key, value, pairs.saturating_mul(2))
    }
}

/// The next item of the innermost container.
pub(super) enum Next {
    /// No container is open.
    Nothing,
    /// A field of a struct.
    Field,
    /// An element, key or value of this type.
    Element(TType),
    /// The end of a list or map.
    End,
}

/// Containers are nested deeper than [`DEPTH_MAX`] levels.
#[derive(Debug)]
pub(super) struct TooDeep;

/// A stack of containers, the innermost last. It does not allocate.
#[derive(Debug, Clone)]
pub(super) struct Containers {
    open: [Container; DEPTH_MAX],
    depth: usize,
}

impl Containers {
    pub(super) fn new() -> Self {
        Self { open: [Container::Struct; DEPTH_MAX], depth: 0 }
    }

    /// Whether no container is open.
    pub(super) fn is_empty(&self) -> bool {
        self.depth == 0
    }

    /// Whether one more container would exceed [`DEPTH_MAX`].
    pub(super) fn is_full(&self) -> bool {
        self.depth == DEPTH_MAX
    }

    /// Opens a container.
    pub(super) fn push(&mut self, container: Container) -> Result<(), TooDeep> {
        *self.open.get_mut(self.depth).ok_or(TooDeep)? = container;
        self.depth += 1;
        Ok(())
    }

    /// Closes the innermost container, if any is open.
    pub(super) fn pop(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }

    /// Returns the next item. An element counts as taken from then on.
    #[inline]
    pub(super) fn take_next(&mut self) -> Next {
        match self.innermost() {
            None => Next::Nothing,
            Some(Container::Struct) => Next::Field,
            Some(Container::List(_, 0) | Container::Map(_, _, 0)) => Next::End,
            Some(Container::List(element, left)) => {
                *left -= 1;
                Next::Element(*element)
            }
            Some(Container::Map(key, value, left)) => {
                *left -= 1;
                // Before a key the number was even.
                Next::Element(if *left % 2 == 1 { *key } else { *value })
            }
        }
    }

    /// Undoes the last [`Self::take_next`] of an element. No container may have been opened or closed in between.
    pub(super) fn put_back(&mut self) {
        if let Some(Container::List(_, left) | Container::Map(_, _, left)) = self.innermost() {
            *left += 1;
        }
    }

    fn innermost(&mut self) -> Option<&mut Container> {
        self.open.get_mut(..self.depth)?.last_mut()
    }
}
