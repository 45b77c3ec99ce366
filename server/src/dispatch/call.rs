//! One call: from a whole message to the bytes of its reply, on whatever thread.

use std::borrow::Cow;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};

use hjall_engine::read::WorkLimit;
use thrift::protocol::{TInputProtocol, TMessageIdentifier, TMessageType, TOutputProtocol, TType};

use super::call_scope::CallScope;
use crate::observe::Brief;
use crate::settings::config::Limits;
use crate::wire::fault::Fault;
use crate::wire::method::{Method, Name, Service, Telling};
use crate::wire::reply::{Buffer, Exception, Output};
use crate::wire::{Encoding, Transport, arguments, dialect, header, recognise, reply};

/// Runs the methods of both services. The gateways implement it, and tests may bring their own.
pub trait Handler: Send + Sync + 'static {
    /// Runs one call: reads the whole argument struct, does what it says, and writes the result struct, declared
    /// exceptions included.
    ///
    /// Returns an error only for what becomes a `TApplicationException`; what was written by then is thrown away.
    fn call(
        &self,
        scope: &CallScope<'_>,
        method: Method,
        input: &mut dyn TInputProtocol,
        output: &mut dyn TOutputProtocol,
    ) -> Result<(), Fault>;

    /// How often a scanner has been read; 0 for one that is not known.
    fn fetches(&self, _service: Service, _scanner: i32) -> u64 {
        0
    }

    /// The number of files of the store, most of which may be open. May block.
    fn store_files(&self) -> u64 {
        0
    }

    /// The limits have changed.
    fn set_limits(&self, _limits: &Limits) {}
}

/// Which service a connection's calls are for when they do not tell by themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Speaking {
    /// The port is for this service alone.
    Only(Service),
    /// No call has told yet; this is the port's default.
    Assumed(Service),
    /// The service of the last call that told.
    LastSeen(Service),
}

/// A call as its message's header and argument types tell it; the message itself is kept by whoever read it.
#[derive(Debug, Clone)]
pub struct Call {
    name: Range<usize>,
    body: usize,
    encoding: Encoding,
    sequence: i32,
    /// The client awaits no reply.
    pub one_way: bool,
    /// How it came in.
    pub transport: Transport,
    /// For which service.
    pub service: Service,
    /// The method; `None`: the service has none of that name.
    pub method: Option<Method>,
}

