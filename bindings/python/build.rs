//! Linker arguments of an extension module: Python's symbols are resolved when it is loaded, which macOS requires
//! to be stated.

fn main() {
    pyo3_build_config::add_extension_module_link_args();
}
