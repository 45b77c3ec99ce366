//! Runs the tests of `src/read_pace.rs`. Only Node can load the library, so its modules are part of this test.
#![allow(dead_code, reason = "the tests include a module of the crate and use a part of it")]

#[path = "../src/origin.rs"]
mod origin;
#[path = "../src/read_pace.rs"]
mod read_pace;
