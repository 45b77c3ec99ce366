//! The server itself, and its tables.

use hjall_engine::name::TableName;
use hjall_engine::read::Budget;
use prost::Message;

use super::body::Body;
use super::error::{Answer, Failure};
use super::{Response, protobuf, xml};
use crate::gateway::context::CallContext;
use crate::wire::rest::Request;
use crate::wire::rest::media::{Kind, Output};

/// The version of HBase whose behaviour the gateway has.
const HBASE: &str = "2.6.1";
/// The version of HBase's REST interface.
const INTERFACE: &str = "0.0.3";

/// The representation of a listing.
pub(super) fn output(request: &Request) -> Output {
    request.output.clone().unwrap_or_else(|| Output::of(Kind::Text))
}

/// The XML elements of a list of names.
pub(super) struct ListElements {
    list: &'static str,
    item: &'static str,
}

/// A list of tables.
pub(super) const TABLE_LIST: ListElements = ListElements { list: "TableList", item: "table" };

/// The names of the tables that the user sees, as `shown` gives them; `None` leaves a table out. They count towards the
/// memory of the call.
pub(super) fn table_names(
    context: &CallContext<'_>,
    shown: impl Fn(&TableName) -> Option<String>,
) -> Answer<Vec<String>> {
    let mut all = Vec::new();
    context.engine.visit_tables(|table, _| -> Answer<()> {
        if let Some(name) = shown(&table.name).filter(|_| !table.name.is_system() && context.sees(&table.name)) {
            take_name(context, &name)?;
            all.push(name);
        }
        Ok(())
    })?;
    Ok(all)
}

/// Counts a name of a list towards the memory of the call: itself, and its element.
pub(super) fn take_name(context: &CallContext<'_>, name: &str) -> Answer<()> {
    context.scope.take(0, NAME_FIXED_BYTES + 2 * name.len()).map_err(|error| Failure::of(&error))
}

/// The memory of a name in a list, without its characters.
const NAME_FIXED_BYTES: usize = 64;

/// A list of names, each as the attribute `name` of an item.
pub(super) fn names(elements: &ListElements, kind: Kind, names: Vec<String>) -> Answer<Vec<u8>> {
    let ListElements { list, item } = elements;
    Ok(match kind {
        Kind::Json => {
            let items: Vec<_> = names.iter().map(|name| serde_json::json!({ "name": name })).collect();
            serde_json::json!({ *item: items }).to_string().into_bytes()
        }
        Kind::Xml if names.is_empty() => format!("{}<{list}/>", xml::DECLARATION).into_bytes(),
        Kind::Xml => {
            let mut out = format!("{}<{list}>", xml::DECLARATION).into_bytes();
            let mut write = |name: &String| xml::open(&mut out, item, &[("name", name)], true);
            names.iter().try_for_each(&mut write).map_err(Failure::bad)?;
            out.extend(format!("</{list}>").bytes());
            out
        }
        Kind::Protobuf | Kind::ProtobufIetf => protobuf::Names { names }.encode_to_vec(),
        Kind::Text | Kind::Binary => names.iter().map(|name| format!("{name}\n")).collect::<String>().into_bytes(),
    })
}

/// The tables that the user sees.
pub(super) fn list_tables(context: &CallContext<'_>, request: &Request) -> Answer {
    let all = table_names(context, |name| Some(name.to_string()))?;
    let output = output(request);
    let body = names(&TABLE_LIST, output.kind, all)?;
    let response = Response::empty(200).with("Content-Type", output.content_type).uncached();
    Ok(Response { body: Body::Bytes(body), ..response })
}

/// The version of the gateway.
pub(super) fn version(request: &Request) -> Answer {
    let (server, jersey, revision) = (concat!("hjall/", env!("CARGO_PKG_VERSION")), "", "");
    let jvm = "none";
    let os = format!("{} {}", std::env::consts::OS, std::env::consts::ARCH);
    let output = output(request);
    let body = match output.kind {
        Kind::Json => {
            // In the order of HBase.
            let fields = [
                ("Server", server),
                ("Jersey", jersey),
                ("Version", HBASE),
                ("Revision", revision),
                ("REST", INTERFACE),
                ("JVM", jvm),
                ("OS", &os),
            ];
            let fields = fields.map(|(name, value)| format!("\"{name}\":{}", serde_json::Value::from(value)));
            format!("{{{}}}", fields.join(",")).into_bytes()
        }
        Kind::Xml => {
            let mut out = xml::DECLARATION.as_bytes().to_vec();
            let attributes = [
                ("JVM", jvm),
                ("Jersey", jersey),
                ("OS", &os),
                ("REST", INTERFACE),
                ("Revision", revision),
                ("Server", server),
                ("Version", HBASE),
            ];
            xml::open(&mut out, "Version", &attributes, true).map_err(Failure::bad)?;
            out
        }
        Kind::Protobuf | Kind::ProtobufIetf => {
            let message = protobuf::Version {
                rest: Some(INTERFACE.to_owned()),
                jvm: Some(jvm.to_owned()),
                os: Some(os),
                server: Some(server.to_owned()),
                jersey: Some(jersey.to_owned()),
                version: Some(HBASE.to_owned()),
                revision: Some(revision.to_owned()),
            };
            message.encode_to_vec()
        }
        Kind::Text | Kind::Binary => format!(
            "rest {INTERFACE} [JVM: {jvm}] [OS: {os}] [Server: {server}] [Jersey: {jersey}] [Version: {HBASE}] \
             [Revision: {revision}]\n"
        )
        .into_bytes(),
    };
    let response = Response::empty(200).with("Content-Type", output.content_type).uncached();
    Ok(Response { body: Body::Bytes(body), ..response })
}

/// The version of HBase that the server is compatible with.
pub(super) fn cluster_version(request: &Request) -> Answer {
    let output = output(request);
    let body = match output.kind {
        Kind::Json => format!("{{\"Version\":\"{HBASE}\"}}"),
        Kind::Xml => format!("{}<ClusterVersion Version=\"{HBASE}\"/>", xml::DECLARATION),
        _ => HBASE.to_owned(),
    };
    let response = Response::empty(200).with("Content-Type", output.content_type).uncached();
    Ok(Response { body: Body::Bytes(body.into_bytes()), ..response })
}
