//! The scanner that a call fetches from, read from the message without decoding it. Long scans get a lower priority by
//! it.

use hjall_idl::{hbase1, hbase2};
use hjall_server::dispatch::call::{Call, DefaultService};
use hjall_server::wire::Encoding;
use hjall_server::wire::method::Service;
use thrift::protocol::{
    TBinaryOutputProtocol, TCompactOutputProtocol, TMessageIdentifier, TMessageType, TOutputProtocol, TSerializable,
};

fn message(encoding: Encoding, name: &str, arguments: &impl TSerializable) -> Vec<u8> {
    let mut bytes = Vec::new();
    {
        let mut out: Box<dyn TOutputProtocol> = match encoding {
            Encoding::Binary => Box::new(TBinaryOutputProtocol::new(&mut bytes, true)),
            Encoding::Compact => Box::new(TCompactOutputProtocol::new(&mut bytes)),
        };
        out.write_message_begin(&TMessageIdentifier::new(name, TMessageType::Call, 7)).unwrap();
        arguments.write_to_out_protocol(&mut *out).unwrap();
        out.write_message_end().unwrap();
    }
    bytes
}

fn scanner(name: &str, arguments: &impl TSerializable) -> [Option<i32>; 2] {
    [Encoding::Binary, Encoding::Compact].map(|encoding| {
        let message = message(encoding, name, arguments);
        let call = Call::recognise(encoding, &message, &mut DefaultService::Assumed(Service::Thrift1)).unwrap();
        call.scanner(&message)
    })
}

#[test]
fn only_fetches_name_a_scanner() {
    let both = |id| [Some(id), Some(id)];
    assert_eq!(scanner("scannerGet", &hbase1::ScannerGetArgs::new(300)), both(300));
    assert_eq!(scanner("scannerGetList", &hbase1::ScannerGetListArgs::new(-5, 10)), both(-5));
    assert_eq!(scanner("getScannerRows", &hbase2::GetScannerRowsArgs::new(i32::MAX, 10)), both(i32::MAX));
    assert_eq!(scanner("scannerClose", &hbase1::ScannerCloseArgs::new(300)), [None, None]);
    assert_eq!(scanner("scannerGet", &hbase1::ScannerGetArgs::default()), [None, None], "its argument is missing");
}
