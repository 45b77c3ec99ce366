//! Values of the language.

use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use chrono::{DateTime, FixedOffset};
use hjall_engine::filter::{Comparator, FilterSpec};
use num_bigint::BigInt;
use num_bigint::ToBigInt;

use super::ast::Code;
use super::interpreter::Scope;

/// A value. Cheap to clone; strings, arrays and hashes are shared and can change.
#[derive(Clone)]
pub enum Value {
    /// `nil`.
    Nil,
    /// `true` or `false`.
    Bool(bool),
    /// A whole number that fits.
    Int(i64),
    /// A whole number beyond 64 bits.
    Big(Rc<BigInt>),
    /// A floating-point number.
    Float(f64),
    /// A string of bytes, usually UTF-8.
    Str(Text),
    /// A symbol.
    Symbol(Rc<[u8]>),
    /// An array.
    Array(Rc<List>),
    /// A hash, in the order of insertion.
    Hash(Rc<Table>),
    /// A range.
    Range(Rc<Span>),
    /// A block, lambda or method as a value.
    Proc(Rc<Proc>),
    /// A regular expression.
    Regex(Rc<Pattern>),
    /// A time.
    Time(DateTime<FixedOffset>),
    /// An exception that was rescued.
    Exception(Rc<Exception>),
    /// A class of the language, by name.
    Class(Rc<str>),
    /// A reference to a table.
    TableRef(Rc<str>),
    /// Something of Java's.
    Java(Rc<Java>),
}

/// A string.
pub type Text = Rc<RefCell<Vec<u8>>>;

/// The elements of an array. Dropping one does not recurse, however deep arrays are nested.
#[derive(Default)]
pub struct List(pub RefCell<Vec<Value>>);

/// The pairs of a hash.
#[derive(Default)]
pub struct Table {
    pairs: RefCell<Vec<Option<(Value, Value)>>>,
    index: RefCell<HashMap<Vec<u8>, usize>>,
}

/// A range.
pub struct Span {
    /// The first value; nil: none.
    pub begin: Value,
    /// The last value; nil: none.
    pub end: Value,
    /// Whether the last value is excluded.
    pub exclusive: bool,
}

/// A block, lambda or method as a value.
pub enum Proc {
    /// Code and the variables around it.
    Code {
        /// Parameters and body.
        code: Rc<Code>,
        /// The variables around it.
        scope: Rc<Scope>,
        /// Whether the block is a lambda: it checks its arguments, and `return` ends only the block.
        lambda: bool,
    },
    /// `&:name`: calls the method of its first argument.
    Method(String),
    /// `method(:name)`: calls the command or method of the script.
    Function(String),
}

/// A regular expression.
pub struct Pattern {
    /// The source.
    pub source: String,
    /// The flags: `i`, `m`, `x`.
    pub flags: String,
    /// The compiled form.
    pub regex: fancy_regex::Regex,
}

/// An exception.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exception {
    /// The name of its class.
    pub class: String,
    /// The message.
    pub message: String,
    /// Text that completes HBase's message: the thing, the reason or the remedy.
    pub remedy: Option<String>,
    /// Whether a command raised it; the output of the command has not been ended then.
    pub of_command: bool,
}

/// Something of Java's.
#[derive(Clone)]
pub enum Java {
    /// A package or an incomplete name.
    Package(String),
    /// A class by its full name.
    Class(String),
    /// `byte[]`.
    Bytes(Vec<u8>),
    /// `java.util.Date`, in milliseconds since 1970.
    Date(i64),
    /// `java.text.SimpleDateFormat` and its pattern.
    DateFormat(String),
    /// `java.text.ParsePosition`.
    ParsePosition(Cell<i64>),
    /// A value of an enumeration: the class and the name.
    Constant(String, String),
    /// A filter.
    Filter(FilterSpec),
    /// A comparator of filters.
    Comparator(Comparator),
    /// `FilterList`, to which filters can be added.
    FilterList(RefCell<(bool, Vec<FilterSpec>)>),
    /// `MultiRowRangeFilter.RowRange`, or a pair of a fuzzy filter.
    RowRange(hjall_engine::filter::RowRange),
    /// A pair of a fuzzy filter: bytes and mask.
    FuzzyPair(Vec<u8>, Vec<u8>),
    /// A list of values with this class, such as `java.util.ArrayList`.
    List(String, RefCell<Vec<Value>>),
    /// An object that can only be shown.
    Opaque(String),
}

