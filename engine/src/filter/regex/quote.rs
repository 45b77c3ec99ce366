//! Quoted parts, `\Q…\E`. Java replaces them with escapes before it parses the pattern.

/// Replaces quoted parts. Letters in them stay as they are, and other ASCII characters get a backslash. A digit at
/// the beginning becomes `\x3…`, since it would otherwise extend a reference before it.
pub(super) fn unquote(pattern: &str) -> Vec<char> {
    let chars: Vec<char> = pattern.chars().collect();
    let mut plain = Vec::with_capacity(chars.len());
    let mut at = 0;
    let (mut quoted, mut begins) = (false, false);
    while let Some(c) = chars.get(at).copied() {
        at += 1;
        let next = chars.get(at).copied();
        match (quoted, c) {
            (false, '\\') if next == Some('Q') => {
                at += 1;
                quoted = true;
                begins = true;
                continue;
            }
            (false, '\\') => {
                plain.push(c);
                plain.extend(next);
                at += 1;
            }
            (true, '\\') if next == Some('E') => {
                at += 1;
                quoted = false;
            }
            (true, '0'..='9') if begins => plain.extend(['\\', 'x', '3', c]),
            (true, c) if c.is_ascii() && !c.is_ascii_alphanumeric() => plain.extend(['\\', c]),
            (_, c) => plain.push(c),
        }
        begins = false;
    }
    plain
}
