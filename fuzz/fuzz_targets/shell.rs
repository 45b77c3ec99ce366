//! Parses arbitrary bytes as a statement of the shell's language. There must be no panic, no stack overflow and no
//! disproportionate time or memory; a statement that is accepted must also be parsed with its variables known. Run with
//! `cargo +nightly fuzz run shell`.
#![no_main]

use std::collections::HashSet;

use hjall_shell::language::parse;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|source: &[u8]| {
    let known: HashSet<String> = ["a", "b", "t"].map(str::to_owned).into();
    let plain = parse(source, &HashSet::new());
    let with_variables = parse(source, &known);
    // Dropping the trees must not exhaust the stack either.
    drop((plain, with_variables));
});
