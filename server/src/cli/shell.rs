//! `hjall shell`: HBase's shell on a server or on a data folder.

use std::env::VarError;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use hjall_engine::ErrorKind;
use hjall_server::settings::Sources;
use hjall_shell::connection::{Connection, Embedded, Login, Remote, ServerOptions, WithSystemTables};
use hjall_shell::interrupt::Interrupt;
use hjall_shell::output::Format;
use hjall_shell::{Program, on_large_stack};

use super::exit::{Failure, LOCKED};
use super::folder;

const HELP: &str = "\
Without --data, commands go to a Thrift2 server, hjall's or HBase's. With --data, the folder is opened in this
process: no server may have it open.

Without -e and FILE, commands are read from standard input; on a terminal lines can be edited, and Tab completes.

Examples:
  hjall shell
  hjall shell --server hbase.example.com:9090
  hjall shell --data ./hjall-data
  hjall shell -e \"scan 't', {LIMIT => 5}\"
  hjall shell --format jsonl -e \"scan 't'\"
  hjall shell -n script.rb argument
  echo \"list\" | hjall shell -n

A password is read from the environment variable HJALL_PASSWORD, or asked for on the terminal.

The words after FILE are ARGV, $0 is FILE; with -e, all words are ARGV.

Exit codes: as of HBase's shell, 0 or what `exit N` says; 1 after an error with -n or -e, for a wrong option, and for a
server that cannot be reached; 130 after Ctrl-C in a script. If a data folder cannot be opened: those of `hjall serve`.";

/// A parsed `hjall shell`.
pub struct ShellCommand {
    place: Place,
    program: Program,
    /// Keys of HBase that were set and have no effect.
    without_effect: Vec<String>,
}

enum Place {
    Server(ServerOptions),
    Folder(Sources),
    Wrong(String),
}

/// Adds the arguments of `hjall shell` to those of a data folder.
pub fn command(with_folder: impl FnOnce(Command) -> Command) -> Command {
    let path = |name: &'static str, help: &'static str| {
        Arg::new(name).long(name).value_name("FILE").value_parser(value_parser!(PathBuf)).help(help)
    };
    let flag = |name: &'static str, help: &'static str| Arg::new(name).long(name).action(ArgAction::SetTrue).help(help);
    let formats = clap::builder::PossibleValuesParser::new(Format::NAMES);
    let shell = with_folder(
        Command::new("shell")
            .about("HBase's shell, on a server or a data folder")
            .after_help(HELP)
            .arg(
                Arg::new("server")
                    .long("server")
                    .value_name("HOST:PORT")
                    .default_value("127.0.0.1:9090")
                    .env("HJALL_SHELL_SERVER")
                    .help("Thrift2 server that commands go to"),
            )
            .arg(
                Arg::new("execute")
                    .short('e')
                    .long("execute")
                    .value_name("COMMAND")
                    .action(ArgAction::Append)
                    .help("Run a command and end; can be repeated"),
            )
            .arg(
                Arg::new("noninteractive")
                    .short('n')
                    .long("noninteractive")
                    .action(ArgAction::SetTrue)
                    .help("End with status 1 at the first error"),
            )
            .arg(
                Arg::new("format")
                    .long("format")
                    .value_name("FORMAT")
                    .default_value("table")
                    .value_parser(formats)
                    .help("Format of what commands print"),
            )
            .arg(flag("tls", "Use TLS"))
            .arg(path("tls-ca", "Authorities to trust, in PEM [default: those of the system]").requires("tls"))
            .arg(path("tls-cert", "Certificate of this client, in PEM").requires("tls"))
            .arg(path("tls-key", "Key of this client, in PEM").requires("tls"))
            .arg(Arg::new("user").long("user").value_name("NAME").help("User to log in as, with SASL PLAIN"))
            .arg(flag("framed", "Use Thrift's framed transport"))
            .arg(flag("compact", "Use Thrift's compact protocol"))
            .arg(
                Arg::new("timeout")
                    .long("timeout")
                    .value_name("SECONDS")
                    .default_value("600")
                    .value_parser(timeout)
                    .help("How long the server may be silent during a call; off: without a limit"),
            )
            .arg(Arg::new("epoch").long("epoch").action(ArgAction::SetTrue).help("Show timestamps as numbers"))
            .arg(
                Arg::new("define")
                    .short('D')
                    .value_name("KEY=VALUE")
                    .action(ArgAction::Append)
                    .help("Set a key of HBase; hbase.shell.timestamp.format.epoch has an effect"),
            )
            .arg(flag("debug", "Show the class of the exception with each error").short('d'))
            .arg(
                flag("return-values", "Show the values of statements; they always are, except with --format")
                    .short('r'),
            )
            .arg(flag("top-level-defs", "Make commands callable everywhere; they always are"))
            .arg(
                Arg::new("words")
                    .value_names(["FILE", "ARGUMENT"])
                    .num_args(0..)
                    .trailing_var_arg(true)
                    .value_parser(value_parser!(OsString))
                    .help("Script to run, and its arguments"),
            ),
    );
    shell.mut_arg("data", |data| {
        data.env(None::<&str>).default_value(None::<&str>).help("Folder to open in this process, instead of a server")
    })
}