/// The length up to which keys of a hash are distinguished, in bytes.
const KEY_BYTES_MAX: usize = 64 << 20;

impl Value {
    /// A string.
    pub fn text(bytes: impl Into<Vec<u8>>) -> Self {
        Self::Str(Rc::new(RefCell::new(bytes.into())))
    }

    /// A symbol.
    pub fn symbol(name: impl AsRef<[u8]>) -> Self {
        Self::Symbol(name.as_ref().into())
    }

    /// An array.
    pub fn array(values: Vec<Self>) -> Self {
        Self::Array(Rc::new(List(RefCell::new(values))))
    }

    /// A hash.
    pub fn hash(pairs: impl IntoIterator<Item = (Self, Self)>) -> Self {
        let table = Table::default();
        for (key, value) in pairs {
            table.insert(key, value);
        }
        Self::Hash(Rc::new(table))
    }

    /// A whole number, as small as it can be.
    pub fn int(value: BigInt) -> Self {
        match i64::try_from(&value) {
            Ok(small) => Self::Int(small),
            Err(_) => Self::Big(Rc::new(value)),
        }
    }

    /// Something of Java's.
    pub fn java(java: Java) -> Self {
        Self::Java(Rc::new(java))
    }

    /// `byte[]`.
    pub fn bytes(bytes: impl Into<Vec<u8>>) -> Self {
        Self::java(Java::Bytes(bytes.into()))
    }

    /// Whether a condition holds: all but nil and false.
    pub fn truthy(&self) -> bool {
        !matches!(self, Self::Nil | Self::Bool(false))
    }

    /// Whether it is nil.
    pub fn is_nil(&self) -> bool {
        matches!(self, Self::Nil)
    }

    /// The number as a big one.
    pub fn to_big(&self) -> Option<BigInt> {
        match self {
            Self::Int(n) => Some(BigInt::from(*n)),
            Self::Big(n) => Some((**n).clone()),
            Self::Float(n) => n.trunc().to_bigint(),
            _ => None,
        }
    }

    /// The bytes of a string or a symbol.
    pub fn text_bytes(&self) -> Option<Vec<u8>> {
        match self {
            Self::Str(text) => Some(text.borrow().clone()),
            Self::Symbol(name) => Some(name.to_vec()),
            _ => None,
        }
    }

    /// The name of its class.
    pub fn class_name(&self) -> String {
        match self {
            Self::Nil => "NilClass",
            Self::Bool(true) => "TrueClass",
            Self::Bool(false) => "FalseClass",
            Self::Int(_) | Self::Big(_) => "Integer",
            Self::Float(_) => "Float",
            Self::Str(_) => "String",
            Self::Symbol(_) => "Symbol",
            Self::Array(_) => "Array",
            Self::Hash(_) => "Hash",
            Self::Range(_) => "Range",
            Self::Proc(proc) => match **proc {
                Proc::Function(_) => "Method",
                _ => "Proc",
            },
            Self::Regex(_) => "Regexp",
            Self::Time(_) => "Time",
            Self::Class(_) => "Class",
            Self::TableRef(_) => "Hbase::Table",
            Self::Exception(exception) => return exception.class.clone(),
            Self::Java(java) => return java.class_name(),
        }
        .to_owned()
    }

    /// Bytes that are equal for equal keys of a hash, and for no others.
    fn key(&self, out: &mut Vec<u8>, depth: usize) {
        let tag = |out: &mut Vec<u8>, tag: u8, bytes: &[u8]| {
            out.push(tag);
            out.extend_from_slice(&(bytes.len() as u64).to_be_bytes());
            out.extend_from_slice(bytes);
        };
        if depth > 50 || out.len() > KEY_BYTES_MAX {
            return;
        }
        match self {
            Self::Str(text) => tag(out, 1, &text.borrow()),
            Self::Symbol(name) => tag(out, 2, name),
            Self::Array(list) => {
                out.push(3);
                list.0.borrow().iter().for_each(|value| value.key(out, depth + 1));
                out.push(4);
            }
            Self::Java(java) => match &**java {
                Java::Bytes(bytes) => tag(out, 5, bytes),
                other => tag(out, 6, format!("{:p}", other).as_bytes()),
            },
            other => tag(out, 7, &super::inspect::inspect(other)),
        }
    }
}

