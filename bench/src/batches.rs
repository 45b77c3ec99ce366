//! Batches of puts of fjall alone, written on request: the peer of the embedded packages' batches, without the cost of
//! another language.
//!
//! The rows are those of `bench/node/peers.js`: a key and five small values. For each line `FROM TO` on the standard
//! input, the rows of that range are committed as one batch, and a line is answered.

use std::io::{BufRead, Write};

use crate::Outcome;
use crate::raw_fjall::RawFjall;

const COLUMNS: [&str; 5] = ["city", "mail", "name", "phone", "street"];
const VALUE_BYTES: usize = 20;
const CACHE_BYTES: u64 = 256 << 20;

/// How a row is stored.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
pub enum Stored {
    /// A key and a value for each cell, with the bytes that hjall stores.
    Cells,
    /// One value for the whole row, under the row's name.
    Rows,
}

/// Answers requests until the standard input ends.
pub fn run(stored: Stored) -> Outcome<()> {
    let folder = tempfile::tempdir()?;
    let fjall = RawFjall::open(folder.path(), CACHE_BYTES)?;
    let mut answers = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        let range = line.split_once(' ').and_then(|(from, to)| Some(from.parse().ok()?..to.parse().ok()?));
        let range: std::ops::Range<u64> = range.ok_or_else(|| format!("{line:?} is not of the form FROM TO"))?;
        match stored {
            Stored::Cells => fjall.put_cells(range.flat_map(|i| {
                let row = row(i);
                COLUMNS.map(|column| (row.clone(), column, value(i, column)))
            }))?,
            Stored::Rows => {
                fjall.put_pairs(range.map(|i| (row(i), COLUMNS.map(|column| value(i, column)).concat())))?;
            }
        }
        writeln!(answers, "{line}")?;
        answers.flush()?;
    }
    Ok(())
}

fn row(i: u64) -> String {
    format!("user{:09}", i * 7_919_999 % 100_000_007)
}

fn value(i: u64, column: &str) -> String {
    let mut value = format!("f:{column}-{i}");
    value.truncate(VALUE_BYTES);
    format!("{value:.<VALUE_BYTES$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_those_of_the_node_benchmark() {
        assert_eq!(row(20), "user058399973");
        assert_eq!(value(7, "city"), "f:city-7............");
        assert_eq!(value(123_456_789, "street").len(), VALUE_BYTES);
    }
}
