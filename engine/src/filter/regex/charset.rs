//! Decodes bytes to text as Java does: malformed input becomes U+FFFD.

use std::borrow::Cow;

/// A character set of RegexStringComparator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Charset {
    /// UTF-8.
    Utf8,
    /// ISO-8859-1: every byte is a character.
    Latin1,
    /// US-ASCII: bytes from 0x80 on are malformed.
    Ascii,
    /// UTF-16, big-endian unless a byte order mark selects the other order.
    Utf16,
    /// UTF-16, big-endian.
    Utf16Be,
    /// UTF-16, little-endian.
    Utf16Le,
}

impl Charset {
    /// The character set of that name, in any case. Knows Java's most common aliases; `None` for other names.
    pub fn named(name: &str) -> Option<Self> {
        Some(match name.to_ascii_lowercase().as_str() {
            "utf-8" | "utf8" | "unicode-1-1-utf-8" => Self::Utf8,
            "iso-8859-1" | "iso8859-1" | "iso8859_1" | "iso_8859-1" | "iso_8859_1" | "latin1" | "l1" | "8859_1"
            | "cp819" | "ibm819" | "ibm-819" | "819" | "csisolatin1" | "iso-ir-100" | "iso_8859-1:1987" => Self::Latin1,
            "us-ascii" | "ascii" | "iso646-us" | "ascii7" | "646" | "cp367" | "ibm367" | "us" | "csascii"
            | "ansi_x3.4-1968" | "ansi_x3.4-1986" | "iso_646.irv:1991" | "iso_646.irv:1983" | "iso-ir-6"
            | "default" => Self::Ascii,
            "utf-16" | "utf16" | "utf_16" | "unicode" | "unicodebig" => Self::Utf16,
            "utf-16be" | "utf_16be" | "iso-10646-ucs-2" | "x-utf-16be" | "unicodebigunmarked" => Self::Utf16Be,
            "utf-16le" | "utf_16le" | "x-utf-16le" | "unicodelittleunmarked" => Self::Utf16Le,
            _ => return None,
        })
    }

    /// Java's name of the character set.
    pub fn name(self) -> &'static str {
        match self {
            Self::Utf8 => "UTF-8",
            Self::Latin1 => "ISO-8859-1",
            Self::Ascii => "US-ASCII",
            Self::Utf16 => "UTF-16",
            Self::Utf16Be => "UTF-16BE",
            Self::Utf16Le => "UTF-16LE",
        }
    }

    /// Decodes bytes.
    pub fn decode(self, bytes: &[u8]) -> Cow<'_, str> {
        match self {
            Self::Utf8 => decode_utf8(bytes),
            Self::Latin1 => bytes.iter().map(|b| char::from(*b)).collect(),
            Self::Ascii => {
                bytes.iter().map(|b| if b.is_ascii() { char::from(*b) } else { char::REPLACEMENT_CHARACTER }).collect()
            }
            Self::Utf16 => match bytes {
                [0xfe, 0xff, rest @ ..] => decode_utf16(rest, u16::from_be_bytes),
                [0xff, 0xfe, rest @ ..] => decode_utf16(rest, u16::from_le_bytes),
                _ => decode_utf16(bytes, u16::from_be_bytes),
            },
            Self::Utf16Be => decode_utf16(bytes, u16::from_be_bytes),
            Self::Utf16Le => decode_utf16(bytes, u16::from_le_bytes),
        }
    }
}

fn decode_utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Cow<'static, str> {
    let (pairs, odd) = bytes.as_chunks::<2>();
    let mut text: String = char::decode_utf16(pairs.iter().map(|pair| unit(*pair)))
        .map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER))
        .collect();
    if !odd.is_empty() {
        text.push(char::REPLACEMENT_CHARACTER);
    }
    text.into()
}

/// Decodes UTF-8 as Java's `String` does. The result differs from Rust's lossy decoding for surrogates only: the
/// three bytes of a surrogate become one U+FFFD, not three.
pub fn decode_utf8(bytes: &[u8]) -> Cow<'_, str> {
    let mut text = match String::from_utf8_lossy(bytes) {
        Cow::Borrowed(text) => return Cow::Borrowed(text),
        Cow::Owned(_) => String::with_capacity(bytes.len()),
    };
    let mut rest = bytes;
    while !rest.is_empty() {
        let surrogate = rest.windows(2).position(|w| w[0] == 0xed && (0xa0..=0xbf).contains(&w[1]));
        let (plain, after) = rest.split_at(surrogate.unwrap_or(rest.len()));
        text.push_str(&String::from_utf8_lossy(plain));
        if surrogate.is_none() {
            break;
        }
        let length = match after.get(2) {
            Some(0x80..=0xbf) => 3,
            // At the end of the input, and before any other byte, the first two bytes become one U+FFFD.
            _ => 2,
        };
        text.push(char::REPLACEMENT_CHARACTER);
        rest = &after[length..];
    }
    text.into()
}
