//! HBase's two Thrift services: argument structs in, engine calls, result structs out.

mod attributes;
pub mod compactor;
pub mod context;
mod error;
pub(crate) mod lease;
mod markers;
mod region_batch;
pub mod scanners;

use thrift::protocol::{TInputProtocol, TOutputProtocol};

use crate::dispatch::call::Handler;
use crate::dispatch::call_scope::CallScope;
use crate::settings::config::Limits;
use crate::wire::fault::Fault;
use crate::wire::method::{Effect, Method, Service};
use context::{CallContext, Context};

/// Runs a method's function; the scanner that one of verb `open` returns is registered for its caller, and the number is the answer.
macro_rules! answer {
    (run $service:ident $function:path, $context:ident, $caller:expr, $arguments:ident) => {
        $function($context, $arguments)
    };
    (open $service:ident $function:path, $context:ident, $caller:expr, $arguments:ident) => {
        $function($context, $arguments).and_then(|open| $context.scanners.open(Service::$service, open, $caller))
    };
}

/// The dispatcher of a gateway, from the list of methods that is generated (`idl/methods.txt` names the files).
macro_rules! dispatcher {
    ($service:ident {
        $($verb:ident $part:ident :: $function:ident $variant:ident($arguments:ident) -> $result:ident { $($field:ident)* };)*
    }) => {
        /// Runs one call: reads the whole argument struct, does what it says, and writes the result struct, declared exceptions included.
        ///
        /// Returns an error only for what becomes a `TApplicationException`; what was written by then is thrown away.
        pub fn call(
            context: &CallContext<'_>,
            method: $service,
            input: &mut dyn TInputProtocol,
            output: &mut dyn TOutputProtocol,
        ) -> Result<(), Fault> {
            match method {
                $($service::$variant => {
                    let arguments = $arguments::read_from_in_protocol(input)?;
                    let mut result = $result::default();
                    let answer = match check_allowed(context, Method::$service(method)) {
                        Ok(()) => answer!($verb $service $part::$function, context, context.scope.caller, arguments),
                        Err(fault) => Err(fault),
                    };
                    // A fault that no field of the result takes is left over.
                    $(let answer = error::$field(answer, &mut result.$field);)*
                    answer?;
                    result.write_to_out_protocol(output)?;
                })*
            }
            Ok(())
        }
    };
}

mod thrift1;
mod thrift2;

/// Refuses what read-only mode forbids: changes of data in Thrift2. As in HBase, Thrift1 and the administration go on.
fn check_allowed(context: &Context, method: Method) -> Result<(), Fault> {
    let forbidden = context.options.read_only && method.service() == Service::Thrift2;
    match forbidden && method.info().effect == Effect::Data {
        true => Err(Fault::io("Thrift Server is in Read-only mode.", false)),
        false => Ok(()),
    }
}

impl Handler for Context {
    fn call(
        &self,
        scope: &CallScope<'_>,
        method: Method,
        input: &mut dyn TInputProtocol,
        output: &mut dyn TOutputProtocol,
    ) -> Result<(), Fault> {
        let context = CallContext { shared: self, scope };
        match method {
            Method::Thrift1(method) => thrift1::call(&context, method, input, output),
            Method::Thrift2(method) => thrift2::call(&context, method, input, output),
        }
    }

    fn fetches(&self, service: Service, scanner: i32) -> u64 {
        self.scanners.fetches(service, scanner)
    }

    fn store_files(&self) -> u64 {
        // A store that is being reopened has no statistics, and no files.
        self.engine.statistics().map_or(0, |statistics| statistics.files + statistics.journals)
    }

    fn set_limits(&self, limits: &Limits) {
        self.scanners.set_limits(limits);
    }
}
