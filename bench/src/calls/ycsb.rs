//! The operations of YCSB, on records of ten columns: over Thrift, and on Redis's hashes.

use std::cell::Cell;
use std::rc::Rc;

use hjall_idl::hbase1::{MutateRowArgs, Mutation, ScannerOpenWithScanArgs, TScan};

use super::answer;
use crate::choice::Choice;
use crate::generator::{Caller, Protocol, Step};
use crate::rows::{Template, Values};
use crate::thrift1::{get_row, message, scanner_close, scanner_get_list};
use crate::{Outcome, redis};

/// Columns of a record.
pub const FIELDS: usize = 10;
/// The longest scan, in records.
const SCANNED: usize = 100;

/// A kind of operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    Read,
    /// Puts one column.
    Update,
    /// Puts all columns of a new record.
    Insert,
    /// Reads up to a hundred records.
    Scan,
    /// Reads a record and puts one column.
    ReadModifyWrite,
}

/// Which records a workload uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Requests {
    Zipfian,
    Latest,
}

/// One of YCSB's core workloads.
#[derive(Debug, Clone, Copy)]
pub struct Workload {
    pub name: char,
    /// The operations and their shares in per cent.
    pub mix: [(Operation, usize); 2],
    pub requests: Requests,
}

impl Workload {
    const fn new(name: char, one: (Operation, usize), other: (Operation, usize), requests: Requests) -> Self {
        Self { name, mix: [one, other], requests }
    }

    /// A to F.
    pub const ALL: [Self; 6] = {
        use Operation::*;
        use Requests::*;
        [
            Self::new('A', (Read, 50), (Update, 50), Zipfian),
            Self::new('B', (Read, 95), (Update, 5), Zipfian),
            Self::new('C', (Read, 100), (Update, 0), Zipfian),
            Self::new('D', (Read, 95), (Insert, 5), Latest),
            Self::new('E', (Scan, 95), (Insert, 5), Zipfian),
            Self::new('F', (Read, 50), (ReadModifyWrite, 50), Zipfian),
        ]
    };
}

/// Encoded calls.
pub struct Calls {
    protocol: Protocol,
    read: Template,
    /// One for each column.
    updates: Vec<Template>,
    insert: Template,
    /// One for each number of records of a scan.
    scans: Vec<Template>,
}

impl Calls {
    /// The calls for a table.
    pub fn new(protocol: Protocol, table: &str, value_length: usize) -> Outcome<Self> {
        let template = |bytes| Template::new(bytes, value_length);
        let value = Template::value(value_length);
        let put = |fields: std::ops::Range<usize>| -> Outcome<Template> {
            if protocol == Protocol::Redis {
                let names: Vec<_> = fields.map(|field| format!("field{field}")).collect();
                let mut words: Vec<&[u8]> = vec![b"HSET", Template::ROW];
                words.extend(names.iter().flat_map(|name| [name.as_bytes(), &value]));
                return Ok(template(redis::command(&words)));
            }
            let mutation = |field| Mutation::new(false, format!("f:field{field}").into_bytes(), value.clone(), true);
            let mutations: Vec<_> = fields.map(mutation).collect();
            let arguments = MutateRowArgs::new(table.as_bytes().to_vec(), Template::ROW.to_vec(), mutations, None);
            Ok(template(message("mutateRow", &arguments)?))
        };
        let scan = |records: usize| -> Outcome<Template> {
            let scan = TScan {
                start_row: Some(Template::ROW.to_vec()),
                caching: Some(i32::try_from(records)?),
                ..TScan::default()
            };
            let arguments = ScannerOpenWithScanArgs::new(table.as_bytes().to_vec(), scan, None);
            Ok(template(message("scannerOpenWithScan", &arguments)?))
        };
        let read = match protocol {
            Protocol::Redis => redis::command(&[b"HGETALL", Template::ROW]),
            _ => get_row(table, Template::ROW)?,
        };
        Ok(Self {
            protocol,
            read: template(read),
            updates: (0..FIELDS).map(|field| put(field..field + 1)).collect::<Outcome<_>>()?,
            insert: put(0..FIELDS)?,
            scans: (1..=SCANNED).map(scan).collect::<Outcome<_>>()?,
        })
    }
}

