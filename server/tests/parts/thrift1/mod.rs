//! The first service in process, over a store in memory: what HBase's recorded answers do not reach, or what is meant to differ.

mod compactions;
mod counters;
mod faults;
mod gateway;
mod regions;
mod rows;
mod scans;
mod tables;
