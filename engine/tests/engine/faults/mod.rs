//! Faults: every call of the store fails at every point of short histories, and every file of a closed folder is
//! damaged.
//!
//! The tests print what they tried. `FAULTS=long` (`make faults`) tries longer histories and more kinds of damage.

pub mod calls;
mod files;
mod history;
mod journals;
mod lost_journals;

/// Whether the long form is wanted.
fn long() -> bool {
    std::env::var_os("FAULTS").is_some_and(|value| value == "long")
}
