//! One call: from a complete message to the bytes of its reply. It can run on any thread.

use std::borrow::Cow;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use hjall_engine::read::WorkLimit;
use thrift::protocol::{TInputProtocol, TMessageType, TType};

use super::call_scope::CallScope;
use crate::observe::{Brief, ClientError};
use crate::settings::config::Limits;
use crate::wire::fault::Fault;
use crate::wire::method::{Method, Name, Service, ServiceHint};
use crate::wire::reply::{Buffer, Exception, Output};
use crate::wire::rest::{self, answer};
use crate::wire::writer::ReplyHeader;
use crate::wire::{Encoding, Transport, arguments, claimed_arguments, dialect, header, recognise, reply};

/// Runs the methods of all services. Implemented by the gateways, and by tests.
pub trait Services: Send + Sync + 'static {
    /// Runs one call: reads the argument struct, runs the method, and writes the result struct, which may
    /// contain a declared exception.
    ///
    /// # Errors
    /// A fault that no declared exception of the method expresses. What has been written is discarded.
    fn call(
        &self,
        scope: &CallScope<'_>,
        method: Method,
        input: &mut dyn TInputProtocol,
        output: &mut Output<'_>,
    ) -> Result<(), Fault>;

    /// Runs a call directly from its encoded arguments, if it is a read whose answer is remembered, or puts of the
    /// usual form, and writes the result struct. Returns `None`, and has no effect, if [`Self::call`] has to run the
    /// call.
    fn try_encoded(
        &self,
        _scope: &CallScope<'_>,
        _method: Method,
        _encoding: Encoding,
        _arguments: &[u8],
        _output: &mut Output<'_>,
    ) -> Option<Result<(), Fault>> {
        None
    }

    /// Runs a request to the REST gateway and writes its answer. Services without REST know no method of it.
    ///
    /// # Errors
    /// A fault for which no answer has been written.
    fn rest(
        &self,
        _scope: &CallScope<'_>,
        _request: &rest::Request,
        _body: &[u8],
        _out: &mut Buffer<'_>,
    ) -> Result<(), Fault> {
        Err(Fault::UnknownMethod)
    }

    /// Called when the rows of this scanner begin to be sent as one answer. Its lease must not end before
    /// [`Self::abandon`] is called.
    fn keep(&self, _service: Service, _scanner: i32) {}

    /// Called when the client no longer waits for the next page from this scanner, and when a reply with rows of it
    /// could not be sent. Must not block.
    fn abandon(&self, _service: Service, _scanner: i32) {}

    /// The number of fetches from a scanner; 0 if its id is unknown.
    fn fetches(&self, _service: Service, _scanner: i32) -> u64 {
        0
    }

    /// The largest number of data files that the store keeps open.
    fn store_files(&self) -> u64 {
        0
    }

    /// Applies changed limits.
    fn set_limits(&self, _limits: &Limits) {}
}

/// The service of calls whose message does not identify one. A connection keeps one value of this type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DefaultService {
    /// The port serves only this service.
    Only(Service),
    /// The default of the port: no call has identified its service yet.
    Assumed(Service),
    /// The service of the last call that identified one.
    LastSeen(Service),
}

/// A call, parsed from the header of its message and the types of its arguments. The caller keeps the message.
#[derive(Debug, Clone)]
pub struct Call {
    name: Range<usize>,
    body: usize,
    encoding: Encoding,
    sequence: i32,
    /// Whether the client expects no reply.
    pub one_way: bool,
    /// How the message was received.
    pub transport: Transport,
    /// The service.
    pub service: Service,
    /// The method; `None` if the service has no method of this name.
    pub method: Option<Method>,
    /// The request, if it is one to the REST gateway.
    rest: Option<Arc<rest::Request>>,
}

impl Call {
    /// Parses the header of a complete message and determines its service.
    ///
    /// # Errors
    /// The header cannot be read, so the call cannot be answered.
    pub fn recognise(encoding: Encoding, message: &[u8], speaking: &mut DefaultService) -> Result<Self, Fault> {
        let header =
            header::parse(encoding, message)?.ok_or_else(|| Fault::protocol("the message ends within its header"))?;
        let name_at = match encoding {
            // The name is the last part of a compact header. In both binary forms the sequence number follows
            // it.
            Encoding::Compact => header.body - header.name.len(),
            Encoding::Binary if message.first().is_some_and(|b| b & 0x80 != 0) => 8,
            Encoding::Binary => 4,
        };
        let name = Name::find(header.name);
        let body = message.get(header.body..).unwrap_or_default();
        let identified = name.and_then(|name| recognise::service(name.service_hint, encoding, body));
        let service = match (identified, *speaking) {
            (_, DefaultService::Only(service)) => service,
            (Some(service), _) => {
                *speaking = DefaultService::LastSeen(service);
                service
            }
            // Without the argument that distinguishes the services, a name that both have is invalid in both.
            // The error of Thrift2 says which argument is missing.
            (None, DefaultService::Assumed(_))
                if name.is_some_and(|name| name.service_hint != ServiceHint::Nothing) =>
            {
                Service::Thrift2
            }
            (None, DefaultService::Assumed(service) | DefaultService::LastSeen(service)) => service,
        };
        Ok(Self {
            name: name_at..name_at + header.name.len(),
            body: header.body,
            encoding,
            sequence: header.sequence,
            one_way: header.kind == TMessageType::OneWay,
            transport: Transport::Buffered,
            service,
            method: name.and_then(|name| name.of(service)),
            rest: None,
        })
    }

