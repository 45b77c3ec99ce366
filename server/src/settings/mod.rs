//! Settings: what a server is told from outside, in layers.
//!
//! ```text
//! defaults < TOML file < hbase-site.xml < environment < flags ─► in force ─► launch
//! ```
//!
//! [`table::ALL`] holds every setting as data. Reading the layers, refusing wrong values, `hjall config`, the names in the environment, the
//! flags, and the table in docs/operations.md all come from it.

pub mod config;
mod difference;
mod document;
mod environment;
mod force;
mod given;
mod hbase;
pub mod lane_size;
pub mod launch;
mod nearest;
mod setting;
mod show;
mod site;
pub mod table;
mod text;
mod toml;
mod value;

pub use difference::Difference;
pub use document::markdown;
pub use force::InForce;
pub use given::{Given, Notes, Origin, Refused, Sources, Wrong};
pub use hbase::WITHOUT_EFFECT;
pub use launch::{Launch, Log};
pub use setting::{Default, Flag, Key, Setting};
pub use show::{commented, json, toml as shown};
pub use value::{Kind, Value};
