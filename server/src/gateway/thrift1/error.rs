//! Maps failures of Thrift1 to the exceptions in result structs, and to undeclared ones.

use hjall_engine::{Error, ErrorKind};
use hjall_idl::hbase1::{AlreadyExists, IOError, IllegalArgument};

use crate::gateway::error::{self, Raised};
use crate::wire::fault::Fault;

/// The result of a method.
pub type Answer<T> = Result<T, Fault>;

/// The fault of most methods: Java's `IllegalArgumentException` is undeclared, every other exception is an
/// `IOError`.
pub fn undeclared(error: Error) -> Fault {
    match error.kind() {
        ErrorKind::InvalidArgument => error::undeclared(&error),
        _ => io_error(&Raised::of(&error)),
    }
}

/// The fault of methods that declare Java's `IllegalArgumentException`.
pub fn declared(error: Error) -> Fault {
    match error.kind() {
        ErrorKind::InvalidArgument => {
            Fault::IllegalArgument(Raised::new(error.kind().java_class(), error.plain()).stack_trace())
        }
        _ => io_error(&Raised::of(&error)),
    }
}

/// The fault for an exception that every method declares.
pub fn io_error(raised: &Raised) -> Fault {
    Fault::io(raised.stack_trace(), raised.can_retry())
}

/// Stores the answer in its field. A failure is left to the other fields.
pub fn success<T>(answer: Answer<T>, field: &mut Option<T>) -> Answer<()> {
    answer.map(|value| *field = Some(value))
}

/// Stores an `IOError` in its field.
pub fn io(answer: Answer<()>, field: &mut Option<IOError>) -> Answer<()> {
    match answer {
        Err(Fault::Io { message, can_retry }) => {
            *field = Some(IOError { message, can_retry: Some(can_retry) });
            Ok(())
        }
        other => other,
    }
}

/// Stores an `IllegalArgument` in its field.
pub fn ia(answer: Answer<()>, field: &mut Option<IllegalArgument>) -> Answer<()> {
    match answer {
        Err(Fault::IllegalArgument(message)) => {
            *field = Some(IllegalArgument { message: Some(message) });
            Ok(())
        }
        other => other,
    }
}

/// Stores an `AlreadyExists` in its field.
pub fn exist(answer: Answer<()>, field: &mut Option<AlreadyExists>) -> Answer<()> {
    match answer {
        Err(Fault::AlreadyExists(message)) => {
            *field = Some(AlreadyExists { message: Some(message) });
            Ok(())
        }
        other => other,
    }
}
