//! Parses arbitrary bytes as text in the filter language. There must be no panic, no stack overflow and no
//! disproportionate memory use; a filter that is accepted must be usable and serialisable. Run with
//! `cargo +nightly fuzz run filter_text`.
#![no_main]

use hjall_engine::filter::FilterSpec;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &[u8]| {
    if let Ok(filter) = FilterSpec::parse(text) {
        filter.start(text.len() % 2 == 1).expect("an accepted filter can be started");
        assert_eq!(FilterSpec::from_bytes(&filter.to_bytes()).expect("a serialised filter can be parsed"), filter);
    }
});
