//! hjall's engine: the HBase data model over an ordered store.
//!
//! Everything that HBase's region servers and master do for a client is here, without threads of its own, sockets or async; the Thrift server
//! and the language bindings only translate.

mod catalog;
pub mod cell;
pub mod clock;
pub mod config;
pub mod engine;
pub mod error;
pub mod filter;
mod key;
mod locks;
pub mod mutation;
pub mod name;
pub mod read;
pub mod region;
pub mod request;
pub mod schema;
pub mod store;
pub mod table;
mod value;
mod write;

pub use cell::{Cell, CellKind, LATEST, Row};
pub use config::{Limits, Options};
pub use engine::Engine;
pub use error::{Error, ErrorKind, Result};
pub use table::{Scanner, Table};
