//! Maps failures of Thrift2 to exceptions and their texts.
//!
//! The gateway answers with the message of the Java exception. An exception of HBase's client library has a
//! bare message (for a missing table its name); the message of one from a region server or the master begins
//! with the class name. A batch answers with a summary of all its failures, which can always be retried.

use hjall_engine::name::TableName;
use hjall_engine::{Error, ErrorKind};
use hjall_idl::hbase2::{TIOError, TIllegalArgument};

use crate::gateway::context::Context;
use crate::gateway::error::{self, Raised, once_located};
use crate::wire::fault::Fault;

/// The result of a method.
pub type Answer<T> = Result<T, Fault>;

/// Stores the answer in its field. A failure is left to the other fields.
pub fn success<T>(answer: Answer<T>, field: &mut Option<T>) -> Answer<()> {
    answer.map(|value| *field = Some(value))
}

/// Stores a `TIOError` in its field.
pub fn io(answer: Answer<()>, field: &mut Option<TIOError>) -> Answer<()> {
    match answer {
        Err(Fault::Io { message, can_retry }) => {
            *field = Some(TIOError { message, can_retry: Some(can_retry) });
            Ok(())
        }
        other => other,
    }
}

/// Stores a `TIllegalArgument` in its field.
pub fn ia(answer: Answer<()>, field: &mut Option<TIllegalArgument>) -> Answer<()> {
    match answer {
        Err(Fault::IllegalArgument(message)) => {
            *field = Some(TIllegalArgument { message: Some(message) });
            Ok(())
        }
        other => other,
    }
}

/// The fault for a malformed argument: HBase's gateway raises an undeclared exception.
pub fn illegal(error: Error) -> Fault {
    error::undeclared(&error)
}

/// The fault for an exception of HBase's client library, with a bare message.
pub fn local(error: &Error) -> Fault {
    raised(error, Raised::of(error).local())
}

/// The fault for an exception of the master: the class name, the text, a stack.
pub fn master(error: &Error) -> Fault {
    match error.kind() {
        ErrorKind::Unprocessable => local(error),
        _ => raised(error, Raised::of(error).remote()),
    }
}

/// The fault of a read or write of one row, or of a scan.
pub fn data(error: &Error) -> Fault {
    raised(error, Raised::of(error))
}

fn raised(error: &Error, raised: Raised) -> Fault {
    match error.kind() {
        ErrorKind::InvalidArgument => error::undeclared(error),
        // A filter that is rejected once is always rejected, regardless of the class.
        ErrorKind::FilterRejected(_) => Fault::io(raised.local().with_class(), false),
        _ => Fault::io(raised.bare(), raised.can_retry()),
    }
}

/// The fault of a batch in which these elements failed.
pub fn batch<'a>(context: &Context, errors: impl Iterator<Item = &'a Error> + Clone) -> Fault {
    match errors.clone().find(|error| error.kind() == ErrorKind::InvalidArgument) {
        Some(error) => error::undeclared(error),
        None => Fault::io(Raised::batch(errors, &context.identity).bare(), true),
    }
}

/// The fault of a batch in which `count` elements failed with the same error.
pub fn batch_of(context: &Context, error: &Error, count: usize) -> Fault {
    batch(context, std::iter::repeat_n(error, count))
}

/// The fault of an operation that a region server refuses.
pub fn refused(context: &Context, table: &TableName, refusal: &Error) -> Fault {
    data(&located(context, table, refusal))
}

/// The fault of a batch that contains an operation that a region server refuses: all of it fails.
pub fn refused_batch(context: &Context, table: &TableName, refusal: &Error, count: usize) -> Fault {
    batch_of(context, &located(context, table, refusal), count)
}

/// Reports a missing or disabled table first, unless HBase's gateway refuses the request itself.
fn located(context: &Context, table: &TableName, refusal: &Error) -> Error {
    let refusal = refusal.again();
    match refusal.kind() {
        ErrorKind::InvalidArgument => refusal,
        _ => once_located(&context.engine, table, refusal),
    }
}