/// How deep values are compared.
pub const NESTING_MAX: usize = 100;
/// Pairs of arrays or hashes, by their addresses.
pub type Pairs = HashSet<(usize, usize)>;

/// Whether two values are equal, as `==` has it.
pub fn equal(a: &Value, b: &Value) -> bool {
    equal_within(a, b, 0, &mut Pairs::default())
}

/// [`equal`] of values that are nested this deep. Pairs that are being compared, or were found equal, count as equal:
/// each pair is compared once, however often it occurs, and a difference anywhere decides.
fn equal_within(a: &Value, b: &Value, depth: usize, seen: &mut Pairs) -> bool {
    if depth > NESTING_MAX {
        return false;
    }
    match (a, b) {
        (Value::Nil, Value::Nil) => true,
        (Value::Bool(a), Value::Bool(b)) => a == b,
        (Value::Int(a), Value::Int(b)) => a == b,
        (Value::Big(a), Value::Big(b)) => a == b,
        (Value::Float(a), Value::Float(b)) => a == b,
        (Value::Int(a), Value::Float(b)) | (Value::Float(b), Value::Int(a)) => *a as f64 == *b,
        (Value::Str(a), Value::Str(b)) => *a.borrow() == *b.borrow(),
        (Value::Symbol(a), Value::Symbol(b)) => a == b,
        (Value::Class(a), Value::Class(b)) => a == b,
        (Value::TableRef(a), Value::TableRef(b)) => a == b,
        (Value::Time(a), Value::Time(b)) => a == b,
        (Value::Array(a), Value::Array(b)) => {
            Rc::ptr_eq(a, b) || !seen.insert((Rc::as_ptr(a).addr(), Rc::as_ptr(b).addr())) || {
                let (a, b) = (a.0.borrow(), b.0.borrow());
                a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| equal_within(a, b, depth + 1, seen))
            }
        }
        (Value::Hash(a), Value::Hash(b)) => {
            Rc::ptr_eq(a, b)
                || !seen.insert((Rc::as_ptr(a).addr(), Rc::as_ptr(b).addr()))
                || (a.len() == b.len()
                    && a.pairs().iter().all(|(key, value)| {
                        b.get(key).is_some_and(|other| equal_within(value, &other, depth + 1, seen))
                    }))
        }
        (Value::Range(a), Value::Range(b)) => {
            a.exclusive == b.exclusive
                && equal_within(&a.begin, &b.begin, depth + 1, seen)
                && equal_within(&a.end, &b.end, depth + 1, seen)
        }
        (Value::Java(a), Value::Java(b)) => match (&**a, &**b) {
            (Java::Bytes(a), Java::Bytes(b)) => a == b,
            (Java::Date(a), Java::Date(b)) => a == b,
            (Java::Class(a), Java::Class(b)) => a == b,
            (Java::Constant(a, x), Java::Constant(b, y)) => a == b && x == y,
            _ => Rc::ptr_eq(a, b),
        },
        _ => false,
    }
}

impl Table {
    fn key_of(key: &Value) -> Vec<u8> {
        let mut out = Vec::new();
        key.key(&mut out, 0);
        out
    }

    /// The value of a key.
    pub fn get(&self, key: &Value) -> Option<Value> {
        let at = *self.index.borrow().get(&Self::key_of(key))?;
        self.pairs.borrow().get(at).and_then(|pair| pair.as_ref().map(|(_, value)| value.clone()))
    }

    /// Sets a value. A key keeps its place.
    pub fn insert(&self, key: Value, value: Value) {
        let encoded = Self::key_of(&key);
        // A string is copied, so that it cannot change while it is a key.
        let key = match &key {
            Value::Str(text) => Value::text(text.borrow().clone()),
            _ => key,
        };
        let at = self.index.borrow().get(&encoded).copied();
        match at {
            Some(at) => {
                let old = self.pairs.borrow_mut().get_mut(at).and_then(|pair| pair.replace((key, value)));
                drop(old);
            }
            None => {
                let mut pairs = self.pairs.borrow_mut();
                self.index.borrow_mut().insert(encoded, pairs.len());
                pairs.push(Some((key, value)));
            }
        }
    }

