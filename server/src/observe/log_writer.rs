//! The writer of the log. It never blocks its callers: if the log is read too slowly, lines are dropped and counted.

use std::collections::VecDeque;
use std::fmt::Write as _;
use std::io::{self, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::Builder;
use std::time::{Duration, Instant};

use hjall_engine::quote::is_hidden;

/// Bytes of lines that wait to be written. A line that does not fit is dropped.
const WAITING_BYTES_MAX: usize = 4 << 20;
/// Longer lines are cut, or dropped if they cannot be cut.
const LINE_BYTES_MAX: usize = 32 << 10;

/// Lines that were dropped or could not be written. The log belongs to the process, and so does its counter.
static DROPPED: AtomicU64 = AtomicU64::new(0);

/// Returns how many lines of the log were dropped or could not be written since the process started.
pub fn dropped_log_lines() -> u64 {
    DROPPED.load(Ordering::Relaxed)
}

/// The content of lines, which determines what is escaped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineFormat {
    /// Text. Characters that a terminal does not show as they are, such as control characters, are escaped: the text of
    /// a client can neither begin a line nor move the cursor nor change the order in which a line is shown.
    Text {
        /// Whether escape sequences for colours are kept. tracing escapes those in the text of clients itself.
        colours: bool,
    },
    /// A JSON object, whose strings are escaped as JSON demands. The other characters of this kind are escaped, too.
    Json,
}

