//! Messages written by the thrift crate are measured, recognised and read back, whole and truncated.

use hjall_server::dispatch::call::{Call, DefaultService};
use hjall_server::wire::dialect::{Dialect, Opening, recognise};
use hjall_server::wire::measure::{Measure, Progress, length_at_once};
use hjall_server::wire::method::Service;
use hjall_server::wire::recognise::list_length;
use hjall_server::wire::{arguments, header};
use proptest::prelude::*;
use thrift::protocol::TType;

use super::value::{self, Value, Wire};

proptest! {
    #[test]
    fn arguments_are_read_back_as_written(written in value::arguments(3), name in "[a-zA-Z]{1,30}") {
        for wire in Wire::ALL {
            let message = wire.message(&name, &written);
            let header = header::parse(wire.encoding(), &message).unwrap().unwrap();
            prop_assert_eq!((header.name, header.sequence), (name.as_bytes(), -7));
            let mut input = arguments(wire.encoding(), &message[header.body..]);
            prop_assert_eq!(&Value::read(TType::Struct, input.as_dyn()).unwrap(), &written);
            let mut input = arguments(wire.encoding(), &message[header.body..]);
            input.as_dyn().skip(TType::Struct).unwrap();
        }
    }

    #[test]
    fn a_field_of_the_arguments_tells_the_service_and_the_size_of_a_batch(
        before in value::arguments(2), mutations in proptest::collection::vec(value::arguments(1), 0..20),
        row in value::value_of(TType::String, 0), is_struct: bool,
    ) {
        let Value::Struct(before) = before else { unreachable!() };
        let before = before.into_iter().map(|(id, value)| (id.max(10), value));
        let second = if is_struct { Value::Struct(vec![(1, row)]) } else { row };
        let rest = [(2, second), (3, Value::List(TType::Struct, mutations.clone()))];
        let written = Value::Struct(before.chain(rest).collect());
        for wire in Wire::ALL {
            let message = wire.message("mutateRow", &written);
            let call = Call::recognise(wire.encoding(), &message, &mut DefaultService::Assumed(Service::Rest)).unwrap();
            prop_assert_eq!(call.service, if is_struct { Service::Thrift2 } else { Service::Thrift1 });
            let body = call.arguments(&message);
            prop_assert_eq!(list_length(wire.encoding(), body, 3), u64::try_from(mutations.len()).ok());
            prop_assert_eq!(list_length(wire.encoding(), body, 2), None);
            prop_assert_eq!(list_length(wire.encoding(), body, 4), None);
        }
    }

    #[test]
    fn a_message_is_whole_from_its_last_byte_on(
        written in value::arguments(3), after in proptest::collection::vec(any::<u8>(), 0..9), piece in 1_usize..40,
    ) {
        for wire in Wire::ALL {
            let message = wire.message("getRow", &written);
            let mut measure = Measure::new(wire.encoding(), 1 << 20);
            let mut received = 0;
            while received < message.len() {
                match measure.advance(&message[..received]).unwrap() {
                    Progress::More(needed) => prop_assert!(received < needed && needed <= message.len()),
                    Progress::Whole(length) => prop_assert!(false, "{length} of {} with {received}", message.len()),
                }
                received += piece;
            }
            let all = [message.as_slice(), &after].concat();
            prop_assert_eq!(measure.advance(&all), Ok(Progress::Whole(message.len())));
            let at_once = Measure::new(wire.encoding(), 1 << 20).advance(&all);
            prop_assert_eq!(at_once, Ok(Progress::Whole(message.len())));
            let at_once = length_at_once(wire.encoding(), &all, 1 << 20);
            prop_assert!(at_once.is_none_or(|length| length == message.len()), "{at_once:?}");
            prop_assert_eq!(length_at_once(wire.encoding(), &all, message.len() - 1), None);
            let too_large = Measure::new(wire.encoding(), message.len() - 1).advance(&all);
            prop_assert!(too_large.is_err());
        }
    }

    #[test]
    fn the_first_bytes_tell_the_dialect(written in value::arguments(1), name in "[a-z][a-zA-Z]{1,30}") {
        for wire in Wire::ALL {
            for framed in [false, true] {
                let message = wire.message(&name, &written);
                let length = u32::try_from(message.len()).unwrap().to_be_bytes();
                let bytes = if framed { [&length, message.as_slice()].concat() } else { message };
                let first = (0..bytes.len()).map(|n| recognise(&bytes[..n])).find(|o| *o != Opening::Unclear);
                prop_assert_eq!(first, Some(Opening::Thrift(Dialect { framed, encoding: wire.encoding() })));
            }
        }
    }
}
