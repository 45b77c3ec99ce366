//! Reads: which of the stored cells a reader sees.
//!
//! From the bottom up: `pairs` walks a space and seeks; `times` and `delete_tracker` know what delete markers hide; `column` picks the versions of
//! one column, `column_tracker` counts them (`sequence` and `raw` are the other two ways of reading a column); `family_cursor` walks the columns and
//! rows of one family; `store_scanner` applies the filter to it; `region_scanner` merges families into rows; `row` and `scanner` serve tables.

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