    /// Removes a key.
    pub fn remove(&self, key: &Value) -> Option<Value> {
        let at = self.index.borrow_mut().remove(&Self::key_of(key))?;
        let pair = self.pairs.borrow_mut().get_mut(at).and_then(Option::take);
        let holes = self.pairs.borrow().len();
        if holes > 32 && self.index.borrow().len() < holes / 2 {
            self.rebuild();
        }
        pair.map(|(_, value)| value)
    }

    fn rebuild(&self) {
        let pairs = self.pairs();
        self.clear();
        for (key, value) in pairs {
            self.insert(key, value);
        }
    }

    /// Removes all pairs.
    pub fn clear(&self) {
        self.index.borrow_mut().clear();
        let old = std::mem::take(&mut *self.pairs.borrow_mut());
        drop(old);
    }

    /// The pairs, in order.
    pub fn pairs(&self) -> Vec<(Value, Value)> {
        self.pairs.borrow().iter().flatten().cloned().collect()
    }

    /// The number of pairs.
    pub fn len(&self) -> usize {
        self.index.borrow().len()
    }

    /// Whether there are no pairs.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Drop for List {
    fn drop(&mut self) {
        unravel(std::mem::take(self.0.get_mut()));
    }
}

impl Drop for Table {
    fn drop(&mut self) {
        let pairs = std::mem::take(self.pairs.get_mut());
        unravel(pairs.into_iter().flatten().flat_map(|(key, value)| [key, value]).collect());
    }
}

/// Drops values one by one: what only they hold is added to the work instead of being dropped inside.
fn unravel(mut work: Vec<Value>) {
    while let Some(value) = work.pop() {
        match value {
            Value::Array(list) => {
                if let Some(list) = Rc::into_inner(list) {
                    work.append(&mut list.0.borrow_mut());
                }
            }
            Value::Hash(table) => {
                if let Some(table) = Rc::into_inner(table) {
                    let pairs = std::mem::take(&mut *table.pairs.borrow_mut());
                    work.extend(pairs.into_iter().flatten().flat_map(|(key, value)| [key, value]));
                }
            }
            _ => {}
        }
    }
}

impl Java {
    /// The class as JRuby names it: `Java::JavaUtil::Date`.
    pub fn class_name(&self) -> String {
        let full = match self {
            Self::Package(name) | Self::Class(name) | Self::Opaque(name) | Self::List(name, _) => name.as_str(),
            Self::Bytes(_) => return "Java::byte[]".to_owned(),
            Self::Date(_) => "java.util.Date",
            Self::DateFormat(_) => "java.text.SimpleDateFormat",
            Self::ParsePosition(_) => "java.text.ParsePosition",
            Self::Constant(class, _) => class,
            Self::Filter(_) => "org.apache.hadoop.hbase.filter.Filter",
            Self::FilterList(_) => "org.apache.hadoop.hbase.filter.FilterList",
            Self::Comparator(_) => "org.apache.hadoop.hbase.filter.ByteArrayComparable",
            Self::RowRange(_) => "org.apache.hadoop.hbase.filter.MultiRowRangeFilter$RowRange",
            Self::FuzzyPair(..) => "org.apache.hadoop.hbase.util.Pair",
        };
        jruby_class(full)
    }
}

/// `java.util.Date` as `Java::JavaUtil::Date`.
pub fn jruby_class(full: &str) -> String {
    let (package, class) = full.rsplit_once('.').unwrap_or(("", full));
    let package: String = package
        .split('.')
        .map(|part| {
            let mut letters = part.chars();
            letters.next().map(|first| first.to_uppercase().chain(letters).collect::<String>()).unwrap_or_default()
        })
        .collect();
    format!("Java::{package}::{}", class.replace('$', "::"))
}

impl Exception {
    /// An exception of the language.
    pub fn new(class: &str, message: impl Into<String>) -> Self {
        Self { class: class.to_owned(), message: message.into(), remedy: None, of_command: false }
    }

    /// Adds what the message lacks.
    pub fn with_remedy(mut self, remedy: impl Into<String>) -> Self {
        self.remedy = Some(remedy.into());
        self
    }
}
