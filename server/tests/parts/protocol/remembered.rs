//! Reads that are answered straight from their encoded arguments: each answer is the one that the method gives.

use std::cell::Cell;
use std::sync::Arc;

use hjall_engine::mutation::{Delete, Put, PutCell};
use hjall_engine::name::TableName;
use hjall_engine::schema::{FamilyDescriptor, TableDescriptor};
use hjall_server::dispatch::call::Services;
use hjall_server::dispatch::call_scope::CallScope;
use hjall_server::dispatch::caller::Caller;
use hjall_server::gateway::context::Context;
use hjall_server::wire::arguments;
use hjall_server::wire::measure::length_at_once;
use hjall_server::wire::method::{Method, Thrift1, Thrift2};
use hjall_server::wire::reply::{Buffer, Output};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use thrift::protocol::TType;

use super::gateways::{caller, context};
use super::value::{Value, Wire};

const GET_ROW: Method = Method::Thrift1(Thrift1::GetRow);
const WITH_COLUMNS: Method = Method::Thrift1(Thrift1::GetRowWithColumns);
const GET: Method = Method::Thrift2(Thrift2::Get);

/// A change between reads.
#[derive(Debug, Clone)]
pub enum Change {
    Put(u8, &'static str, &'static str, u8),
    Delete(u8),
    Disable,
    Enable,
    Drop,
    Create,
}

pub fn name() -> TableName {
    TableName::parse(b"t").unwrap()
}

pub fn row(n: u8) -> Vec<u8> {
    format!("row{n}").into_bytes()
}

pub fn apply(context: &Context, change: &Change) {
    let table = context.engine.table(&name());
    // Changes of a table that does not exist, or is disabled, fail.
    let _ = match change {
        Change::Put(n, family, qualifier, value) => {
            let cell = PutCell {
                family: (*family).into(),
                qualifier: (*qualifier).into(),
                timestamp: hjall_engine::LATEST,
                value: vec![*value; 3].into(),
            };
            table.put(&Put { row: row(*n).into(), cells: vec![cell], ..Put::default() })
        }
        Change::Delete(n) => table.delete(&Delete::row(row(*n))),
        Change::Disable => context.engine.disable_table(&name()),
        Change::Enable => context.engine.enable_table(&name()),
        Change::Drop => {
            let _ = context.engine.disable_table(&name());
            context.engine.delete_table(&name())
        }
        Change::Create => create(context),
    };
}

pub fn create(context: &Context) -> hjall_engine::Result<()> {
    let mut descriptor = TableDescriptor::new(name());
    for family in ["f", "f!", "g"] {
        descriptor.add_family(FamilyDescriptor::new(family).unwrap()).unwrap();
    }
    context.engine.create_table(descriptor, vec![])
}

pub fn change() -> impl Strategy<Value = Change> {
    let put = (0..3_u8, select(vec!["f", "f!", "g"]), select(vec!["", "a", "b"]), any::<u8>());
    prop_oneof![
        8 => put.prop_map(|(n, family, qualifier, value)| Change::Put(n, family, qualifier, value)),
        2 => (0..3_u8).prop_map(Change::Delete),
        1 => Just(Change::Disable),
        1 => Just(Change::Enable),
        1 => Just(Change::Drop),
        2 => Just(Change::Create),
    ]
}

pub fn text(text: &str) -> Value {
    Value::Bytes(text.as_bytes().to_vec())
}

