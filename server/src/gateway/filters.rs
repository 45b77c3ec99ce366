//! Limits on the memory and the time for building the filter of a request.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use hjall_engine::filter::{FilterSpec, regex};
use hjall_engine::read::{Budget, WorkLimit};
use hjall_engine::{Error, ErrorKind};

use super::context::CallContext;
use crate::dispatch::memory_quota::MemoryClaim;

/// The memory of a filter for each byte of its source, without its regular expressions, while it is built.
const BYTES_PER_SOURCE_BYTE: usize = 32;

/// Why a filter has not been built.
pub enum Unbuilt<E> {
    /// The source is malformed.
    Malformed(E),
    /// The quota has no room for the filter, or the call has been stopped.
    NoRoom(Error),
}

/// Builds the filter of a request from a source of this many bytes.
pub fn build<E>(
    context: &CallContext<'_>,
    source_bytes: usize,
    parse: impl FnOnce() -> Result<FilterSpec, E>,
) -> Result<Arc<FilterSpec>, Unbuilt<E>> {
    with_patterns(context, source_bytes, parse).map(Arc::new)
}

/// Builds a value that contains regular expressions, from a source of this many bytes. Claims its memory for the
/// request, that of each regular expression before it is compiled, including the memory for compiling.
pub fn with_patterns<T, E>(
    context: &CallContext<'_>,
    source_bytes: usize,
    parse: impl FnOnce() -> Result<T, E>,
) -> Result<T, Unbuilt<E>> {
    let scope = context.scope;
    // Compiling a short pattern can take longer than everything else in a call, so it is not done on an event loop.
    WorkLimit::charge_unbounded().map_err(Unbuilt::NoRoom)?;
    scope.claim_request(source_bytes.saturating_mul(BYTES_PER_SOURCE_BYTE)).map_err(Unbuilt::NoRoom)?;
    let patterns = Rc::new(RefCell::new(Patterns {
        claim: scope.memory().map(|memory| memory.claim()),
        bytes: 0,
        found_no_room: false,
    }));
    let (claimed, stop) = (patterns.clone(), scope.stop());
    let claim = move |bytes: usize| {
        // Between two patterns, because compiling many of them takes long.
        if stop.is_stopped() || !claimed.borrow_mut().claim(bytes) {
            return Err(Error::new(ErrorKind::Cancelled, "the pattern is not compiled: try again later"));
        }
        Ok(())
    };
    let built = regex::claiming(Rc::new(claim), parse);
    scope.check().map_err(Unbuilt::NoRoom)?;
    let Patterns { claim, bytes, found_no_room } = patterns.take();
    if let Some(claim) = claim.as_ref().filter(|_| found_no_room) {
        return Err(Unbuilt::NoRoom(scope.no_room(claim, bytes)));
    }
    let built = built.map_err(Unbuilt::Malformed)?;
    drop(claim);
    scope.claim_request(bytes).map_err(Unbuilt::NoRoom)?;
    Ok(built)
}

/// The memory of the regular expressions of one filter.
#[derive(Default)]
struct Patterns {
    claim: Option<MemoryClaim>,
    /// The bytes that they use at present.
    bytes: usize,
    found_no_room: bool,
}

impl Patterns {
    fn claim(&mut self, bytes: usize) -> bool {
        self.bytes = bytes;
        self.found_no_room |= self.claim.as_mut().is_some_and(|claim| !claim.try_resize(bytes));
        !self.found_no_room
    }
}
