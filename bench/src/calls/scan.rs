//! Scans: `scannerOpenWithScan`, then `scannerGetList` until the end, over and over.

use hjall_idl::hbase1::{ScannerOpenWithScanArgs, TScan};

use super::answer;
use crate::Outcome;
use crate::generator::{Caller, Protocol, Step};
use crate::thrift1::{message, scanner_close, scanner_get_list};

/// A connection that scans a table. An operation is a `scannerGetList`, together with the opening of its scanner if it
/// is the first one and with the closing if it is the last one.
pub struct Scanner {
    protocol: Protocol,
    /// Opens the first scanner.
    first: Option<Vec<u8>>,
    /// Opens the others, at the first row of the table.
    open: Vec<u8>,
    rows: i32,
    state: State,
}

#[derive(Clone, Copy)]
enum State {
    Closed,
    Opening,
    Open(i32),
    Closing,
}

impl Scanner {
    /// Fetches this number of rows with a call. The first scan begins at the given row.
    pub fn new(protocol: Protocol, table: &str, rows: i32, first: &[u8]) -> Outcome<Self> {
        let open = |from: &[u8]| {
            let scan = TScan { start_row: Some(from.to_vec()), caching: Some(rows), ..TScan::default() };
            message("scannerOpenWithScan", &ScannerOpenWithScanArgs::new(table.as_bytes().to_vec(), scan, None))
        };
        Ok(Self { protocol, first: Some(open(first)?), open: open(b"")?, rows, state: State::Closed })
    }

    fn fetch(&mut self, id: i32, out: &mut Vec<u8>) -> Result<(), String> {
        self.state = State::Open(id);
        out.extend_from_slice(&scanner_get_list(id, self.rows).map_err(|error| error.to_string())?);
        Ok(())
    }
}

impl Caller for Scanner {
    fn begin(&mut self, out: &mut Vec<u8>) -> Option<usize> {
        match self.state {
            State::Open(id) => self.fetch(id, out).ok()?,
            _ => {
                self.state = State::Opening;
                out.extend_from_slice(self.first.take().as_deref().unwrap_or(&self.open));
            }
        }
        Some(0)
    }

    fn answered(&mut self, reply: &[u8], out: &mut Vec<u8>) -> Result<Step, String> {
        match self.state {
            State::Opening => {
                self.fetch(answer::number(reply)?, out)?;
                Ok(Step::More)
            }
            State::Open(id) => match answer::rows(self.protocol, reply)? {
                0 => {
                    self.state = State::Closing;
                    out.extend_from_slice(&scanner_close(id).map_err(|error| error.to_string())?);
                    Ok(Step::More)
                }
                rows => Ok(Step::Done { rows }),
            },
            State::Closing | State::Closed => {
                answer::rows(self.protocol, reply)?;
                self.state = State::Closed;
                Ok(Step::Done { rows: 0 })
            }
        }
    }
}
