//! `hjall._native`: the engine as a Python extension module. Glue only: it converts, calls, converts; the idiom is `python/src/hjall`.

mod call;
mod convert;
mod database;
mod error;
mod fork;
mod table;

use pyo3::prelude::*;

/// The engine of hjall, as the package `hjall` uses it. Import that one: nothing here is promised to stay.
#[pymodule]
mod _native {
    #[pymodule_export]
    use super::database::Database;
    #[pymodule_export]
    use super::fork::forked;
    #[pymodule_export]
    use super::table::Table;
}
