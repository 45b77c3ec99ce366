//! The table of methods, compared with the contracts and the behaviour of the gateways.
#![allow(clippy::unwrap_used, reason = "tests fail by panics")]

use hjall_idl::{CallKind, Effect, Method, Name, ScannerUse, Service, ServiceHint};
use thrift::protocol::TType;

fn wire(method: Method, id: i16) -> Option<TType> {
    method.info().arguments.iter().find(|argument| argument.id == id).map(|argument| argument.wire)
}

/// The methods of the Thrift contracts.
fn contracts() -> impl Iterator<Item = Method> {
    Method::all().filter(|method| method.service() != Service::Rest)
}

fn named(which: impl Fn(Method) -> bool) -> Vec<&'static str> {
    let mut names: Vec<_> = contracts().filter(|method| which(*method)).map(Method::name).collect();
    names.sort_unstable();
    names.dedup();
    names
}

#[test]
fn numbers_are_dense_and_names_ascend_within_a_service() {
    assert!(Method::all().map(Method::number).eq(0..Method::COUNT));
    let of = |service| Method::all().filter(move |method| method.service() == service).map(Method::name);
    assert_eq!((of(Service::Thrift1).count(), of(Service::Thrift2).count()), (47 + 1, 50));
    assert!(of(Service::Thrift1).is_sorted() && of(Service::Thrift2).is_sorted());
}

#[test]
fn every_method_is_found_by_its_name_and_by_nothing_else() {
    for method in contracts() {
        let text = method.name();
        let name = Name::find(text.as_bytes()).unwrap_or_else(|| panic!("{text} is not found"));
        assert_eq!((name.text, name.of(method.service())), (text, Some(method)));
        // Names in the same slot, and names that differ in one byte.
        for at in 0..text.len() {
            let mut other = text.as_bytes().to_vec();
            other[at] ^= 0x20;
            assert_eq!(Name::find(&other), None, "{other:?}");
        }
        assert_eq!(Name::find(&[text.as_bytes(), b"\0"].concat()), None);
    }
    assert!(Name::all().is_sorted_by_key(|name| name.text));
    let unknown: [&[u8]; 9] =
        [b"", b"g", b"ge", b"grant", b"revoke", b"thriftServerType", b"get ", b"\xff\xfe\xfd", &[b'g'; 1024]];
    assert!(unknown.iter().all(|name| Name::find(name).is_none()));
}

#[test]
fn what_tells_a_service_differs_between_the_contracts() {
    for name in Name::all() {
        let methods = [Service::Thrift1, Service::Thrift2].map(|service| name.of(service));
        let Some([one, two]) = methods[0].zip(methods[1]).map(<[Method; 2]>::from) else {
            assert!(matches!(name.service_hint, ServiceHint::Name(service) if name.of(service).is_some()), "{name:?}");
            continue;
        };
        let by_service = |service| if service == Service::Thrift1 { (one, two) } else { (two, one) };
        match name.service_hint {
            ServiceHint::Name(_) => panic!("{name:?} is in both services"),
            ServiceHint::Struct { field, service } => {
                let (this, other) = by_service(service);
                assert_eq!(wire(this, field), Some(TType::Struct), "{name:?}");
                assert!(wire(other, field).is_some_and(|wire| wire != TType::Struct), "{name:?}");
            }
            ServiceHint::Field { field, service, within, first } => {
                let (this, other) = by_service(service);
                assert!(wire(this, field).is_some() && wire(other, field).is_none(), "{name:?}");
                assert_eq!([this, other].map(|method| wire(method, within)), [Some(TType::Struct); 2]);
                for (at, (id, wire, _)) in first.iter().enumerate() {
                    assert!(
                        !first[..at].iter().any(|(i, w, _)| (i, w) == (id, wire)),
                        "{name:?}: field {id} tells nothing"
                    );
                }
            }
            ServiceHint::Nothing => {
                assert!(one.info().arguments.is_empty() && two.info().arguments.is_empty(), "{name:?}")
            }
        }
    }
}

#[test]
fn kinds_effects_and_scanners_agree() {
    for method in Method::all() {
        let info = method.info();
        assert_eq!(info.effect == Effect::Data, info.kind == CallKind::Write, "{info:?}");
        assert!(!info.short || matches!(info.kind, CallKind::Read | CallKind::Write), "{info:?}");
        let has_number = matches!(info.scanner, Some(ScannerUse::Fetches | ScannerUse::Closes));
        if has_number && method.service() != Service::Rest {
            assert_eq!(info.arguments[0].wire, TType::I32, "{info:?}: the scanner's number");
        }
    }
    assert_eq!(named(|method| !method.info().declares_io), ["getClusterId", "getThriftServerType"]);
    assert_eq!(named(Method::fetches), ["getScannerRows", "scannerGet", "scannerGetList"]);
    let scans =
        ["closeScanner", "openScanner", "scannerClose", "scannerOpen", "scannerOpenTs", "scannerOpenWithPrefix"];
    let more_scans = ["scannerOpenWithScan", "scannerOpenWithStop", "scannerOpenWithStopTs"];
    // A reversed scan, which may read many rows.
    let mut not_short = [&scans[..], &more_scans[..], &["getRowOrBefore"]].concat();
    not_short.sort_unstable();
    assert_eq!(named(|method| method.info().kind == CallKind::Read && !method.info().short), not_short);
    // It makes several transactions.
    assert_eq!(named(|method| method.info().kind == CallKind::Write && !method.info().short), ["incrementRows"]);
}
