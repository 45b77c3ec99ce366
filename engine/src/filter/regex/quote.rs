//! `\Q…\E`: quoted stretches, which Java turns into escapes before it reads anything else.

/// The pattern without quoted stretches. Letters in them stay as they are, other ASCII characters get a backslash, and a digit that begins
/// one is written as `\x3…`, lest it lengthen a reference before it.
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
