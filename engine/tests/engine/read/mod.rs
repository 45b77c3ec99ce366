//! Gets and scans: versions, delete markers, time ranges, limits, work limits, interruptions, the row cache and
//! compactions.

mod budget;
mod compaction;
mod division;
mod interruptions;
mod model;
mod old_snapshots;
mod plain;
mod portions;
mod raw;
mod reopened;
mod row_cache;
mod row_cache_model;
mod scanner;
mod scans;
mod sequence;
mod versions;
mod work_limit;
