//! Runs whole sessions: several connections that call, stop in the middle of a message, do not read their replies,
//! send arbitrary bytes and hang up, in the order that the input chooses. A model knows what the server may hold.
//! After each step the server must not hold more connections, scanners, claimed bytes or memory than its limits
//! allow, and every complete call must be answered. After the input, it must hold nothing, and serve another client.
//!
//! Run with `cargo +nightly fuzz run sessions` in the root of the repository. The server runs in this process, so
//! that its coverage guides the fuzzer and its memory can be measured.
#![no_main]

mod client;
mod memory;
mod model;

use std::cell::RefCell;

use libfuzzer_sys::fuzz_target;

use model::Session;

thread_local! {
    /// The server, which serves many inputs. An input that may leave scanners behind ends it.
    static SESSION: RefCell<Option<Session>> = const { RefCell::new(None) };
}

fuzz_target!(|bytes: &[u8]| {
    SESSION.with_borrow_mut(|kept| {
        let mut session = kept.take().unwrap_or_else(Session::start);
        session.run(bytes);
        if session.end() {
            *kept = Some(session);
        }
    });
});
