//! Recognises which of the two services a call is for.

use thrift::Result;
use thrift::protocol::{TInputProtocol, TType};

use super::fields::{Fields, Unusual};
use super::{Encoding, arguments};
use crate::wire::method::{Method, ScannerUse, Service, ServiceHint};

/// The levels of nesting that are skipped without the generated code.
const LEVELS: u8 = 4;

/// The service of a call, from its bytes; `None` if they do not determine it. `body` begins after the message header.
///
/// Arguments that cannot be read determine nothing. Reading them as the arguments of the call reports the error.
pub fn service(service_hint: ServiceHint, encoding: Encoding, body: &[u8]) -> Option<Service> {
    match service_hint {
        ServiceHint::Name(service) => Some(service),
        ServiceHint::Struct { field, service } => {
            let found = match Fields::new(encoding, body).find(field, LEVELS) {
                Ok(found) => found?,
                Err(Unusual) => find(arguments(encoding, body).as_dyn(), field, |_, of| Ok(of)).ok().flatten()?,
            };
            Some(if found == TType::Struct { service } else { other(service) })
        }
        ServiceHint::Field { field, service, within, first } => {
            if find(arguments(encoding, body).as_dyn(), field, |_, _| Ok(())).ok()?.is_some() {
                return Some(service);
            }
            let begins = find(arguments(encoding, body).as_dyn(), within, |input, of| match of {
                TType::Struct => {
                    input.read_struct_begin()?;
                    input.read_field_begin().map(Some)
                }
                _ => Ok(None),
            });
            let found = begins.ok().flatten().flatten()?;
            first
                .iter()
                .find(|(id, of, _)| (found.id, found.field_type) == (Some(*id), *of))
                .map(|(.., service)| *service)
        }
        ServiceHint::Nothing => None,
    }
}

fn other(service: Service) -> Service {
    match service {
        Service::Thrift1 => Service::Thrift2,
        Service::Thrift2 => Service::Thrift1,
        Service::Rest => Service::Rest,
    }
}

/// What the arguments of a call refer to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Names {
    /// The table.
    pub table: Option<Vec<u8>>,
    /// The row, or the start row of a scan.
    pub row: Option<Vec<u8>>,
    /// The namespace, of calls about namespaces.
    pub namespace: Option<Vec<u8>>,
    /// The scanner, by its number in the service.
    pub scanner: Option<i32>,
}

/// The longest name that is kept, in bytes. No table has a longer one, and no row.
const NAME_BYTES_KEPT: usize = 64 << 10;

/// What arguments refer to, if that is in the usual places: the first and the second field, each as bytes or inside a
/// struct. Names that no table and no row can have are shortened. Used for logs: parts that cannot be read are left
/// out.
pub fn names(method: Method, encoding: Encoding, body: &[u8]) -> Names {
    let mut names = Names::default();
    // After an error, what has been read so far is used.
    let _ = read_names(method, arguments(encoding, body).as_dyn(), &mut names);
    for name in [&mut names.table, &mut names.row, &mut names.namespace].into_iter().flatten() {
        name.truncate(NAME_BYTES_KEPT);
        name.shrink_to_fit();
    }
    names
}

/// What the first argument of a method is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum First {
    Table,
    Namespace,
    Scanner,
    /// A pattern, a set of servers or the key of a region.
    Other,
}

impl First {
    fn of(method: Method) -> Self {
        let name = method.name();
        match method.info().scanner {
            Some(ScannerUse::Fetches | ScannerUse::Closes) => Self::Scanner,
            _ if name.contains("Namespace") => Self::Namespace,
            _ if name.ends_with("ByPattern") || name.contains("SlowLog") || name == "getRegionInfo" => Self::Other,
            _ => Self::Table,
        }
    }
}

