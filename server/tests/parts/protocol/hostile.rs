//! Invalid bytes: they cause an error, but never a panic or a read beyond their end.

use std::cell::Cell;

use hjall_idl::hbase2::GetMultipleArgs;
use hjall_server::dispatch::call::{Call, DefaultService};
use hjall_server::wire::dialect::recognise;
use hjall_server::wire::measure::{Measure, Progress, length_at_once};
use hjall_server::wire::method::Service;
use hjall_server::wire::types::DecodedMemory;
use hjall_server::wire::{Encoding, arguments, claimed_arguments, header};
use proptest::collection::vec;
use proptest::prelude::*;
use thrift::protocol::{TSerializable, TType};

use super::value::{self, Wire};

const ENCODINGS: [Encoding; 2] = [Encoding::Binary, Encoding::Compact];

/// Processes bytes as the server does before a gateway sees them, and compares the two readers.
fn digest(bytes: &[u8]) {
    recognise(bytes);
    for encoding in ENCODINGS {
        let _ = Call::recognise(encoding, bytes, &mut DefaultService::Assumed(Service::Thrift1));
        let measured = Measure::new(encoding, 1 << 20).advance(bytes);
        if let Ok(Progress::Whole(length)) = measured {
            assert!(length <= bytes.len());
        }
        if let Some(length) = length_at_once(encoding, bytes, 1 << 20) {
            assert_eq!(measured, Ok(Progress::Whole(length)));
        }
        let Ok(Some(header)) = header::parse(encoding, bytes) else { continue };
        let mut input = arguments(encoding, &bytes[header.body..]);
        // More than the readers allow, so that their limit applies.
        let skipped = input.as_dyn().skip_till_depth(TType::Struct, i8::MAX);
        // A reader fails on a truncated message, and measuring waits for more. Both must agree on which messages are
        // whole.
        assert_eq!(
            skipped.is_ok(),
            matches!(measured, Ok(Progress::Whole(_))),
            "{encoding:?} {skipped:?} {measured:?}"
        );
        let _ = value::Value::read(TType::Struct, arguments(encoding, &bytes[header.body..]).as_dyn());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn random_bytes(bytes in vec(any::<u8>(), 0..300)) {
        digest(&bytes);
    }

    #[test]
    fn random_bytes_behind_a_good_header(bytes in vec(any::<u8>(), 0..300), low in vec(0_u8..16, 0..300)) {
        for wire in Wire::ALL {
            let mut head = wire.message("checkAndPut", &value::Value::Struct(vec![]));
            head.pop();
            digest(&[head.as_slice(), &bytes].concat());
            digest(&[head.as_slice(), &low].concat());
        }
    }

    #[test]
    fn good_messages_with_a_few_bytes_changed(
        written in value::arguments(3), changes in vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        cut in any::<prop::sample::Index>(),
    ) {
        for wire in Wire::ALL {
            let mut message = wire.message("mutateRow", &written);
            for (at, byte) in &changes {
                let at = at.index(message.len());
                message[at] = *byte;
            }
            digest(&message);
            digest(&message[..cut.index(message.len())]);
        }
    }
}

#[test]
fn reads_of_another_type_than_the_messages_fail() {
    use value::Value::{Bool, Bytes, I32, List, Map, Struct};
    let all = Struct(vec![
        (1, List(TType::I32, vec![I32(1)])),
        (2, Map(TType::String, TType::Bool, vec![(Bytes(vec![]), Bool(true))])),
    ]);
    for wire in Wire::ALL {
        let message = wire.message("m", &all);
        let body = header::parse(wire.encoding(), &message).unwrap().unwrap().body;
        let mut input = arguments(wire.encoding(), &message[body..]);
        let input = input.as_dyn();
        input.read_struct_begin().unwrap();
        assert_eq!(input.read_field_begin().unwrap().field_type, TType::List);
        assert!(input.read_i32().is_err(), "a number in place of a list");

        let mut input = arguments(wire.encoding(), &message[body..]);
        let input = input.as_dyn();
        input.read_struct_begin().unwrap();
        input.read_field_begin().unwrap();
        input.read_list_begin().unwrap();
        assert!(input.read_bytes().is_err(), "bytes in a list of numbers");

        let mut input = arguments(wire.encoding(), &message[body..]);
        let input = input.as_dyn();
        input.read_struct_begin().unwrap();
        input.read_field_begin().unwrap();
        input.skip(TType::List).unwrap();
        input.read_field_begin().unwrap();
        input.read_map_begin().unwrap();
        input.read_bytes().unwrap();
        assert!(input.read_bytes().is_err(), "bytes in place of a bool in a map");
    }
}

#[test]
fn field_numbers_above_the_largest_are_handled() {
    // Found by fuzzing: field 32767, then one more.
    digest(b"\x82\x21\x01\x06getRow\x01\xfe\xff\x03\x11\x00");
}

#[test]
fn lists_of_numbers_count_as_a_level() {
    // Found by fuzzing: the innermost list contains bools, which are measured at once.
    for levels in 60..70 {
        let lists = [b"\x19".repeat(levels - 2), vec![0x11, 0x01, 0]].concat();
        digest(&[b"\x82\x21\x01\x06getRow\x19".as_slice(), &lists].concat());
        let lists = [b"\x0f\0\0\0\x01".repeat(levels - 2), b"\x02\0\0\0\x01\x01\0".to_vec()].concat();
        digest(&[b"\x80\x01\0\x01\0\0\0\x06getRow\0\0\0\x01\x0f\0\x01".as_slice(), &lists].concat());
    }
}

#[test]
fn many_empty_structs_are_refused_before_they_are_allocated() {
    // Each of the 16 million structs takes one byte on the wire and about a hundred in memory.
    let mut body = b"\x0f\0\x01\x0c\x01\0\0\0".to_vec();
    body.resize(body.len() + (16 << 20), 0);
    let mut input = arguments(Encoding::Binary, &body);
    let input = input.as_dyn();
    input.read_struct_begin().unwrap();
    input.read_field_begin().unwrap();
    assert!(input.read_list_begin().is_err());
}

/// Memory of this many bytes.
struct Room(Cell<usize>);

impl DecodedMemory for Room {
    fn claim(&self, bytes: usize) -> bool {
        let left = self.0.get().checked_sub(bytes);
        left.inspect(|left| self.0.set(*left)).is_some()
    }
}

#[test]
fn the_memory_of_decoded_arguments_is_claimed_before_it_is_used() {
    // The arguments of getMultiple: a table, and gets of nine bytes that are structs of about 300 bytes when decoded.
    let gets = 10_000;
    let get = b"\x0b\0\x01\0\0\0\x01r\0";
    let head = [b"\x0b\0\x01\0\0\0\x01t\x0f\0\x02\x0c".as_slice(), &u32::to_be_bytes(gets)].concat();
    let body = [head, get.repeat(gets as usize), vec![0]].concat();
    let read = |bytes: usize| {
        let room = Room(Cell::new(bytes));
        let mut input = claimed_arguments(Encoding::Binary, &body, &room);
        let read = GetMultipleArgs::read_from_in_protocol(input.as_dyn());
        (read.is_ok(), bytes - room.0.get())
    };
    let (read_all, claimed) = read(usize::MAX);
    assert!(read_all && claimed >= 200 * gets as usize, "{claimed} bytes were claimed for {gets} gets");
    assert!(!read(claimed / 2).0, "without room nothing more is decoded");
    assert!(read(claimed).0);
}
