//! Puts and increments that are run straight from their encoded arguments: each has the effect and the answer of the
//! method.

use std::cell::Cell;
use std::sync::Arc;

use hjall_engine::clock::ManualClock;
use hjall_engine::request::Scan;
use hjall_engine::store::MemoryStore;
use hjall_engine::store::fault::{Call, Counted, FaultStore, InjectedFault, When};
use hjall_engine::{Engine, ErrorKind};
use hjall_server::dispatch::call::Services;
use hjall_server::dispatch::call_scope::CallScope;
use hjall_server::dispatch::caller::Caller;
use hjall_server::gateway::context::Context;
use hjall_server::wire::arguments;
use hjall_server::wire::method::{Method, Thrift1, Thrift2};
use hjall_server::wire::reply::{Buffer, Output};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use thrift::protocol::TType;

use super::gateways::{caller, context, context_of};
use super::remembered::{Change, apply, change, create, name, row, text};
use super::value::{Value, Wire};

const MUTATE_ROW: Method = Method::Thrift1(Thrift1::MutateRow);
const PUT: Method = Method::Thrift2(Thrift2::Put);
const ATOMIC_INCREMENT: Method = Method::Thrift1(Thrift1::AtomicIncrement);
const MUTATE_ROWS: Method = Method::Thrift1(Thrift1::MutateRows);
const PUT_MULTIPLE: Method = Method::Thrift2(Thrift2::PutMultiple);

/// Fields with their numbers; those without a value are left out.
fn fields(all: impl IntoIterator<Item = (i16, Option<Value>)>) -> Vec<(i16, Value)> {
    all.into_iter().filter_map(|(id, value)| Some((id, value?))).collect()
}

/// A mutation of Thrift1, or a column value of Thrift2.
fn cell(method: Method) -> impl Strategy<Value = Value> {
    let column = select(vec!["f:", "f:a", "f!:b", "g:a:c", "f:a", "f:b", "g:x", "f", "unknown:a", ":a", ""]);
    let value = prop_oneof![9 => vec(any::<u8>(), 0..40).prop_map(Some), 1 => Just(None)];
    let flag = |usual: bool| prop_oneof![4 => Just(None), 8 => Just(Some(usual)), 1 => Just(Some(!usual))];
    let unusual = prop_oneof![
        20 => Just(None),
        1 => select(vec![(2, text("f:a")), (4, Value::I64(7)), (9, text("unknown")), (3, Value::I32(1))]).prop_map(Some),
    ];
    (column, value, flag(false), flag(true), unusual).prop_map(move |(column, value, delete, wal, unusual)| {
        let value = value.map(Value::Bytes);
        let cell = match method {
            MUTATE_ROW => {
                let flags = (delete.map(Value::Bool), wal.map(Value::Bool));
                fields([(1, flags.0), (2, Some(text(column))), (3, value), (4, flags.1)])
            }
            _ => {
                let (family, qualifier) = column.split_once(':').unwrap_or((column, "q"));
                fields([(1, Some(text(family))), (2, Some(text(qualifier))), (3, value)])
            }
        };
        Value::Struct(cell.into_iter().chain(unusual).collect())
    })
}

/// The durability of a put of Thrift2, which may be unknown.
fn durability() -> impl Strategy<Value = Option<Value>> {
    prop_oneof![3 => Just(None), 2 => (-1..7_i32).prop_map(|level| Some(Value::I32(level)))]
}

/// The arguments of one of the methods, most of them as clients send them.
fn put() -> impl Strategy<Value = (Method, Value)> {
    select(vec![MUTATE_ROW, PUT]).prop_flat_map(|method| {
        let cells = prop_oneof![20 => vec(cell(method), 1..4), 1 => vec(cell(method), 0..20)];
        let table = prop_oneof![15 => Just("t"), 1 => select(vec!["default:t", "other", "", "a b"])];
        let key = (0..3_u8).prop_map(|n| Value::Bytes(row(n)));
        let key = prop_oneof![20 => key, 1 => Just(text("")), 1 => Just(Value::I64(5))];
        let attributes = prop_oneof![
            4 => Just(None),
            4 => Just(Some(vec![])),
            1 => Just(Some(vec![(text("_ttl"), Value::Bytes(vec![0, 0, 0, 0, 0, 0, 0, 9]))])),
        ];
        let unusual = prop_oneof![
            12 => Just(None),
            1 => select(vec![(1, text("t")), (2, text("row1")), (6, Value::I32(1)), (9, text("unknown"))]).prop_map(Some),
        ];
        let parts = (cells, table, key, attributes, durability(), unusual);
        parts.prop_map(move |(cells, table, key, attributes, durability, unusual)| {
            let cells = Some(Value::List(TType::Struct, cells));
            let attributes = attributes.map(|pairs| Value::Map(TType::String, TType::String, pairs));
            let mut all = vec![(1, text(table))];
            match method {
                MUTATE_ROW => all.extend(fields([(2, Some(key)), (3, cells), (4, attributes)]).into_iter().chain(unusual)),
                _ => {
                    let parts = fields([(1, Some(key)), (2, cells), (5, attributes), (6, durability)]);
                    all.push((2, Value::Struct(parts.into_iter().chain(unusual).collect())));
                }
            }
            (method, Value::Struct(all))
        })
    })
}

