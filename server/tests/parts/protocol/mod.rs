//! The readers of `wire` on messages from the thrift crate's writers and on arbitrary bytes: properties of measuring,
//! reading and recognising.
mod dialect;
mod gateways;
mod hostile;
mod remembered;
mod round_trip;
mod rows;
mod short_puts;
mod value;
