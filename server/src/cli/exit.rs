//! Why the process ends otherwise than as asked, and with which code.

use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;

use hjall_engine::{Error, ErrorKind};
use hjall_server::StartError;
use hjall_server::settings::Refused;

/// A failure of the process. Its text is one line that names the thing and the remedy.
#[derive(Debug)]
pub enum Failure {
    /// The command line is wrong in a way that its parser cannot see.
    Usage(String),
    /// Settings are wrong.
    Settings(Refused),
    /// The database cannot be opened or closed.
    Data(PathBuf, Error),
    /// The server does not start.
    Start(StartError),
    /// The address for whoever watches the server cannot be listened on.
    Info(SocketAddr, io::Error),
    /// Signals cannot be awaited.
    Signals(io::Error),
    /// Calls did not finish in time.
    Unfinished,
    /// A second signal came.
    Impatient,
}

impl Failure {
    /// The exit code; `hjall serve --help` lists them.
    pub fn code(&self) -> u8 {
        match self {
            Self::Signals(_) | Self::Start(StartError::Threads(_)) => 1,
            Self::Usage(_) | Self::Settings(_) | Self::Start(StartError::NoAddress) => 2,
            Self::Start(StartError::Listen(..)) | Self::Info(..) => 3,
            Self::Data(_, error) => match error.kind() {
                ErrorKind::Locked => 4,
                ErrorKind::NewerFormat => 5,
                _ => 6,
            },
            Self::Start(StartError::Tls(_)) => 7,
            Self::Unfinished => 8,
            Self::Impatient => 9,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Usage(text) => f.write_str(text),
            Self::Settings(refused) => write!(f, "{refused}"),
            Self::Data(path, error) => {
                let path = path.display();
                let remedy = match error.kind() {
                    ErrorKind::Locked => "stop that process, or serve another folder with --data",
                    ErrorKind::NewerFormat => "use that version of hjall, or serve another folder with --data",
                    ErrorKind::DiskFull => "make room on its disk",
                    ErrorKind::Corrupt => "restore the folder from a backup",
                    _ => "check that the folder can be read and written by this user",
                };
                write!(f, "data folder {path}: {error}; {remedy}")
            }
            Self::Start(error) => write!(f, "{error}"),
            Self::Info(addr, error) => {
                write!(
                    f,
                    "cannot listen on {addr} for metrics: {error}; choose another address with --info-listen, or off"
                )
            }
            Self::Signals(error) => write!(f, "cannot await signals: {error}"),
            Self::Unfinished => {
                f.write_str("stopped, but some calls did not finish in time; --grace gives them longer")
            }
            Self::Impatient => f.write_str("ended at once by a second signal"),
        }
    }
}
