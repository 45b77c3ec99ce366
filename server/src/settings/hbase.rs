//! HBase's keys that have no effect in hjall, each with the reason.
//!
//! They are reported by name instead of being ignored silently.

use super::nearest::nearest;
use super::table;

const CONNECTIONS: &str = "connections do not need threads; limits.connections limits them";
const EVERY_CLIENT: &str = "one port accepts every transport and protocol";
const NO_KERBEROS: &str =
    "Kerberos is not supported; auth.users names users with passwords, tokens and client certificates";
const KEYSTORE: &str = "Java key stores are not supported; TLS needs tls.certificate and tls.key in PEM format";
const ONE_PROCESS: &str = "hjall is a single process without a master, region servers, ZooKeeper or HDFS";
const ONE_CLIENT: &str = "the gateway and the server are one process, so there is no internal client that retries";
const STORE_DECIDES: &str = "the store decides when to flush and compact, and regions are never split or merged";
const HEAP: &str = "there is no Java heap to divide; set store.cache and store.write_buffer";
const CLASSES: &str = "Java classes cannot be loaded";
const CLIENT_SIDE: &str = "this is a client setting";
const JETTY: &str = "HTTP is served on the same port by the same threads";

/// Keys, or prefixes of keys if they end with a dot, with the reason why they have no effect.
pub const WITHOUT_EFFECT: &[(&str, &str)] = &[
    ("hbase.regionserver.thrift.server.type", EVERY_CLIENT),
    ("hbase.regionserver.thrift.framed", EVERY_CLIENT),
    ("hbase.regionserver.thrift.compact", EVERY_CLIENT),
    ("hbase.regionserver.thrift.http", EVERY_CLIENT),
    ("hbase.regionserver.thrift.backlog", "the backlog is always 1024"),
    ("hbase.regionserver.thrift.coalesceIncrement", "increments are always written before they are acknowledged"),
    ("hbase.thrift.minWorkerThreads", CONNECTIONS),
    ("hbase.thrift.maxWorkerThreads", CONNECTIONS),
    ("hbase.thrift.maxQueuedRequests", CONNECTIONS),
    ("hbase.thrift.threadKeepAliveTimeSec", CONNECTIONS),
    ("hbase.thrift.selector.", CONNECTIONS),
    ("hbase.thrift.worker.threads", CONNECTIONS),
    ("hbase.thrift.accept.", CONNECTIONS),
    ("hbase.thrift.queue.size", "HBase does not use it either"),
    ("hbase.thrift.filters", CLASSES),
    ("hbase.thrift.connection.", "there are no per-user connections"),
    ("hbase.thrift.http_threads.", JETTY),
    ("hbase.thrift.http.", JETTY),
    ("hbase.thrift.ssl.", KEYSTORE),
    ("hbase.thrift.support.proxyuser", NO_KERBEROS),
    ("hbase.thrift.kerberos.", NO_KERBEROS),
    ("hbase.thrift.keytab.", NO_KERBEROS),
    ("hbase.thrift.spnego.", NO_KERBEROS),
    ("hbase.thrift.security.", NO_KERBEROS),
    ("hbase.thrift.dns.", NO_KERBEROS),
    ("hbase.thrift.server.name", CLIENT_SIDE),
    ("hbase.thrift.server.port", CLIENT_SIDE),
    ("hbase.thrift.client.", CLIENT_SIDE),
    ("hbase.security.", NO_KERBEROS),
    ("hbase.superuser", NO_KERBEROS),
    ("hbase.http.", JETTY),
    ("hbase.ssl.", KEYSTORE),
    (
        "hbase.rest.port",
        "REST is served on the port of the Thrift services; rest.listen adds an address for REST alone",
    ),
    (
        "hbase.rest.host",
        "REST is served on the port of the Thrift services; rest.listen adds an address for REST alone",
    ),
    ("hbase.rest.readonly", "server.read_only refuses every change through REST"),
    ("hbase.rest.ssl.", KEYSTORE),
    ("hbase.rest.authentication.", NO_KERBEROS),
    ("hbase.rest.kerberos.", NO_KERBEROS),
    ("hbase.rest.keytab.", NO_KERBEROS),
    ("hbase.rest.", "REST has the limits and the threads of the Thrift services"),
    ("hadoop.", ONE_PROCESS),
    ("dfs.", ONE_PROCESS),
    ("fs.", ONE_PROCESS),
    ("io.", ONE_PROCESS),
    ("zookeeper.", ONE_PROCESS),
    ("hbase.zookeeper.", ONE_PROCESS),
    ("hbase.rootdir", "the data folder is set by server.data"),
    ("hbase.wal.", "the journal is in the data folder"),
    ("hbase.tmp.dir", "no temporary files are written outside the data folder"),
    ("hbase.local.dir", "no temporary files are written outside the data folder"),
    ("hbase.fs.", ONE_PROCESS),
    ("hbase.cluster.", ONE_PROCESS),
    ("hbase.unsafe.", ONE_PROCESS),
    ("hbase.master.", ONE_PROCESS),
    ("hbase.masters", ONE_PROCESS),
    ("hbase.balancer.", ONE_PROCESS),
    ("hbase.replication.", ONE_PROCESS),
    ("hbase.regionserver.replication.", ONE_PROCESS),
    ("hbase.regionserver.bulkload.", ONE_PROCESS),
    ("hbase.regionserver.port", ONE_PROCESS),
    ("hbase.regionserver.info.", ONE_PROCESS),
    ("hbase.regionserver.dns.", ONE_PROCESS),
    ("hbase.regionserver.hostname", "the host name is set by server.host"),
    ("hbase.regionserver.global.memstore.", HEAP),
    ("hbase.regionserver.optionalcacheflushinterval", STORE_DECIDES),
    ("hbase.regionserver.logroll.", STORE_DECIDES),
    ("hbase.regionserver.thread.compaction.", STORE_DECIDES),
    ("hbase.regionserver.throughput.", STORE_DECIDES),
    ("hbase.regionserver.handler.abort.", "a handler that fails answers its call with an error and continues"),
    ("hbase.regionserver.checksum.", STORE_DECIDES),
    ("hbase.regionserver.maxlogs", STORE_DECIDES),
    ("hbase.hregion.", STORE_DECIDES),
    ("hbase.hstore.", STORE_DECIDES),
    ("hbase.region.", STORE_DECIDES),
    ("hbase.bucketcache.", HEAP),
    ("hfile.", HEAP),
    ("hbase.rowlock.wait.duration", "a write waits up to 30 s for its row, HBase's default"),
    ("hbase.ipc.server.metacallqueue.", "all admin handlers share one queue"),
    ("hbase.ipc.server.callqueue.balancer.class", "a lane has a single queue, so there is nothing to balance"),
    ("hbase.ipc.server.callqueue.pluggable.", CLASSES),
    ("hbase.ipc.client.", ONE_CLIENT),
    ("hbase.ipc.min.client.request.timeout", ONE_CLIENT),
    ("hbase.ipc.server.reservoir.", HEAP),
    ("hbase.ipc.server.listen.queue.size", "the backlog is always 1024"),
    ("hbase.ipc.server.replication.", ONE_PROCESS),
    ("hbase.ipc.server.bulkload.", ONE_PROCESS),
    ("hbase.rpc.shortoperation.timeout", ONE_CLIENT),
    ("hbase.rpc.read.timeout", ONE_CLIENT),
    ("hbase.rpc.write.timeout", ONE_CLIENT),
    ("hbase.rpc.protection", NO_KERBEROS),
    ("hbase.rpc.rows.warning.threshold", "large calls appear in the log of slow calls"),
    ("hbase.client.", ONE_CLIENT),
    ("hbase.coprocessor.", CLASSES),
    ("hbase.dynamic.jars.dir", CLASSES),
    ("hbase.table.sanity.checks", "only a table's own configuration can set it"),
    ("hbase.column.max.version", "a family keeps 1 version unless its schema says otherwise, as in HBase by default"),
];

/// The entry of a key that has no effect; `None` if it is not a known HBase key.
fn entry(key: &str) -> Option<&'static (&'static str, &'static str)> {
    let fits = |(known, _): &&(&str, &str)| if known.ends_with('.') { key.starts_with(known) } else { key == *known };
    WITHOUT_EFFECT.iter().find(fits)
}

/// The reason why a key has no effect; `None` if it is not a known HBase key.
pub fn without_effect(key: &str) -> Option<&'static str> {
    entry(key).map(|(_, why)| *why)
}

/// The keys that have an effect.
pub fn with_effect() -> impl Iterator<Item = &'static str> {
    table::ALL.iter().flat_map(|setting| setting.hbase).map(|key| key.name)
}

/// The key with an effect that is similar to one without. If the latter has the prefix of keys without effect, both
/// have it.
pub fn meant(key: &str) -> Option<&'static str> {
    let prefix = entry(key).map_or("", |(known, _)| known);
    nearest(key, with_effect().filter(|other| other.starts_with(prefix) && *other != key))
}
