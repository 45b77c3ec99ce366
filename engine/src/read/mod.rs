//! Reads: what of the stored cells a reader sees.
//!
//! From the bottom up: `pairs` walks a store and seeks; `times` and `marks` know what delete markers hide; `column` (with `sequence` and
//! `raw` for the two other ways of reading) picks the versions of one column; `family` walks columns and rows of one family; `region` merges families
//! into rows and asks the filter; `hot` has the rows that are read often; `row` and `scanner` are what tables call.

mod column;
mod column_tracker;
mod delete_tracker;
mod family_cursor;
mod family_scan;
mod key_range;
mod pairs;
mod prefix;
mod qualifiers;
mod raw;
mod region_scanner;
mod reverse;
mod row;
mod scanner;
mod sequence;
mod stop;
mod store_scanner;
mod times;

pub(crate) use row::{exists, get, newest};
pub use scanner::Scanner;
pub use stop::{Stop, Watch};
