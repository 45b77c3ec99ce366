//! `/jmx`: the metrics under the names of HBase's beans, so that dashboards made for HBase find them.

use serde_json::{Map, Value, json};

use super::process::Process;
use crate::observe::LaneMetrics;
use crate::observe::{Calls, PerService, Recorded, Snapshot, Watch};
use crate::server::view::{Figures, View};
use crate::wire::method::{LaneKind, Method, Rest, Service};

type Bean = Map<String, Value>;

/// Returns the beans whose names match a Java pattern such as `Hadoop:service=HBase,name=Thrift,*`, or all beans
/// without a pattern.
pub fn of(view: &View, figures: &Figures, pattern: Option<&str>) -> String {
    let mut beans: Vec<_> =
        Service::ALL.map(|service| gateway(view, figures, service)).into_iter().chain([ipc(view, figures)]).collect();
    beans.extend(machine());
    if let Some(pattern) = pattern {
        beans
            .retain(|bean| bean.get("name").and_then(Value::as_str).is_some_and(|name| matches_pattern(pattern, name)));
    }
    let mut text = format!("{:#}", json!({ "beans": beans }));
    text.push('\n');
    text
}

/// The metrics of HBase's gateways. In HBase each is a server with one such bean; here all services run in one server.
/// The bean of REST also has the metrics of the others under their names. In HBase, it only counts requests by their
/// outcomes.
fn gateway(view: &View, figures: &Figures, service: Service) -> Bean {
    let (name, context) = match service {
        Service::Thrift1 => ("Thrift,sub=ThriftOne", "thrift-one"),
        Service::Thrift2 => ("Thrift,sub=ThriftTwo", "thrift-two"),
        Service::Rest => ("REST", "rest"),
    };
    let mut bean = bean(&format!("Hadoop:service=HBase,name={name}"), context, view);
    bean.insert("callQueueLen".to_owned(), figures.lanes.iter().map(|lane| lane.waiting).sum::<usize>().into());
    bean.insert("numActiveWorkers".to_owned(), figures.lanes.iter().map(|lane| lane.running).sum::<usize>().into());
    let of_service = view.watch.service(service);
    exceptions(&mut bean, of_service);
    kept(&mut bean, "batchGet", &of_service.batch_get, 1);
    kept(&mut bean, "batchMutate", &of_service.batch_mutate, 1);
    kept(&mut bean, "timeInQueue", &of_service.waited, 1);
    kept(&mut bean, "slowThriftCall", &of_service.slow_calls, 1);
    let took = view.watch.calls.took(service);
    histogram(&mut bean, "thriftCall", &took, &of_service.took.recent(&took), 1);
    for (method, took, recent) in view.watch.calls.methods(service) {
        histogram(&mut bean, method, &took, &recent, 1);
    }
    if service == Service::Rest {
        outcomes(&mut bean, &view.watch.calls);
    }
    bean
}

/// HBase's counters of requests to its REST gateway. A page of an answer after the first one is not counted.
fn outcomes(bean: &mut Bean, calls: &Calls) {
    let mut requests = 0;
    for (name, suffix) in
        [("Get", ""), ("Put", ""), ("Delete", ""), ("Scan", "Count"), ("Append", "Count"), ("Increment", "Count")]
    {
        let of_name = Rest::ALL.into_iter().filter(|method| outcome(*method) == Some(name));
        let (all, failed) = of_name.fold((0, 0), |(all, failed), method| {
            let (more, more_failed) = calls.outcomes(Method::Rest(method));
            (all + more, failed + more_failed)
        });
        requests += all;
        bean.insert(format!("successful{name}{suffix}"), all.saturating_sub(failed).into());
        bean.insert(format!("failed{name}{suffix}"), failed.into());
    }
    bean.insert("requests".to_owned(), requests.into());
}

/// The group in which HBase's REST gateway counts a method.
fn outcome(method: Rest) -> Option<&'static str> {
    Some(match method {
        Rest::ContinueScan => return None,
        Rest::ScanRows | Rest::GetScannerCells => "Scan",
        Rest::Append => "Append",
        Rest::Increment => "Increment",
        Rest::PutRows
        | Rest::CheckAndPut
        | Rest::OpenScanner
        | Rest::ReplaceSchema
        | Rest::UpdateSchema
        | Rest::CreateNamespace
        | Rest::ModifyNamespace => "Put",
        Rest::DeleteRow | Rest::CheckAndDelete | Rest::CloseScanner | Rest::DeleteTable | Rest::DeleteNamespace => {
            "Delete"
        }
        Rest::ListTables
        | Rest::GetVersion
        | Rest::GetClusterVersion
        | Rest::GetStatus
        | Rest::ListNamespaces
        | Rest::GetNamespace
        | Rest::ListNamespaceTables
        | Rest::GetSchema
        | Rest::TableExists
        | Rest::GetRegions
        | Rest::GetRow
        | Rest::GetRows => "Get",
    })
}

