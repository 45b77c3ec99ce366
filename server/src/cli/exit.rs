//! Failures of the process and their exit codes.

use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use hjall_engine::{Error, ErrorKind};
use hjall_server::settings::Refused;
use hjall_server::{StartError, listen_failure};

/// The exit code for a data folder that is in use.
pub const LOCKED: u8 = 4;

/// A failure of the process. Its text names the cause and the remedy.
#[derive(Debug)]
pub enum Failure {
    /// The command line contains an error that its parser cannot detect.
    Usage(String),
    /// Settings are invalid.
    Settings(Refused),
    /// Something in the data folder is damaged. The text says what, and names the remedy.
    Damaged(PathBuf, String),
    /// A table cannot be processed.
    Table(String, Error),
    /// The database cannot be opened or closed.
    Data(PathBuf, Error),
    /// A backup cannot be written to this folder.
    Backup(PathBuf, Error),
    /// The server cannot start.
    Start(StartError),
    /// The info port cannot be bound.
    Info(SocketAddr, io::Error),
    /// The thread that writes the log cannot be started.
    Log(io::Error),
    /// The limit on open files is lower than what a server needs.
    #[cfg_attr(not(unix), expect(dead_code, reason = "there is no such limit"))]
    OpenFiles { limit: u64, needed: u64 },
    /// Signal handlers cannot be installed.
    Signals(io::Error),
    /// Some calls did not finish, or clients did not take their replies, within the grace period.
    Unfinished,
    /// The server that was asked refused or failed. Contains its exit code and its text.
    Asked(u8, String),
    /// `hjall config --strict` has found this number of warnings.
    Warnings(usize),
    /// A second signal ended the process.
    SecondSignal,
}

impl Failure {
    /// The exit code; `hjall serve --help` lists them.
    pub fn code(&self) -> u8 {
        match self {
            Self::Warnings(_)
            | Self::Log(_)
            | Self::OpenFiles { .. }
            | Self::Signals(_)
            | Self::Start(StartError::Threads(_)) => 1,
            Self::Usage(_) | Self::Settings(_) | Self::Start(StartError::NoAddress | StartError::Users(_)) => 2,
            Self::Start(StartError::Listen(..)) | Self::Info(..) => 3,
            Self::Data(_, error) => match error.kind() {
                ErrorKind::Locked => LOCKED,
                ErrorKind::NewerFormat => 5,
                ErrorKind::DiskFull => 10,
                _ => 6,
            },
            Self::Backup(_, error) => match error.kind() {
                ErrorKind::Stale | ErrorKind::Busy | ErrorKind::Cancelled => 1,
                // The destination is the folder of an open database.
                ErrorKind::Locked => 2,
                ErrorKind::DiskFull => 10,
                _ => 6,
            },
            Self::Table(_, error) => super::compact::code(error),
            Self::Damaged(..) => 6,
            Self::Asked(code, _) => *code,
            Self::Start(StartError::Tls(_)) => 7,
            Self::Unfinished => 8,
            Self::SecondSignal => 9,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Usage(text) | Self::Asked(_, text) => f.write_str(text),
            Self::Settings(refused) => write!(f, "{refused}"),
            Self::Damaged(path, what) => write!(f, "data folder {}: {what}", path.display()),
            Self::Table(table, error) if error.kind() == ErrorKind::TableNotFound => {
                write!(
                    f,
                    "table {table} does not exist; name tables as NAMESPACE:TABLE, or TABLE in the default namespace"
                )
            }
            Self::Table(table, error) => write!(f, "table {table}: {error}"),
            Self::Data(path, error) => {
                // The engine's errors name the remedy. Those of opening a folder also name the folder.
                let whole = path.canonicalize().map(|whole| whole.display().to_string());
                let path = path.display().to_string();
                if error.message().contains(&path) || whole.is_ok_and(|whole| error.message().contains(&whole)) {
                    // The remedy of this kind ends with another folder.
                    let flag = if error.kind() == ErrorKind::Locked { " (--data)" } else { "" };
                    write!(f, "{error}{flag}")
                } else if error.kind() == ErrorKind::DiskFull {
                    write!(f, "data folder {path}: {error}; the disk is that of {path}")
                } else {
                    write!(f, "data folder {path}: {error}")
                }
            }
            Self::Backup(to, error) if error.kind() == ErrorKind::Stale => write!(
                f,
                "backup to {}: tables were changed or dropped during each of several attempts; try again when no tables \
                 are being changed ({error})",
                to.display()
            ),
            Self::Backup(to, error) if error.kind() == ErrorKind::DiskFull && is_of_disk(to, error) => {
                write!(f, "backup to {0}: {error}; the disk is that of {0}", to.display())
            }
            Self::Backup(to, error) => write!(f, "backup to {}: {error}", to.display()),
            Self::Start(error) => write!(f, "{error}"),
            Self::Info(addr, error) if error.kind() == std::io::ErrorKind::AddrInUse => {
                write!(
                    f,
                    "cannot listen on {addr} for metrics: another program uses the port; stop it, choose another address \
                     with --info-listen, or set it to off"
                )
            }
            Self::Info(addr, error) => {
                let why = listen_failure(*addr, error);
                write!(
                    f,
                    "cannot listen on {addr} for metrics: {why}; choose another address with --info-listen, or set it to off"
                )
            }
            Self::Log(error) => {
                write!(
                    f,
                    "cannot start the thread of the log: {error}; is the limit on processes (ulimit -u) or on memory \
                     (ulimit -v) too low?"
                )
            }
            Self::OpenFiles { limit, needed } => write!(
                f,
                "the limit on open files is {limit}, and a server needs at least {needed}: raise it (ulimit -Hn, or LimitNOFILE= \
                 in systemd)"
            ),
            Self::Signals(error) => write!(f, "cannot install signal handlers: {error}"),
            Self::Unfinished => {
                f.write_str("stopped, but some calls did not finish, or clients did not take replies, in time; --grace sets how long they may take")
            }
            Self::Warnings(1) => f.write_str("there is a warning, and --strict does not allow any"),
            Self::Warnings(count) => write!(f, "there are {count} warnings, and --strict does not allow any"),
            Self::SecondSignal => f.write_str("stopped immediately by a second signal"),
        }
    }
}

/// Whether the disk of the destination of a backup is full. It may also be that of the database, after a failed write,
/// or when its files are copied.
fn is_of_disk(to: &Path, error: &hjall_engine::Error) -> bool {
    let message = error.message();
    let folder = super::folder::absolute(to).display().to_string();
    // Errors of files name them. Others are of writes to the copy, or of the database.
    let of_database = ["an earlier write failed", "writes are refused", "the database in "];
    !of_database.iter().any(|of| message.starts_with(of)) && (message.contains(&folder) || !message.contains('/'))
}
