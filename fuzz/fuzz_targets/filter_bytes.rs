//! Decodes arbitrary bytes as a serialised filter. There must be no panic, no stack overflow and no
//! disproportionate memory use; a filter that is accepted must be usable and serialisable. Run with
//! `cargo +nightly fuzz run filter_bytes`.
#![no_main]

use hjall_engine::filter::FilterSpec;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(filter) = FilterSpec::from_bytes(bytes) {
        filter.start(bytes.len() % 2 == 1).expect("an accepted filter can be started");
        let again = FilterSpec::from_bytes(&filter.to_bytes()).expect("a serialised filter can be parsed");
        // Compared as text, because a probability of NaN is not equal to itself.
        assert_eq!(format!("{again:?}"), format!("{filter:?}"));
    }
});
