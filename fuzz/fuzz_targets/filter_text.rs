//! Parses arbitrary bytes as text in the filter language. There must be no panic and no stack overflow; a filter that
//! is accepted must be usable and serialisable. While it is parsed, it must not use more memory than is claimed for
//! it: that of its regular expressions, and a multiple of its length. Run with `cargo +nightly fuzz run filter_text`.
#![no_main]

#[path = "sessions/memory.rs"]
mod memory;

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Once;

use hjall_engine::filter::FilterSpec;
use hjall_engine::filter::regex::claiming;
use libfuzzer_sys::fuzz_target;

/// What the server claims for each byte of a filter's text.
const BYTES_PER_SOURCE_BYTE: usize = 32;
/// Memory that a call may use without a claim.
const UNCLAIMED: usize = 512 << 10;

static TABLES: Once = Once::new();

fuzz_target!(|text: &[u8]| {
    // Tables of Unicode that are made once.
    TABLES.call_once(|| drop(FilterSpec::parse(br"ValueFilter(=,'regexstring:(?iu)\p{L}\b[a-\u00ff]\X')")));
    let claimed = Rc::new(Cell::new(0));
    let most = claimed.clone();
    let claim = move |bytes: usize| {
        most.set(bytes.max(most.get()));
        Ok(())
    };
    let before = memory::live();
    memory::reset_peak();
    let parsed = claiming(Rc::new(claim), || FilterSpec::parse(text));
    let used = memory::peak().saturating_sub(before);
    let allowed = claimed.get() + text.len() * BYTES_PER_SOURCE_BYTE + UNCLAIMED;
    assert!(used <= allowed, "{used} bytes are used, {} are claimed for {} bytes of text", claimed.get(), text.len());
    if let Ok(filter) = parsed {
        filter.start(text.len() % 2 == 1).expect("an accepted filter can be started");
        assert_eq!(FilterSpec::from_bytes(&filter.to_bytes()).expect("a serialised filter can be parsed"), filter);
    }
});
