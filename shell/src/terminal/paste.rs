//! Input that arrives at once and is longer than the rest of the line: pasted text, or a program that drives the
//! terminal. It is taken as it is. The editor would show the whole line again for each character behind the first line
//! of the terminal.

use std::collections::VecDeque;
use std::io::{self, Write};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::ioctl_fionread;
use rustix::stdio::stdin;
use rustix::termios::{OptionalActions, tcgetattr, tcsetattr};

/// Bytes of pasted text that are taken at once.
const PASTE_MAX: usize = 1 << 20;

/// Input that was taken.
pub enum Pasted {
    /// A whole line.
    Line(String),
    /// The beginning of a line, which the editor continues.
    Beginning(String),
}

/// Shows the prompt and waits for input. Returns what was taken: a line or the beginning of one, and the lines behind
/// it. `None`: the editor reads the input.
pub fn wait(prompt: &str, width: usize) -> Option<(Pasted, VecDeque<String>)> {
    if width == 0 {
        return None;
    }
    let original = tcgetattr(stdin()).ok()?;
    let mut raw = original.clone();
    raw.make_raw();
    // Output is still processed, so that line breaks work.
    raw.output_modes = original.output_modes;
    tcsetattr(stdin(), OptionalActions::Drain, &raw).ok()?;
    let mut out = io::stdout();
    let shown = write!(out, "{prompt}").and_then(|()| out.flush());
    let mut ready = [PollFd::from_borrowed_fd(stdin(), PollFlags::IN)];
    let waited = loop {
        match poll(&mut ready, None) {
            Err(rustix::io::Errno::INTR) => {}
            other => break other,
        }
    };
    let count = ioctl_fionread(stdin()).unwrap_or(0);
    let taken = if shown.is_ok() && waited.is_ok() && count as usize + prompt.len() >= width { take() } else { None };
    let _ = tcsetattr(stdin(), OptionalActions::Drain, &original);
    let Some(text) = taken else {
        // The editor shows the prompt again.
        let _ = write!(out, "\r").and_then(|()| out.flush());
        return None;
    };
    let text = cleaned(&text);
    let mut lines: VecDeque<String> = text.split('\n').map(str::to_owned).collect();
    let rest = lines.pop_back().unwrap_or_default();
    let Some(first) = lines.pop_front() else {
        let _ = write!(out, "\r").and_then(|()| out.flush());
        return Some((Pasted::Beginning(rest), VecDeque::new()));
    };
    let _ = writeln!(out, "{first}");
    let _ = out.flush();
    if !rest.is_empty() {
        lines.push_back(rest);
    }
    Some((Pasted::Line(first), lines))
}

/// Everything that can be read now.
fn take() -> Option<Vec<u8>> {
    let mut text = Vec::new();
    loop {
        let available = ioctl_fionread(stdin()).unwrap_or(0) as usize;
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

/// The text without the marks of a bracketed paste and without control characters.
fn cleaned(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes).replace("\x1b[200~", "").replace("\x1b[201~", "");
    let text = text.replace("\r\n", "\n").replace('\r', "\n").replace('\t', "    ");
    text.chars().filter(|letter| *letter == '\n' || !letter.is_control()).collect()
}
