//! Reads: which of the stored cells a reader sees.
//!
//! From the bottom up: `pairs` reads a space and seeks in it; `times` and `delete_tracker` track what delete markers
//! hide; `column` selects the versions of one column and `column_tracker` counts them (`sequence` and `raw` are the
//! other two ways to read a column); `family_cursor` goes through the columns and rows of one family; `store_scanner`
//! applies the filter; `region_scanner` merges families into rows; `row` and `scanner` serve gets and scans of tables.
//! `division` finds the rows at which a scan is divided for several threads. `budget` bounds what the reads of one call
//! gather, `work_limit` the work that the reads of a closure do.

mod budget;
mod column;
mod column_tracker;
mod delete_tracker;
mod division;
mod family_cursor;
mod family_scan;
mod key_range;
mod pairs;
mod position;
mod prefix;
mod qualifiers;
mod raw;
mod region_scanner;
mod remembered;
mod reused_row;
mod reverse;
mod row;
mod row_page;
mod scan_snapshot;
mod scanner;
mod sequence;
mod store_scanner;
mod stored_row;
mod times;
mod work_limit;

pub use crate::row_cache::{PackedCells, PackedRow};
pub use crate::stop::{Stop, Watch};
pub use budget::{Budget, Unlimited};
pub use division::Stride;
pub use remembered::{RememberedRow, RememberedRows};
pub use reused_row::{NumberedCell, ReusedRow};
pub(crate) use row::{ColumnRead, Stored, exists, get, newest, newest_times, whole_row};
pub use row_page::{PageCell, PageRow, RowPage};
pub use scan_snapshot::SnapshotAge;
pub use scanner::{Fetched, FetchedPage, Scanner};
pub use work_limit::WorkLimit;
pub(crate) use work_limit::read_in_transaction;
