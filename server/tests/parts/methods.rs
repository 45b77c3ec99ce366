//! The table of methods, held against the two contracts: no name is missing, none is too many, and where both services have a name, the
//! argument that tells them apart is there and does.

use hjall_idl::{Argument, Method, methods};
use hjall_server::wire::method::Owner::{
    CheckAndPut, Either, Field1StructIsThrift1, Field1StructIsThrift2, Field2StructIsThrift2, One,
};
use hjall_server::wire::method::Service::{Thrift1, Thrift2};
use hjall_server::wire::method::find;
use thrift::protocol::TType;

fn is_struct(arguments: &[Argument], id: i16) -> bool {
    arguments.iter().find(|argument| argument.id == id).unwrap().wire == TType::Struct
}

#[test]
fn every_method_of_both_contracts_is_known_by_what_tells_its_service() {
    for Method { name, thrift1, thrift2 } in methods() {
        let owner = find(name).unwrap_or_else(|| panic!("{name} is missing")).owner;
        match (thrift1, thrift2) {
            (Some(_), None) => assert_eq!(owner, One(Thrift1), "{name}"),
            (None, Some(_)) => assert_eq!(owner, One(Thrift2), "{name}"),
            (Some(one), Some(two)) => {
                let differs = |id| is_struct(one, id) != is_struct(two, id);
                let tells = match owner {
                    Field1StructIsThrift1 => differs(1) && is_struct(one, 1),
                    Field1StructIsThrift2 => differs(1) && is_struct(two, 1),
                    Field2StructIsThrift2 => differs(2) && is_struct(two, 2),
                    CheckAndPut => !one.iter().any(|a| a.id == 4) && two.iter().any(|a| a.id == 4),
                    Either => one.is_empty() && two.is_empty(),
                    One(_) => false,
                };
                assert!(tells, "{name}: {owner:?}");
            }
            (None, None) => unreachable!("a method of neither service"),
        }
    }
}

#[test]
fn a_result_declares_an_error_exactly_if_its_method_takes_part_in_the_data_or_schema() {
    let without: Vec<_> = methods().iter().filter(|m| !find(m.name).unwrap().declares_io).map(|m| m.name).collect();
    assert_eq!(without, ["getClusterId", "getThriftServerType"]);
    assert!(["", "grant", "revoke", "Get", "get ", "thriftServerType"].iter().all(|name| find(name).is_none()));
}
