//! Calls of every method of both services with well-formed arguments, most of them meaningless: the gateways answer
//! each call.

use std::sync::Arc;
use std::time::Duration;

use hjall_engine::clock::ManualClock;
use hjall_engine::read::WorkLimit;
use hjall_engine::{Engine, Options};
use hjall_idl::hbase2::{ExistsArgs, GetArgs, TGet};
use hjall_server::dispatch::call::Services;
use hjall_server::dispatch::call_scope::CallScope;
use hjall_server::dispatch::caller::Caller;
use hjall_server::dispatch::identity::Identity;
use hjall_server::gateway::compactor::Compactor;
use hjall_server::gateway::context::Context;
use hjall_server::gateway::scanners::Scanners;
use hjall_server::observe::{SlowSettings, Watch};
use hjall_server::settings::config::{CallOptions, CompactionSettings, Limits};
use hjall_server::wire::Encoding;
use hjall_server::wire::arguments;
use hjall_server::wire::method::{Method, Thrift1, Thrift2};
use hjall_server::wire::reply::{Buffer, Output};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use thrift::protocol::{TBinaryOutputProtocol, TSerializable, TType};

use super::value::{Value, Wire};

pub fn context() -> Context {
    let clock = Arc::new(ManualClock::at(1_700_000_000_000));
    let engine = Engine::memory(Options { clock: Some(clock.clone()), ..Options::default() }).unwrap();
    context_of(engine, clock)
}

/// As [`context`], of this engine.
pub fn context_of(engine: Engine, clock: Arc<ManualClock>) -> Context {
    let settings = CompactionSettings { request_delay: Duration::ZERO, ..CompactionSettings::default() };
    Context {
        access: Arc::default(),
        compactor: Compactor::start(engine.clone(), settings).unwrap(),
        engine,
        scanners: Scanners::new(&Limits::default(), clock),
        identity: Identity { host: "h".to_owned(), port: 1, start_code: 2 },
        options: CallOptions::default(),
        watch: Arc::new(Watch::new(SlowSettings::default(), None)),
    }
}

/// The client of all calls.
pub fn caller() -> Arc<Caller> {
    Caller::new(([127, 0, 0, 1], 1).into())
}

/// Makes one call without a socket, so that a panic fails the test. Returns the bytes of the result, none if the call
/// has no result.
fn call(context: &Context, method: Method, given: &Value) -> Vec<u8> {
    let message = Wire::Strict.message("", given);
    let mut out = Vec::new();
    let mut output = Output::new(Encoding::Binary, Buffer::new(&mut out, 64 << 20));
    let answered = context.call(
        &CallScope::unlimited(&caller()),
        method,
        arguments(Encoding::Binary, &message[12..]).as_dyn(),
        &mut output,
    );
    if answered.is_err() { Vec::new() } else { out }
}

/// Bytes that are meaningful to some method.
fn bytes() -> impl Strategy<Value = Vec<u8>> {
    let known = [
        "t",
        "t2",
        "",
        "default:t",
        "ns:t",
        "hbase:meta",
        "ns",
        "f",
        "f:",
        "f:q",
        ":q",
        "q",
        "r",
        "r1",
        "a b",
        ".*",
        "(",
        "[a-",
        "PrefixFilter('r')",
        "_raw_",
        "_ttl",
        "\u{1}",
        "LZ4",
        "NONE",
        "VERSIONS",
        "3",
        "SYNC_WAL",
        "t,,1.0123456789abcdef.",
    ];
    prop_oneof![
        8 => select(known.map(|s| s.as_bytes().to_vec()).to_vec()),
        1 => vec(any::<u8>(), 0..20),
        1 => Just(vec![b'x'; 40_000]),
        1 => Just(vec![0, 0, 0, 0, 0, 0, 0, 9]),
    ]
}

/// A value of a type that an argument or a field may have.
fn likely(of: TType, levels: u32) -> BoxedStrategy<Value> {
    let inner = levels.saturating_sub(1);
    let numbers = vec![-1, 0, 1, 2, 5, i64::from(i32::MAX), i64::MAX, i64::MIN, 1_700_000_000_000];
    match of {
        TType::Bool => any::<bool>().prop_map(Value::Bool).boxed(),
        TType::I08 => any::<i8>().prop_map(Value::I08).boxed(),
        TType::I32 => select(vec![-1, 0, 1, 2, 3, 4, 5, 7, 100, i32::MAX, i32::MIN]).prop_map(Value::I32).boxed(),
        TType::I64 => select(numbers).prop_map(Value::I64).boxed(),
        TType::Struct => {
            let field = (1_i16..13, a_type(levels)).prop_flat_map(move |(id, of)| (Just(id), likely(of, inner)));
            vec(field, 0..8).prop_map(Value::Struct).boxed()
        }
        TType::List | TType::Set => a_type(levels)
            .prop_flat_map(move |element| (Just(element), vec(likely(element, inner), 0..4)))
            .prop_map(move |(e, all)| if of == TType::Set { Value::Set(e, all) } else { Value::List(e, all) })
            .boxed(),
        TType::Map => (select(vec![TType::String, TType::Struct]), vec(bytes(), 0..3))
            .prop_flat_map(move |(value, keys)| {
                let values = vec(likely(value, inner), keys.len());
                (Just(value), Just(keys), values)
            })
            .prop_map(|(value, keys, values)| {
                Value::Map(TType::String, value, keys.into_iter().map(Value::Bytes).zip(values).collect())
            })
            .boxed(),
        _ => bytes().prop_map(Value::Bytes).boxed(),
    }
}