/// A connection that puts records until there are enough.
pub struct Load<'a> {
    pub calls: Rc<Calls>,
    pub records: Rc<Cell<usize>>,
    pub end: usize,
    pub values: &'a Values,
}

impl Caller for Load<'_> {
    fn begin(&mut self, out: &mut Vec<u8>) -> Option<usize> {
        let record = self.records.get();
        if record >= self.end {
            return None;
        }
        self.records.set(record + 1);
        self.calls.insert.write([record], self.values, record * FIELDS, out);
        Some(0)
    }

    fn answered(&mut self, reply: &[u8], _out: &mut Vec<u8>) -> Result<Step, String> {
        Ok(Step::Done { rows: answer::rows(self.calls.protocol, reply)? })
    }
}

/// A connection that runs a workload. The kind of an operation is its number in the workload's mix.
pub struct Session<'a> {
    pub calls: Rc<Calls>,
    pub workload: Workload,
    pub choice: Choice,
    /// The number of records of the table, which inserts raise.
    pub records: Rc<Cell<usize>>,
    pub values: &'a Values,
    pub state: State,
}

/// What the connection waits for.
#[derive(Debug, Clone, Copy, Default)]
pub enum State {
    /// The end of the operation.
    #[default]
    Last,
    /// The record to modify.
    Reading(usize),
    /// The scanner, for this number of records.
    Opening(usize),
    /// The records of a scanner.
    Fetching(i32),
    /// The end of a scan that has found this number of records.
    Closing(u64),
}

impl Session<'_> {
    fn update(&mut self, record: usize, out: &mut Vec<u8>) {
        let (field, value) = (self.choice.any(FIELDS), self.choice.any(usize::MAX));
        self.calls.updates[field].write([record], self.values, value, out);
        self.state = State::Last;
    }
}

impl Caller for Session<'_> {
    fn begin(&mut self, out: &mut Vec<u8>) -> Option<usize> {
        let kind = usize::from(self.choice.any(100) >= self.workload.mix[0].1);
        let record = self.choice.next();
        match self.workload.mix[kind].0 {
            Operation::Read => {
                self.state = State::Last;
                self.calls.read.write([record], self.values, 0, out);
            }
            Operation::Update => self.update(record, out),
            Operation::Insert => {
                self.state = State::Last;
                let value = self.choice.any(usize::MAX);
                self.calls.insert.write([self.records.get()], self.values, value, out);
                // Taken at once, so that no other connection inserts the same record.
                self.records.set(self.records.get() + 1);
            }
            Operation::Scan => {
                let number = self.choice.any(SCANNED);
                self.state = State::Opening(number + 1);
                self.calls.scans[number].write([record], self.values, 0, out);
            }
            Operation::ReadModifyWrite => {
                self.state = State::Reading(record);
                self.calls.read.write([record], self.values, 0, out);
            }
        }
        Some(kind)
    }

    fn answered(&mut self, reply: &[u8], out: &mut Vec<u8>) -> Result<Step, String> {
        let rows = answer::rows(self.calls.protocol, reply)?;
        let told = |error: Box<dyn std::error::Error>| error.to_string();
        match self.state {
            State::Last => return Ok(Step::Done { rows }),
            State::Closing(rows) => return Ok(Step::Done { rows }),
            State::Reading(record) => self.update(record, out),
            State::Opening(number) => {
                let id = answer::number(reply)?;
                self.state = State::Fetching(id);
                out.extend_from_slice(&scanner_get_list(id, number as i32).map_err(told)?);
            }
            State::Fetching(id) => {
                self.state = State::Closing(rows);
                out.extend_from_slice(&scanner_close(id).map_err(told)?);
            }
        }
        Ok(Step::More)
    }
}