impl Call {
    /// Understands a whole message. Fails where even its header cannot be read, so that nothing can be answered.
    pub fn recognise(encoding: Encoding, message: &[u8], speaking: &mut Speaking) -> Result<Self, Fault> {
        let header =
            header::parse(encoding, message)?.ok_or_else(|| Fault::protocol("the message ends within its header"))?;
        let name_at = match encoding {
            // The name is the header's last part but for old and strict binary's number behind it.
            Encoding::Compact => header.body - header.name.len(),
            Encoding::Binary if message.first().is_some_and(|b| b & 0x80 != 0) => 8,
            Encoding::Binary => 4,
        };
        let name = Name::find(header.name);
        let body = message.get(header.body..).unwrap_or_default();
        let said = name.and_then(|name| recognise::service(name.telling, encoding, body));
        let service = match (said, *speaking) {
            (_, Speaking::Only(service)) => service,
            (Some(service), _) => {
                *speaking = Speaking::LastSeen(service);
                service
            }
            // A name of both without the argument that tells them apart is wrong in both; Thrift2 says what is missing.
            (None, Speaking::Assumed(_)) if name.is_some_and(|name| name.telling != Telling::Nothing) => {
                Service::Thrift2
            }
            (None, Speaking::Assumed(service) | Speaking::LastSeen(service)) => service,
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
        })
    }

    /// The method's name, as the message has it.
    pub fn name<'a>(&self, message: &'a [u8]) -> Cow<'a, str> {
        match self.method {
            Some(method) => Cow::Borrowed(method.name()),
            None => String::from_utf8_lossy(message.get(self.name.clone()).unwrap_or_default()),
        }
    }

    /// How it was written.
    pub fn encoding(&self) -> Encoding {
        self.encoding
    }

    /// The same call, come in another way than one message behind the other.
    #[must_use]
    pub fn over(self, transport: Transport) -> Self {
        Self { transport, ..self }
    }

    /// How it was spoken: `framed-binary` and the like.
    pub fn dialect(&self) -> &'static str {
        dialect::NAMES[dialect::number(self.transport, self.encoding)]
    }

    /// Where its arguments are.
    pub fn arguments<'a>(&self, message: &'a [u8]) -> &'a [u8] {
        message.get(self.body..).unwrap_or_default()
    }

    /// The scanner that this call fetches from, which is its first argument; `None`: it fetches from none.
    pub fn scanner(&self, message: &[u8]) -> Option<i32> {
        if !self.method.is_some_and(Method::fetches) {
            return None;
        }
        let mut input = arguments(self.encoding, message.get(self.body..).unwrap_or_default());
        let input = input.as_dyn();
        input.read_struct_begin().ok()?;
        let field = input.read_field_begin().ok()?;
        if field.id == Some(1) && field.field_type == TType::I32 { input.read_i32().ok() } else { None }
    }

    /// Runs the call and appends its reply, which may make `out` at most `limit` bytes long. A panic of the handler
    /// becomes an internal error.
    ///
    /// # Errors
    /// The fault that was answered instead of a result.
    pub fn run(
        &self,
        handler: &dyn Handler,
        scope: &CallScope<'_>,
        message: &[u8],
        out: &mut Vec<u8>,
        limit: usize,
    ) -> Result<(), Fault> {
        let begin = out.len();
        let outcome = self.attempt(handler, scope, message, out, limit);
        self.answer(outcome, message, out, begin)
    }

    /// Runs a call whose reads may do no more work than `work` allows. Returns `None`, and leaves `out` unchanged, if
    /// they reached that limit. The call must have no effect other than its reply, because it then has to be run
    /// again.
    pub fn run_within(
        &self,
        work: WorkLimit,
        handler: &dyn Handler,
        scope: &CallScope<'_>,
        message: &[u8],
        out: &mut Vec<u8>,
        limit: usize,
    ) -> Option<Result<(), Fault>> {
        let begin = out.len();
        match work.run(|| self.attempt(handler, scope, message, out, limit)) {
            Some(outcome) => Some(self.answer(outcome, message, out, begin)),
            None => {
                out.truncate(begin);
                None
            }
        }
    }

    /// Appends the result, or a part of it and returns the reason why there is no more.
    fn attempt(
        &self,
        handler: &dyn Handler,
        scope: &CallScope<'_>,
        message: &[u8],
        out: &mut Vec<u8>,
        limit: usize,
    ) -> Result<(), Fault> {
        catch_unwind(AssertUnwindSafe(|| self.handle(handler, scope, message, out, limit))).unwrap_or_else(|_| {
            Err(Fault::internal("the handler panicked; this is a defect of hjall, please report it"))
        })
    }

    /// Completes the reply: replaces what a failed attempt has written since `begin` by the answer to its fault.
    fn answer(&self, outcome: Result<(), Fault>, message: &[u8], out: &mut Vec<u8>, begin: usize) -> Result<(), Fault> {
        if let Err(fault) = &outcome {
            out.truncate(begin);
            self.refuse(fault, message, out);
        }
        outcome
    }

    fn handle(
        &self,
        handler: &dyn Handler,
        scope: &CallScope<'_>,
        message: &[u8],
        out: &mut Vec<u8>,
        limit: usize,
    ) -> Result<(), Fault> {
        let method = self.method.ok_or(Fault::UnknownMethod)?;
        let mut input = arguments(self.encoding, message.get(self.body..).unwrap_or_default());
        let mut output = Output::new(self.encoding, Buffer::new(out, limit));
        let output = output.as_dyn();
        let reply = TMessageIdentifier::new(method.name(), TMessageType::Reply, self.sequence);
        output.write_message_begin(&reply).map_err(unwritten)?;
        handler.call(scope, method, input.as_dyn(), output)?;
        output.write_message_end().map_err(unwritten)
    }

    /// Whether the answer to a fault does not give its reason, so that only the log has it.
    pub fn hides_reason(&self, fault: &Fault) -> bool {
        match fault {
            Fault::Io { .. } => !self.method.is_some_and(|method| method.info().declares_io),
            Fault::UnknownMethod | Fault::Protocol(_) => false,
            Fault::IllegalArgument(_) | Fault::AlreadyExists(_) | Fault::Internal(_) => true,
        }
    }

    /// Appends the answer that a fault becomes without any gateway: a declared one as `IOError` where the method
    /// declares it, anything else as a `TApplicationException`.
    pub fn refuse(&self, fault: &Fault, message: &[u8], out: &mut Vec<u8>) {
        let name = self.name(message);
        let mut output = Output::new(self.encoding, Buffer::new(out, usize::MAX));
        let output = output.as_dyn();
        let written = match fault {
            Fault::Io { message, can_retry } if self.method.is_some_and(|method| method.info().declares_io) => {
                reply::io_error(output, &name, self.sequence, message.as_deref(), *can_retry)
            }
            Fault::UnknownMethod => {
                let text = format!("Invalid method name: '{name}'");
                reply::exception(output, &name, self.sequence, Exception::UnknownMethod, &text)
            }
            Fault::Protocol(text) => reply::exception(output, &name, self.sequence, Exception::Protocol, text),
            Fault::Io { .. } | Fault::IllegalArgument(_) | Fault::AlreadyExists(_) | Fault::Internal(_) => {
                let text = format!("Internal error processing {name}");
                reply::exception(output, &name, self.sequence, Exception::Internal, &text)
            }
        };
        if let Err(error) = written {
            tracing::error!(method = %Brief(&name), %error, "an answer could not be written");
        }
    }
}

/// The only way that writing to memory fails is the limit.
fn unwritten(error: thrift::Error) -> Fault {
    Fault::from(error)
}
