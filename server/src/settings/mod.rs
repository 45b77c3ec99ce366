//! Settings, which come in layers.
//!
//! ```text
//! defaults < TOML file < hbase-site.xml < environment < flags ─► effective settings ─► launch
//! ```
//!
//! [`table::ALL`] describes every setting. Parsing, validation, `hjall config`, the environment variables, the
//! flags and the reference in docs/operations.md are all derived from it.

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
mod protection;
mod setting;
mod show;
mod site;
pub mod table;
mod text;
mod toml;
pub(crate) mod toml_text;
mod value;

pub use difference::Difference;
pub use document::markdown;
pub use force::{InForce, SET};
pub use given::{Given, Notes, Origin, Refused, Sources, Wrong};
pub use hbase::WITHOUT_EFFECT;
pub use launch::{Launch, Log};
pub use setting::{Default, Flag, Key, Setting};
pub use show::{commented, json, toml as shown};
pub use value::{Kind, Value};
