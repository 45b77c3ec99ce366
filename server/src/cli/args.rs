//! The command line. The flags of all commands come from the table of settings.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::PathBuf;

use super::backup::Extent;
use super::shell::{self, ShellCommand};
use super::user::{self, UserCommand};
use super::{log, output};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use hjall_server::settings::{Kind, SET, Setting, Sources, table};

/// A parsed command line.
pub enum Subcommand {
    /// `hjall serve`.
    Serve(Sources),
    /// `hjall backup`, with the destination.
    Backup(Sources, PathBuf, Extent),
    /// `hjall restore`, with the backup.
    Restore(Sources, PathBuf),
    /// `hjall verify`.
    Verify(Sources),
    /// `hjall repair`, with whether the loss is accepted.
    Repair(Sources, bool),
    /// `hjall compact`, with the names of tables. Without names, all tables.
    Compact(Sources, Vec<String>),
    /// `hjall user`.
    User(UserCommand),
    /// `hjall config`, with whether warnings fail it.
    Config(Sources, OutputFormat, bool),
    /// `hjall shell`.
    Shell(ShellCommand),
}

/// The output format of `hjall config`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutputFormat {
    /// The effective settings as a TOML file, with the origin of each value.
    Toml,
    /// The effective settings as one JSON object.
    Json,
    /// A commented template with all defaults.
    Commented,
    /// The reference in docs/operations.md.
    Markdown,
}

const EXAMPLES: &str = "\
Examples:
  hjall serve                                  data in ./hjall-data, clients at 127.0.0.1:9090
  hjall serve --data /var/lib/hjall            data elsewhere
  hjall serve --memory --listen 127.0.0.1:0    nothing on disk, any free port (printed)
  hjall serve --listen 0.0.0.0:9090 --tls-cert server.pem --tls-key server.key --users users.toml
                                               clients on the network, with TLS and users
  hjall serve --hbase-site /etc/hbase/conf/hbase-site.xml
  hjall backup /backup/monday                  copy the data folder, whether a server runs or not
  hjall compact --data /var/lib/hjall          drop deleted and expired data while no server runs
  hjall user add alice --users users.toml --read '*'   a user who may read all tables
  hjall config --default > hjall.toml          a template of the settings file
  hjall config --config hjall.toml             the effective settings and their origins
  hjall shell                                  HBase's shell on the server at 127.0.0.1:9090
  hjall shell --data /var/lib/hjall            the same on a data folder that no server has open

Then, from Python:
  import happybase
  table = happybase.Connection('127.0.0.1').table('users')

`hjall serve --help` explains every option.";

const SERVE_HELP: &str = "\
One port accepts every HBase Thrift client: Thrift1 and Thrift2, buffered and framed transport,
binary and compact protocol, HTTP POST, and TLS if a certificate is configured.

Settings come in layers; later layers override earlier ones: defaults, the TOML file,
hbase-site.xml, environment variables (HJALL_QUEUES_READ_RATIO=0.7), flags. Every setting has a
name (`hjall config` lists them). Settings without a flag of their own are set with --set.

Examples:
  hjall serve --data /var/lib/hjall --listen 127.0.0.1:9091
  hjall serve --config hjall.toml --set queues.read_ratio=0.7
  hjall serve --listen 0.0.0.0:9090 --tls-cert server.pem --tls-key server.key --users users.toml
  hjall serve --listen-thrift1 127.0.0.1:9090 --listen-thrift2 127.0.0.1:9091
  hjall serve --memory --listen 127.0.0.1:0 --log-format json

When clients can connect, the server prints one line per address to standard output, such as
`hjall listening on 127.0.0.1:9090`. The log goes to standard error.

Signals:
  SIGTERM, SIGINT  let running calls finish, flush all data, and exit; a second one exits at once
  SIGHUP           read the files again and apply what can change at run time (ratios, handlers,
                   limits, log level, certificates, users); an invalid file changes nothing

The info port, http://127.0.0.1:9095 by default (--info-listen), serves /metrics, /jmx, /healthz
and /readyz.

Exit codes:
  0  stopped on request, all data flushed
  1  any failure not listed below
  2  invalid command line or setting
  3  cannot listen on an address
  4  the data folder is in use by another process
  5  the data folder was written by a newer version
  6  the data folder cannot be read or written
  7  the TLS certificate, key or CAs cannot be used
  8  stopped, but some calls did not finish, or clients did not take replies, in time
  9  stopped immediately by a second signal
  10 the disk is full";

const BACKUP_HELP: &str = "\
The copy is a data folder itself: `hjall serve --data DEST` serves it. It is built in DEST.part and
appears at DEST when it is complete and on disk.

