//! The audit log: one line for each change of tables, users and settings.

use std::borrow::Cow;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

/// The tracing target of the lines. `--log warn,hjall::audit=info` logs them and otherwise only warnings.
pub const TARGET: &str = "hjall::audit";

/// The longest text of a client in a line, in characters.
const SHOWN_MAX: usize = 300;

/// Text of a client for a field of a line, shortened. Fields are logged as strings: the log quotes and escapes them, so
/// that they stay on their line and no text looks like another field.
pub fn shortened(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(SHOWN_MAX) {
        Some((end, _)) => Cow::Owned(format!("{}…", &text[..end])),
        None => Cow::Borrowed(text),
    }
}

/// The text of a failure for a line: without the lines of a Java stack, on one line.
pub fn outcome(failure: &str) -> String {
    let lines = failure.lines().map(str::trim).take_while(|line| !line.starts_with("at "));
    let text = lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ");
    shortened(&text).into_owned()
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
        if self.begin(now_ms) {
            return Some(self.hidden.swap(0, Ordering::Relaxed));
        }
        self.hidden.fetch_add(1, Ordering::Relaxed);
        None
    }

    /// The number of lines that were left out since the last one, if there are any and a line may be logged now. It is
    /// logged on a separate line, since no further event may come.
    pub fn rest(&self, now_ms: i64) -> Option<u64> {
        if self.hidden.load(Ordering::Relaxed) == 0 || !self.begin(now_ms) {
            return None;
        }
        Some(self.hidden.swap(0, Ordering::Relaxed)).filter(|hidden| *hidden > 0)
    }

    /// Whether a line may be logged. If so, the next second begins.
    fn begin(&self, now_ms: i64) -> bool {
        let due = |next_ms: i64| (now_ms >= next_ms).then(|| now_ms.saturating_add(1000));
        self.next_ms.fetch_update(Ordering::Relaxed, Ordering::Relaxed, due).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::{OncePerSecond, outcome, shortened};

    #[test]
    fn one_line_a_second_says_how_many_were_left_out() {
        let lines = OncePerSecond::default();
        let said = [0, 1, 999, 1000, 1001, 5000].map(|now_ms| lines.next(now_ms));
        assert_eq!(said, [Some(0), None, None, Some(2), None, Some(1)]);
    }

    #[test]
    fn the_rest_is_told_once_the_second_has_passed() {
        let lines = OncePerSecond::default();
        assert_eq!([0, 1, 2].map(|now_ms| lines.next(now_ms)), [Some(0), None, None]);
        assert_eq!([999, 1000, 3000].map(|now_ms| lines.rest(now_ms)), [None, Some(2), None]);
        // The line of the rest begins a second, too.
        assert_eq!([1001, 2000].map(|now_ms| lines.next(now_ms)), [None, Some(1)]);
        assert_eq!(lines.rest(i64::MAX), None);
    }

    #[test]
    fn text_of_clients_is_shortened() {
        assert_eq!(shortened("it's\nb"), "it's\nb");
        assert_eq!(shortened(&"é".repeat(301)), format!("{}…", "é".repeat(300)));
    }

    #[test]
    fn the_outcome_is_the_whole_reason_without_the_stack() {
        let failure = "Failed after attempts=1, exceptions:\n\nIllegal name: a:b\n\tat org.apache.A.b(A.java:1)\n";
        assert_eq!(outcome(failure), "Failed after attempts=1, exceptions: Illegal name: a:b");
    }
}
