//! HBase's serialised filters: protobuf messages with the full name of a Java class and the class's own message.

mod message;
mod rejection;
mod wire;

use prost::Message;

use super::regex::of_filter;
use super::spec::{DEPTH_MAX, FilterSpec, LENGTH_MAX};
use super::{comparators, kinds};
use crate::error::{Error, ErrorKind, Result};
use crate::quote::Quoted;

pub(super) use message::{Empty, ManyBytes, Named, OneBytes, OneFilter};
pub(super) use rejection::{DESERIALIZATION, argument, message, refused, required};

use rejection::{CLASS_CAST, CLASS_NOT_FOUND, INVOCATION_TARGET, NO_SUCH_METHOD, SERIALISE, nested, refused_class};

/// The Java package of HBase's filters and comparators.
const PACKAGE: &str = "org.apache.hadoop.hbase.filter.";

impl Named {
    pub(super) fn new(class: &str, body: Vec<u8>) -> Self {
        Self { name: Some(format!("{PACKAGE}{class}")), body: Some(body.into()) }
    }
}

impl FilterSpec {
    /// HBase's serialised form (protobuf), as HBase's Java clients send it. [`FilterSpec::from_bytes`] reads it back
    /// to an equal filter.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.to_named().encode_to_vec()
    }

    /// Reads HBase's serialised form.
    ///
    /// # Errors
    /// `FilterMalformed` if the bytes are not such a message. `FilterRejected` with the exception class that HBase
    /// names otherwise.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        if bytes.len() > LENGTH_MAX {
            return refused(
                DESERIALIZATION,
                format!("a serialised filter has {} bytes, the maximum is {LENGTH_MAX}", bytes.len()),
            );
        }
        let malformed = |why: String| Error::new(ErrorKind::FilterMalformed, why).with_remedy(SERIALISE);
        let outer = wire::decode::<Named>(bytes)
            .map_err(|error| malformed(format!("a serialised filter is malformed: {error}")))?;
        if outer.name.is_none() {
            return Err(malformed("Message missing required fields: name".to_owned()));
        }
        of_filter(|| filter(outer, 1))
    }

    pub(super) fn to_named(&self) -> Named {
        Named::new(self.class(), self.encode())
    }

    /// Reads a filter inside another one. `depth` is the depth of the outer filter.
    pub(super) fn from_nested(named: Named, depth: usize) -> Result<Self> {
        filter(named, depth + 1).map_err(nested)
    }

    /// Reads the message of a filter at `depth` that holds only this filter.
    pub(super) fn decode_inner(body: &[u8], depth: usize) -> Result<Self> {
        Self::from_nested(required(message::<OneFilter>(body)?.filter, "filter")?, depth)
    }

    /// Writes the message of a filter that holds only this filter.
    pub(super) fn encode_inner(&self) -> Vec<u8> {
        OneFilter { filter: Some(self.to_named()) }.encode_to_vec()
    }
}

impl comparators::Comparator {
    pub(super) fn to_named(&self) -> Named {
        Named::new(self.class(), self.encode())
    }

    /// Reads the comparator of a filter.
    pub(super) fn from_named(named: Named) -> Result<Self> {
        let name = required(named.name, "comparator.name")?;
        match name.strip_prefix(PACKAGE).and_then(comparators::by_class) {
            Some(descriptor) => (descriptor.decode)(&named.body.unwrap_or_default()),
            None => refused_class(CLASS_NOT_FOUND, format!("{} is not a comparator", Quoted(&name))),
        }
        .map_err(nested)
    }
}

fn filter(named: Named, depth: usize) -> Result<FilterSpec> {
    if depth > DEPTH_MAX {
        return refused(DESERIALIZATION, format!("filters are nested more than {DEPTH_MAX} levels deep"));
    }
    let name = required(named.name, "name")?;
    let body = named.body.unwrap_or_default();
    match name.strip_prefix(PACKAGE) {
        None if is_java_class(&name) => refused_class(NO_SUCH_METHOD, format_args!("{name}.parseFrom([B)")),
        None => refused_class(CLASS_NOT_FOUND, Quoted(&name)),
        Some(class) => match kinds::by_class(class) {
            Some(descriptor) => (descriptor.decode)(&body, depth),
            None => refuse_class(&name, class, &body),
        },
    }
}

/// Refuses a class that is not a filter. HBase calls the class's static method `parseFrom`; the exception depends on
/// what the class has.
fn refuse_class(name: &str, class: &str, body: &[u8]) -> Result<FilterSpec> {
    match class {
        "Filter" => {
            refused_class(DESERIALIZATION, "parseFrom called on base Filter, but should be called on derived type")
        }
        "FilterBase" | "CompareFilter" | "FilterListBase" | "FilterListWithAND" | "FilterListWithOR" => {
            refused_class(INVOCATION_TARGET, format!("{name} is a base class of filters, not a filter"))
        }
        "ByteArrayComparable" => refused_class(INVOCATION_TARGET, format!("{name} is not a filter")),
        "ParseFilter"
        | "ParseConstants"
        | "HintingFilter"
        | "IncompatibleFilterException"
        | "InvalidRowFilterException" => refused_class(NO_SUCH_METHOD, format!("{name}.parseFrom([B)")),
        _ => match comparators::by_class(class).map(|descriptor| (descriptor.decode)(body)) {
            Some(Ok(_)) => refused_class(CLASS_CAST, format!("{name} is a comparator, not a filter")),
            Some(Err(error)) => refused(INVOCATION_TARGET, error.message()),
            None => refused_class(CLASS_NOT_FOUND, Quoted(name)),
        },
    }
}

/// Whether the name is one of the Java classes that clients may name by mistake. HBase finds such a class, but no
/// `parseFrom` in it.
fn is_java_class(name: &str) -> bool {
    const CLASSES: [&str; 12] = [
        "Object",
        "String",
        "Integer",
        "Long",
        "Boolean",
        "Thread",
        "Runtime",
        "System",
        "Class",
        "ArrayList",
        "HashMap",
        "Random",
    ];
    let simple = name.strip_prefix("java.lang.").or_else(|| name.strip_prefix("java.util."));
    simple.is_some_and(|simple| CLASSES.contains(&simple))
}