If a server has the data folder open, this command asks it through the socket `control` in the data
folder, and the server writes the copy: run the command as the server's user. Reads and writes go on;
the copy has everything as of one moment. If a table is altered, truncated or dropped before it has been
copied, the backup begins again, at most twice. Ending the command ends the backup. If a
program that embeds the engine has the folder open, the program itself has to make the backup.

With --incremental, files of tables that have not changed are shared by hard links: with the data
folder, if DEST is on its file system, or else with an earlier incremental backup of this database
at DEST, which is replaced when the new one is complete. Any other data folder at DEST is refused,
also such a backup that was served since. An incremental backup takes little space and writes little,
but damage to a shared file on the disk is damage to the backup, too: keep a full one elsewhere.

Exit codes: those of `hjall serve`; 2 if DEST is in use, or the folder of an open database.";

const RESTORE_HELP: &str = "\
Copies the backup to the data folder, which must not exist, or be empty. All data is read and
written again, so damage in the backup is detected.

Example:
  hjall restore /backup/2026-01-31 --data /var/lib/hjall

Exit codes: those of `hjall serve`; 2 if the data folder is not empty.";

const VERIFY_HELP: &str = "\
Reads every cell of every table, checks the checksums of the blocks and that cells can be decoded and
are in order, and prints the size of each family. Damage is reported with its location.

Exit codes: those of `hjall serve`; 6 if anything is damaged.";

const REPAIR_HELP: &str = "\
A journal contains the data that is not yet in the files of tables. If a part of it was damaged on the
disk, hjall refuses to open the folder. The best remedy is a backup. Without one, this command prints each
damaged batch (the row of a put, or the rows of a call that were written together), and with
--accept-loss drops these batches and keeps all others. The journals as they were remain in the
folder `damaged` of the data folder.

A crash can leave an incomplete batch at the end of the last journal. It was not acknowledged, and the
next start drops it.

Examples:
  hjall repair --data /var/lib/hjall                 only print
  hjall repair --data /var/lib/hjall --accept-loss

Exit codes: those of `hjall serve`; 6 if there is damage and the loss was not accepted.";

const COMPACT_HELP: &str = "\
Runs a major compaction of each table: rewrites its files without the cells that are deleted, expired
or beyond VERSIONS, and without delete markers. Prints the size of its files before and after.

The folder must not be in use. On a running server, `hjall shell -e \"major_compact 'TABLE'\"` requests
the same, as does majorCompact of Thrift1, or the schedule does it (compaction.* in `hjall config`).
The command can be interrupted at any time. It reads at most compaction.throughput per second;
--set compaction.throughput=off removes this limit.

Examples:
  hjall compact --data /var/lib/hjall
  hjall compact --data /var/lib/hjall users audit:log

Exit codes: those of `hjall serve`; 2 if a table does not exist.";

const CONFIG_HELP: &str = "\
The output is a TOML file that `hjall serve --config` accepts. Comments show the origin of each value
and the lanes that result from the queue settings on this machine. The command accepts the options
of `hjall serve` and reads the same files and environment variables. It also checks the users file
and the certificates that the settings name, as a start does.

Exit codes: those of `hjall serve`.";

/// Parses a command line, which starts with the name of the program, and the environment of the process. Exits
/// the process if clap prints help or rejects the command line.
pub fn read(arguments: impl IntoIterator<Item = OsString>) -> Subcommand {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    let name = arguments.get(1).map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let is_shell = name == "shell";
    match command().try_get_matches_from(arguments) {
        Ok(matches) => subcommand(&matches, environment()),
        Err(mut error) if error.kind() == ErrorKind::UnknownArgument && !is_shell => {
            if let Some(tip) = tip(&name, &error) {
                error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
            }
            error.exit()
        }
        // HBase's shell ends with this status after an unknown option.
        Err(error) if is_shell && error.use_stderr() => {
            let _ = error.print();
            std::process::exit(1)
        }
        // The help, or the version.
        Err(error) if !error.use_stderr() => {
            let printed = error.print().and_then(|()| io::stdout().flush());
            match printed {
                Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                    log::say(format!("hjall: {}", output::cannot_write(&error)));
                    std::process::exit(1)
                }
                _ => std::process::exit(0),
            }
        }
        Err(error) => error.exit(),
    }
}

