//! The command line: two commands, whose flags come from the table of settings.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use hjall_server::settings::{Setting, Sources, table};

/// What the command line asks for.
pub enum Asked {
    /// Serve with these settings.
    Serve(Sources),
    /// Print the settings.
    Config(Sources, Form),
}

/// How settings are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// As a TOML file, with each value's origin.
    Toml,
    /// As one JSON object.
    Json,
    /// The defaults, explained, as a file to begin with.
    Commented,
    /// The tables of docs/operations.md.
    Markdown,
}

const EXAMPLES: &str = "\
Examples:
  hjall serve                                  data in ./hjall-data, clients at 127.0.0.1:9090
  hjall serve --data /var/lib/hjall --listen 0.0.0.0:9090
  hjall serve --memory --listen 127.0.0.1:0    nothing on disk, any free port (printed)
  hjall serve --hbase-site /etc/hbase/conf/hbase-site.xml
  hjall config --default > hjall.toml          a file to begin with
  hjall config --config hjall.toml             what is in force, and where it comes from

Then, from Python:
  import happybase
  table = happybase.Connection('127.0.0.1').table('users')

`hjall serve --help` explains every option.";

const SERVE_HELP: &str = "\
Any HBase Thrift client connects to the one port: Thrift1 and Thrift2, buffered and framed, binary and compact, HTTP POST, and TLS when
a certificate is given.

Settings come in layers, the later ones overrule: defaults, the TOML file, hbase-site.xml, the environment (HJALL_QUEUES_READ_RATIO=0.7),
flags. Every setting has a name (`hjall config` lists them); those without a flag of their own are set with --set.

Examples:
  hjall serve --data /var/lib/hjall --listen 0.0.0.0:9090
  hjall serve --config hjall.toml --set queues.read_ratio=0.7
  hjall serve --tls-cert server.pem --tls-key server.key
  hjall serve --listen-thrift1 127.0.0.1:9090 --listen-thrift2 127.0.0.1:9091
  hjall serve --memory --listen 127.0.0.1:0 --log-format json

On standard output one line per address, `hjall listening on 127.0.0.1:9090`, says that clients may connect. The log goes to standard
error. SIGTERM or SIGINT: running calls finish, data is flushed; a second one ends the process at once. SIGHUP: the files are read
again, and what can change in a running server does (ratios, handlers, limits, log level, certificates); a wrong file changes nothing.

http://127.0.0.1:9095 tells how the server fares: /metrics, /jmx, /healthz, /readyz (--info-listen).

Exit codes:
  0  stopped as asked, all data flushed
  1  a failure that none of the others names
  2  the command line or a setting is wrong
  3  an address cannot be listened on
  4  another process has the data folder open
  5  the data folder was written by a newer version
  6  the data folder cannot be read or written
  7  TLS cannot be offered: certificate, key or authorities
  8  stopped, but some calls did not finish in time
  9  ended at once by a second signal";

const CONFIG_HELP: &str = "\
What is printed is a TOML file that `hjall serve --config` takes, with the origin of each value beside it, and the lanes that come of
the queue settings on this machine. It takes the same options as `hjall serve`, and reads the same files and variables.";

/// Reads a command line, the program's name first, and the process's environment; ends the process with help or an error of clap's where there is one.
pub fn read(arguments: impl IntoIterator<Item = OsString>) -> Asked {
    asked(&command().get_matches_from(arguments), environment())
}

/// Text variables only: no setting of ours can have another value.
fn environment() -> Vec<(String, String)> {
    let text = |(name, value): (OsString, OsString)| Some((name.into_string().ok()?, value.into_string().ok()?));
    std::env::vars_os().filter_map(text).collect()
}

fn asked(matches: &ArgMatches, environment: Vec<(String, String)>) -> Asked {
    match matches.subcommand() {
        Some(("config", matches)) => {
            let forms = [("json", Form::Json), ("default", Form::Commented), ("markdown", Form::Markdown)];
            let form = forms.into_iter().find(|(name, _)| matches.get_flag(name)).map_or(Form::Toml, |(_, form)| form);
            Asked::Config(sources(matches, environment), form)
        }
        Some((_, matches)) => Asked::Serve(sources(matches, environment)),
        // clap does not return without a command.
        None => Asked::Serve(sources(matches, environment)),
    }
}

