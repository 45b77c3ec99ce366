//! The operations that connections of the load generator run: on hjall or HBase over Thrift, and on Redis.

pub mod answer;
pub mod one_row;
pub mod rows;
pub mod scan;
pub mod ycsb;
