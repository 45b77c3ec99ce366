//! HBase's two Thrift services: argument structs in, engine calls, result structs out.

mod attributes;
pub mod compactor;
pub mod context;
mod error;
pub(crate) mod lease;
mod region_batch;
pub mod scanners;
mod thrift1;
mod thrift2;

use std::sync::Arc;

use thrift::protocol::{TInputProtocol, TOutputProtocol};

use crate::dispatch::call::Handler;
use crate::dispatch::caller::Caller;
use crate::settings::config::Limits;
use crate::wire::fault::Fault;
use crate::wire::method::Service;
use context::Context;

impl Handler for Context {
    fn call(
        &self,
        caller: &Arc<Caller>,
        service: Service,
        method: &str,
        input: &mut dyn TInputProtocol,
        output: &mut dyn TOutputProtocol,
    ) -> Result<(), Fault> {
        match service {
            Service::Thrift1 => thrift1::call(self, caller, method, input, output),
            Service::Thrift2 => thrift2::call(self, caller, method, input, output),
        }
    }

    fn fetches(&self, service: Service, scanner: i32) -> u64 {
        self.scanners.fetches(service, scanner)
    }

    fn set_limits(&self, limits: &Limits) {
        self.scanners.set_limits(limits);
    }
}
