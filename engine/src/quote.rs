//! Names, keys and texts of callers in messages, shortened.
//!
//! A caller may send a name of many megabytes. Messages repeat it, and their readers escape and copy it. Every message
//! therefore shows what a caller has sent as a [`Quoted`], which stops at [`QUOTED_MAX`] bytes: no text is escaped or
//! copied that is not shown.

use std::borrow::Cow;
use std::fmt::{self, Display, Write};

/// The length at which a quoted text is cut, in bytes. Names of up to a quarter of it are shown whole even if each of
/// their bytes is escaped as `\xHH`.
pub const QUOTED_MAX: usize = 4 << 10;

/// Shows the beginning of what a caller has sent, with `…` for the rest.
#[derive(Debug, Clone, Copy)]
pub struct Quoted<T>(pub T);

impl<T: Display> Display for Quoted<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_beginning(f, QUOTED_MAX, &self.0)
    }
}

/// Bytes as text: in UTF-8, with a replacement character for each sequence that is not valid.
pub fn utf8(bytes: &[u8]) -> Quoted<Utf8<'_>> {
    Quoted(Utf8(bytes))
}

/// Bytes as HBase's `Bytes.toStringBinary` shows them: printable ASCII unchanged, everything else and the backslash as
/// `\xHH`.
pub fn binary(bytes: &[u8]) -> Quoted<Binary<'_>> {
    Quoted(Binary(bytes))
}

/// Bytes with Rust's escapes.
pub fn escaped(bytes: &[u8]) -> Quoted<std::slice::EscapeAscii<'_>> {
    Quoted(bytes.escape_ascii())
}

/// A text with Rust's escapes for everything but printable ASCII.
pub fn escaped_text(text: &str) -> Quoted<std::str::EscapeDefault<'_>> {
    Quoted(text.escape_default())
}

/// The text of a value, of which at most `max` bytes are formatted, and `…` if it is longer.
pub fn shortened(max: usize, value: &dyn Display) -> String {
    struct Shortened<'a>(usize, &'a dyn Display);
    impl Display for Shortened<'_> {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write_beginning(f, self.0, self.1)
        }
    }
    Shortened(max, value).to_string()
}

/// Text for a terminal: characters that a terminal does not show as they are (see [`is_hidden`]) are escaped, except
/// for line breaks and tabs.
pub fn visible(text: &str) -> Cow<'_, str> {
    let is_escaped = |c: char| is_hidden(c) && c != '\n' && c != '\t';
    if !text.contains(is_escaped) {
        return Cow::Borrowed(text);
    }
    let mut visible = String::with_capacity(text.len());
    for c in text.chars() {
        if is_escaped(c) {
            visible.extend(c.escape_default());
        } else {
            visible.push(c);
        }
    }
    Cow::Owned(visible)
}

/// Whether a terminal or an editor does not show a character as such: control characters, separators of lines and
/// paragraphs, characters that change the direction of text, and those without a width.
pub fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}'
        )
}

/// Writes the first `max` bytes of the text of a value, and `…` if it is longer. The value is not formatted further
/// than that.
///
/// # Errors
/// That of the value or the formatter.
pub fn write_beginning(f: &mut fmt::Formatter<'_>, max: usize, value: &dyn Display) -> fmt::Result {
    let mut beginning = Beginning { out: f, left: max, is_cut: false };
    match write!(beginning, "{value}") {
        Err(_) if beginning.is_cut => f.write_char('…'),
        done => done,
    }
}

/// Passes on the first bytes, then fails, which ends the formatting early.
struct Beginning<'a, 'b> {
    out: &'a mut fmt::Formatter<'b>,
    left: usize,
    is_cut: bool,
}

impl Write for Beginning<'_, '_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if text.len() <= self.left {
            self.left -= text.len();
            return self.out.write_str(text);
        }
        let end = (0..=self.left).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
        self.out.write_str(text.get(..end).unwrap_or_default())?;
        self.is_cut = true;
        Err(fmt::Error)
    }
}

/// The text of bytes, see [`utf8`].
#[derive(Debug, Clone, Copy)]
pub struct Utf8<'a>(pub &'a [u8]);

impl Display for Utf8<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for chunk in self.0.utf8_chunks() {
            f.write_str(chunk.valid())?;
            if !chunk.invalid().is_empty() {
                f.write_char(char::REPLACEMENT_CHARACTER)?;
            }
        }
        Ok(())
    }
}

/// The text of bytes, see [`binary`].
#[derive(Debug, Clone, Copy)]
pub struct Binary<'a>(pub &'a [u8]);

impl Display for Binary<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| match byte {
            b'\\' => f.write_str("\\x5C"),
            0x20..=0x7E => f.write_char(char::from(*byte)),
            _ => write!(f, "\\x{byte:02X}"),
        })
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[test]
    fn real_names_are_shown_whole() {
        assert_eq!(utf8(b"f\xFFg").to_string(), String::from_utf8_lossy(b"f\xFFg"));
        assert_eq!(binary(b"a\\b\x00\xFF").to_string(), "a\\x5Cb\\x00\\xFF");
        assert_eq!(escaped(b"a'\x00").to_string(), "a\\'\\x00");
        assert_eq!(escaped_text("a\u{80}").to_string(), "a\\u{80}");
        let row = [0; 1 << 10];
        assert_eq!(binary(&row).to_string(), "\\x00".repeat(1 << 10));
        assert_eq!(utf8(&[b'x'; QUOTED_MAX]).to_string(), "x".repeat(QUOTED_MAX));
    }

    #[test]
    fn characters_that_a_terminal_does_not_show_are_escaped() {
        assert_eq!(visible("a\u{202e}é\tb\n\x1b[m\r\u{9b}\u{200b}"), "a\\u{202e}é\tb\n\\u{1b}[m\\r\\u{9b}\\u{200b}");
        assert!(matches!(visible("a é\t\n"), Cow::Borrowed("a é\t\n")));
    }

    #[test]
    fn long_texts_are_cut_between_characters() {
        let long = vec![0; 90 << 20];
        for text in [utf8(&long).to_string(), binary(&long).to_string(), escaped(&long).to_string()] {
            assert_eq!(text.len(), QUOTED_MAX + '…'.len_utf8());
            assert!(text.ends_with('…'));
        }
        assert_eq!(Quoted("é".repeat(QUOTED_MAX)).to_string(), format!("{}…", "é".repeat(QUOTED_MAX / 2)));
        assert_eq!(shortened(3, &"aé€"), "aé…");
        assert_eq!(shortened(6, &"aé€"), "aé€");
        assert_eq!(shortened(0, &""), "");
    }

    #[test]
    fn nothing_is_formatted_that_is_not_shown() {
        struct Endless<'a>(&'a Cell<usize>);
        impl Display for Endless<'_> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                loop {
                    self.0.set(self.0.get() + 1);
                    f.write_str("0123456789")?;
                }
            }
        }
        let written = Cell::new(0);
        assert!(Quoted(Endless(&written)).to_string().ends_with('…'));
        assert!(written.get() <= QUOTED_MAX / 10 + 1);
    }
}