fn command() -> Command {
    let serve = Command::new("serve").about("Serves a database until it is told to stop").after_help(SERVE_HELP);
    let form = |name: &'static str, help: &'static str| {
        let others = ["json", "default", "markdown"].into_iter().filter(move |other| *other != name);
        Arg::new(name).long(name).action(ArgAction::SetTrue).help(help).conflicts_with_all(others.collect::<Vec<_>>())
    };
    let config = Command::new("config")
        .about("Prints the settings in force, and where each comes from")
        .after_help(CONFIG_HELP)
        .arg(form("json", "As one JSON object"))
        .arg(form("default", "The defaults, each explained and commented out: a file to begin with"))
        .arg(form("markdown", "The tables of docs/operations.md").hide(true));
    Command::new("hjall")
        .version(env!("CARGO_PKG_VERSION"))
        .about("An HBase in one binary: its Thrift1 and Thrift2 gateways over an embedded store")
        .after_help(EXAMPLES)
        .disable_help_subcommand(true)
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(options(serve))
        .subcommand(options(config))
}

/// The options of both commands.
fn options(command: Command) -> Command {
    let file = |name: &'static str, variable: &'static str, help: &'static str| {
        let parser = value_parser!(PathBuf);
        Arg::new(name).long(name).value_name("FILE").env(variable).value_parser(parser).help(help).display_order(0)
    };
    let set = Arg::new("set")
        .long("set")
        .value_name("NAME=VALUE")
        .action(ArgAction::Append)
        .help("Set anything by its name, as in the TOML file: --set queues.read_ratio=0.7");
    command
        .arg(file("config", "HJALL_CONFIG", "Settings in TOML"))
        .arg(file("hbase-site", "HJALL_HBASE_SITE", "HBase's settings: what this server has too is taken over"))
        .args(table::ALL.iter().filter_map(|setting| option(setting)))
        .arg(set)
}

fn option(setting: &'static Setting) -> Option<Arg> {
    let flag = setting.flag?;
    let arg = Arg::new(flag.long).long(flag.long);
    if flag.value.is_empty() {
        return Some(arg.help(setting.says).action(ArgAction::SetTrue));
    }
    let default = match setting.default_text() {
        Some(text) => text.strip_suffix(flag.unit).map_or(text.clone(), str::to_owned),
        None => setting.default_words(),
    };
    let variable = setting.variable.map(|name| format!(" [env: {name}]")).unwrap_or_default();
    Some(
        arg.value_name(flag.value)
            .action(ArgAction::Append)
            .help(format!("{} [default: {default}]{variable}", setting.says)),
    )
}

fn sources(matches: &ArgMatches, environment: Vec<(String, String)>) -> Sources {
    let path = |name| matches.get_one::<PathBuf>(name).cloned();
    let mut flags = Vec::new();
    for setting in table::ALL.iter() {
        let Some(flag) = setting.flag else { continue };
        let written = format!("--{}", flag.long);
        if flag.value.is_empty() {
            if matches.get_flag(flag.long) {
                flags.push((written, setting.name.to_owned(), "true".to_owned()));
            }
        } else if let Some(values) = matches.get_many::<String>(flag.long) {
            // Lists are given by repeating the flag; of anything else the last counts.
            let values: Vec<_> = values.map(String::as_str).collect();
            let list = setting.kind == hjall_server::settings::Kind::Addresses;
            let text = if list { values.join(",") } else { values.last().unwrap_or(&"").to_string() };
            flags.push((written, setting.name.to_owned(), format!("{text}{}", flag.unit)));
        }
    }
    for given in matches.get_many::<String>("set").into_iter().flatten() {
        let (name, value) = given.split_once('=').unwrap_or((given, ""));
        flags.push(("--set".to_owned(), name.trim().to_owned(), value.trim().to_owned()));
    }
    Sources { toml: path("config"), hbase_site: path("hbase-site"), environment, flags }
}