/// The metrics of a region server's RPC queues. Queues that hjall does not have (replication, bulk loads) have 0 calls.
fn ipc(view: &View, figures: &Figures) -> Bean {
    let mut bean = bean("Hadoop:service=HBase,name=RegionServer,sub=IPC", "regionserver", view);
    let sum = |lanes: &dyn Fn(LaneKind) -> bool, value: &dyn Fn(&LaneMetrics) -> u64| -> u64 {
        figures.lanes.iter().filter(|lane| lanes(lane.kind)).map(value).sum()
    };
    let only = |kind: LaneKind| move |lane: LaneKind| lane == kind;
    let general = |kind: LaneKind| kind != LaneKind::Admin;
    let waiting = |lane: &LaneMetrics| lane.waiting as u64;
    let running = |lane: &LaneMetrics| lane.running as u64;
    let mut put = |name: &str, value: u64| drop(bean.insert(name.to_owned(), value.into()));
    put("queueSize", figures.held_bytes as u64);
    put("numOpenConnections", figures.connections as u64);
    for (name, lanes) in [
        ("General", &general as &dyn Fn(LaneKind) -> bool),
        ("Priority", &only(LaneKind::Admin)),
        ("Write", &only(LaneKind::Write)),
        ("Read", &only(LaneKind::Read)),
        ("Scan", &only(LaneKind::Scan)),
        ("Replication", &|_| false),
        ("BulkLoad", &|_| false),
        ("MetaPriority", &|_| false),
    ] {
        put(&format!("numCallsIn{name}Queue"), sum(lanes, &waiting));
        put(&format!("numActive{name}Handler"), sum(lanes, &running));
    }
    put("numActiveHandler", sum(&|_| true, &running));
    put("numGeneralCallsDropped", sum(&general, &|lane| lane.dropped_overloaded));
    put("numLifoModeSwitches", sum(&general, &|lane| lane.lifo_switches));
    let watch: &Watch = &view.watch;
    let bytes = Service::ALL.map(|service| watch.calls.bytes(service));
    put("receivedBytes", bytes.iter().map(|(received, _)| received).sum());
    put("sentBytes", bytes.iter().map(|(_, sent)| sent).sum());
    let both = |of: &dyn Fn(&PerService) -> &Recorded| {
        watch.services.iter().map(|service| of(service).read()).fold(
            <(Snapshot, Snapshot)>::default(),
            |mut sum, (all, recent)| {
                sum.0.add(&all);
                sum.1.add(&recent);
                sum
            },
        )
    };
    let mut ran = <(Snapshot, Snapshot)>::default();
    for service in Service::ALL {
        let took = watch.calls.took(service);
        ran.1.add(&watch.service(service).took.recent(&took));
        ran.0.add(&took);
    }
    const PER_MS: u64 = 1_000_000;
    for (name, (all, recent), unit) in [
        ("requestSize", both(&|service| &service.received), 1),
        ("responseSize", both(&|service| &service.sent), 1),
        ("queueCallTime", both(&|service| &service.waited), PER_MS),
        ("totalCallTime", both(&|service| &service.total), PER_MS),
        ("processCallTime", ran, PER_MS),
    ] {
        histogram(&mut bean, name, &all, &recent, unit);
    }
    for (kind, count) in all_exceptions(&watch.services) {
        bean.insert(kind, count.into());
    }
    bean
}

/// The metrics of Java's own beans that apply to any process.
fn machine() -> Vec<Bean> {
    let process = Process::read();
    let as_ms = |seconds: f64| (seconds * 1000.0) as i64;
    let mut beans = Vec::new();
    if let Some(start) = process.start_seconds.map(as_ms) {
        let now = crate::observe::slow::now_ms();
        beans.push(json!({"name": "java.lang:type=Runtime", "StartTime": start, "Uptime": (now - start).max(0),
            "Name": format!("{}@localhost", std::process::id()), "SpecName": "none: this is hjall, which has no JVM"}));
    }
    beans.push(json!({"name": "java.lang:type=OperatingSystem", "OpenFileDescriptorCount": process.open_files,
        "MaxFileDescriptorCount": process.open_files_max, "AvailableProcessors": crate::settings::config::cores(),
        "ProcessCpuTime": process.cpu_seconds.map(|seconds| (seconds * 1e9) as i64), "Name": std::env::consts::OS}));
    beans.push(json!({"name": "java.lang:type=Threading", "ThreadCount": process.threads}));
    beans.into_iter().filter_map(|bean| bean.as_object().cloned()).collect()
}

