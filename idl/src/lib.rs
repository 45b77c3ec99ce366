//! HBase's two Thrift services: the structs of each, and for each method a struct of its arguments and one of
//! its result.
//!
//! The definitions are `thrift/hbase1.thrift` and `thrift/hbase2.thrift`; `generate.py` generates the code from them.

#[rustfmt::skip]
#[allow(missing_docs, unused, clippy::all, reason = "generated")]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "generated")]
pub mod hbase1;
#[rustfmt::skip]
#[allow(missing_docs, unused, clippy::all, reason = "generated")]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "generated")]
pub mod hbase2;
pub mod method;
#[rustfmt::skip]
#[allow(missing_docs, reason = "generated")]
mod methods;
mod rest;

/// What precedes the remedy in the text of an exception: after HBase's text, on a line of its own, so that clients can
/// tell them apart.
pub const REMEDY_LINE: &str = "\nhjall: ";

pub use method::{
    Access, Argument, CallKind, Effect, Method, MethodInfo, Name, Rest, ScannerUse, Service, ServiceHint, Thrift1,
    Thrift2,
};
