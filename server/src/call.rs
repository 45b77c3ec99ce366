//! One call: from the bytes of its arguments to the bytes of its reply, on whatever thread.

use thrift::protocol::{TInputProtocol, TOutputProtocol};

use crate::context::Context;
use crate::fault::Fault;
use crate::method::Service;

/// What runs the methods. The server's own is [`Context`]; tests may bring another.
pub trait Handler: Send + Sync + 'static {
    /// Runs one call: reads the whole argument struct, does what it says, and writes the result struct, declared exceptions included.
    ///
    /// Returns an error only for what becomes a `TApplicationException`; what was written by then is thrown away.
    fn call(
        &self,
        service: Service,
        method: &str,
        input: &mut dyn TInputProtocol,
        output: &mut dyn TOutputProtocol,
    ) -> Result<(), Fault>;
}

impl Handler for Context {
    fn call(
        &self,
        service: Service,
        method: &str,
        input: &mut dyn TInputProtocol,
        output: &mut dyn TOutputProtocol,
    ) -> Result<(), Fault> {
        match service {
            Service::Thrift1 => crate::thrift1::call(self, method, input, output),
            Service::Thrift2 => crate::thrift2::call(self, method, input, output),
        }
    }
}
