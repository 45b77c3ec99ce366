//! Gets and scans: versions, delete markers, time ranges, limits, limits of work, the row cache and what compaction leaves.

mod budget;
mod compaction;
mod model;
mod plain;
mod raw;
mod reopened;
mod row_cache;
mod scanner;
mod scans;
mod sequence;
mod versions;
mod work_limit;