/// Reads the arguments.
pub fn parse(matches: &ArgMatches, sources: impl FnOnce(&ArgMatches) -> Sources) -> ShellCommand {
    let format = matches.get_one::<String>("format").and_then(|name| Format::from_name(name)).unwrap_or_default();
    let mut words = matches.get_many::<OsString>("words").into_iter().flatten().cloned();
    let commands: Vec<String> = matches.get_many::<String>("execute").into_iter().flatten().cloned().collect();
    let file = if commands.is_empty() { words.next().map(PathBuf::from) } else { None };
    let mut program = Program {
        commands,
        file,
        arguments: words.map(|word| word.to_string_lossy().into_owned()).collect(),
        debug: matches.get_flag("debug"),
        batch: matches.get_flag("noninteractive"),
        format,
        epoch: matches.get_flag("epoch"),
    };
    let mut without_effect = Vec::new();
    for given in matches.get_many::<String>("define").into_iter().flatten() {
        match given.split_once('=') {
            Some(("hbase.shell.timestamp.format.epoch", value)) => program.epoch = value == "true",
            _ => without_effect.push(given.clone()),
        }
    }
    let place = match combination(matches) {
        Err(why) => Place::Wrong(why),
        Ok(true) => Place::Folder(sources(matches)),
        Ok(false) => server(matches).map_or_else(Place::Wrong, Place::Server),
    };
    ShellCommand { place, program, without_effect }
}

/// Options for the connection to a server.
const OF_SERVER: [&str; 9] = ["server", "tls", "tls-ca", "tls-cert", "tls-key", "user", "framed", "compact", "timeout"];
/// Options of the shell itself.
const OF_SHELL: [&str; 10] = [
    "data",
    "execute",
    "noninteractive",
    "format",
    "epoch",
    "define",
    "debug",
    "return-values",
    "top-level-defs",
    "words",
];

/// Whether commands go to a data folder. The error names options that cannot be combined.
fn combination(matches: &ArgMatches) -> Result<bool, String> {
    let given = |name: &str| matches.value_source(name) == Some(ValueSource::CommandLine);
    if matches.get_flag("return-values") && matches.get_one::<String>("format").is_some_and(|name| name != "table") {
        return Err("-r shows the values of statements, and --format leaves them out: use one of them".to_owned());
    }
    let folder = given("data");
    let wrong: Vec<String> = matches
        .ids()
        .map(clap::Id::as_str)
        .filter(|name| given(name) && !OF_SHELL.contains(name) && OF_SERVER.contains(name) == folder)
        .map(|name| format!("--{name}"))
        .collect();
    match (wrong.is_empty(), folder) {
        (true, _) => Ok(folder),
        (false, true) => {
            let wrong = wrong.join(", ");
            Err(format!("--data opens the folder in this process, and {wrong} goes with a server: use one of them"))
        }
        (false, false) => {
            let wrong = wrong.join(", ");
            Err(format!("{wrong} goes with a folder that this process opens: add --data DIR"))
        }
    }
}

/// The value of --timeout. As in settings, 0 means off.
fn timeout(given: &str) -> Result<Duration, String> {
    match given.parse() {
        Ok(0) => Ok(Duration::MAX),
        Ok(seconds) => Ok(Duration::from_secs(seconds)),
        Err(_) if given.eq_ignore_ascii_case("off") => Ok(Duration::MAX),
        Err(_) => Err("write a whole number of seconds, or off".to_owned()),
    }
}

