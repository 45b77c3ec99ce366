//! Shared by the commands for a data folder that is not in use.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use hjall_engine::quote::visible;
use hjall_engine::{Engine, Options};
use hjall_server::settings::{Effective, Refused, Sources, StartupOptions};

use super::exit::Failure;

/// Returns the data folder and the options to open it with, from the settings.
pub fn settings(sources: &Sources, command: &str) -> Result<(PathBuf, Options), Failure> {
    let effective = Effective::read(sources).map_err(Failure::Settings)?;
    let startup = StartupOptions::of(&effective).map_err(|wrong| Failure::Settings(Refused(wrong)))?;
    if startup.memory {
        let why = format!("{command} needs a data folder: a database in memory ends with its process");
        return Err(Failure::Usage(why));
    }
    Ok((startup.data, startup.options))
}

/// Opens a data folder that exists.
pub fn open(data: &Path, options: Options) -> Result<Engine, Failure> {
    if !data.is_dir() {
        return Err(Failure::Usage(format!(
            "data folder {} does not exist; name another one with --data",
            data.display()
        )));
    }
    Engine::open(data, options).map_err(|error| Failure::Data(data.to_owned(), error))
}

/// Prints a line to standard output. It may contain names that clients have chosen.
pub fn say(line: &str) {
    // An error means that standard output is closed, so there is no reader.
    let _ = writeln!(io::stdout().lock(), "{}", visible(line));
}
