//! How an extension module is linked: Python's own symbols are found when it is loaded (macOS wants to be told so).

fn main() {
    pyo3_build_config::add_extension_module_link_args();
}
