//! Passes the linker options that a native module for Node needs.

fn main() {
    napi_build::setup();
}
