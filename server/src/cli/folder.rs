//! Shared by the commands for a data folder that is not in use.

use std::path::{Path, PathBuf};

use hjall_engine::{Engine, Error, Options};
use hjall_server::settings::{Effective, Refused, Sources, StartupOptions};

use super::exit::Failure;

/// Returns the data folder and the options to open it with, from the settings.
pub fn settings(sources: &Sources, command: &str) -> Result<(PathBuf, Options), Failure> {
    let startup = startup(sources, command)?;
    Ok((startup.data, startup.options))
}

/// Returns all settings of a command that needs a data folder.
pub fn startup(sources: &Sources, command: &str) -> Result<StartupOptions, Failure> {
    let effective = Effective::read(sources).map_err(Failure::Settings)?;
    let startup = StartupOptions::of(&effective).map_err(|wrong| Failure::Settings(Refused(wrong)))?;
    if startup.memory {
        let why = format!("{command} needs a data folder: a database in memory ends with its process");
        return Err(Failure::Usage(why));
    }
    Ok(startup)
}

/// The path from the root, or the path itself if the current folder has been removed.
pub fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

/// Opens a data folder that exists.
pub fn open(data: &Path, options: Options, command: &str) -> Result<Engine, Failure> {
    check_not_empty(data)?;
    check_owner(data, command)?;
    Engine::open(data, options).map_err(|error| Failure::Data(data.to_owned(), error))
}

/// Opens a data folder that exists, and may be a backup, for a command that only reads it.
pub fn open_backup(data: &Path, options: Options, command: &str) -> Result<Engine, Failure> {
    check_not_empty(data)?;
    check_owner(data, command)?;
    Engine::open_backup(data, options).map_err(|error| Failure::Data(data.to_owned(), error))
}

/// Checks that a data folder exists.
pub fn check_exists(data: &Path) -> Result<(), Failure> {
    if data.is_dir() {
        return Ok(());
    }
    Err(Failure::Usage(format!("data folder {} does not exist; name another one with --data", data.display())))
}

/// Checks that a data folder exists, and is not empty. Opening an empty folder would create a database in it, such as
/// in the mount point of a disk that is not mounted.
fn check_not_empty(data: &Path) -> Result<(), Failure> {
    check_exists(data)?;
    // A folder that cannot be read is reported when it is opened.
    if std::fs::read_dir(data).is_ok_and(|mut entries| entries.next().is_none()) {
        return Err(Failure::Usage(format!(
            "folder {} is empty, and no database; is its disk mounted? Otherwise name a data folder with --data",
            data.display()
        )));
    }
    Ok(())
}

/// Checks that this process may create files in a data folder, if it exists. Files that root creates in the
/// folder of another user would keep that user's server from opening it. Must be called before a command changes
/// anything in the folder.
pub fn check_owner(data: &Path, command: &str) -> Result<(), Failure> {
    let Some(owner) = other_owner(data) else { return Ok(()) };
    Err(Failure::Usage(format!(
        "data folder {} belongs to the user {owner}, whose server could not open files that root creates in it; run the \
         command as that user: sudo -u {owner} hjall {command} ...",
        data.display()
    )))
}

/// The owner of a data folder, as an argument of `sudo -u`, if that is another user and this process is root's. `None`
/// for a folder that does not exist: no server uses it, and in a container root may create one in the folder of any
/// user.
#[cfg(unix)]
pub fn other_owner(data: &Path) -> Option<String> {
    use std::os::unix::fs::MetadataExt;
    if !rustix::process::geteuid().is_root() {
        return None;
    }
    // Its first file, since the folder itself may belong to somebody else, such as a volume that a group may write to.
    let metadata = std::fs::metadata(data.join("FORMAT")).or_else(|_| std::fs::metadata(data));
    let owner = metadata.ok()?.uid();
    (owner != 0).then(|| name_of(owner).unwrap_or_else(|| format!("'#{owner}'")))
}

/// This platform has no user who can open the files of all others.
#[cfg(not(unix))]
pub fn other_owner(_data: &Path) -> Option<String> {
    None
}

/// The name of a user of this machine.
#[cfg(unix)]
pub fn name_of(user: u32) -> Option<String> {
    let users = std::fs::read_to_string("/etc/passwd").ok()?;
    users.lines().find_map(|line| {
        let mut fields = line.split(':');
        let (name, number) = (fields.next()?, fields.nth(1)?);
        (number.parse() == Ok(user)).then(|| name.to_owned())
    })
}

/// The error for a folder that is in use, with the address of the server that has it, and the options of a shell on
/// this server that does the same.
pub fn in_use(data: &Path, error: &Error, options: &str) -> String {
    #[cfg(unix)]
    let addresses = super::control::addresses(data);
    #[cfg(not(unix))]
    let addresses: Vec<String> = Vec::new();
    let options = if options.is_empty() { String::new() } else { format!(" {options}") };
    if addresses.is_empty() {
        return format!("{error}; if a server has it open, use hjall shell --server HOST:PORT{options}");
    }
    let (data, addresses) = (data.display(), addresses.join(" or "));
    format!("data folder {data} is in use by a server; use hjall shell --server {addresses}{options}")
}