fn server(matches: &ArgMatches) -> Result<ServerOptions, String> {
    let given = matches.get_one::<String>("server").map_or("", String::as_str);
    let (host, port) = match given.rsplit_once(':') {
        Some((host, port)) => (host.trim_start_matches('[').trim_end_matches(']'), port),
        None => (given, "9090"),
    };
    let port =
        port.parse().ok().filter(|_| !given.contains('/')).ok_or_else(|| {
            format!("--server {given}: name a host and a port, as in 127.0.0.1:9090, without a scheme")
        })?;
    let path = |name| matches.get_one::<PathBuf>(name).cloned();
    Ok(ServerOptions {
        host: host.to_owned(),
        port,
        tls: matches.get_flag("tls"),
        ca: path("tls-ca"),
        certificate: path("tls-cert"),
        key: path("tls-key"),
        login: matches.get_one::<String>("user").map(|user| Login { user: user.clone(), password: String::new() }),
        framed: matches.get_flag("framed"),
        compact: matches.get_flag("compact"),
        timeout: matches.get_one("timeout").copied().unwrap_or(Duration::MAX),
    })
}

/// Runs a shell, and returns the exit status.
pub fn run(command: &ShellCommand) -> Result<i32, Failure> {
    let interrupt = Interrupt::of_signal().map_err(Failure::Signals)?;
    let program = command.program.clone();
    for given in &command.without_effect {
        let key = given.split('=').next().unwrap_or(given);
        eprintln!(
            "hjall shell: -D {key} has no effect: hjall has no such setting; --server or --data says where data is"
        );
    }
    match &command.place {
        // HBase's shell ends with this status after a wrong option.
        Place::Wrong(why) => Err(Failure::Asked(1, why.clone())),
        Place::Folder(sources) => {
            let (data, options) = folder::settings(sources, "shell")?;
            if data.exists() && !data.is_dir() {
                let why = format!("--data {} is a file; name a folder", data.display());
                return Err(Failure::Asked(1, why));
            }
            folder::check_owner(&data, "shell")?;
            if !data.exists() {
                eprintln!("hjall shell: creating a database in {}, which did not exist", data.display());
            }
            let engine = hjall_engine::Engine::open(&data, options).map_err(|error| match error.kind() {
                ErrorKind::Locked => Failure::Asked(LOCKED, folder::in_use(&data, &error, "")),
                _ => Failure::Data(data.clone(), error),
            })?;
            started(on_large_stack(move || {
                let connection = Box::new(Embedded::new(engine, interrupt.clone()));
                hjall_shell::run(with_system_tables(connection), &program, interrupt)
            }))
        }
        Place::Server(options) => {
            let mut options = options.clone();
            if let Some(login) = &mut options.login {
                login.password = password(&login.user)?;
            }
            started(on_large_stack(move || match Remote::connect(&options, interrupt.clone()) {
                Ok(remote) => hjall_shell::run(with_system_tables(Box::new(remote)), &program, interrupt),
                Err(failure) => {
                    eprintln!("hjall: {failure}");
                    1
                }
            }))
        }
    }
}

fn with_system_tables(connection: Box<dyn Connection>) -> Box<dyn Connection> {
    Box::new(WithSystemTables::new(connection))
}

fn started(done: std::io::Result<i32>) -> Result<i32, Failure> {
    done.map_err(|error| Failure::Asked(1, format!("the shell cannot run: {error}")))
}

fn password(user: &str) -> Result<String, Failure> {
    const VARIABLE: &str = "HJALL_PASSWORD";
    match std::env::var(VARIABLE) {
        Ok(password) => return Ok(password),
        Err(VarError::NotPresent) => {}
        Err(VarError::NotUnicode(_)) => {
            let why =
                format!("the environment variable {VARIABLE} is not valid UTF-8; set it to the password of {user}");
            return Err(Failure::Asked(1, why));
        }
    }
    rpassword::prompt_password(format!("Password of {user}: ")).map_err(|error| {
        let why = format!(
            "cannot ask for the password of {user} on a terminal ({error}); set the environment variable {VARIABLE} to it"
        );
        Failure::Asked(1, why)
    })
}
