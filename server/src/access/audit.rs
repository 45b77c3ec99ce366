//! The audit log: one line for each change of tables, users and settings.

use std::fmt::{self, Write};
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

/// The tracing target of the lines. `--log warn,hjall::audit=info` logs them and otherwise only warnings.
pub const TARGET: &str = "hjall::audit";

/// The longest text of a client in a line, in characters.
const SHOWN_MAX: usize = 300;

/// Text of a client for a line of the log: escaped, so that it stays on its line, and shortened.
pub struct Shown<'a>(pub &'a str);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for character in self.0.chars().take(SHOWN_MAX) {
            // An apostrophe ends nothing.
            match character {
                '\'' => f.write_char(character)?,
                _ => write!(f, "{}", character.escape_debug())?,
            }
        }
        if self.0.chars().nth(SHOWN_MAX).is_some() { f.write_str("…") } else { Ok(()) }
    }
}

/// Lets one line a second into the log, so that a client without rights cannot push other lines out of it.
#[derive(Debug)]
pub struct OncePerSecond {
    next_ms: AtomicI64,
    hidden: AtomicU64,
}

impl Default for OncePerSecond {
    fn default() -> Self {
        Self { next_ms: AtomicI64::new(i64::MIN), hidden: AtomicU64::new(0) }
    }
}

impl OncePerSecond {
    /// The number of lines that were left out since the last one, or `None` if this one is to be left out.
    pub fn next(&self, now_ms: i64) -> Option<u64> {
        let due = |next_ms: i64| (now_ms >= next_ms).then(|| now_ms.saturating_add(1000));
        if self.next_ms.fetch_update(Ordering::Relaxed, Ordering::Relaxed, due).is_ok() {
            return Some(self.hidden.swap(0, Ordering::Relaxed));
        }
        self.hidden.fetch_add(1, Ordering::Relaxed);
        None
    }
}

#[cfg(test)]
mod tests {
    use super::{OncePerSecond, Shown};

    #[test]
    fn one_line_a_second_says_how_many_were_left_out() {
        let lines = OncePerSecond::default();
        let said = [0, 1, 999, 1000, 1001, 5000].map(|now_ms| lines.next(now_ms));
        assert_eq!(said, [Some(0), None, None, Some(2), None, Some(1)]);
    }

    #[test]
    fn text_of_clients_stays_on_its_line() {
        assert_eq!(Shown("it's\nb\u{1b}[31m\"").to_string(), "it's\\nb\\u{1b}[31m\\\"");
        assert_eq!(Shown(&"x".repeat(301)).to_string(), format!("{}…", "x".repeat(300)));
    }
}
