//! Settings, which come in layers.
//!
//! ```text
//! defaults < TOML file < hbase-site.xml < environment < flags ─► effective settings ─► startup options
//! ```
//!
//! [`table::ALL`] describes every setting. Parsing, validation, `hjall config`, the environment variables, the
//! flags and the reference in docs/operations.md are all derived from it.

pub mod config;
mod difference;
mod document;
mod effective;
mod environment;
mod hbase;
pub mod lane_size;
pub mod named_file;
mod nearest;
mod protection;
mod setting;
mod show;
mod site;
mod sources;
pub mod startup;
mod substitution;
pub mod table;
mod text;
mod toml;
pub(crate) mod toml_text;
mod value;

pub use difference::Difference;
pub use document::markdown;
pub use effective::{Effective, SET};
pub use hbase::WITHOUT_EFFECT;
pub(crate) use nearest::nearest;
pub use setting::{Default, Flag, Key, Setting};
pub use show::{commented, exceeded_memory, json, toml as shown};
pub use sources::{Assignment, Notes, Origin, Refused, SettingError, Sources};
pub use startup::{Log, StartupOptions};
pub use value::{Kind, Value};
