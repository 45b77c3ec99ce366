//! Keys of HBase that mean nothing here, each with its reason: nobody shall believe that they work.

const CONNECTIONS: &str = "a connection needs no thread here; limits.connections bounds them";
const EVERY_CLIENT: &str = "one port takes every transport, protocol and client";
const NO_KERBEROS: &str =
    "there is no Kerberos here: the connection stays open to everyone; tls.client_ca asks for certificates";
const KEYSTORE: &str = "Java's key stores are not read: without tls.certificate and tls.key (PEM) there is no TLS";
const ONE_PROCESS: &str = "there is one process: no master, no region servers, no ZooKeeper, no HDFS";
const ONE_CLIENT: &str = "the gateway is the server: there is no client inside that would try again";
const STORE_DECIDES: &str = "the store decides when it flushes and compacts, and regions stay as they are";
const HEAP: &str = "there is no Java heap to share; set store.cache and store.write_buffer";
const CLASSES: &str = "Java classes cannot be loaded";
const CLIENT_SIDE: &str = "it is a client's setting";
const JETTY: &str = "HTTP is answered on the same port by the same threads";

/// A key or, with a dot or a dash at its end, the beginning of keys, and why it has no effect.
pub const WITHOUT_EFFECT: &[(&str, &str)] = &[
    ("hbase.regionserver.thrift.server.type", EVERY_CLIENT),
    ("hbase.regionserver.thrift.framed", EVERY_CLIENT),
    ("hbase.regionserver.thrift.compact", EVERY_CLIENT),
    ("hbase.regionserver.thrift.http", EVERY_CLIENT),
    ("hbase.regionserver.thrift.backlog", "the backlog is always 1024"),
    ("hbase.regionserver.thrift.coalesceIncrement", "increments are always written before they are answered"),
    ("hbase.thrift.minWorkerThreads", CONNECTIONS),
    ("hbase.thrift.maxWorkerThreads", CONNECTIONS),
    ("hbase.thrift.maxQueuedRequests", CONNECTIONS),
    ("hbase.thrift.threadKeepAliveTimeSec", CONNECTIONS),
    ("hbase.thrift.selector.", CONNECTIONS),
    ("hbase.thrift.worker.threads", CONNECTIONS),
    ("hbase.thrift.accept.", CONNECTIONS),
    ("hbase.thrift.queue.size", "HBase does not use it either"),
    ("hbase.thrift.filters", CLASSES),
    ("hbase.thrift.connection.", "there is no connection for each user"),
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
    ("hbase.rest.", "there is no REST gateway here"),
    ("hadoop.", ONE_PROCESS),
    ("dfs.", ONE_PROCESS),
    ("fs.", ONE_PROCESS),
    ("io.", ONE_PROCESS),
    ("zookeeper.", ONE_PROCESS),
    ("hbase.zookeeper.", ONE_PROCESS),
    ("hbase.rootdir", "the folder is server.data"),
    ("hbase.wal.", "there is one journal, in the data folder"),
    ("hbase.tmp.dir", "nothing temporary is written outside the data folder"),
    ("hbase.local.dir", "nothing temporary is written outside the data folder"),
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
    ("hbase.regionserver.hostname", "the name is server.host"),
    ("hbase.regionserver.global.memstore.", HEAP),
    ("hbase.regionserver.optionalcacheflushinterval", STORE_DECIDES),
    ("hbase.regionserver.logroll.", STORE_DECIDES),
    ("hbase.regionserver.thread.compaction.", STORE_DECIDES),
    ("hbase.regionserver.handler.abort.", "a handler that fails answers its one call with an error and goes on"),
    ("hbase.regionserver.checksum.", STORE_DECIDES),
    ("hbase.regionserver.maxlogs", STORE_DECIDES),
    ("hbase.hregion.", STORE_DECIDES),
    ("hbase.hstore.", STORE_DECIDES),
    ("hbase.region.", STORE_DECIDES),
    ("hbase.bucketcache.", HEAP),
    ("hfile.", HEAP),
    ("hbase.rowlock.wait.duration", "a write waits 30 s for its row, HBase's default"),
    ("hbase.ipc.server.metacallqueue.", "one queue serves the handlers of calls about tables"),
    ("hbase.ipc.server.callqueue.balancer.class", "a lane has one queue: nothing is balanced"),
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
    ("hbase.rpc.rows.warning.threshold", "the log of slow and large calls names them"),
    ("hbase.client.", ONE_CLIENT),
    ("hbase.coprocessor.", CLASSES),
    ("hbase.dynamic.jars.dir", CLASSES),
    ("hbase.table.sanity.checks", "it is read from a table's own configuration only"),
    ("hbase.column.max.version", "a new family keeps 1 version unless it says otherwise, HBase's default"),
];

/// Why a key of HBase has no effect here; `None`: it is none of HBase's that is known.
pub fn without_effect(key: &str) -> Option<&'static str> {
    let fits = |(known, _): &&(&str, &str)| if known.ends_with('.') { key.starts_with(known) } else { key == *known };
    WITHOUT_EFFECT.iter().find(fits).map(|(_, why)| *why)
}
