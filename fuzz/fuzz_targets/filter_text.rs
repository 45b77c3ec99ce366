//! Any bytes as a text of the filter language: no panic, no stack overflow, no memory out of proportion; and what is taken can be started and
//! written down. Run with `cargo +nightly fuzz run filter_text`.
#![no_main]

use hjall_engine::filter::FilterSpec;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &[u8]| {
    if let Ok(filter) = FilterSpec::parse(text) {
        filter.start(text.len() % 2 == 1).expect("what was taken can be started");
        assert_eq!(FilterSpec::from_bytes(&filter.to_bytes()).expect("what was written can be read"), filter);
    }
});
