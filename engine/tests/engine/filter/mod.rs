//! Filters: their textual and serialised forms, and their results in scans.

mod decimals;
mod hostile;
mod java_regex;
mod regex_memory;
mod row_ranges;
mod scans;
mod texts;
mod work;
