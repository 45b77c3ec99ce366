//! Reads: what of the stored cells a reader sees.
//!
//! From the bottom up: `pairs` walks a store and seeks; `times` and `marks` know what delete markers hide; `column` (with `sequence` and
//! `raw` for the two other ways of reading) picks the versions of one column; `family` walks columns and rows of one family; `region` merges families
//! into rows and asks the filter; `hot` has the rows that are read often; `row` and `scanner` are what tables call.

mod column;
mod down;
mod extent;
mod family;
mod hot;
mod marks;
mod pairs;
mod plan;
mod prefix;
mod raw;
mod region;
mod row;
mod scanner;
mod sequence;
mod sieve;
mod stop;
mod times;

pub(crate) use hot::HotRows;
pub(crate) use row::{exists, get, newest};
pub use scanner::Scanner;
pub use stop::{Stop, Watch};
