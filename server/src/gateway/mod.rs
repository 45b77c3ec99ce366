//! HBase's services for clients: requests in, engine calls, results out. Those of Thrift have argument and result
//! structs.

mod attributes;
pub mod compactor;
pub mod context;
mod error;
mod filters;
#[cfg(test)]
mod held_scanners;
mod last_table;
pub(crate) mod lease_sweeper;
mod markers;
pub(crate) mod periodic_thread;
mod permission;
mod put_list;
pub(crate) mod recovery;
mod region_batch;
mod remembered;
pub mod rest;
pub mod scanners;
mod short_put;

use thrift::protocol::TInputProtocol;

use crate::dispatch::call::Services;
use crate::dispatch::call_scope::{CallScope, UNCLAIMED_BYTES};
use crate::settings::config::Limits;
use crate::wire::Encoding;
use crate::wire::fault::Fault;
use crate::wire::method::{Method, Service, Thrift1, Thrift2};
use crate::wire::reply::{Buffer, Output};
use crate::wire::rest::Request;
use context::{CallContext, Context};

/// Runs the function of a method. With verb `rows`, it returns rows that write themselves. With verb `open`, registers
/// the scanner that it returns, and answers with its id.
macro_rules! answer {
    (run $service:ident $function:path, $context:ident, $caller:expr, $arguments:ident) => {
        $function($context, $arguments)
    };
    (rows $service:ident $function:path, $context:ident, $caller:expr, $arguments:ident) => {
        $function($context, $arguments)
    };
    (open $service:ident $function:path, $context:ident, $caller:expr, $arguments:ident) => {
        $function($context, $arguments).and_then(|open| $context.scanners.open(Service::$service, open, $caller))
    };
}

/// Writes the answer of a method that returns rows, and returns. Every other answer is written as a struct.
macro_rules! write_rows {
    (rows $answer:ident, $output:ident) => {
        match $answer {
            Ok(rows) => return rows.write($output),
            Err(fault) => Err(fault),
        }
    };
    ($verb:ident $answer:ident, $output:ident) => {
        $answer
    };
}

/// The first argument of a method, which names what the call concerns.
macro_rules! first {
    ($arguments:ident) => {
        &()
    };
    ($arguments:ident $first:ident) => {
        &$arguments.$first
    };
}

/// The dispatcher of a gateway, expanded from the generated list of methods (`idl/methods.txt` names the
/// files).
macro_rules! dispatcher {
    ($service:ident {
        $($verb:ident $part:ident :: $function:ident $variant:ident($arguments:ident [$($first:ident)?]) -> $result:ident { $($field:ident)* };)*
    }) => {
        /// Runs one call: reads the argument struct, runs the method, and writes the result struct, which may
        /// contain a declared exception.
        ///
        /// # Errors
        /// A fault that no declared exception of the method expresses. What has been written is discarded.
        pub fn call(
            context: &CallContext<'_>,
            method: $service,
            input: &mut dyn TInputProtocol,
            output: &mut Output<'_>,
        ) -> Result<(), Fault> {
            match method {
                $($service::$variant => {
                    let arguments = $arguments::read_from_in_protocol(input)?;
                    let mut result = $result::default();
                    let (called, subject) = (Method::$service(method), first!(arguments $($first)?));
                    let answer = match permission::check(context, called, subject) {
                        Ok(()) => {
                            let change = permission::Change::of(called, subject);
                            let answer =
                                answer!($verb $service $part::$function, context, context.scope.caller, arguments);
                            if let Some(change) = change {
                                change.log(context, answer.as_ref().err());
                            }
                            answer
                        }
                        Err(fault) => Err(fault),
                    };
                    let answer = write_rows!($verb answer, output).map_err(Fault::shortened);
                    // A fault remains an error if no field of the result can contain it.
                    $(let answer = error::$field(answer, &mut result.$field);)*
                    answer?;
                    output.generated(|output| result.write_to_out_protocol(output))?;
                })*
            }
            Ok(())
        }
    };
}

mod thrift1;
mod thrift2;

impl Services for Context {
    fn call(
        &self,
        scope: &CallScope<'_>,
        method: Method,
        input: &mut dyn TInputProtocol,
        output: &mut Output<'_>,
    ) -> Result<(), Fault> {
        let context = CallContext::new(self, scope);
        match method {
            Method::Thrift1(method) => thrift1::call(&context, method, input, output),
            Method::Thrift2(method) => thrift2::call(&context, method, input, output),
            // Its calls have no Thrift messages.
            Method::Rest(_) => Err(Fault::UnknownMethod),
        }
    }

    fn try_encoded(
        &self,
        scope: &CallScope<'_>,
        method: Method,
        encoding: Encoding,
        arguments: &[u8],
        output: &mut Output<'_>,
    ) -> Option<Result<(), Fault>> {
        let context = CallContext::new(self, scope);
        match method {
            Method::Thrift1(Thrift1::MutateRows) => thrift1::put_list(&context, encoding, arguments, output),
            Method::Thrift2(Thrift2::PutMultiple) => thrift2::put_list(&context, encoding, arguments, output),
            // The memory that another large call takes is claimed while its arguments are decoded.
            _ if arguments.len() >= UNCLAIMED_BYTES => None,
            Method::Thrift1(Thrift1::MutateRow) => thrift1::short_put(&context, encoding, arguments, output),
            Method::Thrift2(Thrift2::Put) => thrift2::short_put(&context, encoding, arguments, output),
            Method::Thrift1(Thrift1::AtomicIncrement) => {
                thrift1::short_increment(&context, encoding, arguments, output)
            }
            Method::Thrift1(method) => thrift1::remembered_row(&context, method, encoding, arguments, output),
            Method::Thrift2(method) => thrift2::remembered_row(&context, method, encoding, arguments, output),
            Method::Rest(_) => None,
        }
    }

    fn rest(&self, scope: &CallScope<'_>, request: &Request, body: &[u8], out: &mut Buffer<'_>) -> Result<(), Fault> {
        rest::call(&CallContext::new(self, scope), request, body, out)
    }

    fn keep(&self, service: Service, scanner: i32) {
        self.scanners.keep(service, scanner);
    }

    fn abandon(&self, service: Service, scanner: i32) {
        self.scanners.abandon(service, scanner);
    }

    fn fetches(&self, service: Service, scanner: i32) -> u64 {
        self.scanners.fetches(service, scanner)
    }

    fn store_files(&self) -> u64 {
        hjall_engine::Options::default_open_files() as u64
    }

    fn set_limits(&self, limits: &Limits) {
        self.scanners.set_limits(limits);
    }
}