    /// The call of a request to the REST gateway. Its message is the body.
    pub fn of_rest(request: Arc<rest::Request>) -> Self {
        Self {
            name: 0..0,
            body: 0,
            encoding: Encoding::Binary,
            sequence: 0,
            one_way: false,
            transport: Transport::Rest,
            service: Service::Rest,
            method: Some(Method::Rest(request.method)),
            rest: Some(request),
        }
    }

    /// The request, if it is one to the REST gateway.
    pub fn rest(&self) -> Option<&rest::Request> {
        self.rest.as_deref()
    }

    /// The name of the method, as in the message.
    pub fn name<'a>(&self, message: &'a [u8]) -> Cow<'a, str> {
        match self.method {
            Some(method) => Cow::Borrowed(method.name()),
            None => String::from_utf8_lossy(message.get(self.name.clone()).unwrap_or_default()),
        }
    }

    /// The encoding of the message.
    pub fn encoding(&self) -> Encoding {
        self.encoding
    }

    /// Sets how the message was received. The default is unframed.
    #[must_use]
    pub fn over(self, transport: Transport) -> Self {
        Self { transport, ..self }
    }

    /// The dialect of the message, such as `framed-binary`.
    pub fn dialect(&self) -> &'static str {
        dialect::NAMES[dialect::number(self.transport, self.encoding)]
    }

    /// The encoded arguments. A request to the REST gateway has none.
    pub fn arguments<'a>(&self, message: &'a [u8]) -> &'a [u8] {
        if self.rest.is_some() {
            return &[];
        }
        message.get(self.body..).unwrap_or_default()
    }

    /// The id of the scanner that this call fetches from: its first argument. `None` for other calls.
    pub fn scanner(&self, message: &[u8]) -> Option<i32> {
        if let Some(rest) = &self.rest {
            return rest.continues;
        }
        if !self.method.is_some_and(Method::fetches) {
            return None;
        }
        let mut input = arguments(self.encoding, message.get(self.body..).unwrap_or_default());
        let input = input.as_dyn();
        input.read_struct_begin().ok()?;
        let field = input.read_field_begin().ok()?;
        if field.id == Some(1) && field.field_type == TType::I32 { input.read_i32().ok() } else { None }
    }

    /// Runs the call and appends its reply to `out`, whose length may not exceed `limit` bytes. A panic of the method
    /// becomes an internal error. The inner result is the fault that was answered instead of a result. Returns `None`,
    /// and leaves `out` unchanged, if the call was paused and has to be run again.
    pub fn run(
        &self,
        services: &dyn Services,
        scope: &CallScope<'_>,
        message: &[u8],
        out: &mut Vec<u8>,
        limit: usize,
    ) -> Option<Result<(), Fault>> {
        let begin = out.len();
        let outcome = self.attempt(services, scope, message, out, limit);
        if scope.is_paused() {
            out.truncate(begin);
            return None;
        }
        Some(self.answer(outcome, message, out, begin))
    }

    /// As [`Self::run`], for a call without a time slice, which is never paused.
    pub fn run_whole(
        &self,
        services: &dyn Services,
        scope: &CallScope<'_>,
        message: &[u8],
        out: &mut Vec<u8>,
        limit: usize,
    ) -> Result<(), Fault> {
        let begin = out.len();
        let outcome = self.attempt(services, scope, message, out, limit);
        self.answer(outcome, message, out, begin)
    }

    /// Runs a call whose reads may do no more work than `work` allows. Returns `None`, and leaves `out`
    /// unchanged, if they reached that limit. The call must have no effect other than its reply, because it
    /// then has to be run again.
    pub fn run_within(
        &self,
        work: WorkLimit,
        services: &dyn Services,
        scope: &CallScope<'_>,
        message: &[u8],
        out: &mut Vec<u8>,
        limit: usize,
    ) -> Option<Result<(), Fault>> {
        let begin = out.len();
        match work.run(|| self.attempt(services, scope, message, out, limit)) {
            Some(outcome) => Some(self.answer(outcome, message, out, begin)),
            None => {
                out.truncate(begin);
                None
            }
        }
    }

    /// Appends the result. After an error, `out` may contain a part of the result.
    fn attempt(
        &self,
        services: &dyn Services,
        scope: &CallScope<'_>,
        message: &[u8],
        out: &mut Vec<u8>,
        limit: usize,
    ) -> Result<(), Fault> {
        catch_unwind(AssertUnwindSafe(|| self.handle(services, scope, message, out, limit))).unwrap_or_else(|_| {
            Err(Fault::internal("the method panicked; this is a defect of hjall, please report it"))
        })
    }

    /// Completes the reply: replaces what a failed attempt has written since `begin` by the answer to its
    /// fault.
    fn answer(&self, outcome: Result<(), Fault>, message: &[u8], out: &mut Vec<u8>, begin: usize) -> Result<(), Fault> {
        if let Err(fault) = &outcome {
            out.truncate(begin);
            self.refuse(fault, message, out);
        }
        outcome
    }

    fn handle(
        &self,
        services: &dyn Services,
        scope: &CallScope<'_>,
        message: &[u8],
        out: &mut Vec<u8>,
        limit: usize,
    ) -> Result<(), Fault> {
        if let Some(rest) = &self.rest {
            return services.rest(scope, rest, message, &mut Buffer::new(out, limit).claimed(scope));
        }
        let method = self.method.ok_or(Fault::UnknownMethod)?;
        let arguments = message.get(self.body..).unwrap_or_default();
        let mut output = Output::new(self.encoding, Buffer::new(out, limit).claimed(scope));
        output.append(&ReplyHeader { method: method.name(), sequence: self.sequence })?;
        if let Some(answered) = services.try_encoded(scope, method, self.encoding, arguments, &mut output) {
            return answered;
        }
        let mut input = claimed_arguments(self.encoding, arguments, scope);
        services
            .call(scope, method, input.as_dyn(), &mut output)
            .map_err(|fault| scope.refused_arguments().unwrap_or(fault))
    }

    /// What is counted and logged for a fault whose answer is an exception of type 6. `None` for all other faults.
    pub fn undeclared_error(&self, fault: &Fault) -> Option<ClientError> {
        match fault {
            Fault::Io { .. } if self.rest.is_some() => None,
            Fault::Io { .. } if self.method.is_some_and(|method| method.info().declares_io) => None,
            Fault::UnknownMethod | Fault::Protocol(_) => None,
            Fault::IllegalArgument(_) | Fault::AlreadyExists(_) | Fault::Undeclared(_) => {
                Some(ClientError::InvalidRequest)
            }
            Fault::Io { .. } | Fault::Internal(_) => Some(ClientError::FailedCall),
        }
    }

    /// Appends the answer to a fault that no gateway has answered: an `IOError` if the method declares it,
    /// otherwise a `TApplicationException`; for REST, a status and a text.
    pub fn refuse(&self, fault: &Fault, message: &[u8], out: &mut Vec<u8>) {
        if self.rest.is_some() {
            return answer::refuse(fault, out);
        }
        let name = self.name(message);
        let mut output = Output::new(self.encoding, Buffer::new(out, usize::MAX));
        let written = output.generated(|output| match fault {
            Fault::Io { message, can_retry } if self.method.is_some_and(|method| method.info().declares_io) => {
                reply::io_error(output, &name, self.sequence, message.as_deref(), *can_retry)
            }
            Fault::UnknownMethod => {
                let text = format!("Invalid method name: '{name}'");
                reply::exception(output, &name, self.sequence, Exception::UnknownMethod, &text)
            }
            Fault::Protocol(text) => reply::exception(output, &name, self.sequence, Exception::Protocol, text),
            Fault::Internal(_) => {
                let text = format!("Internal error processing {name}");
                reply::exception(output, &name, self.sequence, Exception::Internal, &text)
            }
            Fault::Io { .. } | Fault::IllegalArgument(_) | Fault::AlreadyExists(_) | Fault::Undeclared(_) => {
                let reason = fault.to_string();
                let text = format!("Internal error processing {name}: {}", Brief(first_line(&reason)));
                reply::exception(output, &name, self.sequence, Exception::Internal, &text)
            }
        });
        if let Err(error) = written {
            tracing::error!(method = Brief(&name).to_string(), %error, "an answer could not be written");
        }
    }
}

/// The text of a Java exception without its stack.
fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}
