//! Comparison regardless of case, by Java's rule: characters are equal if the lower case of their upper case is the
//! same.

use std::collections::HashMap;
use std::sync::OnceLock;

use super::set::{self, Set};
use super::{CASE_INSENSITIVE, UNICODE_CASE};

/// Java's `Character.toUpperCase`, which maps one character to one. Rust has Unicode's full mapping instead, which
/// maps the Greek letters listed here to several characters.
fn upper(c: char) -> char {
    let offset = match u32::from(c) {
        0x1f80..=0x1f87 | 0x1f90..=0x1f97 | 0x1fa0..=0x1fa7 => 8,
        0x1fb3 | 0x1fc3 | 0x1ff3 => 9,
        _ => {
            let mut mapped = c.to_uppercase();
            return match (mapped.next(), mapped.next()) {
                (Some(one), None) => one,
                _ => c,
            };
        }
    };
    char::from_u32(u32::from(c) + offset).unwrap_or(c)
}

/// Java's `Character.toLowerCase`.
fn lower(c: char) -> char {
    match c {
        '\u{130}' => 'i',
        _ => c.to_lowercase().next().unwrap_or(c),
    }
}

fn fold(c: char) -> char {
    lower(upper(c))
}

/// All characters that are equal to another one regardless of case, by their folded form.
fn alike() -> &'static HashMap<char, Vec<char>> {
    static ALIKE: OnceLock<HashMap<char, Vec<char>>> = OnceLock::new();
    ALIKE.get_or_init(|| {
        let mut alike: HashMap<char, Vec<char>> = HashMap::new();
        for c in '\0'..=char::MAX {
            if fold(c) != c {
                alike.entry(fold(c)).or_default().push(c);
            }
        }
        for (folded, all) in &mut alike {
            if fold(*folded) == *folded {
                all.push(*folded);
            }
        }
        alike
    })
}

/// The characters that a single character matches under these flags.
pub(super) fn of_char(c: char, flags: u32) -> Set {
    if flags & CASE_INSENSITIVE == 0 {
        return set::chars(&[c]);
    }
    if flags & UNICODE_CASE == 0 {
        return set::chars(&[c, c.to_ascii_lowercase(), c.to_ascii_uppercase()]);
    }
    match alike().get(&fold(c)) {
        Some(all) => set::union(set::chars(all), &set::chars(&[c])),
        None => set::chars(&[c]),
    }
}

/// The characters that a range in a class matches under these flags: also those whose other case is in the range.
pub(super) fn of_range(range: Set, flags: u32) -> Set {
    if flags & CASE_INSENSITIVE == 0 {
        return range;
    }
    let is_in = |c: char| set::contains(&range, c);
    let more: Vec<char> = if flags & UNICODE_CASE == 0 {
        let letters = ('a'..='z').chain('A'..='Z');
        letters.filter(|c| is_in(c.to_ascii_lowercase()) || is_in(c.to_ascii_uppercase())).collect()
    } else {
        let cased = alike().values().flatten().copied();
        cased.filter(|c| is_in(upper(*c)) || is_in(fold(*c))).collect()
    };
    set::union(set::chars(&more), &range)
}