/// The remedy for an unknown argument of a command: the flag of the folder, or the setting that has the name of the
/// flag.
fn tip(command: &str, error: &clap::Error) -> Option<String> {
    let Some(ContextValue::String(given)) = error.get(ContextKind::InvalidArg) else { return None };
    let Some(flag) = given.strip_prefix("--") else {
        let takes_folder = matches!(command, "serve" | "verify" | "repair") && !given.starts_with('-');
        return takes_folder.then(|| format!("to name the data folder, use '--data {given}'"));
    };
    let key = flag.replace('-', "_");
    let setting = table::ALL.iter().find(|setting| setting.name == key || setting.section_and_key().1 == key)?;
    Some(format!("to change the setting {0}, use '{SET} {0}=VALUE'", setting.name))
}

/// The environment variables that are valid Unicode. No setting accepts anything else.
fn environment() -> Vec<(String, String)> {
    let text = |(name, value): (OsString, OsString)| Some((name.into_string().ok()?, value.into_string().ok()?));
    std::env::vars_os().filter_map(text).collect()
}

fn subcommand(matches: &ArgMatches, environment: Vec<(String, String)>) -> Subcommand {
    match matches.subcommand() {
        Some(("config", matches)) => {
            let formats = [
                ("json", OutputFormat::Json),
                ("default", OutputFormat::Commented),
                ("markdown", OutputFormat::Markdown),
            ];
            let format = formats.into_iter().find(|(name, _)| matches.get_flag(name));
            let format = format.map_or(OutputFormat::Toml, |(_, format)| format);
            Subcommand::Config(sources(matches, environment), format, matches.get_flag("strict"))
        }
        Some(("shell", matches)) => Subcommand::Shell(shell::parse(matches, |inside| sources(inside, environment))),
        Some(("user", matches)) => Subcommand::User(user::parse(matches, |inside| sources(inside, environment))),
        Some(("backup", matches)) => {
            let extent = if matches.get_flag("incremental") { Extent::Incremental } else { Extent::Full };
            Subcommand::Backup(sources(matches, environment), folder_of(matches), extent)
        }
        Some(("restore", matches)) => Subcommand::Restore(sources(matches, environment), folder_of(matches)),
        Some(("verify", matches)) => Subcommand::Verify(sources(matches, environment)),
        Some(("repair", matches)) => Subcommand::Repair(sources(matches, environment), matches.get_flag("accept-loss")),
        Some(("compact", matches)) => {
            let tables = matches.get_many::<String>("table").into_iter().flatten().cloned().collect();
            Subcommand::Compact(sources(matches, environment), tables)
        }
        Some((_, matches)) => Subcommand::Serve(sources(matches, environment)),
        // Unreachable: clap requires a command.
        None => Subcommand::Serve(sources(matches, environment)),
    }
}

/// The positional folder of `hjall backup` and `hjall restore`.
fn folder_of(matches: &ArgMatches) -> PathBuf {
    matches.get_one::<PathBuf>("folder").cloned().unwrap_or_default()
}

fn command() -> Command {
    let serve = Command::new("serve").about("Serve a database until stopped").after_help(SERVE_HELP);
    let format = |name: &'static str, help: &'static str| {
        let others = ["json", "default", "markdown"].into_iter().filter(move |other| *other != name);
        Arg::new(name).long(name).action(ArgAction::SetTrue).help(help).conflicts_with_all(others.collect::<Vec<_>>())
    };
    let config = Command::new("config")
        .about("Print the effective settings and where each comes from")
        .after_help(CONFIG_HELP)
        .arg(format("json", "Print one JSON object"))
        .arg(format("default", "Print a template: every setting with its default, explained and commented out"))
        .arg(
            Arg::new("strict")
                .long("strict")
                .action(ArgAction::SetTrue)
                .help("End with exit code 1 if a start with these settings would give warnings"),
        )
        .arg(format("markdown", "Print the reference in docs/operations.md").hide(true));
    let tables =
        Arg::new("table").value_name("TABLE").action(ArgAction::Append).help("Table to compact [default: all]");
    let compact = Command::new("compact")
        .about("Compact the tables of a folder that is not in use")
        .after_help(COMPACT_HELP)
        .arg(tables);
    let folder = |name: &'static str, help: &'static str| {
        Arg::new("folder").value_name(name).required(true).value_parser(value_parser!(PathBuf)).help(help)
    };
    let incremental = Arg::new("incremental")
        .long("incremental")
        .action(ArgAction::SetTrue)
        .help("Share unchanged files; DEST may be an earlier backup, which is replaced");
    let backup = Command::new("backup")
        .about("Copy a data folder, also while a server has it open")
        .after_help(BACKUP_HELP)
        .arg(incremental)
        .arg(folder("DEST", "Folder to create; it must not exist, or be empty"));
    let restore = Command::new("restore")
        .about("Create a data folder from a backup")
        .after_help(RESTORE_HELP)
        .arg(folder("BACKUP", "Folder that `hjall backup` created"));
    let verify = Command::new("verify")
        .about("Read and check everything in a data folder that is not in use")
        .after_help(VERIFY_HELP);
    let accept_loss = Arg::new("accept-loss")
        .long("accept-loss")
        .action(ArgAction::SetTrue)
        .help("Drop the damaged batches, and keep all others");
    let repair = Command::new("repair")
        .about("Drop damaged parts of the journals in a data folder that is not in use")
        .after_help(REPAIR_HELP)
        .arg(accept_loss);
    Command::new("hjall")
        .version(env!("CARGO_PKG_VERSION"))
        .about("A database with HBase's data model and its Thrift and REST interfaces, in one binary")
        .after_help(EXAMPLES)
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(options(serve, |_| true))
        .subcommand(options(backup, of_folder))
        .subcommand(options(restore, of_folder))
        .subcommand(options(verify, of_folder))
        .subcommand(options(repair, of_folder))
        .subcommand(options(compact, of_folder))
        .subcommand(user::command(|command| options(command, |setting| setting.name == "auth.users")))
        .subcommand(options(config, |_| true))
        .subcommand(shell::command(|command| options(command, of_folder)))
}