/// The arguments of one of the methods, most of them as clients send them.
fn read() -> impl Strategy<Value = (Method, Value)> {
    let column = select(vec!["f", "f:", "f:a", "f!:b", "g:a", "g", "unknown:a", ":a", ""]);
    let columns = prop_oneof![3 => Just(None), 3 => vec(column, 0..4).prop_map(Some)];
    let table = prop_oneof![9 => Just("t"), 1 => select(vec!["default:t", "other", ""])];
    let row = (0..3_u8).prop_map(|n| Value::Bytes(row(n)));
    let row = prop_oneof![20 => row, 1 => Just(text("")), 1 => Just(Value::I64(5))];
    let attributes = prop_oneof![
        3 => Just(None),
        3 => Just(Some(vec![])),
        1 => Just(Some(vec![(text("_raw_"), Value::Bytes(vec![1]))])),
    ];
    let unusual = prop_oneof![
        9 => Just(None),
        1 => select(vec![
            (1, text("t")),
            (2, text("row1")),
            (3, Value::I64(3)),
            (5, text("unknown")),
            (3, Value::List(TType::String, vec![text("g")])),
            (1, Value::I32(1)),
        ])
        .prop_map(Some),
    ];
    (select(vec![GET_ROW, WITH_COLUMNS, GET]), table, row, columns, attributes, unusual).prop_map(
        |(method, table, row, columns, attributes, unusual)| {
            let attributes = attributes.map(|pairs| Value::Map(TType::String, TType::String, pairs));
            let mut fields = vec![(1, text(table))];
            match method {
                GET => {
                    let column = |name: &str| {
                        let mut parts = name.splitn(2, ':').zip([1, 2]);
                        Value::Struct(parts.by_ref().map(|(part, id)| (id, text(part))).collect())
                    };
                    let columns = columns.map(|all| Value::List(TType::Struct, all.into_iter().map(column).collect()));
                    let parts = [(1, Some(row)), (2, columns), (7, attributes)];
                    let parts = parts.into_iter().filter_map(|(id, part)| Some((id, part?)));
                    fields.push((2, Value::Struct(parts.chain(unusual).collect())));
                }
                _ => {
                    let names = columns.filter(|_| method == WITH_COLUMNS);
                    let names = names.map(|all| Value::List(TType::String, all.into_iter().map(text).collect()));
                    let at = if method == WITH_COLUMNS { 4 } else { 3 };
                    let parts = [(2, Some(row)), (3, names), (at, attributes)];
                    fields.extend(parts.into_iter().filter_map(|(id, part)| Some((id, part?))));
                    fields.extend(unusual);
                }
            }
            (method, Value::Struct(fields))
        },
    )
}

/// Makes a call in both ways. Returns whether its answer was remembered.
fn check(context: &Context, caller: &Arc<Caller>, wire: Wire, method: Method, given: &Value) -> bool {
    let message = wire.message("", given);
    let body = &message[wire.message("", &Value::Struct(vec![])).len() - 1..];
    let answer = |run: &dyn Fn(&CallScope<'_>, &mut Output<'_>) -> Option<bool>| {
        let mut out = Vec::new();
        let succeeded = {
            let mut output = Output::new(wire.encoding(), Buffer::new(&mut out, 64 << 20));
            run(&CallScope::unlimited(caller), &mut output)
        };
        (succeeded, out)
    };
    let remembered = answer(&|scope, output| {
        context.try_encoded(scope, method, wire.encoding(), body, output).map(|answered| answered.is_ok())
    });
    let run = answer(&|scope, output| {
        Some(context.call(scope, method, arguments(wire.encoding(), body).as_dyn(), output).is_ok())
    });
    match remembered.0 {
        Some(_) => {
            assert_eq!(remembered, run, "{wire:?} {method:?} {given:?}");
            assert_eq!(length_at_once(wire.encoding(), &message, 1 << 20), Some(message.len()));
        }
        None => assert_eq!(remembered.1, b"", "nothing is written unless the call is answered"),
    }
    remembered.0.is_some()
}

thread_local! {
    static ANSWERED: Cell<usize> = const { Cell::new(0) };
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    fn histories(steps in vec((prop::option::weighted(0.2, change()), read()), 1..120)) {
        let (context, caller) = (context(), caller());
        create(&context).unwrap();
        for n in 0..3 {
            apply(&context, &Change::Put(n, "f", "a", n));
        }
        for (change, (method, given)) in &steps {
            if let Some(change) = change {
                apply(&context, change);
            }
            for wire in [Wire::Strict, Wire::Compact] {
                let answered = check(&context, &caller, wire, *method, given);
                ANSWERED.set(ANSWERED.get() + usize::from(answered));
            }
        }
    }
}

#[test]
fn a_remembered_answer_is_the_one_that_the_method_gives() {
    histories();
    let answered = ANSWERED.get();
    assert!(answered > 100, "only {answered} answers were remembered");
}
