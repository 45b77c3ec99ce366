//! Feeds arbitrary bytes to the wire parsers. Recognising, measuring and reading must terminate without a
//! panic, and both readers must agree on what a complete message is.
//!
//! Run with `cargo +nightly fuzz run wire` in the root of the repository.
#![no_main]

use hjall_server::dispatch::call::{Call, DefaultService};
use hjall_server::wire::dialect::recognise;
use hjall_server::wire::measure::{Measure, Progress, length_at_once};
use hjall_server::wire::method::Service;
use hjall_server::wire::{Encoding, arguments, header};
use libfuzzer_sys::fuzz_target;
use thrift::protocol::TType;

fuzz_target!(|bytes: &[u8]| {
    recognise(bytes);
    for encoding in [Encoding::Binary, Encoding::Compact] {
        let _ = Call::recognise(encoding, bytes, &mut DefaultService::LastSeen(Service::Thrift1));
        let mut measure = Measure::new(encoding, 1 << 20);
        // Split into two pieces, as a network may deliver it.
        let first = measure.advance(&bytes[..bytes.len() / 2]);
        let measured = match first {
            Ok(Progress::More(_)) => measure.advance(bytes),
            other => other,
        };
        assert_eq!(measured, Measure::new(encoding, 1 << 20).advance(bytes), "the division into pieces has no effect");
        if let Some(length) = length_at_once(encoding, bytes, 1 << 20) {
            assert_eq!(measured, Ok(Progress::Whole(length)));
        }
        let Ok(Some(header)) = header::parse(encoding, bytes) else { continue };
        let mut input = arguments(encoding, &bytes[header.body..]);
        let skipped = input.as_dyn().skip_till_depth(TType::Struct, i8::MAX);
        assert_eq!(skipped.is_ok(), matches!(measured, Ok(Progress::Whole(_))));
    }
});
