//! Tests of the engine through its public interface. The store suite is a separate test program, `tests/store`.
#![allow(dead_code, missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

#[path = "../shared/eventually.rs"]
mod eventually;
#[cfg(target_os = "linux")]
#[path = "../shared/file_limit.rs"]
mod file_limit;
mod fixture;
#[path = "../shared/folder_copy.rs"]
mod folder_copy;
mod script;
mod world;

mod ddl;
mod faults;
mod filter;
mod formats;
mod garbage;
mod maintenance;
mod model;
mod open;
mod read;
mod read_only;
mod scripts;
mod traffic;
mod write;
