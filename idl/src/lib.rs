//! HBase's two Thrift contracts in wire form: the structs of each dialect, and for each method one struct with its arguments and one with its result.
//!
//! The contracts for people and clients are `thrift/hbase1.thrift` and `thrift/hbase2.thrift`; `generate.py` tells how the code comes from them.

#[rustfmt::skip]
#[allow(missing_docs, unused, clippy::all, clippy::unwrap_used, clippy::expect_used, clippy::panic)]
pub mod hbase1;
#[rustfmt::skip]
#[allow(missing_docs, unused, clippy::all, clippy::unwrap_used, clippy::expect_used, clippy::panic)]
pub mod hbase2;
pub mod method;
#[rustfmt::skip]
mod methods;

pub use method::{Argument, Method, methods};
