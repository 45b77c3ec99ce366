//! The table layout of HBase's shell: two columns, cut and padded to the width of the terminal.

/// The pieces of this many characters that a text is cut into; at least one.
fn pieces(text: &str, width: usize) -> Vec<String> {
    let letters: Vec<char> = text.chars().collect();
    if letters.is_empty() {
        return vec![String::new()];
    }
    letters.chunks(width.max(1)).map(|piece| piece.iter().collect()).collect()
}

fn padded(text: &str, width: usize) -> String {
    let missing = width.saturating_sub(text.chars().count());
    format!("{text}{:missing$}", "")
}

/// One cell over the whole width. A width of 0 means no terminal: the text is left as it is.
pub fn one(text: &str, width: usize) -> String {
    if width == 0 {
        return format!("{text}\n");
    }
    pieces(text, width).iter().map(|piece| padded(piece, width) + "\n").collect()
}

/// Two cells: a quarter of the width and the rest. A header is not indented.
pub fn two(first: &str, second: &str, width: usize, header: bool) -> String {
    let (before, between) = if header { ("", "  ") } else { (" ", " ") };
    if width == 0 {
        return format!("{before}{first}{between}{second}\n");
    }
    let left = (width / 4).max(1);
    let right = width.saturating_sub(left + 2).max(1);
    let (first, second) = (pieces(first, left), pieces(second, right));
    let mut out = String::new();
    for at in 0..first.len().max(second.len()) {
        let piece = |pieces: &[String], width| padded(pieces.get(at).map_or("", String::as_str), width);
        out.push_str(&format!("{before}{}{between}{}\n", piece(&first, left), piece(&second, right)));
    }
    out
}
