//! Text of clients in the log, shortened.

use std::fmt::{self, Display};

use hjall_engine::quote;

/// The number of bytes that are shown.
const BYTES_MAX: usize = 1024;

/// Shows the beginning of a text, so that a client's long name or message costs the log little.
///
/// It is recorded as a string (`Brief(text).to_string()`), which the log quotes and escapes. In the `Display` form, the
/// text could contain what looks like other fields.
pub struct Brief<T>(pub T);

impl<T: Display> Display for Brief<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        quote::write_beginning(f, BYTES_MAX, &self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::Brief;

    #[test]
    fn long_texts_are_cut_between_characters() {
        assert_eq!(Brief("short").to_string(), "short");
        assert_eq!(Brief("é".repeat(512)).to_string(), "é".repeat(512));
        assert_eq!(Brief(format!("a{}", "é".repeat(9999))).to_string(), format!("a{}…", "é".repeat(511)));
    }
}
