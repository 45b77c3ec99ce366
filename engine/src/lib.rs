//! HBase's data model over an ordered key-value store: tables, column families, versions, delete markers, filters,
//! scans.
//!
//! ```
//! use hjall_engine::mutation::{Durability, Put, PutCell};
//! use hjall_engine::name::TableName;
//! use hjall_engine::request::{Get, Scan};
//! use hjall_engine::schema::{FamilyDescriptor, TableDescriptor};
//! use hjall_engine::{Engine, LATEST, Options};
//!
//! # fn main() -> Result<(), hjall_engine::Error> {
//! // `Engine::open` takes a folder; this database ends with the process.
//! let engine = Engine::memory(Options::default())?;
//! let name = TableName::parse(b"people")?;
//! let mut descriptor = TableDescriptor::new(name.clone());
//! descriptor.add_family(FamilyDescriptor::new("f")?)?;
//! engine.create_table(descriptor, vec![])?;
//!
//! let people = engine.table(&name);
//! let cell =
//!     PutCell { family: "f".into(), qualifier: "name".into(), timestamp: LATEST, value: "Ada".into() };
//! people.put(&Put {
//!     row: "1815".into(),
//!     cells: vec![cell],
//!     ttl_ms: None,
//!     durability: Durability::default(),
//! })?;
//!
//! let row = people.get(&Get::new("1815"))?;
//! assert_eq!(row.cells[0].value, "Ada");
//! for row in people.scan(Scan::default())?.rows() {
//!     println!("{:?}", row?.key);
//! }
//! engine.close()
//! # }
//! ```
//!
//! Everything is synchronous, and only the store starts threads. The Thrift server and the language bindings only
//! translate.

pub mod blocking;
mod catalog;
pub mod cell;
pub mod clock;
mod compaction;
mod compare_op;
pub mod config;
mod core;
mod database;
mod durability;
pub mod error;
pub mod filter;
pub mod group;
mod inspect;
mod key;
pub mod mutation;
pub mod name;
pub mod quote;
pub mod read;
pub mod region;
pub mod request;
mod row_cache;
pub mod schema;
mod stop;
pub mod store;
pub mod table;
pub mod thread_priority;
mod value;
mod write;

pub use cell::{Cell, CellKind, CellRef, LATEST, Row};
pub use config::{Limits, MemoryLimits, Options};
pub use database::{Damage, Engine, FamilyProgress, TableFiles, TableTraffic, Traffic};
pub use error::{Error, ErrorKind, Result};
pub use store::JournalDamage;
pub use table::{BulkLoad, Loaded, Scanner, Table};
