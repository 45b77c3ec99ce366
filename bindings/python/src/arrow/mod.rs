//! Tables as Arrow data, over Arrow's C data interface: no Python object is made of a cell, whichever way it goes.
//!
//! Out: `kind` names the decoders, `column` runs them, `layout` says which columns there are, `batch` fills batches from a scan, `discover` finds
//! columns that were not named, `scan` and `table` are what Python sees. In: `encode` is the reverse of `column`, `load` makes puts of batches.

mod arguments;
mod batch;
mod capsule;
mod column;
mod discover;
mod encode;
mod fault;
mod kind;
mod layout;
mod load;
mod scan;
mod table;

pub use arguments::{load_arrow, scan_arrow};
pub use scan::{ArrowBatches, ArrowScan};
pub use table::ArrowTable;
