//! Changes of the users file by `hjall user`: the file is replaced atomically, and keeps its owner, group and mode.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The file that a path names: through symbolic links, so that they are not replaced. It may not exist yet.
///
/// # Errors
/// The path is a dangling link, or does not name a regular file.
pub fn resolve(path: &Path) -> Result<PathBuf, String> {
    let shown = path.display();
    if path.exists() && !path.is_file() {
        return Err(format!("{shown} is not a regular file; name a file for the users"));
    }
    if !path.is_symlink() {
        return Ok(path.to_owned());
    }
    fs::canonicalize(path).map_err(|error| {
        format!("{shown} is a symbolic link to a file that does not exist: {error}; name the file itself to create it")
    })
}

/// A new text of a file with the byte order mark and the line ends of the old one.
pub fn in_form_of(before: &str, after: String) -> String {
    const MARK: char = '\u{feff}';
    let ends = |end: &str| before.matches(end).count();
    let mut after = after.trim_start_matches(MARK).to_owned();
    if ends("\n") > 0 && ends("\n") == ends("\r\n") {
        after = after.replace("\r\n", "\n").replace('\n', "\r\n");
    }
    if before.starts_with(MARK) {
        after.insert(0, MARK);
    }
    after
}

/// Keeps other processes from changing a users file until the result is dropped. Locks the folder, because the file is
/// replaced and may not exist.
#[cfg(unix)]
pub fn lock(path: &Path) -> io::Result<File> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let folder = File::open(folder)?;
    folder.lock()?;
    Ok(folder)
}

/// This platform cannot lock folders, so a lock file beside the users file is locked.
#[cfg(not(unix))]
pub fn lock(path: &Path) -> io::Result<File> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".lock");
    let file = OpenOptions::new().create(true).write(true).truncate(false).open(path.with_file_name(name))?;
    file.lock()?;
    Ok(file)
}

/// The file that will replace another one at once, so that a server that reads it sees the old text or the new one.
/// Dropping it removes it.
pub struct Replacement {
    file: File,
    part: PathBuf,
    path: PathBuf,
}

impl Replacement {
    /// Creates an empty file with the owner, the group and the mode of the file at `path`. If there is none, the new
    /// file is readable by its owner only.
    ///
    /// # Errors
    /// The file cannot be created, or cannot be given to the owner of the other one. Nothing has changed.
    pub fn begin(path: &Path) -> Result<Self, String> {
        let mut name = path.file_name().unwrap_or_default().to_owned();
        name.push(format!(".{}.part", std::process::id()));
        let part = path.with_file_name(name);
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let shown = path.display();
        let file =
            options.open(&part).map_err(|error| format!("{shown}: no file can be made in its folder: {error}"))?;
        let made = Self { file, part, path: path.to_owned() };
        if let Ok(existing) = fs::metadata(path) {
            #[cfg(unix)]
            made.give_to_owner_of(&existing)?;
            let set = made.file.set_permissions(existing.permissions());
            set.map_err(|error| format!("{shown}: its mode cannot be kept: {error}"))?;
        }
        Ok(made)
    }

    #[cfg(unix)]
    fn give_to_owner_of(&self, existing: &fs::Metadata) -> Result<(), String> {
        use std::os::unix::fs::{MetadataExt, fchown};
        let (user, group) = (existing.uid(), existing.gid());
        if self.file.metadata().is_ok_and(|made| (made.uid(), made.gid()) == (user, group)) {
            return Ok(());
        }
        fchown(&self.file, Some(user), Some(group)).map_err(|error| {
            let shown = self.path.display();
            format!(
                "{shown}: cannot be changed without changing its owner and group ({user}:{group}): {error}; run the \
                 command as root, or as that user in that group"
            )
        })
    }

    /// Writes the text. The other file is unchanged.
    pub fn written(mut self, text: &str) -> io::Result<Self> {
        self.file.write_all(text.as_bytes())?;
        self.file.sync_all()?;
        Ok(self)
    }

    /// Replaces the other file.
    pub fn finish(self) -> io::Result<()> {
        fs::rename(&self.part, &self.path)
    }
}

impl Drop for Replacement {
    fn drop(&mut self) {
        // After `finish`, the file no longer exists under this name.
        let _ = fs::remove_file(&self.part);
    }
}
