//! Checks of the tables of contents of files.
//!
//! A file of a keyspace ends with a table of contents and a trailer, which says where the table begins and has its
//! checksum. fjall reserves memory for as many entries as the table announces before it compares the checksum. One
//! altered bit in that number can make this 160 GiB, and failing to allocate memory ends the process.
//!
//! | bytes | |
//! |---|---|
//! | table: 4 | `TOC!` |
//! | 4 | number of entries, little-endian |
//! | at least 18 each | entries |
//! | trailer: 4 | `SFA!` |
//! | 2 | version, kind of the checksum |
//! | 16 | checksum of the table |
//! | 8, 8 | position and length of the table, little-endian |

use std::fs::File;
use std::io::{Read as _, Result, Seek as _, SeekFrom};
use std::path::Path;

const ENTRY_BYTES_MIN: u64 = 18;
const TRAILER_BYTES: usize = 38;

/// Whether a file announces more entries than it can have.
///
/// Other damage is not noticed here: fjall reports it if the file is in use. Files that a crash has left are not.
///
/// # Errors
/// The file cannot be read, or is too short.
pub(super) fn announces_too_many(file: &Path) -> Result<bool> {
    let mut file = File::open(file)?;
    let end = file.seek(SeekFrom::End(-(TRAILER_BYTES as i64)))?;
    let mut trailer = [0; TRAILER_BYTES];
    file.read_exact(&mut trailer)?;
    let Some((b"SFA!", rest)) = trailer.split_first_chunk() else { return Ok(false) };
    let begin = rest[18..].first_chunk().map_or(end, |position| u64::from_le_bytes(*position));
    file.seek(SeekFrom::Start(begin))?;
    let mut head = [0; 8];
    file.read_exact(&mut head)?;
    let Some((b"TOC!", number)) = head.split_first_chunk() else { return Ok(false) };
    let number = number.first_chunk().map_or(0, |number| u32::from_le_bytes(*number));
    Ok(u64::from(number) > end.saturating_sub(begin) / ENTRY_BYTES_MIN)
}
