//! `hjall._native`: the engine as a Python extension module.
//!
//! It converts arguments, calls the engine and converts results. The API for users is in `python/src/hjall`.

mod admin;
mod arrow;
mod batch;
mod call;
mod clock;
mod convert;
mod database;
mod error;
mod exclusive;
mod family;
mod filter;
mod fork;
mod load;
mod mutation;
mod row;
mod scanner;
mod server;
mod table;
mod table_handle;

use pyo3::prelude::*;

/// The implementation of the package `hjall`. Import that package instead: this module has no stable API.
#[pymodule(gil_used = false)]
mod _native {
    #[pymodule_export]
    use super::admin::{Admin, restore};
    #[pymodule_export]
    use super::arrow::{ArrowBatches, ArrowScan, ArrowTable, load_arrow, scan_arrow};
    #[pymodule_export]
    use super::batch::Batch;
    #[pymodule_export]
    use super::call::read_inline;
    #[pymodule_export]
    use super::clock::ManualClock;
    #[pymodule_export]
    use super::database::Database;
    #[pymodule_export]
    use super::filter::{Comparator, Filter};
    #[pymodule_export]
    use super::fork::forked;
    #[pymodule_export]
    use super::scanner::Scanner;
    #[pymodule_export]
    use super::server::{Server, command};
    #[pymodule_export]
    use super::table::Table;

    /// The version of the package.
    #[pymodule_export]
    #[allow(non_upper_case_globals, reason = "the name that Python gives it")]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}
