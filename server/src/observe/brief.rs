//! Text of clients in the log, shortened.

use std::fmt::{self, Display, Write};

/// The number of bytes that are shown.
const BYTES_MAX: usize = 1024;

/// Shows the beginning of a text, so that a client's long name or message costs the log little.
pub struct Brief<T>(pub T);

impl<T: Display> Display for Brief<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut beginning = Beginning { out: f, left: BYTES_MAX };
        match write!(beginning, "{}", self.0) {
            Err(_) if beginning.left == 0 => f.write_str("…"),
            done => done,
        }
    }
}

/// Passes on the first bytes, then fails, which ends the formatting early.
struct Beginning<'a, 'b> {
    out: &'a mut fmt::Formatter<'b>,
    left: usize,
}

impl Write for Beginning<'_, '_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if text.len() <= self.left {
            self.left -= text.len();
            return self.out.write_str(text);
        }
        let end = (0..=self.left).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
        self.left = 0;
        self.out.write_str(text.get(..end).unwrap_or_default())?;
        Err(fmt::Error)
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
