//! The load of the server and of its regions, in the terms of HBase's cluster status.

use base64::Engine as _;
use hjall_engine::read::Budget;
use prost::Message;
use serde_json::json;

use super::body::Body;
use super::error::{Answer, Failure};
use super::json::BASE64;
use super::protobuf::{self, StatusNode, StatusRegion};
use super::{Response, server, xml};
use crate::gateway::context::CallContext;
use crate::wire::method::Service;
use crate::wire::rest::Request;
use crate::wire::rest::media::Kind;

/// The memory of a region in an answer, in bytes.
const REGION_BYTES: usize = 512;

/// The status of the server. Regions are those of tables that the user sees.
pub(super) fn get(context: &CallContext<'_>, request: &Request) -> Answer {
    let status = status(context)?;
    let output = server::output(request);
    let body = match output.kind {
        Kind::Json => to_json(&status).into_bytes(),
        Kind::Xml => to_xml(&status).map_err(Failure::bad)?,
        Kind::Protobuf | Kind::ProtobufIetf => status.encode_to_vec(),
        Kind::Text | Kind::Binary => to_text(&status).into_bytes(),
    };
    let response = Response::empty(200).with("Content-Type", output.content_type).uncached();
    Ok(Response { body: Body::Bytes(body), ..response })
}

/// hjall has one server and no store files by region, so the figures of files are 0.
fn status(context: &CallContext<'_>) -> Answer<protobuf::Status> {
    let mut regions = Vec::new();
    let tables = context.engine.traffic();
    for table in tables.iter().filter(|table| context.sees(table.table())) {
        let stores = i32::try_from(table.descriptor().families.len()).ok();
        for (region, traffic) in table.regions() {
            let name = region.name(table.table());
            context.scope.take(0, REGION_BYTES + 2 * name.len()).map_err(|error| Failure::of(&error))?;
            regions.push(StatusRegion {
                name,
                stores,
                storefiles: Some(0),
                storefile_size_mb: Some(0),
                memstore_size_mb: Some(0),
                storefile_index_size_kb: Some(0),
                read_requests: i64::try_from(traffic.reads).ok(),
                write_requests: i64::try_from(traffic.writes).ok(),
                root_index_size_kb: Some(0),
                total_static_index_size_kb: Some(0),
                total_static_bloom_size_kb: Some(0),
                total_compacting_kvs: Some(0),
                current_compacted_kvs: Some(0),
            });
        }
    }
    let count = i32::try_from(regions.len()).unwrap_or(i32::MAX);
    let calls = Service::ALL.map(|service| context.watch.calls.took(service).count());
    let requests = i64::try_from(calls.iter().sum::<u64>()).unwrap_or(i64::MAX);
    let node = StatusNode {
        name: format!("{}:{}", context.identity.host, context.identity.port),
        start_code: Some(context.identity.start_code),
        requests: Some(requests),
        heap_size_mb: Some(0),
        max_heap_size_mb: Some(0),
        regions,
    };
    Ok(protobuf::Status {
        live_nodes: vec![node],
        dead_nodes: Vec::new(),
        regions: Some(count),
        requests: Some(requests),
        average_load: Some(f64::from(count)),
    })
}

