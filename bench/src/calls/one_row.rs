//! Operations of one call on one row.

use hjall_idl::hbase1::AtomicIncrementArgs;
use hjall_idl::hbase2::{PutArgs, TColumnValue, TPut};

use super::answer;
use crate::choice::Choice;
use crate::generator::{Caller, Protocol, Step};
use crate::rows::{Template, Values};
use crate::thrift1::{get_row, message, mutate_row, mutate_rows};
use crate::{Outcome, redis};

/// Thrift2's FSYNC_WAL.
const FSYNC_WAL: i32 = 4;

/// What a call does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// `getRow`, or Redis's GET.
    Get,
    /// `mutateRow` of one column, or Redis's SET.
    Put,
    /// `mutateRows` with one row, as HappyBase's `Table.put` sends it, or Redis's SET.
    PutAsHappyBase,
    /// Thrift2's `put` with FSYNC_WAL, or Redis's SET.
    PutFsync,
    /// `atomicIncrement` of a column of its own, or Redis's INCR.
    Count,
}

/// The encoded call of an action.
pub fn template(protocol: Protocol, action: Action, table: &str, value_length: usize) -> Outcome<Template> {
    let value = Template::value(value_length);
    let bytes = match (protocol, action) {
        (Protocol::Redis, Action::Get) => redis::command(&[b"GET", Template::ROW]),
        (Protocol::Redis, Action::Put | Action::PutAsHappyBase | Action::PutFsync) => {
            redis::command(&[b"SET", Template::ROW, &value])
        }
        (Protocol::Redis, Action::Count) => redis::command(&[b"INCR", &[b"counter of ", Template::ROW].concat()]),
        (_, Action::Get) => get_row(table, Template::ROW)?,
        (_, Action::Put) => mutate_row(table, Template::ROW, "f:q", value)?,
        (_, Action::PutAsHappyBase) => {
            mutate_rows(table, vec![(Template::ROW.to_vec(), vec![("f:q".to_owned(), value)])])?
        }
        (_, Action::Count) => {
            let [table, row, column] = [table.as_bytes(), Template::ROW, b"f:counter"].map(<[u8]>::to_vec);
            message("atomicIncrement", &AtomicIncrementArgs::new(table, row, column, 1))?
        }
        (_, Action::PutFsync) => {
            let column = TColumnValue::new(b"f".to_vec(), b"q".to_vec(), value, None, None, None);
            let put = TPut::new(Template::ROW.to_vec(), vec![column], None, None, FSYNC_WAL, None);
            message("put", &PutArgs::new(table.as_bytes().to_vec(), put))?
        }
    };
    Ok(Template::new(bytes, value_length))
}

/// A connection that makes the same kind of call for the rows of a choice.
pub struct OneRow<'a> {
    pub protocol: Protocol,
    pub template: Template,
    pub choice: Choice,
    pub values: &'a Values,
}

impl Caller for OneRow<'_> {
    fn begin(&mut self, out: &mut Vec<u8>) -> Option<usize> {
        let (row, value) = (self.choice.next(), self.choice.any(usize::MAX));
        self.template.write([row], self.values, value, out);
        Some(0)
    }

    fn answered(&mut self, reply: &[u8], _out: &mut Vec<u8>) -> Result<Step, String> {
        Ok(Step::Done { rows: answer::rows(self.protocol, reply)? })
    }
}
