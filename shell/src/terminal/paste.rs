//! Input that arrives in one piece: pasted text, a program that drives the terminal, a key that is several bytes.
//!
//! Whole lines are taken as they are. The editor would show a line again for each character behind the width of the
//! terminal. Single keys are left to the editor, which cannot be given bytes back; a key of several bytes on an empty
//! line is done here.

use std::io::{self, Write};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::ioctl_fionread;
use rustix::stdio::stdin;
use rustix::termios::{OptionalActions, Termios, tcgetattr, tcsetattr};

/// Bytes of pasted text that are taken at once.
const PASTE_MAX: usize = 1 << 20;

/// Input that was taken.
#[derive(Debug, PartialEq, Eq)]
pub enum Pasted {
    /// What whole lines and the keys among them ask for, and the beginning of the next line.
    Lines(Vec<Event>, String),
    /// The beginning of a line, and how often Tab was pressed behind it.
    Beginning(String, usize),
    /// The key that goes back in the history, this often, and whether Enter followed.
    Previous(usize, bool),
    /// A control character that no key of the editor sends.
    Refused(char),
}

/// One of several lines or keys that arrive together.
#[derive(Debug, PartialEq, Eq)]
pub enum Event {
    /// A line.
    Line(String),
    /// Ctrl-C: the line that was begun is dropped.
    Drop,
    /// Ctrl-D on an empty line.
    End,
}

/// A terminal without echo, without line editing, and whose keys send no signals. Dropping it restores the terminal.
#[derive(Debug)]
pub struct RawMode(Termios);

impl RawMode {
    fn new() -> Option<Self> {
        let original = tcgetattr(stdin()).ok()?;
        let mut raw = original.clone();
        raw.make_raw();
        // Output is still processed, so that line breaks work.
        raw.output_modes = original.output_modes;
        tcsetattr(stdin(), OptionalActions::Drain, &raw).ok()?;
        Some(Self(original))
    }
}

impl Drop for RawMode {
    fn drop(&mut self) {
        let _ = tcsetattr(stdin(), OptionalActions::Drain, &self.0);
    }
}

/// Shows the prompt and waits for input. Without [`Pasted`], the editor reads it.
///
/// The terminal has to stay in raw mode until the line has been read: a Ctrl-C in between would be a signal, of which
/// the editor learns nothing.
pub fn wait(prompt: &str) -> Option<(RawMode, Option<Pasted>)> {
    let raw = RawMode::new()?;
    let mut out = io::stdout();
    let shown = write!(out, "{prompt}").and_then(|()| out.flush());
    let waited = loop {
        let mut ready = [PollFd::from_borrowed_fd(stdin(), PollFlags::IN)];
        match poll(&mut ready, None) {
            Err(rustix::io::Errno::INTR) => {}
            other => break other,
        }
    };
    let taken = if shown.is_ok() && waited.is_ok() && ioctl_fionread(stdin()).unwrap_or(0) > 1 { take() } else { None };
    Some((raw, taken.map(|bytes| understood(&bytes))))
}

/// Everything that can be read now.
fn take() -> Option<Vec<u8>> {
    let mut text = Vec::new();
    loop {
        let available = usize::try_from(ioctl_fionread(stdin()).unwrap_or(0)).unwrap_or(0);
        if available == 0 || text.len() >= PASTE_MAX {
            break;
        }
        let mut buffer = vec![0; available.min(64 << 10)];
        match rustix::io::read(stdin(), &mut buffer) {
            Ok(0) | Err(_) => break,
            Ok(count) => text.extend_from_slice(&buffer[..count]),
        }
    }
    (!text.is_empty()).then_some(text)
}

