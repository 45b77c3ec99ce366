//! The Thrift2 gateway: argument structs in, engine calls, result structs out.

use thrift::protocol::{TInputProtocol, TOutputProtocol};

use crate::context::Context;
use crate::fault::Fault;

/// Runs one call: reads the whole argument struct, does what it says, and writes the result struct, declared exceptions included.
///
/// Returns an error only for what becomes a `TApplicationException`; what was written by then is thrown away.
pub fn call(
    _context: &Context,
    _method: &str,
    _input: &mut dyn TInputProtocol,
    _output: &mut dyn TOutputProtocol,
) -> Result<(), Fault> {
    Err(Fault::UnknownMethod)
}
