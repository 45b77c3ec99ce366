//! Filters: their text and wire forms, and what they let through in scans.

mod hostile;
mod java_regex;
mod scans;
mod texts;
