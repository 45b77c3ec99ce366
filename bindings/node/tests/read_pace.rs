//! Runs the tests of `src/read_pace.rs`. Only Node can load the library, so its modules are part of this test.
#![allow(dead_code)]

#[path = "../src/origin.rs"]
mod origin;
#[path = "../src/read_pace.rs"]
mod read_pace;