/// A row of a list, and its cells.
fn put_of_list(method: Method) -> impl Strategy<Value = Value> {
    let cell_of = if method == MUTATE_ROWS { MUTATE_ROW } else { PUT };
    let cells = prop_oneof![30 => vec(cell(cell_of), 1..3), 1 => Just(Vec::new())];
    let key = (0..5_u8).prop_map(|n| Value::Bytes(row(n)));
    let key = prop_oneof![40 => key, 1 => Just(text("")), 1 => Just(Value::I64(5))];
    let ttl = (text("_ttl"), Value::Bytes(vec![0, 0, 0, 0, 0, 0, 0, 9]));
    let attributes = prop_oneof![20 => Just(None), 20 => Just(Some(vec![])), 1 => Just(Some(vec![ttl]))];
    let unusual = prop_oneof![
        40 => Just(None),
        1 => select(vec![(1, text("row1")), (3, Value::I64(7)), (6, Value::I32(1)), (9, text("unknown"))]).prop_map(Some),
    ];
    (key, cells, attributes, durability(), unusual).prop_map(move |(key, cells, attributes, durability, unusual)| {
        let attributes = attributes.map(|pairs| Value::Map(TType::String, TType::String, pairs));
        let attributes = attributes.filter(|_| method == PUT_MULTIPLE);
        let durability = durability.filter(|_| method == PUT_MULTIPLE);
        let cells = Some(Value::List(TType::Struct, cells));
        let all = fields([(1, Some(key)), (2, cells), (5, attributes), (6, durability)]);
        Value::Struct(all.into_iter().chain(unusual).collect())
    })
}

/// The arguments of one of the methods that have a list of rows, most of them as clients send them.
fn puts() -> impl Strategy<Value = (Method, Value)> {
    select(vec![MUTATE_ROWS, PUT_MULTIPLE]).prop_flat_map(|method| {
        let rows = prop_oneof![20 => vec(put_of_list(method), 1..4), 1 => vec(put_of_list(method), 0..40)];
        let table = prop_oneof![15 => Just("t"), 1 => select(vec!["default:t", "other", "", "a b"])];
        let unusual = prop_oneof![
            15 => Just(None),
            1 => select(vec![(1, text("t")), (2, text("row1")), (6, Value::I32(1)), (9, text("unknown"))]).prop_map(Some),
        ];
        let attributes = prop_oneof![
            10 => Just(None),
            10 => Just(Some(vec![])),
            1 => Just(Some(vec![(text("_ttl"), Value::Bytes(vec![0, 0, 0, 0, 0, 0, 0, 9]))])),
        ];
        (rows, table, attributes, unusual).prop_map(move |(rows, table, attributes, unusual)| {
            let attributes = attributes.map(|pairs| Value::Map(TType::String, TType::String, pairs));
            let attributes = attributes.filter(|_| method == MUTATE_ROWS);
            let all = fields([(1, Some(text(table))), (2, Some(Value::List(TType::Struct, rows))), (3, attributes)]);
            (method, Value::Struct(all.into_iter().chain(unusual).collect()))
        })
    })
}

/// The arguments of `atomicIncrement`, most of them as clients send them.
fn increment() -> impl Strategy<Value = (Method, Value)> {
    let table = prop_oneof![20 => Just("t"), 1 => select(vec!["default:t", "other", "", "a b"])];
    let key =
        prop_oneof![20 => (0..3_u8).prop_map(|n| Value::Bytes(row(n))), 1 => Just(text("")), 1 => Just(Value::I64(5))];
    let columns = vec!["f:n", "f:n", "g:n", "g:a:c", "f:n", "f:a", "f:", "f", "unknown:a", "f!:n", ":n", ""];
    let amount = prop_oneof![
        10 => any::<i64>().prop_map(|amount| Some(Value::I64(amount))),
        10 => (-9..9_i64).prop_map(|amount| Some(Value::I64(amount))),
        1 => Just(None),
        1 => Just(Some(Value::I32(1))),
    ];
    let unusual = prop_oneof![
        20 => Just(None),
        1 => select(vec![(1, text("t")), (3, text("f:n")), (6, Value::I32(1)), (9, text("unknown"))]).prop_map(Some),
    ];
    (table, key, select(columns), amount, unusual).prop_map(|(table, key, column, amount, unusual)| {
        let all = fields([(1, Some(text(table))), (2, Some(key)), (3, Some(text(column))), (4, amount)]);
        (ATOMIC_INCREMENT, Value::Struct(all.into_iter().chain(unusual).collect()))
    })
}

/// A gateway and its client.
struct Gateway(Context, Arc<Caller>);

impl Gateway {
    fn new() -> Self {
        let context = context();
        create(&context).unwrap();
        Self(context, caller())
    }

