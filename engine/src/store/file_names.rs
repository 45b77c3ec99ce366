//! The names of fjall's files and folders in a data folder.

/// The folder of all keyspaces.
pub(super) const KEYSPACES_FOLDER: &str = "keyspaces";

/// The folder of fjall's index of keyspaces, in that of all keyspaces.
pub(super) const INDEX: &str = "0";

/// The folder of the files of a keyspace, in its own folder.
pub(super) const FILES_FOLDER: &str = "tables";

/// The file of a keyspace that names its current list of files. It begins with the number of the list.
pub(super) const CURRENT_FILE: &str = "current";

/// The name of a keyspace's list of files.
pub(super) fn list_name(number: u64) -> String {
    format!("v{number}")
}

/// The number of the current list, from the content of the file `current`; `None` if that is too short.
pub(super) fn list_number(current: &[u8]) -> Option<u64> {
    current.first_chunk().map(|number| u64::from_le_bytes(*number))
}
