//! Reads and writes tables as Arrow data, over Arrow's C data interface. No Python object is created per cell.
//!
//! Reading: `codec` lists the decoders, `decode` applies them, `layout` determines the columns of the result,
//! `discover` finds columns that were not named, `batch` fills batches from a scan, `parallel` does so with several
//! threads, and `scan` and `table` are the Python classes. Writing: `encode` is the reverse of `decode`, and `load`
//! turns batches into puts.

mod arguments;
mod batch;
mod capsule;
mod codec;
mod decode;
mod discover;
mod encode;
mod error;
mod layout;
mod load;
mod parallel;
mod scan;
mod table;

pub use arguments::{load_arrow, scan_arrow};
pub use scan::{ArrowBatches, ArrowScan};
pub use table::ArrowTable;