/// The meaning of bytes from a terminal.
fn understood(bytes: &[u8]) -> Pasted {
    const CONTROL_C: char = '\x03';
    const CONTROL_D: char = '\x04';
    let text = String::from_utf8_lossy(bytes).replace("\x1b[200~", "").replace("\x1b[201~", "");
    let (mut keys, mut presses) = (&text[..], 0);
    while let Some(rest) = keys.strip_prefix("\x1b[A").or_else(|| keys.strip_prefix("\x1bOA")) {
        (keys, presses) = (rest, presses + 1);
    }
    if presses > 0 && matches!(keys, "" | "\r" | "\n" | "\r\n") {
        return Pasted::Previous(presses, !keys.is_empty());
    }
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    if !text.contains(['\n', CONTROL_C, CONTROL_D]) {
        // Keys that move the cursor of an empty line do nothing.
        let text = without_sequences(&text);
        let typed = text.trim_end_matches('\t');
        let kept = typed.chars().filter(|letter| *letter == '\t' || !letter.is_control()).collect();
        return Pasted::Beginning(kept, text.len() - typed.len());
    }
    let (mut events, mut line) = (Vec::new(), String::new());
    for letter in text.chars() {
        match letter {
            '\n' => events.push(Event::Line(std::mem::take(&mut line))),
            CONTROL_C => {
                // Directly behind a line it would end the statement as it begins.
                if line.is_empty() && matches!(events.last(), Some(Event::Line(_))) {
                    events.pop();
                }
                line.clear();
                events.push(Event::Drop);
            }
            CONTROL_D if line.is_empty() => events.push(Event::End),
            // As in the editor, Ctrl-D does nothing at the end of a line that is not empty.
            CONTROL_D => {}
            '\t' => line.push(letter),
            // Dropping it would change what was pasted.
            letter if letter.is_control() => return Pasted::Refused(letter),
            letter => line.push(letter),
        }
    }
    Pasted::Lines(events, line)
}

/// The text without the sequences of keys that move or delete.
fn without_sequences(text: &str) -> String {
    let mut out = String::new();
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        if letter != '\x1b' {
            out.push(letter);
            continue;
        }
        if letters.next_if(|next| matches!(next, '[' | 'O')).is_some() {
            while letters.next_if(|next| next.is_ascii_digit() || *next == ';').is_some() {}
        }
        letters.next();
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_lines_are_taken() {
        let lines = |lines: &[&str], rest: &str| {
            Pasted::Lines(lines.iter().map(|line| Event::Line((*line).to_owned())).collect(), rest.to_owned())
        };
        assert_eq!(understood(b"list\r"), lines(&["list"], ""));
        assert_eq!(understood(b"a\r\nb\nc"), lines(&["a", "b"], "c"));
        assert_eq!(understood(b"\x1b[200~x\n\ty\n\x1b[201~"), lines(&["x", "\ty"], ""));
    }

    #[test]
    fn keys_of_several_bytes() {
        assert_eq!(understood(b"\x1b[A"), Pasted::Previous(1, false));
        assert_eq!(understood(b"\x1b[A\x1bOA\r"), Pasted::Previous(2, true));
        assert_eq!(understood(b"\x1b[D"), Pasted::Beginning(String::new(), 0));
        assert_eq!(understood(b"\x1b[1;5Cx"), Pasted::Beginning("x".to_owned(), 0));
        assert_eq!(understood("\u{e9}".as_bytes()), Pasted::Beginning("\u{e9}".to_owned(), 0));
        assert_eq!(understood(b"tru\t\t"), Pasted::Beginning("tru".to_owned(), 2));
        assert_eq!(understood(b"ab\x03"), Pasted::Lines(vec![Event::Drop], String::new()));
    }

    #[test]
    fn keys_and_lines_in_one_piece_keep_their_order() {
        let line = |text: &str| Event::Line(text.to_owned());
        assert_eq!(understood(b"puts 1\r\x04"), Pasted::Lines(vec![line("puts 1"), Event::End], String::new()));
        assert_eq!(
            understood(b"puts 1\rputs 2\rpu\x03x"),
            Pasted::Lines(vec![line("puts 1"), line("puts 2"), Event::Drop], "x".to_owned())
        );
        assert_eq!(
            understood(b"puts 1\rloop { }\r\x03"),
            Pasted::Lines(vec![line("puts 1"), Event::Drop], String::new())
        );
        assert_eq!(understood(b"\x03\x04"), Pasted::Lines(vec![Event::Drop, Event::End], String::new()));
    }

    #[test]
    fn pasted_text_is_taken_as_it_is_or_refused() {
        assert_eq!(
            understood(b"puts 'a\tb'\r"),
            Pasted::Lines(vec![Event::Line("puts 'a\tb'".to_owned())], String::new())
        );
        assert_eq!(understood(b"puts '\x1b[31m'\r"), Pasted::Refused('\x1b'));
        assert_eq!(understood(b"puts '\x01'\r"), Pasted::Refused('\x01'));
    }
}
