//! hjall's engine: the HBase data model over an ordered store.
//!
//! Everything that HBase's region servers and master do for a client is here, without threads of its own, sockets or async; the Thrift server
//! and the language bindings only translate.

pub mod cell;
pub mod clock;
pub mod engine;
pub mod error;
pub mod filter;
mod key;
pub mod mutation;
pub mod name;
pub mod request;
pub mod schema;
pub mod store;
pub mod table;
mod value;

pub use cell::{Cell, CellKind, LATEST, Row};
pub use engine::{Engine, Options};
pub use error::{Error, ErrorKind, Result};
pub use table::{Scanner, Table};
