//! Where a failure of the first service goes: into which field of the result, or out of the contract.

use hjall_engine::{Error, ErrorKind};
use hjall_idl::hbase1::{AlreadyExists, IOError, IllegalArgument};

use crate::gateway::error::Raised;
use crate::wire::fault::Fault;

/// What a method answers, or how it fails.
pub type Answer<T> = Result<T, Fault>;

/// Most methods: Java's `IllegalArgumentException` escapes them undeclared, everything else is an `IOError`.
pub fn undeclared(error: Error) -> Fault {
    match error.kind() {
        ErrorKind::InvalidArgument => Fault::internal(error.message()),
        _ => io_error(&Raised::of(&error)),
    }
}

/// The methods that catch Java's `IllegalArgumentException` and declare it.
pub fn declared(error: Error) -> Fault {
    match error.kind() {
        ErrorKind::InvalidArgument => Fault::IllegalArgument(Raised::of(&error).stack_trace()),
        _ => io_error(&Raised::of(&error)),
    }
}

/// An exception that every method declares.
pub fn io_error(raised: &Raised) -> Fault {
    Fault::io(raised.stack_trace(), raised.can_retry())
}

/// Puts the answer into its field; what remains to be placed is a failure.
pub fn success<T>(answer: Answer<T>, field: &mut Option<T>) -> Answer<()> {
    answer.map(|value| *field = Some(value))
}

/// Puts an `IOError` into its field.
pub fn io(answer: Answer<()>, field: &mut Option<IOError>) -> Answer<()> {
    match answer {
        Err(Fault::Io { message, can_retry }) => {
            *field = Some(IOError { message, can_retry: Some(can_retry) });
            Ok(())
        }
        other => other,
    }
}

/// Puts an `IllegalArgument` into its field.
pub fn ia(answer: Answer<()>, field: &mut Option<IllegalArgument>) -> Answer<()> {
    match answer {
        Err(Fault::IllegalArgument(message)) => {
            *field = Some(IllegalArgument { message: Some(message) });
            Ok(())
        }
        other => other,
    }
}

/// Puts an `AlreadyExists` into its field.
pub fn exist(answer: Answer<()>, field: &mut Option<AlreadyExists>) -> Answer<()> {
    match answer {
        Err(Fault::AlreadyExists(message)) => {
            *field = Some(AlreadyExists { message: Some(message) });
            Ok(())
        }
        other => other,
    }
}