fn bean(name: &str, context: &str, view: &View) -> Bean {
    let kind = name.split_once("name=").map_or("", |(_, kind)| kind);
    let fields =
        [("name", name), ("modelerType", kind), ("tag.Context", context), ("tag.Hostname", &view.identity.host)];
    fields.into_iter().map(|(key, value)| (key.to_owned(), value.into())).collect()
}

fn exceptions(bean: &mut Bean, of_service: &PerService) {
    bean.insert("exceptions".to_owned(), of_service.exceptions.all().into());
    for (kind, count) in of_service.exceptions.read() {
        bean.insert(format!("exceptions.{kind}"), count.into());
    }
}

fn all_exceptions(services: &[PerService]) -> Vec<(String, u64)> {
    let mut all: Vec<(String, u64)> = Vec::new();
    for service in services {
        for (n, (kind, count)) in service.exceptions.read().enumerate() {
            match all.get_mut(n) {
                Some((_, sum)) => *sum += count,
                None => all.push((format!("exceptions.{kind}"), count)),
            }
        }
    }
    all.push(("exceptions".to_owned(), services.iter().map(|service| service.exceptions.all()).sum()));
    all
}

fn kept(bean: &mut Bean, name: &str, kept: &Recorded, unit: u64) {
    let (all, recent) = kept.read();
    histogram(bean, name, &all, &recent, unit);
}

/// HBase's twelve fields of a histogram. As in HBase, the count covers the time since the start, all other fields the
/// recent past.
fn histogram(bean: &mut Bean, name: &str, all: &Snapshot, recent: &Snapshot, unit: u64) {
    let mut put = |suffix: &str, value: u64| drop(bean.insert(format!("{name}_{suffix}"), value.into()));
    put("num_ops", all.count());
    put("min", recent.min() / unit);
    put("max", recent.max() / unit);
    put("mean", recent.mean() / unit);
    for (suffix, part) in [
        ("25th_percentile", 0.25),
        ("median", 0.5),
        ("75th_percentile", 0.75),
        ("90th_percentile", 0.9),
        ("95th_percentile", 0.95),
        ("98th_percentile", 0.98),
        ("99th_percentile", 0.99),
        ("99.9th_percentile", 0.999),
    ] {
        put(suffix, recent.quantile(part) / unit);
    }
}

/// Returns whether the name of a bean matches a pattern: `*` and `?` in the domain and in values, `,*` for any further
/// properties in any order.
fn matches_pattern(pattern: &str, name: &str) -> bool {
    let (Some((domain, wanted)), Some((of, properties))) = (pattern.split_once(':'), name.split_once(':')) else {
        return pattern == "*";
    };
    let properties: Vec<_> = properties.split(',').collect();
    let (open, wanted): (Vec<_>, Vec<_>) = wanted.split(',').partition(|property| *property == "*");
    let all =
        wanted.iter().all(|wanted| properties.iter().any(|property| glob(wanted.as_bytes(), property.as_bytes())));
    glob(domain.as_bytes(), of.as_bytes()) && all && (!open.is_empty() || wanted.len() == properties.len())
}

/// Matches a pattern in time proportional to the product of both lengths: only the last `*` is ever retried.
fn glob(pattern: &[u8], text: &[u8]) -> bool {
    let (mut p, mut t, mut star) = (0, 0, None);
    while t < text.len() {
        match pattern.get(p) {
            Some(b'*') => {
                star = Some((p, t));
                p += 1;
            }
            Some(c) if *c == b'?' || *c == text[t] => {
                p += 1;
                t += 1;
            }
            _ => match star {
                Some((at, taken)) => {
                    star = Some((at, taken + 1));
                    (p, t) = (at + 1, taken + 1);
                }
                None => return false,
            },
        }
    }
    pattern[p..].iter().all(|c| *c == b'*')
}

#[cfg(test)]
mod tests {
    use super::matches_pattern;

    #[test]
    fn patterns_match_as_in_java() {
        let name = "Hadoop:service=HBase,name=Thrift,sub=ThriftOne";
        for pattern in [
            "*",
            "*:*",
            "Hadoop:*",
            name,
            "Hadoop:service=HBase,*",
            "Had*:name=Thrift,sub=Thrift?ne,*",
            "Hadoop:sub=ThriftOne,service=HBase,name=Thrift",
        ] {
            assert!(matches_pattern(pattern, name), "{pattern}");
        }
        for pattern in
            ["", "java.lang:*", "Hadoop:service=HBase", "Hadoop:service=HBase,name=Thrift", "Hadoop:sub=ThriftTwo,*"]
        {
            assert!(!matches_pattern(pattern, name), "{pattern}");
        }
    }
}
