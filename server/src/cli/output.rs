//! Standard output of the commands.

use std::io::{self, Write};
use std::sync::OnceLock;

use hjall_engine::quote::visible;

/// The first error of [`say`] and [`print`]. Commands go on after it, since their work may be more important than their
/// output, and fail at the end.
static FAILED: OnceLock<io::Error> = OnceLock::new();

/// Prints a line. It may contain names that clients have chosen.
pub fn say(line: &str) {
    print(&format!("{}\n", visible(line)));
}

/// Prints a text that ends with a line break.
pub fn print(text: &str) {
    if let Err(error) = write(text)
        // The reader wants no more, as `head` after its last line.
        && error.kind() != io::ErrorKind::BrokenPipe
    {
        let _ = FAILED.set(error);
    }
}

/// Writes a text.
///
/// # Errors
/// Those of the operating system, also for a closed pipe.
pub fn write(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()
}

/// The reason why a part of the output is missing.
pub fn failure() -> Option<&'static io::Error> {
    FAILED.get()
}

/// The message for an error of standard output.
pub fn cannot_write(error: &io::Error) -> String {
    format!("standard output cannot be written: {error}; free space, or send it elsewhere")
}