    /// The answer to a call: whether it succeeded, and its bytes.
    fn answer(
        &self,
        run: impl FnOnce(&CallScope<'_>, &mut Output<'_>) -> Option<bool>,
        wire: Wire,
    ) -> (Option<bool>, Vec<u8>) {
        let mut out = Vec::new();
        let succeeded = {
            let mut output = Output::new(wire.encoding(), Buffer::new(&mut out, 64 << 20));
            run(&CallScope::unlimited(&self.1), &mut output)
        };
        (succeeded, out)
    }

    /// Runs the method.
    fn call(&self, wire: Wire, method: Method, body: &[u8]) -> (Option<bool>, Vec<u8>) {
        let run = |scope: &CallScope<'_>, output: &mut Output<'_>| {
            Some(self.0.call(scope, method, arguments(wire.encoding(), body).as_dyn(), output).is_ok())
        };
        self.answer(run, wire)
    }

    /// Runs the call from its encoded arguments; the method if that is not possible.
    fn call_encoded(&self, wire: Wire, method: Method, body: &[u8]) -> (Option<bool>, Vec<u8>) {
        let run = |scope: &CallScope<'_>, output: &mut Output<'_>| {
            self.0.try_encoded(scope, method, wire.encoding(), body, output).map(|answered| answered.is_ok())
        };
        let (succeeded, out) = self.answer(run, wire);
        if succeeded.is_some() {
            RUN.set(RUN.get() + 1);
            return (succeeded, out);
        }
        assert_eq!(out, b"", "nothing is written unless the call is answered");
        self.call(wire, method, body)
    }

    /// All cells of the table, with their timestamps; none if it cannot be read.
    fn stored(&self) -> Option<String> {
        let mut scanner = self.0.engine.table(&name()).scan(Scan::default()).ok()?;
        Some(format!("{:?}", scanner.next(100).ok()?))
    }
}

thread_local! {
    static RUN: Cell<usize> = const { Cell::new(0) };
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    fn histories(steps in vec((prop::option::weighted(0.1, change()), put()), 1..60)) {
        check(&steps)?;
    }

    fn histories_of_counters(steps in vec((prop::option::weighted(0.1, change()), increment()), 1..60)) {
        check(&steps)?;
    }

    fn histories_of_lists(steps in vec((prop::option::weighted(0.1, change()), puts()), 1..60)) {
        check(&steps)?;
    }
}

/// Runs the calls of a history in both ways, on tables that change in between.
fn check(steps: &[(Option<Change>, (Method, Value))]) -> Result<(), TestCaseError> {
    let (encoded, methods) = (Gateway::new(), Gateway::new());
    for (change, (method, given)) in steps {
        for gateway in [&encoded, &methods] {
            if let Some(change) = change {
                apply(&gateway.0, change);
            }
        }
        for wire in [Wire::Strict, Wire::Compact] {
            let message = wire.message("", given);
            let body = &message[wire.message("", &Value::Struct(vec![])).len() - 1..];
            let answer = encoded.call_encoded(wire, *method, body);
            prop_assert_eq!(answer, methods.call(wire, *method, body), "{:?} {:?} {:?}", wire, method, given);
        }
        prop_assert_eq!(encoded.stored(), methods.stored());
    }
    Ok(())
}

#[test]
fn a_put_from_encoded_arguments_has_the_effect_and_the_answer_of_the_method() {
    histories();
    let run = RUN.get();
    assert!(run > 500, "only {run} puts were run from their encoded arguments");
}

#[test]
fn a_list_of_puts_from_encoded_arguments_has_the_effect_and_the_answer_of_the_method() {
    histories_of_lists();
    let run = RUN.get();
    assert!(run > 300, "only {run} lists were run from their encoded arguments");
}

#[test]
fn an_increment_from_encoded_arguments_has_the_effect_and_the_answer_of_the_method() {
    histories_of_counters();
    let run = RUN.get();
    assert!(run > 300, "only {run} increments were run from their encoded arguments");
}

/// An increment that has failed may have taken effect, so the method must not repeat it.
#[test]
fn an_increment_whose_outcome_is_unknown_is_not_run_again() {
    let clock = Arc::new(ManualClock::at(1_700_000_000_000));
    let store = Arc::new(FaultStore::new(Arc::new(MemoryStore::new(clock.clone()))));
    let gateway = Gateway(context_of(Engine::with_store(store.clone()).unwrap(), clock), caller());
    create(&gateway.0).unwrap();
    let fields = vec![(1, text("t")), (2, text("r")), (3, text("f:n")), (4, Value::I64(1))];
    let message = Wire::Strict.message("", &Value::Struct(fields));
    let body = &message[Wire::Strict.message("", &Value::Struct(vec![])).len() - 1..];
    let increment = || gateway.call_encoded(Wire::Strict, ATOMIC_INCREMENT, body).1;
    let counted = |value: u8| [&[10, 0, 0, 0, 0, 0, 0, 0, 0, 0, value, 0][..]].concat();
    assert_eq!(increment(), counted(1));
    store.fail(InjectedFault {
        counted: Counted::Only(Call::Transact),
        nth: 1,
        when: When::After,
        kind: ErrorKind::Io,
        lasting: false,
    });
    assert_ne!(increment(), counted(3), "it has been repeated");
    assert!(store.heal());
    assert_eq!(increment(), counted(3));
}
