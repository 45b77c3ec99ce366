//! Tells the linker what a module of Node needs.

fn main() {
    napi_build::setup();
}
