//! Batches of puts: `mutateRows`, and Redis's MSET.

use std::cell::Cell;
use std::rc::Rc;

use super::answer;
use crate::generator::{Caller, Protocol, Step};
use crate::rows::{Template, Values};
use crate::thrift1::mutate_rows;
use crate::{Outcome, redis};

/// The encoded call that puts this number of rows of one column.
pub fn template(protocol: Protocol, table: &str, rows: usize, value_length: usize) -> Outcome<Template> {
    let value = Template::value(value_length);
    let bytes = if protocol == Protocol::Redis {
        let mut words: Vec<&[u8]> = vec![b"MSET"];
        words.extend(std::iter::repeat_n([Template::ROW, &value], rows).flatten());
        redis::command(&words)
    } else {
        let one = (Template::ROW.to_vec(), vec![("f:q".to_owned(), value)]);
        mutate_rows(table, vec![one; rows])?
    };
    Ok(Template::new(bytes, value_length))
}

/// A connection that puts batches of new rows.
pub struct Batches<'a> {
    pub protocol: Protocol,
    pub template: Template,
    /// The number of the next row, which connections share.
    pub next: Rc<Cell<usize>>,
    /// The number of the row before which to stop. The last batch may contain some more.
    pub end: usize,
    pub values: &'a Values,
}

impl Caller for Batches<'_> {
    fn begin(&mut self, out: &mut Vec<u8>) -> Option<usize> {
        let first = self.next.get();
        if first >= self.end {
            return None;
        }
        self.next.set(first + self.template.rows());
        self.template.write(first.., self.values, first, out);
        Some(0)
    }

    fn answered(&mut self, reply: &[u8], _out: &mut Vec<u8>) -> Result<Step, String> {
        answer::rows(self.protocol, reply)?;
        Ok(Step::Done { rows: self.template.rows() as u64 })
    }
}