/// Whether a setting matters to a command that opens a data folder without serving it.
fn of_folder(setting: &Setting) -> bool {
    setting.name == "server.data" || setting.section_and_key().0 == "store"
}

/// Adds the options for settings: the files, `--set`, and the flags of the `wanted` settings.
fn options(command: Command, wanted: fn(&Setting) -> bool) -> Command {
    let file = |name: &'static str, variable: &'static str, help: &'static str| {
        let parser = value_parser!(PathBuf);
        Arg::new(name).long(name).value_name("FILE").env(variable).value_parser(parser).help(help).display_order(0)
    };
    let set = Arg::new("set")
        .long("set")
        .value_name("NAME=VALUE")
        .action(ArgAction::Append)
        .help("Set any setting by its name, as in the TOML file: --set queues.read_ratio=0.7");
    command
        .arg(file("config", "HJALL_CONFIG", "Settings file in TOML format"))
        .arg(file("hbase-site", "HJALL_HBASE_SITE", "HBase's settings file; the keys that hjall supports are applied"))
        .args(table::ALL.iter().filter(|setting| wanted(setting)).filter_map(|setting| option(setting)))
        .arg(set)
}

fn option(setting: &'static Setting) -> Option<Arg> {
    let flag = setting.flag?;
    let arg = Arg::new(flag.long).long(flag.long);
    if flag.value.is_empty() {
        return Some(arg.help(setting.summary).action(ArgAction::SetTrue));
    }
    let default = match setting.default_text() {
        Some(text) => text.strip_suffix(flag.unit).map_or(text.clone(), str::to_owned),
        None => setting.default_words(),
    };
    let variable = setting.variable.map(|name| format!(" [env: {name}]")).unwrap_or_default();
    let values = match setting.kind {
        Kind::Choice(words) => format!(" [possible values: {}]", words.join(", ")),
        _ => String::new(),
    };
    Some(
        arg.value_name(flag.value)
            .action(ArgAction::Append)
            .help(format!("{}{values} [default: {default}]{variable}", setting.summary)),
    )
}

fn sources(matches: &ArgMatches, environment: Vec<(String, String)>) -> Sources {
    let path = |name| matches.get_one::<PathBuf>(name).cloned();
    let mut flags = Vec::new();
    for setting in table::ALL.iter() {
        // A command that does not have the flag gives an error here.
        let Some(flag) = setting.flag else { continue };
        let written = format!("--{}", flag.long);
        if flag.value.is_empty() {
            if matches.try_get_one::<bool>(flag.long).ok().flatten().is_some_and(|given| *given) {
                flags.push((written, setting.name.to_owned(), "true".to_owned()));
            }
        } else if let Some(values) = matches.try_get_many::<String>(flag.long).ok().flatten() {
            // A repeated flag builds a list; for other kinds the last value wins.
            let values: Vec<_> = values.map(String::as_str).collect();
            let list = setting.kind == Kind::Addresses;
            let text = if list { values.join(",") } else { values.last().unwrap_or(&"").to_string() };
            flags.push((written, setting.name.to_owned(), flag.with_unit(text)));
        }
    }
    for given in matches.get_many::<String>("set").into_iter().flatten() {
        let (name, value) = given.split_once('=').unwrap_or((given, ""));
        flags.push((SET.to_owned(), name.trim().to_owned(), value.trim().to_owned()));
    }
    Sources { toml: path("config"), hbase_site: path("hbase-site"), environment, flags }
}
