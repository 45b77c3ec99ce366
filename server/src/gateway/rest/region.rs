//! Regions of tables, which are all on this server.

use base64::Engine as _;
use hjall_engine::name::TableName;
use hjall_engine::quote::visible;
use hjall_engine::read::Budget;
use hjall_engine::schema::Region;
use prost::Message;

use super::body::Body;
use super::error::{Answer, Failure};
use super::json::BASE64;
use super::{Response, protobuf, server, xml};
use crate::gateway::context::CallContext;
use crate::wire::rest::Request;
use crate::wire::rest::media::Kind;

/// The name of the table. A name that is not legal is a mistake for which HBase answers 500.
fn name(request: &Request) -> Answer<TableName> {
    let name = TableName::parse(request.place.table().unwrap_or_default().as_bytes());
    name.map_err(|error| Failure::bad(error.plain()))
}

/// Whether the table exists.
pub(super) fn exists(context: &CallContext<'_>, request: &Request) -> Answer {
    let table = name(request)?;
    match context.engine.table_exists(&table) {
        true => Ok(Response::empty(200).uncached()),
        false => Err(Failure::new(404, format_args!("table {table} does not exist"))),
    }
}

/// The regions of the table.
pub(super) fn list(context: &CallContext<'_>, request: &Request) -> Answer {
    let table = name(request)?;
    let location = format!("{}:{}", context.identity.host, context.identity.port);
    let described = |region: &Region| {
        let name = String::from_utf8_lossy(&region.name(&table)).into_owned();
        let bytes = 2 * (name.len() + region.start.len() + region.end.len()) + location.len();
        context.scope.take(0, bytes).map_err(|error| Failure::of(&error))?;
        Ok(protobuf::Region {
            name,
            start_key: Some(region.start.clone()),
            end_key: Some(region.end.clone()),
            id: Some(region.id),
            location: Some(location.clone()),
        })
    };
    let all = context.engine.with_regions(&table, |regions| regions.iter().map(described).collect::<Answer<Vec<_>>>());
    let all = all.map_err(|error| Failure::of(&error))??;
    let output = server::output(request);
    let body = written(protobuf::TableInfo { name: table.to_string(), regions: all }, output.kind)?;
    let response = Response::empty(200).with("Content-Type", output.content_type).uncached();
    Ok(Response { body: Body::Bytes(body), ..response })
}

fn written(table: protobuf::TableInfo, kind: Kind) -> Answer<Vec<u8>> {
    let shown = |region: &protobuf::Region, key: &dyn Fn(&[u8]) -> String| {
        let bytes = |key: &Option<bytes::Bytes>| key.clone().unwrap_or_default();
        (
            region.id.unwrap_or_default().to_string(),
            key(&bytes(&region.start_key)),
            key(&bytes(&region.end_key)),
            region.location.clone().unwrap_or_default(),
            region.name.clone(),
        )
    };
    let encoded = |key: &[u8]| BASE64.encode(key);
    let plain = |key: &[u8]| String::from_utf8_lossy(key).into_owned();
    Ok(match kind {
        Kind::Json => {
            let quoted = |text: &str| serde_json::Value::from(text).to_string();
            let region = |region: &protobuf::Region| {
                let (id, start, end, location, name) = shown(region, &encoded);
                format!(
                    "{{\"id\":{id},\"startKey\":\"{start}\",\"endKey\":\"{end}\",\"location\":{},\"name\":{}}}",
                    quoted(&location),
                    quoted(&name)
                )
            };
            let regions = table.regions.iter().map(region).collect::<Vec<_>>().join(",");
            format!("{{\"name\":{},\"Region\":[{regions}]}}", quoted(&table.name)).into_bytes()
        }
        Kind::Xml => {
            let mut out = xml::DECLARATION.as_bytes().to_vec();
            xml::open(&mut out, "TableInfo", &[("name", &table.name)], false).map_err(Failure::bad)?;
            for region in &table.regions {
                let (id, start, end, location, name) = shown(region, &encoded);
                let attributes =
                    [("endKey", &*end), ("id", &id), ("location", &location), ("name", &name), ("startKey", &start)];
                xml::open(&mut out, "Region", &attributes, true).map_err(Failure::bad)?;
            }
            out.extend(b"</TableInfo>");
            out
        }
        Kind::Protobuf | Kind::ProtobufIetf => table.encode_to_vec(),
        Kind::Text | Kind::Binary => {
            let region = |region: &protobuf::Region| {
                let (id, start, end, location, name) = shown(region, &plain);
                format!("{name} [\n  id={id}\n  startKey='{start}'\n  endKey='{end}'\n  location='{location}'\n]\n\n")
            };
            visible(&table.regions.iter().map(region).collect::<String>()).into_owned().into_bytes()
        }
    })
}
