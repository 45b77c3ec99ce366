//! Which of the two services a call is for.

use thrift::Result;
use thrift::protocol::{TInputProtocol, TType};

use super::{Encoding, arguments};
use crate::method::{Method, Owner, Service};

/// What a call's own bytes say: its service, or `None` where nothing in it decides. `body` begins behind the message header.
///
/// Arguments that cannot be read decide nothing; whoever reads them next says what is wrong.
pub fn service(method: &Method, encoding: Encoding, body: &[u8]) -> Option<Service> {
    use Service::{Thrift1, Thrift2};
    let struct_means = |field, this: Service, other: Service| {
        let mut input = arguments(encoding, body);
        let found = find(input.as_dyn(), field, |_, of| Ok(of)).ok().flatten()?;
        Some(if found == TType::Struct { this } else { other })
    };
    match method.owner {
        Owner::One(service) => Some(service),
        Owner::Field1StructIsThrift2 => struct_means(1, Thrift2, Thrift1),
        Owner::Field1StructIsThrift1 => struct_means(1, Thrift1, Thrift2),
        Owner::Field2StructIsThrift2 => struct_means(2, Thrift2, Thrift1),
        Owner::CheckAndPut => check_and_put(encoding, body),
        Owner::Either => None,
    }
}

/// Field 4 is Thrift2's qualifier, Thrift1 has none. Without it field 6 decides: a `Mutation` begins with a bool or has bytes as field
/// 2, a `TPut` has bytes as field 1 and a list as field 2.
fn check_and_put(encoding: Encoding, body: &[u8]) -> Option<Service> {
    if find(arguments(encoding, body).as_dyn(), 4, |_, _| Ok(())).ok()?.is_some() {
        return Some(Service::Thrift2);
    }
    let mut input = arguments(encoding, body);
    let first = find(input.as_dyn(), 6, |input, of| match of {
        TType::Struct => {
            input.read_struct_begin()?;
            input.read_field_begin().map(|f| Some((f.id, f.field_type)))
        }
        _ => Ok(None),
    });
    match first.ok().flatten().flatten()? {
        (Some(1), TType::Bool) | (Some(2), TType::String) => Some(Service::Thrift1),
        (Some(1), TType::String) | (Some(2), TType::List) => Some(Service::Thrift2),
        _ => None,
    }
}

/// Goes to a field of the argument struct and looks at it.
fn find<T>(
    input: &mut dyn TInputProtocol,
    wanted: i16,
    look: impl FnOnce(&mut dyn TInputProtocol, TType) -> Result<T>,
) -> Result<Option<T>> {
    input.read_struct_begin()?;
    loop {
        let field = input.read_field_begin()?;
        match field.field_type {
            TType::Stop => return Ok(None),
            of if field.id == Some(wanted) => return look(input, of).map(Some),
            of => input.skip(of)?,
        }
    }
}
