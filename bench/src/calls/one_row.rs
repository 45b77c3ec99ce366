//! Operations of one call on one row.

use hjall_idl::hbase2::{PutArgs, TColumnValue, TPut};

use super::answer;
use crate::choice::Choice;
use crate::generator::{Caller, Protocol, Step};
use crate::rows::{Template, Values};
use crate::thrift1::{get_row, message, mutate_row};
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
    /// Thrift2's `put` with FSYNC_WAL, or Redis's SET.
    PutFsync,
}

/// The encoded call of an action.
pub fn template(protocol: Protocol, action: Action, table: &str, value_length: usize) -> Outcome<Template> {
    let value = Template::value(value_length);
    let bytes = match (protocol, action) {
        (Protocol::Redis, Action::Get) => redis::command(&[b"GET", Template::ROW]),
        (Protocol::Redis, Action::Put | Action::PutFsync) => redis::command(&[b"SET", Template::ROW, &value]),
        (_, Action::Get) => get_row(table, Template::ROW)?,
        (_, Action::Put) => mutate_row(table, Template::ROW, "f:q", value)?,
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
