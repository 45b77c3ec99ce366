//! Reads the files that settings name, up to a limit, since a name may be that of a device without an end.
//!
//! Pipes are read too, so that a shell's `<(COMMAND)` can stand for a file. A pipe can be read once only; callers
//! therefore keep what they have read to explain an error in it.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// The size of the largest file that is read, in bytes: above it, a users file would have some 300,000 users.
const SIZE_MAX: u64 = 64 << 20;

/// The content of a file.
///
/// # Errors
/// The file cannot be read, or has more than 64 MiB.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut content = Vec::new();
    File::open(path)?.take(SIZE_MAX + 1).read_to_end(&mut content)?;
    match content.len() as u64 > SIZE_MAX {
        true => Err(io::Error::new(
            io::ErrorKind::FileTooLarge,
            format!("it has more than {} MiB; name a smaller file", SIZE_MAX >> 20),
        )),
        false => Ok(content),
    }
}

/// The content of a file of text.
///
/// # Errors
/// The file cannot be read, has more than 64 MiB, or is not valid UTF-8.
pub fn read_text(path: &Path) -> io::Result<String> {
    String::from_utf8(read(path)?).map_err(|error| {
        let valid = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = 1 + valid.iter().filter(|byte| **byte == b'\n').count();
        io::Error::new(io::ErrorKind::InvalidData, format!("line {line} is not valid UTF-8; save it in UTF-8"))
    })
}
