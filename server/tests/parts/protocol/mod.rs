//! The wire's readers against the thrift crate's writers and against anything else: properties of measuring, reading and recognising.
mod dialect;
mod gateways;
mod hostile;
mod round_trip;
mod value;
