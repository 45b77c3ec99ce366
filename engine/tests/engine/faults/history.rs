//! Short histories of operations on two rows, with a model that knows which states are possible after failures.

use std::collections::{BTreeMap, BTreeSet};

use bytes::Bytes;
use hjall_engine::mutation::{Append, Check, CompareOp, Delete, MarkerKind, Mutation};
use hjall_engine::request::{Get, Scan};
use hjall_engine::{Cell, Engine, Result, Table};

use crate::fixture::{SERVER, delete, descriptor, family, increment, name, put};

/// The rows of all histories.
const ROWS: [&str; 2] = ["r", "s"];

/// The newest value of each column of a row.
type State = BTreeMap<String, Vec<u8>>;

/// An operation, which may be repeated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Op {
    /// Writes two families of one row.
    Put,
    /// Puts both rows in one list.
    PutList,
    /// Deletes a column and writes another one, atomically.
    Mutate,
    /// Writes two families if a column does not exist.
    CheckAndPut,
    Increment,
    Append,
    DeleteRow,
    DeleteColumn,
    /// Deletes both rows in one list.
    DeleteList,
    Get,
    Scan,
    Flush,
    Compact,
    /// Changes a family.
    Alter,
    /// Disables and enables the table.
    Disable,
    /// Estimates what a compaction would drop.
    Sample,
}

impl Op {
    pub const ALL: [Self; 16] = [
        Self::Put,
        Self::PutList,
        Self::Mutate,
        Self::CheckAndPut,
        Self::Increment,
        Self::Append,
        Self::DeleteRow,
        Self::DeleteColumn,
        Self::DeleteList,
        Self::Get,
        Self::Scan,
        Self::Flush,
        Self::Compact,
        Self::Alter,
        Self::Disable,
        Self::Sample,
    ];
}

/// The table of all histories, with a value in each family of `r`.
pub fn prepare(engine: &Engine) {
    engine.create_table(descriptor("t", &["f", "g"]), vec![]).unwrap();
    let table = engine.table(&name("t"));
    table.put(&put("r", &[("f:a", SERVER, "begin"), ("g:a", SERVER, "begin")])).unwrap();
}

/// The states that each row may have.
#[derive(Debug, Clone)]
pub struct Possible([BTreeSet<State>; 2]);

impl Possible {
    /// As [`prepare`] leaves the rows.
    pub fn prepared() -> Self {
        let cells = ["f:a", "g:a"].map(|column| (column.to_owned(), b"begin".to_vec()));
        Self([BTreeSet::from([State::from(cells)]), BTreeSet::from([State::new()])])
    }

    /// Applies the effect of an operation to a row. If the operation failed, the row may have its old state as well.
    /// `effect` returns `None` for states that contradict the result of the operation.
    fn apply(&mut self, row: usize, failed: bool, effect: impl Fn(&State) -> Option<State>) {
        let after: BTreeSet<_> = self.0[row].iter().filter_map(effect).collect();
        if failed {
            self.0[row].extend(after);
        } else {
            assert!(!after.is_empty(), "the result of an operation on {} contradicts {:?}", ROWS[row], self.0[row]);
            self.0[row] = after;
        }
    }

    /// Narrows the states of a row down to one that has been read.
    pub fn observe(&mut self, row: usize, state: &State, how: &str) {
        assert!(
            self.0[row].contains(state),
            "{how} of {} returns {state:?}, but possible are {:?}",
            ROWS[row],
            self.0[row]
        );
        self.0[row] = BTreeSet::from([state.clone()]);
    }

    /// Reads all rows in several ways. All must agree and be possible. Nothing may fail.
    pub fn check(&mut self, engine: &Engine) {
        let table = engine.table(&name("t"));
        for (n, row) in ROWS.iter().enumerate() {
            // The first reads may fill the row cache, and the last ones use it.
            for _ in 0..3 {
                self.observe(n, &get(&table, row).unwrap(), "a get");
            }
        }
        for (n, state) in scan(&table).unwrap().iter().enumerate() {
            self.observe(n, state, "a scan");
        }
    }
}

fn state_of(cells: &[Cell]) -> State {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    cells.iter().map(|c| (format!("{}:{}", text(&c.family), text(&c.qualifier)), c.value.to_vec())).collect()
}

fn get(table: &Table, row: &str) -> Result<State> {
    Ok(state_of(&table.get(&Get::new(row.to_owned()))?.cells))
}

fn scan(table: &Table) -> Result<[State; 2]> {
    let mut states = [State::new(), State::new()];
    for row in table.scan(Scan::default())?.next(10)? {
        let n = ROWS.iter().position(|name| name.as_bytes() == row.key).unwrap();
        states[n] = state_of(&row.cells);
    }
    Ok(states)
}

fn column(text: &'static str) -> (Bytes, Bytes) {
    let (family, qualifier) = text.split_once(':').unwrap();
    (Bytes::from_static(family.as_bytes()), Bytes::from_static(qualifier.as_bytes()))
}

fn with(state: &State, cells: &[(&str, &[u8])]) -> State {
    let mut state = state.clone();
    state.extend(cells.iter().map(|(column, value)| ((*column).to_owned(), value.to_vec())));
    state
}