/// The figures of a region, by the names that JSON and XML have for them.
fn figures(region: &StatusRegion) -> [(&'static str, i64); 12] {
    let small = |number: Option<i32>| number.unwrap_or_default().into();
    [
        ("stores", small(region.stores)),
        ("storefiles", small(region.storefiles)),
        ("storefileSizeMB", small(region.storefile_size_mb)),
        ("storefileIndexSizeKB", region.storefile_index_size_kb.unwrap_or_default()),
        ("readRequestsCount", region.read_requests.unwrap_or_default()),
        ("writeRequestsCount", region.write_requests.unwrap_or_default()),
        ("rootIndexSizeKB", small(region.root_index_size_kb)),
        ("totalStaticIndexSizeKB", small(region.total_static_index_size_kb)),
        ("totalStaticBloomSizeKB", small(region.total_static_bloom_size_kb)),
        ("totalCompactingKVs", region.total_compacting_kvs.unwrap_or_default()),
        ("currentCompactedKVs", region.current_compacted_kvs.unwrap_or_default()),
        ("memStoreSizeMB", small(region.memstore_size_mb)),
    ]
}

fn to_json(status: &protobuf::Status) -> String {
    let region = |region: &StatusRegion| {
        let figures = figures(region).map(|(name, value)| format!(",\"{name}\":{value}")).concat();
        format!("{{\"name\":\"{}\"{figures}}}", BASE64.encode(&region.name))
    };
    let node = |node: &StatusNode| {
        let regions = node.regions.iter().map(region).collect::<Vec<_>>().join(",");
        format!(
            "{{\"name\":{},\"startCode\":{},\"requests\":{},\"heapSizeMB\":{},\"maxHeapSizeMB\":{},\"Region\":[{regions}]}}",
            json!(node.name),
            node.start_code.unwrap_or_default(),
            node.requests.unwrap_or_default(),
            node.heap_size_mb.unwrap_or_default(),
            node.max_heap_size_mb.unwrap_or_default(),
        )
    };
    let nodes = status.live_nodes.iter().map(node).collect::<Vec<_>>().join(",");
    format!(
        "{{\"LiveNodes\":[{nodes}],\"DeadNodes\":[],\"regions\":{},\"requests\":{},\"averageLoad\":{:?}}}",
        status.regions.unwrap_or_default(),
        status.requests.unwrap_or_default(),
        status.average_load.unwrap_or_default(),
    )
}

fn to_xml(status: &protobuf::Status) -> std::io::Result<Vec<u8>> {
    let mut out = xml::DECLARATION.as_bytes().to_vec();
    let (load, regions, requests) = (
        format!("{:?}", status.average_load.unwrap_or_default()),
        status.regions.unwrap_or_default().to_string(),
        status.requests.unwrap_or_default().to_string(),
    );
    let attributes = [("averageLoad", &*load), ("regions", &regions), ("requests", &requests)];
    xml::open(&mut out, "ClusterStatus", &attributes, false)?;
    out.extend(b"<DeadNodes/><LiveNodes>");
    for node in &status.live_nodes {
        let number = |number: Option<i64>| number.unwrap_or_default().to_string();
        let (heap, heap_max) = (number(node.heap_size_mb.map(i64::from)), number(node.max_heap_size_mb.map(i64::from)));
        let (requests, start) = (number(node.requests), number(node.start_code));
        let attributes = [
            ("heapSizeMB", &*heap),
            ("maxHeapSizeMB", &heap_max),
            ("name", &node.name),
            ("requests", &requests),
            ("startCode", &start),
        ];
        xml::open(&mut out, "Node", &attributes, false)?;
        for region in &node.regions {
            let mut texts: Vec<_> =
                figures(region).into_iter().map(|(name, value)| (name, value.to_string())).collect();
            texts.push(("name", BASE64.encode(&region.name)));
            texts.sort();
            let attributes: Vec<_> = texts.iter().map(|(name, value)| (*name, &**value)).collect();
            xml::open(&mut out, "Region", &attributes, true)?;
        }
        out.extend(b"</Node>");
    }
    out.extend(b"</LiveNodes></ClusterStatus>");
    Ok(out)
}

fn to_text(status: &protobuf::Status) -> String {
    let mut text = format!(
        "{} live servers, {} dead servers, {:.4} average load\n\n{} live servers\n",
        status.live_nodes.len(),
        status.dead_nodes.len(),
        status.average_load.unwrap_or_default(),
        status.live_nodes.len()
    );
    for node in &status.live_nodes {
        text.push_str(&format!(
            "    {} {}\n        requests={}, regions={}\n        heapSizeMB={}\n        maxHeapSizeMB={}\n\n",
            node.name,
            node.start_code.unwrap_or_default(),
            node.requests.unwrap_or_default(),
            node.regions.len(),
            node.heap_size_mb.unwrap_or_default(),
            node.max_heap_size_mb.unwrap_or_default(),
        ));
        for region in &node.regions {
            text.push_str(&format!("        {}", String::from_utf8_lossy(&region.name)));
            for (name, value) in figures(region) {
                text.push_str(&format!("\n            {name}={value}"));
            }
            text.push('\n');
        }
        text.push('\n');
    }
    text
}
