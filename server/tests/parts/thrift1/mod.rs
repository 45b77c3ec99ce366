//! Thrift1 in process, over a store in memory: cases that HBase's recorded answers do not cover, and intended
//! differences.

mod compactions;
mod counters;
mod faults;
pub mod gateway;
mod regions;
mod rows;
mod scans;
mod tables;