/// Hands lines to a thread that writes them. Clones share the thread.
#[derive(Debug, Clone)]
pub struct LogWriter(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    format: LineFormat,
    waiting: Mutex<Waiting>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Waiting {
    lines: VecDeque<Vec<u8>>,
    bytes: usize,
    /// Whether the thread is writing a line that it has taken.
    writing: bool,
    /// Dropped lines that the log does not mention yet.
    unreported: u64,
}

impl LogWriter {
    /// Starts the thread, which writes to `out` until the process ends.
    ///
    /// # Errors
    /// The operating system provides no thread.
    pub fn start(out: impl Write + Send + 'static, format: LineFormat) -> io::Result<Self> {
        let shared = Arc::new(Shared { format, waiting: Mutex::default(), changed: Condvar::new() });
        let writer = shared.clone();
        Builder::new().name("hjall-log".to_owned()).spawn(move || writer.write_lines(out))?;
        Ok(Self(shared))
    }

    /// Waits until all lines have been written, at most for this long. Returns whether they were.
    pub fn flush_within(&self, timeout: Duration) -> bool {
        let until = Instant::now() + timeout;
        let mut waiting = self.0.lock();
        while waiting.writing || !waiting.lines.is_empty() {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            waiting = self.0.changed.wait_timeout(waiting, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        true
    }
}

/// One call of `write` is one line.
impl Write for LogWriter {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        self.0.push(self.0.format.clean(line));
        Ok(line.len())
    }

    /// Does nothing, since it must not block. See [`LogWriter::flush_within`].
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn push(&self, line: Option<Vec<u8>>) {
        let mut waiting = self.lock();
        match line {
            Some(line) if waiting.bytes + line.len() <= WAITING_BYTES_MAX => {
                waiting.bytes += line.len();
                waiting.lines.push_back(line);
                drop(waiting);
                self.changed.notify_all();
            }
            _ => {
                waiting.unreported += 1;
                DROPPED.fetch_add(1, Ordering::Relaxed);
            }
        }
    }

    fn write_lines(&self, mut out: impl Write) {
        let mut is_torn = false;
        loop {
            let line = self.next();
            // A failure to write the log cannot be logged: the attempt would fail, too, and so on.
            if write_line(&mut out, &line, &mut is_torn).is_err() {
                DROPPED.fetch_add(1, Ordering::Relaxed);
            }
            let unreported = self.written();
            if unreported > 0 {
                tracing::warn!(lines = unreported, "log lines were dropped because the log is not read fast enough");
            }
        }
    }

    fn next(&self) -> Vec<u8> {
        let mut waiting = self.lock();
        loop {
            if let Some(line) = waiting.lines.pop_front() {
                waiting.bytes -= line.len();
                waiting.writing = true;
                return line;
            }
            waiting = self.changed.wait(waiting).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Ends the writing of a line. Returns the number of dropped lines to report, if there is room for the report.
    fn written(&self) -> u64 {
        let mut waiting = self.lock();
        waiting.writing = false;
        self.changed.notify_all();
        if waiting.bytes > WAITING_BYTES_MAX / 2 { 0 } else { std::mem::take(&mut waiting.unreported) }
    }
}

/// Writes a line. `is_torn` is whether the log ends within a line that could not be written whole: that line is ended
/// first.
fn write_line(out: &mut impl Write, line: &[u8], is_torn: &mut bool) -> io::Result<()> {
    if *is_torn {
        out.write_all(b"\n")?;
        *is_torn = false;
    }
    let mut left = line;
    while !left.is_empty() {
        match out.write(left) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(written) => {
                left = left.get(written..).unwrap_or_default();
                *is_torn = !left.is_empty();
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    out.flush()
}

impl LineFormat {
    /// Escapes and cuts a line. Returns `None` if it is too long and cannot be cut.
    fn clean(self, line: &[u8]) -> Option<Vec<u8>> {
        let colours = match self {
            Self::Json => return (line.len() <= LINE_BYTES_MAX).then(|| clean_json(line)),
            Self::Text { colours } => colours,
        };
        let cut = line.get(..LINE_BYTES_MAX).unwrap_or(line);
        let text = String::from_utf8_lossy(cut.strip_suffix(b"\n").unwrap_or(cut));
        let mut clean = String::with_capacity(text.len() + 1);
        for c in text.chars() {
            if is_hidden(c) && !(colours && c == '\x1b') {
                clean.extend(c.escape_default());
            } else {
                clean.push(c);
            }
        }
        if cut.len() < line.len() {
            let _ = write!(clean, " … ({} more bytes)", line.len() - cut.len());
        }
        clean.push('\n');
        Some(clean.into_bytes())
    }
}

/// Escapes the characters of a JSON object that JSON does not escape. All of them are in its strings.
fn clean_json(line: &[u8]) -> Vec<u8> {
    if line.is_ascii() {
        return line.to_vec();
    }
    let text = String::from_utf8_lossy(line);
    let mut clean = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_ascii() || !is_hidden(c) {
            clean.push(c);
        } else {
            for unit in c.encode_utf16(&mut [0; 2]) {
                let _ = write!(clean, "\\u{unit:04x}");
            }
        }
    }
    clean.into_bytes()
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::sync::mpsc;
    use std::time::Duration;

    use super::{LineFormat, LogWriter, WAITING_BYTES_MAX, dropped_log_lines};

    const TEXT: LineFormat = LineFormat::Text { colours: false };

    /// Passes on what is written; blocks until it is received.
    struct Slow(mpsc::SyncSender<Vec<u8>>);

    impl Write for Slow {
        fn write(&mut self, line: &[u8]) -> std::io::Result<usize> {
            self.0.send(line.to_vec()).map_err(std::io::Error::other)?;
            Ok(line.len())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_reader_that_stalls_costs_lines_and_blocks_no_writer() {
        let (out, read) = mpsc::sync_channel(0);
        let mut writer = LogWriter::start(Slow(out), TEXT).unwrap();
        let (line, before) = ([b'x'; 1000], dropped_log_lines());
        for _ in 0..2 * WAITING_BYTES_MAX / line.len() {
            writer.write_all(&line).unwrap();
        }
        assert!(dropped_log_lines() - before >= (WAITING_BYTES_MAX / line.len()) as u64 - 1);
        assert!(!writer.flush_within(Duration::ZERO));
        assert_eq!(read.recv().unwrap().len(), line.len() + 1);
        std::thread::spawn(move || while read.recv().is_ok() {});
        assert!(writer.flush_within(Duration::from_secs(60)));
    }

    /// A disk with room for some bytes.
    struct Disk {
        content: Vec<u8>,
        room: usize,
    }

    impl Write for Disk {
        fn write(&mut self, data: &[u8]) -> std::io::Result<usize> {
            let written = data.len().min(self.room - self.content.len());
            if written == 0 {
                return Err(std::io::ErrorKind::StorageFull.into());
            }
            self.content.extend_from_slice(&data[..written]);
            Ok(written)
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_torn_line_is_ended_before_the_next() {
        let (mut disk, mut is_torn) = (Disk { content: Vec::new(), room: 12 }, false);
        let mut write = |disk: &mut Disk| super::write_line(disk, b"line\n", &mut is_torn).is_ok();
        assert_eq!([(); 4].map(|()| write(&mut disk)), [true, true, false, false]);
        disk.room = 100;
        assert!(write(&mut disk) && write(&mut disk));
        assert_eq!(disk.content, b"line\nline\nli\nline\nline\n");
    }

    /// Fails every write.
    struct Full;

    impl Write for Full {
        fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
            Err(std::io::ErrorKind::StorageFull.into())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn lines_that_cannot_be_written_are_counted() {
        let mut writer = LogWriter::start(Full, TEXT).unwrap();
        let before = dropped_log_lines();
        for _ in 0..3 {
            writer.write_all(b"line").unwrap();
        }
        assert!(writer.flush_within(Duration::from_secs(60)));
        assert!(dropped_log_lines() - before >= 3);
    }

    #[test]
    fn hidden_characters_are_escaped_and_long_lines_are_cut() {
        let clean =
            |format: LineFormat, line: &str| format.clean(line.as_bytes()).map(|l| String::from_utf8(l).unwrap());
        assert_eq!(clean(TEXT, "a\nb\r\x1b[2J\u{9b}é\n").unwrap(), "a\\nb\\r\\u{1b}[2J\\u{9b}é\n");
        assert_eq!(clean(LineFormat::Text { colours: true }, "\x1b[2ma\n\n").unwrap(), "\x1b[2ma\\n\n");
        assert_eq!(clean(TEXT, "a\u{202e}b\u{2028}c\u{200b}d").unwrap(), "a\\u{202e}b\\u{2028}c\\u{200b}d\n");
        let json = clean(LineFormat::Json, "{\"a\":\"\u{85}\u{9b}\u{202e}\u{2029}\u{e0041}é\\u0007\"}\n").unwrap();
        assert_eq!(json, "{\"a\":\"\\u0085\\u009b\\u202e\\u2029\\udb40\\udc41é\\u0007\"}\n");
        let long = clean(TEXT, &"é".repeat(100_000)).unwrap();
        assert!(long.len() < 40_000 && long.ends_with("more bytes)\n"), "{}", long.len());
        assert_eq!(clean(LineFormat::Json, "{}\n").unwrap(), "{}\n");
        assert_eq!(clean(LineFormat::Json, &"x".repeat(100_000)), None);
    }
}
