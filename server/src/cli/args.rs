//! The command line.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};

/// An HBase in one binary: its Thrift1 and Thrift2 gateways over an embedded store.
#[derive(Debug, Parser)]
#[command(name = "hjall", version, disable_help_subcommand = true, after_help = EXAMPLES)]
pub struct Args {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

const EXAMPLES: &str = "\
Examples:
  hjall serve                                  data in ./hjall-data, clients at 127.0.0.1:9090
  hjall serve --data /var/lib/hjall --listen 0.0.0.0:9090
  hjall serve --memory --listen 127.0.0.1:0    nothing on disk, any free port (printed)

Then, from Python:
  import happybase
  table = happybase.Connection('127.0.0.1').table('users')

`hjall serve --help` explains every option.";

const SERVE_HELP: &str = "\
Any HBase Thrift client connects to the one port: Thrift1 and Thrift2, buffered and framed, binary and compact, HTTP POST, and TLS when
a certificate is given.

Examples:
  hjall serve --data /var/lib/hjall --listen 0.0.0.0:9090
  hjall serve --tls-cert server.pem --tls-key server.key
  hjall serve --listen-thrift1 127.0.0.1:9090 --listen-thrift2 127.0.0.1:9091
  hjall serve --memory --listen 127.0.0.1:0 --log-format json

On standard output one line per address, `hjall listening on 127.0.0.1:9090`, says that clients may connect. The log goes to standard
error. SIGTERM or SIGINT: running calls finish, data is flushed; a second one ends the process at once.

Exit codes:
  0  stopped as asked, all data flushed
  1  a failure that none of the others names
  2  the command line is wrong
  3  an address cannot be listened on
  4  another process has the data folder open
  5  the data folder was written by a newer version
  6  the data folder cannot be read or written
  7  TLS cannot be offered: certificate, key or authorities
  8  stopped, but some calls did not finish in time
  9  ended at once by a second signal";

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Serves a database until it is told to stop.
    #[command(after_help = SERVE_HELP)]
    Serve(Box<ServeArgs>),
}

/// How to serve.
#[derive(Debug, ClapArgs)]
pub struct ServeArgs {
    /// Folder of the database; made if need be.
    #[arg(long, value_name = "DIR", default_value = "./hjall-data", env = "HJALL_DATA")]
    pub data: PathBuf,
    /// Keep everything in memory; nothing survives the process.
    #[arg(long)]
    pub memory: bool,
    /// Address for clients of both services; may be given several times. Port 0 takes any free one.
    /// [default: 127.0.0.1:9090, unless one of the next two is given]
    #[arg(long, value_name = "ADDR", env = "HJALL_LISTEN", value_delimiter = ',')]
    pub listen: Vec<String>,
    /// Address for Thrift1 alone, whatever the calls look like.
    #[arg(long, value_name = "ADDR", value_delimiter = ',')]
    pub listen_thrift1: Vec<String>,
    /// Address for Thrift2 alone.
    #[arg(long, value_name = "ADDR", value_delimiter = ',')]
    pub listen_thrift2: Vec<String>,
    /// Host name in region locations and error texts [default: the first address].
    #[arg(long, value_name = "NAME")]
    pub host: Option<String>,
    /// Refuse data mutations of Thrift2 clients, as HBase's hbase.thrift.readonly does.
    #[arg(long)]
    pub read_only: bool,
    /// Memory for cached blocks, in MiB [default: a share of the machine's].
    #[arg(long, value_name = "MIB")]
    pub cache_mib: Option<u64>,
    /// Certificate chain for TLS, PEM.
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    pub tls_cert: Option<PathBuf>,
    /// The certificate's private key, PEM.
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    pub tls_key: Option<PathBuf>,
    /// Authorities for clients' certificates, PEM; with it every TLS client must show one.
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    pub tls_client_ca: Option<PathBuf>,
    /// Longest message without a frame, in MiB.
    #[arg(long, value_name = "MIB", default_value_t = 100, value_parser = clap::value_parser!(u16).range(1..=2047))]
    pub max_message_mib: u16,
    /// Longest frame, in MiB.
    #[arg(long, value_name = "MIB", default_value_t = 100, value_parser = clap::value_parser!(u16).range(1..=2047))]
    pub max_frame_mib: u16,
    /// Connections at once.
    #[arg(long, value_name = "N", default_value_t = 20_000, value_parser = clap::value_parser!(u32).range(1..))]
    pub max_connections: u32,
    /// What a connection over that limit meets.
    #[arg(long, value_enum, default_value = "refuse")]
    pub when_full: WhenFull,
    /// Close connections without a call for so many seconds; 0: keep them.
    #[arg(long, value_name = "SECONDS", default_value_t = 0)]
    pub idle_timeout: u64,
    /// How long running calls may take to finish at the end, in seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    pub grace: u64,
    /// How the log is written.
    #[arg(long, value_enum, default_value = "human", env = "HJALL_LOG_FORMAT")]
    pub log_format: LogFormat,
    /// What is logged: error, warn, info, debug, trace, or per module such as info,hjall_server=debug.
    #[arg(long, value_name = "FILTER", default_value = "info", env = "HJALL_LOG")]
    pub log: String,
}

/// What a connection over the limit meets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum WhenFull {
    /// It waits until another ends.
    Wait,
    /// It is closed at once.
    Refuse,
}

/// How the log is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// Lines for people.
    Human,
    /// One JSON object per line.
    Json,
}
