//! The parts of Redis's protocol that GET and SET need.

/// Encodes a command with its arguments.
pub fn command(words: &[&[u8]]) -> Vec<u8> {
    let mut out = format!("*{}\r\n", words.len()).into_bytes();
    for word in words {
        out.extend_from_slice(format!("${}\r\n", word.len()).as_bytes());
        out.extend_from_slice(word);
        out.extend_from_slice(b"\r\n");
    }
    out
}

/// The end of the first reply in the buffer (a simple string, an error, a number or a bulk string), if it is complete.
pub fn reply_end(buffer: &[u8]) -> Option<usize> {
    let line = buffer.windows(2).position(|w| w == b"\r\n")? + 2;
    if buffer[0] != b'$' {
        return Some(line);
    }
    let length: i64 = std::str::from_utf8(&buffer[1..line - 2]).ok()?.parse().ok()?;
    let end = if length < 0 { line } else { line + length as usize + 2 };
    (buffer.len() >= end).then_some(end)
}