fn read_names(method: Method, input: &mut dyn TInputProtocol, names: &mut Names) -> Result<()> {
    let first = First::of(method);
    // The second argument of the others is a family.
    let has_row = first == First::Table && !method.name().contains("ColumnFamily");
    input.read_struct_begin()?;
    loop {
        let field = input.read_field_begin()?;
        match (field.id, field.field_type, first) {
            (_, TType::Stop, _) => return Ok(()),
            (Some(1), TType::I32, First::Scanner) => names.scanner = Some(input.read_i32()?),
            (Some(1), TType::String, First::Namespace) => names.namespace = Some(input.read_bytes()?),
            (Some(1), TType::Struct, First::Namespace) => [names.namespace, _] = first_two(input)?,
            (Some(1), TType::String, First::Table) => names.table = Some(input.read_bytes()?),
            // `TAppend` and `TIncrement` have both.
            (Some(1), TType::Struct, First::Table) if method.service() == Service::Thrift1 => {
                [names.table, names.row] = first_two(input)?;
            }
            (Some(1), TType::Struct, First::Table) => names.table = table_name(input)?,
            (Some(2), TType::String, _) if has_row => names.row = Some(input.read_bytes()?),
            (Some(2), TType::Struct, _) if has_row => [names.row, _] = first_two(input)?,
            (_, of, _) => input.skip(of)?,
        }
    }
}

/// The name in a `TTableName`, whose namespace is optional, or in a `TTableDescriptor`, which begins with one.
fn table_name(input: &mut dyn TInputProtocol) -> Result<Option<Vec<u8>>> {
    let (mut parts, mut nested) = ([None, None], None);
    input.read_struct_begin()?;
    loop {
        let field = input.read_field_begin()?;
        match (field.id, field.field_type) {
            (_, TType::Stop) => break,
            (Some(1), TType::Struct) => nested = joined(first_two(input)?),
            (Some(id @ 1..=2), TType::String) => parts[usize::from(id == 2)] = Some(input.read_bytes()?),
            (_, of) => input.skip(of)?,
        }
    }
    Ok(nested.or_else(|| joined(parts)))
}

fn joined([namespace, qualifier]: [Option<Vec<u8>>; 2]) -> Option<Vec<u8>> {
    namespace.into_iter().chain(qualifier).reduce(|a, b| [a, b].join(&b':'))
}

/// The first two fields of a struct, if they are bytes.
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

/// The length of the list in this field, or `None` if there is no such list.
pub fn list_length(encoding: Encoding, body: &[u8], wanted: i16) -> Option<u64> {
    let mut fields = Fields::new(encoding, body);
    if let Ok(Some(TType::List)) = fields.find(wanted, LEVELS)
        && let Ok(size) = fields.list(TType::Struct)
    {
        // Most lists are those of mutations.
        return u64::try_from(size).ok();
    }
    let mut input = arguments(encoding, body);
    let found = find(input.as_dyn(), wanted, |input, of| match of {
        TType::List => input.read_list_begin().map(|list| u64::try_from(list.size).ok()),
        _ => Ok(None),
    });
    found.ok().flatten().flatten()
}

/// Skips to a field of the argument struct and applies a function to it.
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The arguments of a call in the binary protocol: a table and a row.
    fn arguments_of(table: &[u8], row: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        for (id, text) in [(1_u8, table), (2, row)] {
            out.extend([11, 0, id]);
            out.extend(u32::try_from(text.len()).unwrap_or_default().to_be_bytes());
            out.extend(text);
        }
        out.push(0);
        out
    }

    #[test]
    fn names_that_no_table_and_no_row_can_have_are_shortened() {
        let body = arguments_of(b"t", b"r");
        let wanted = Names { table: Some(b"t".to_vec()), row: Some(b"r".to_vec()), ..Names::default() };
        let get = Method::Thrift1(crate::wire::method::Thrift1::GetRow);
        assert_eq!(names(get, Encoding::Binary, &body), wanted);
        let body = arguments_of(&vec![b't'; 1 << 20], &vec![b'r'; 1 << 20]);
        let Names { table, row, .. } = names(get, Encoding::Binary, &body);
        for name in [table, row].map(Option::unwrap_or_default) {
            assert!(name.len() == NAME_BYTES_KEPT && name.capacity() < 2 * NAME_BYTES_KEPT, "{}", name.capacity());
        }
    }
}
