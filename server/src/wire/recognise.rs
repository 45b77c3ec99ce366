//! Which of the two services a call is for.

use thrift::Result;
use thrift::protocol::{TInputProtocol, TType};

use super::{Encoding, arguments};
use crate::wire::method::{Method, Owner, Service};

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

/// What a call's arguments name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Names {
    /// The table.
    pub table: Option<Vec<u8>>,
    /// The row, or where a scan begins.
    pub row: Option<Vec<u8>>,
}

/// The table and the row that arguments name, where they are in their usual places: the first and the second field, each as bytes or
/// inside a struct. Meant for logs: what cannot be read is left out.
pub fn names(service: Service, encoding: Encoding, body: &[u8]) -> Names {
    let mut names = Names::default();
    // An error ends the reading; what was read by then counts.
    let _ = read_names(service, arguments(encoding, body).as_dyn(), &mut names);
    names
}

fn read_names(service: Service, input: &mut dyn TInputProtocol, names: &mut Names) -> Result<()> {
    input.read_struct_begin()?;
    loop {
        let field = input.read_field_begin()?;
        match (field.id, field.field_type, service) {
            (_, TType::Stop, _) => return Ok(()),
            (Some(1), TType::String, _) => names.table = Some(input.read_bytes()?),
            (Some(2), TType::String, _) => names.row = Some(input.read_bytes()?),
            // `TAppend` and `TIncrement` have both.
            (Some(1), TType::Struct, Service::Thrift1) => [names.table, names.row] = first_two(input)?,
            // `TTableName`: the namespace may be left out.
            (Some(1), TType::Struct, Service::Thrift2) => {
                let [namespace, qualifier] = first_two(input)?;
                names.table = namespace.into_iter().chain(qualifier).reduce(|a, b| [a, b].join(&b':'));
            }
            (Some(2), TType::Struct, _) => [names.row, _] = first_two(input)?,
            (_, of, _) => input.skip(of)?,
        }
    }
}

/// The first two fields of a struct, where they are bytes.
fn first_two(input: &mut dyn TInputProtocol) -> Result<[Option<Vec<u8>>; 2]> {
    let mut found = [None, None];
    input.read_struct_begin()?;
    loop {
        let field = input.read_field_begin()?;
        match (field.id, field.field_type) {
            (_, TType::Stop) => return Ok(found),
            (Some(id @ 1..=2), TType::String) => found[usize::from(id == 2)] = Some(input.read_bytes()?),
            (_, of) => input.skip(of)?,
        }
    }
}

/// The length of the list that is this field; `None`: there is none.
pub fn list_length(encoding: Encoding, body: &[u8], wanted: i16) -> Option<u64> {
    let mut input = arguments(encoding, body);
    let found = find(input.as_dyn(), wanted, |input, of| match of {
        TType::List => input.read_list_begin().map(|list| u64::try_from(list.size).ok()),
        _ => Ok(None),
    });
    found.ok().flatten().flatten()
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
