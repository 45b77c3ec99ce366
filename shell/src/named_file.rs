//! Files that users name. They are read up to a limit, because a name may be that of a device without an end.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// The largest file that is read, in bytes.
const SIZE_MAX: u64 = 64 << 20;

/// The content of a file.
///
/// # Errors
/// The file cannot be read, or has more than 64 MiB.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut content = Vec::new();
    File::open(path)?.take(SIZE_MAX + 1).read_to_end(&mut content)?;
    if content.len() as u64 > SIZE_MAX {
        let message = format!("it has more than {} MiB", SIZE_MAX >> 20);
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, message));
    }
    Ok(content)
}
