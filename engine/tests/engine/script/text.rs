//! Bytes in scripts: which are printed unchanged, and which as `\xHH`.

/// Bytes that stand for themselves; the others are written `\xHH`. Spaces separate words, `@` and `=` the parts of a
/// cell, and `#` begins a number.
fn is_plain(byte: u8) -> bool {
    byte.is_ascii_graphic() && !matches!(byte, b'\\' | b'@' | b'=' | b'#')
}

/// Bytes as a word.
pub fn escape(bytes: &[u8]) -> String {
    bytes.iter().map(|&b| if is_plain(b) { char::from(b).to_string() } else { format!("\\x{b:02X}") }).collect()
}

/// A word as bytes.
pub fn unescape(word: &str) -> Vec<u8> {
    let mut out = Vec::new();
    let mut rest = word.as_bytes();
    while let [first, tail @ ..] = rest {
        let hex = tail.strip_prefix(b"x").and_then(|t| t.get(..2)).filter(|_| *first == b'\\');
        if let Some(hex) = hex {
            out.push(u8::from_str_radix(std::str::from_utf8(hex).unwrap(), 16).unwrap());
            rest = &tail[3..];
        } else {
            out.push(*first);
            rest = tail;
        }
    }
    out
}

/// A value: `#5` is a number of eight bytes, `word*100` is the word repeated 100 times, everything else is bytes.
pub fn value(word: &str) -> Vec<u8> {
    if let Some(number) = word.strip_prefix('#') {
        return number.parse::<i64>().unwrap().to_be_bytes().to_vec();
    }
    match word.rsplit_once('*').and_then(|(part, times)| Some((part, times.parse::<usize>().ok()?))) {
        Some((part, times)) => unescape(part).repeat(times),
        None => unescape(word),
    }
}

/// Formats a value: long ones as their length, eight bytes as a number unless they are printable.
pub fn show_value(bytes: &[u8]) -> String {
    match <[u8; 8]>::try_from(bytes) {
        Ok(eight) if !bytes.iter().all(u8::is_ascii_graphic) => format!("#{}", i64::from_be_bytes(eight)),
        _ if bytes.len() > 100 => format!("({}\\x20bytes)", bytes.len()),
        _ => escape(bytes),
    }
}

/// Formats a cell: `family:qualifier@timestamp=value`, a marker as `family:qualifier@timestamp!Kind`.
pub fn show_cell(cell: &hjall_engine::Cell) -> String {
    let column = format!("{}:{}@{}", escape(&cell.family), escape(&cell.qualifier), cell.timestamp);
    if cell.kind.is_marker() {
        format!("{column}!{:?}", cell.kind)
    } else {
        format!("{column}={}", show_value(&cell.value))
    }
}
