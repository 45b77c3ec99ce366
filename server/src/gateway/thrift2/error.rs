//! How a Thrift2 call fails: which exception the caller sees, and with what text.
//!
//! The gateway answers with the text of the Java exception alone. Where that exception was raised inside HBase's client library the text
//! is bare (a missing table is just its name); where it came back from a region server or the master it begins with the class name.
//! Batches answer with one summary of all their failures instead, which may always be retried.

use hjall_engine::name::TableName;
use hjall_engine::{Error, ErrorKind};
use hjall_idl::hbase2::{TIOError, TIllegalArgument};

use crate::gateway::context::Context;
use crate::gateway::error::{Raised, once_located};
use crate::wire::fault::Fault;

/// The answer to a call.
pub type Answer<T> = Result<T, Fault>;

/// Puts the answer into its field; what remains to be placed is a failure.
pub fn success<T>(answer: Answer<T>, field: &mut Option<T>) -> Answer<()> {
    answer.map(|value| *field = Some(value))
}

/// Puts a `TIOError` into its field.
pub fn io(answer: Answer<()>, field: &mut Option<TIOError>) -> Answer<()> {
    match answer {
        Err(Fault::Io { message, can_retry }) => {
            *field = Some(TIOError { message, can_retry: Some(can_retry) });
            Ok(())
        }
        other => other,
    }
}

/// Puts a `TIllegalArgument` into its field.
pub fn ia(answer: Answer<()>, field: &mut Option<TIllegalArgument>) -> Answer<()> {
    match answer {
        Err(Fault::IllegalArgument(message)) => {
            *field = Some(TIllegalArgument { message: Some(message) });
            Ok(())
        }
        other => other,
    }
}

/// A malformed argument: HBase's gateway lets the Java exception through, which nothing declares.
pub fn illegal(error: Error) -> Fault {
    Fault::internal(error.message())
}

/// An exception of HBase's client library: the text alone.
pub fn local(error: &Error) -> Fault {
    raised(error, Raised::of(error).local())
}

/// An exception that came back from the master: the class name, the text, a stack.
pub fn master(error: &Error) -> Fault {
    match error.kind() {
        ErrorKind::Unprocessable => local(error),
        _ => raised(error, Raised::of(error).remote()),
    }
}

/// What a read or write of one row, or a scan, answers.
pub fn data(error: &Error) -> Fault {
    raised(error, Raised::of(error))
}

fn raised(error: &Error, raised: Raised) -> Fault {
    match error.kind() {
        ErrorKind::InvalidArgument => Fault::internal(error.message()),
        // Whatever its class, a filter that makes no sense never will.
        ErrorKind::FilterRejected(class) => Fault::io(format!("{class}: {}", error.message()), false),
        _ => Fault::io(raised.bare(), raised.can_retry()),
    }
}

/// What a batch answers of which these elements failed.
pub fn batch<'a>(context: &Context, errors: impl Iterator<Item = &'a Error> + Clone) -> Fault {
    match errors.clone().find(|error| error.kind() == ErrorKind::InvalidArgument) {
        Some(error) => Fault::internal(error.message()),
        None => Fault::io(Raised::batch(errors, &context.identity).bare(), true),
    }
}

/// As [`batch`], for `count` elements that failed with the same error.
pub fn batch_of(context: &Context, error: &Error, count: usize) -> Fault {
    batch(context, std::iter::repeat_n(error, count))
}

/// The answer to a single operation that only the region server finds impossible.
pub fn doomed(context: &Context, table: &TableName, refusal: &Error) -> Fault {
    data(&located(context, table, refusal))
}

/// The answer to a batch that holds such an operation: the region server fails all of it.
pub fn doomed_batch(context: &Context, table: &TableName, refusal: &Error, count: usize) -> Fault {
    batch_of(context, &located(context, table, refusal), count)
}

/// Whatever HBase's gateway itself refuses, it refuses before anything is looked up.
fn located(context: &Context, table: &TableName, refusal: &Error) -> Error {
    let refusal = Error::new(refusal.kind(), refusal.message());
    match refusal.kind() {
        ErrorKind::InvalidArgument => refusal,
        _ => once_located(&context.engine, table, refusal),
    }
}
