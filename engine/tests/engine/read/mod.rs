//! Gets and scans: versions, delete markers, time ranges, limits, work limits, the row cache and compactions.

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