fn without(state: &State, column: &str) -> State {
    let mut state = state.clone();
    state.remove(column);
    state
}

/// Runs the n-th operation of a history, and applies it to the model. Returns its error.
pub fn run(op: Op, n: usize, engine: &Engine, possible: &mut Possible) -> Result<()> {
    let table = engine.table(&name("t"));
    let text = format!("value {n}");
    let value = text.as_bytes();
    let both = |row| put(row, &[("f:a", SERVER, &text), ("g:a", SERVER, &text)]);
    match op {
        Op::Put => {
            let done = table.put(&both("r"));
            possible.apply(0, done.is_err(), |s| Some(with(s, &[("f:a", value), ("g:a", value)])));
            done
        }
        Op::PutList => {
            let results = table.put_many(&ROWS.map(both));
            for (row, result) in results.iter().enumerate() {
                possible.apply(row, result.is_err(), |s| Some(with(s, &[("f:a", value), ("g:a", value)])));
            }
            results.into_iter().collect()
        }
        Op::Mutate => {
            let hide = Mutation::Delete(delete("r", &[(MarkerKind::Column, "f:a", SERVER)]));
            let done = table.mutate_row(b"r", &[hide, Mutation::Put(put("r", &[("g:b", SERVER, &text)]))]);
            possible.apply(0, done.is_err(), |s| Some(with(&without(s, "f:a"), &[("g:b", value)])));
            done
        }
        Op::CheckAndPut => {
            let (family, qualifier) = column("f:a");
            let check = Check { row: "r".into(), family, qualifier, op: CompareOp::Equal, value: None };
            let done = table.check_and_mutate(&check, &[Mutation::Put(both("r"))]);
            let told = done.as_ref().ok().copied();
            possible.apply(0, done.is_err(), |s| {
                let holds = !s.contains_key("f:a");
                let after = if holds { with(s, &[("f:a", value), ("g:a", value)]) } else { s.clone() };
                (told.is_none_or(|told| told == holds)).then_some(after)
            });
            done.map(|_| ())
        }
        Op::Increment => {
            let done = table.increment(&increment("r", "f:n", 1));
            let told = done.as_ref().ok().map(|row| row.cells[0].value.to_vec());
            possible.apply(0, done.is_err(), |s| {
                let old = s.get("f:n").map_or(0, |v| i64::from_be_bytes(v[..].try_into().unwrap()));
                let new = (old + 1).to_be_bytes();
                (told.as_ref().is_none_or(|told| told[..] == new)).then(|| with(s, &[("f:n", &new)]))
            });
            done.map(|_| ())
        }
        Op::Append => {
            let (family, qualifier) = column("f:l");
            let columns = vec![(family, qualifier, Bytes::copy_from_slice(value))];
            let done = table.append(&Append { row: "s".into(), columns, ..Append::default() });
            let told = done.as_ref().ok().map(|row| row.cells[0].value.to_vec());
            possible.apply(1, done.is_err(), |s| {
                let new = [s.get("f:l").map_or(&[][..], |old| old), value].concat();
                (told.as_ref().is_none_or(|told| *told == new)).then(|| with(s, &[("f:l", &new)]))
            });
            done.map(|_| ())
        }
        Op::DeleteRow => {
            let done = table.delete(&Delete::row("r"));
            possible.apply(0, done.is_err(), |_| Some(State::new()));
            done
        }
        Op::DeleteColumn => {
            let done = table.delete(&delete("s", &[(MarkerKind::Column, "f:a", SERVER)]));
            possible.apply(1, done.is_err(), |s| Some(without(s, "f:a")));
            done
        }
        Op::DeleteList => {
            let results = table.delete_many(&ROWS.map(Delete::row));
            for (row, result) in results.iter().enumerate() {
                possible.apply(row, result.is_err(), |_| Some(State::new()));
            }
            results.into_iter().collect()
        }
        Op::Get => {
            for (n, row) in ROWS.iter().enumerate() {
                possible.observe(n, &get(&table, row)?, "a get");
            }
            Ok(())
        }
        Op::Scan => {
            for (n, state) in scan(&table)?.iter().enumerate() {
                possible.observe(n, state, "a scan");
            }
            Ok(())
        }
        Op::Flush => engine.flush(&name("t")),
        Op::Compact => engine.compact(&name("t"), true),
        Op::Alter => engine.modify_family(&name("t"), family(&format!("f VERSIONS={}", n + 2))),
        Op::Disable => {
            let done = engine.disable_table(&name("t")).and_then(|()| engine.enable_table(&name("t")));
            if done.is_err() { enable_again(engine, done) } else { done }
        }
        Op::Sample => engine.garbage_share(&name("t")).map(|_| ()),
    }
}

/// The table may be disabled after a failure. Enables it if that is possible, and returns the failure.
fn enable_again(engine: &Engine, failed: Result<()>) -> Result<()> {
    if engine.is_table_enabled(&name("t")).is_ok_and(|enabled| !enabled) {
        drop(engine.enable_table(&name("t")));
    }
    failed
}

/// Enables the table if a failure left it disabled.
pub fn ensure_enabled(engine: &Engine) {
    if !engine.is_table_enabled(&name("t")).unwrap() {
        engine.enable_table(&name("t")).unwrap();
    }
}