fn a_type(levels: u32) -> impl Strategy<Value = TType> {
    let flat = vec![TType::String, TType::String, TType::String, TType::I32, TType::I64, TType::Bool];
    let nested = [TType::Struct, TType::Struct, TType::List, TType::List, TType::Map];
    select(if levels == 0 { flat } else { [flat.as_slice(), &nested].concat() })
}

/// A call whose arguments have the types of its contract; some are missing.
fn any_call() -> impl Strategy<Value = (Method, Value)> {
    select(Method::all().collect::<Vec<_>>()).prop_flat_map(|method| {
        let arguments = method.info().arguments.iter();
        let fields: Vec<_> = arguments.map(|a| (Just(a.id), likely(a.wire, 3), prop::bool::weighted(0.95))).collect();
        fields.prop_map(move |fields| {
            let given = fields.into_iter().filter(|(.., given)| *given).map(|(id, value, _)| (id, value)).collect();
            (method, Value::Struct(given))
        })
    })
}

/// Creates the table `t` with the family `f` and one row.
fn prepare(context: &Context) {
    let bytes = |text: &str| Value::Bytes(text.as_bytes().to_vec());
    let family = Value::Struct(vec![(1, bytes("f"))]);
    let create = Value::Struct(vec![(1, bytes("t")), (2, Value::List(TType::Struct, vec![family]))]);
    assert_eq!(call(context, Method::Thrift1(Thrift1::CreateTable), &create), [0], "a result without an exception");
    let mutation = Value::Struct(vec![(2, bytes("f:q")), (3, bytes("v"))]);
    let put = vec![(1, bytes("t")), (2, bytes("r")), (3, Value::List(TType::Struct, vec![mutation]))];
    assert_eq!(call(context, Method::Thrift1(Thrift1::MutateRow), &Value::Struct(put)), [0]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn every_call_is_answered(calls in vec(any_call(), 1..40)) {
        let context = context();
        prepare(&context);
        for (method, given) in &calls {
            let result = call(&context, *method, given);
            if !result.is_empty() {
                let mut reader = arguments(Encoding::Binary, &result);
                prop_assert!(reader.as_dyn().skip(TType::Struct).is_ok(), "{method:?}: {result:?}");
            }
        }
    }
}

#[test]
fn a_union_with_an_unknown_field_is_an_error() {
    let union = Value::Struct(vec![(3, Value::Struct(vec![]))]);
    let mutations = Value::Struct(vec![(2, Value::List(TType::Struct, vec![union]))]);
    let context = context();
    assert_eq!(call(&context, Method::Thrift2(Thrift2::MutateRow), &Value::Struct(vec![(2, mutations)])), b"");
}

/// Calls a method with a limit on its work. Returns `None` if it has reached the limit.
fn within(work: WorkLimit, method: Thrift2, given: &impl TSerializable) -> Option<bool> {
    let (context, caller, mut message) = (context(), caller(), Vec::new());
    given.write_to_out_protocol(&mut TBinaryOutputProtocol::new(&mut message, true)).unwrap();
    let (mut out, mut input) = (Vec::new(), arguments(Encoding::Binary, &message));
    let mut output = Output::new(Encoding::Binary, Buffer::new(&mut out, 1 << 20));
    let scope = CallScope::unlimited(&caller);
    work.run(|| context.call(&scope, Method::Thrift2(method), input.as_dyn(), &mut output).is_ok())
}

#[test]
fn a_filter_is_not_parsed_where_work_is_limited() {
    let work = WorkLimit { pairs: 1_000_000, bytes: 1 << 30 };
    let get = |text: Option<&str>, serialised: Option<&str>| {
        let bytes = |text: &str| text.as_bytes().to_vec();
        let (text, serialised) = (text.map(bytes), serialised.map(bytes));
        let row = b"r".to_vec();
        TGet::new(row, None, None, None, None, text, None, None, None, None, None, None, None, None, serialised)
    };
    let both = |tget: TGet| {
        let exists = ExistsArgs { table: b"t".to_vec(), tget: tget.clone() };
        let get = GetArgs { table: b"t".to_vec(), tget };
        [within(work, Thrift2::Get, &get), within(work, Thrift2::Exists, &exists)]
    };
    assert!(both(get(None, None)).iter().all(Option::is_some));
    // The answer to a malformed filter would show that it has been parsed.
    assert_eq!(both(get(Some("("), None)), [None; 2]);
    assert_eq!(both(get(None, Some("?"))), [None; 2]);
    assert_eq!(both(get(Some("KeyOnlyFilter()"), None)), [None; 2]);
}
