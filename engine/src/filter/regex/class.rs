//! Character classes: `[…]` with ranges, nested classes, `&&` and `^`.

use super::case;
use super::escape::Escaped;
use super::parser::Parser;
use super::set::{self, Set};
use crate::error::Result;

/// A class that is being read. Java collects single characters separately until the end of the class or a `&&`.
#[derive(Default)]
struct Reading {
    whole: Option<Set>,
    singles: Option<Set>,
    /// The part read last. A `&&` without a right side intersects with it again.
    latest: Option<Set>,
}

impl Reading {
    fn add(&mut self, part: Set) {
        self.whole = Some(match self.whole.take() {
            Some(whole) => set::union(whole, &part),
            None => part.clone(),
        });
        self.latest = Some(part);
    }

    fn add_single(&mut self, part: &Set) {
        let singles = self.singles.take().unwrap_or_else(Set::empty);
        self.singles = Some(set::union(singles, part));
    }

    /// Adds the single characters to the class.
    fn settle(&mut self) {
        if let Some(singles) = self.singles.take() {
            match self.whole.take() {
                Some(whole) => self.whole = Some(set::union(whole, &singles)),
                None => {
                    self.latest = Some(singles.clone());
                    self.whole = Some(singles);
                }
            }
        }
    }
}

impl Parser {
    /// The class after a `[`. With `whole` it consumes the closing bracket; otherwise it is the right side of a `&&`,
    /// and does not.
    pub(super) fn class(&mut self, whole: bool) -> Result<Set> {
        let mut reading = Reading::default();
        let negated = whole && self.raw() == Some('^');
        if negated {
            self.at += 1;
        }
        loop {
            match self.peek() {
                None => return self.fail("Unclosed character class"),
                Some('[') => {
                    self.take();
                    let inner = self.nested(|parser| parser.class(true))?;
                    reading.add(inner);
                    continue;
                }
                Some('&') if self.is_intersection() => {
                    self.intersect(&mut reading)?;
                    continue;
                }
                Some(']') if reading.whole.is_some() || reading.singles.is_some() => {
                    if whole {
                        self.take();
                    }
                    reading.settle();
                    let set = reading.whole.unwrap_or_else(Set::empty);
                    return Ok(if negated { set::inverted(set) } else { set });
                }
                Some(_) => self.range(&mut reading)?,
            }
        }
    }

    fn is_intersection(&mut self) -> bool {
        let here = self.at;
        self.at += 1;
        let doubled = self.peek() == Some('&');
        self.at = here;
        doubled
    }

    fn intersect(&mut self, reading: &mut Reading) -> Result<()> {
        self.take();
        self.take();
        let mut right: Option<Set> = None;
        loop {
            match self.peek() {
                None | Some(']' | '&') => break,
                Some('[') => {
                    self.take();
                    let inner = self.nested(|parser| parser.class(true))?;
                    right = Some(match right {
                        Some(right) => set::union(right, &inner),
                        None => inner,
                    });
                }
                Some(_) => {
                    let bare = self.nested(|parser| parser.class(false))?;
                    right = Some(match right {
                        Some(right) => set::union(right, &bare),
                        None => bare,
                    });
                }
            }
        }
        reading.settle();
        if right.is_some() {
            reading.latest.clone_from(&right);
        }
        let joined = match (reading.whole.take(), right) {
            (None, None) => return self.fail("Bad class syntax"),
            (None, Some(right)) => right,
            (Some(mut whole), _) => {
                if let Some(latest) = &reading.latest {
                    whole.intersect(latest);
                }
                whole
            }
        };
        reading.whole = Some(joined);
        Ok(())
    }

    /// A character, a range of characters, or an escape that stands for several characters.
    fn range(&mut self, reading: &mut Reading) -> Result<()> {
        let first = match self.peek() {
            Some('\\') => {
                let in_range = self.raw_after(2) == Some('-');
                match self.escaped_set(in_range)? {
                    Escaped::Char(c) => c,
                    Escaped::Set(set) => {
                        reading.add(set);
                        return Ok(());
                    }
                }
            }
            _ => self.take(),
        };
        if self.peek() != Some('-') || matches!(self.raw_after(1), Some('[' | ']')) {
            if let Some(c) = first {
                let single = case::of_char(c, self.flags);
                reading.add_single(&single);
            } else {
                reading.add_single(&Set::empty());
            }
            return Ok(());
        }
        self.take();
        let last = match self.peek() {
            Some('\\') => match self.escaped_set(true)? {
                Escaped::Char(c) => c,
                Escaped::Set(_) => return self.fail("Illegal character range"),
            },
            None => return self.fail("Illegal character range"),
            _ => self.take(),
        };
        match (first, last) {
            (Some(first), Some(last)) if first <= last => {
                let range = case::of_range(set::ranges(&[(first, last)]), self.flags);
                reading.add(range);
                Ok(())
            }
            _ => self.fail("Illegal character range"),
        }
    }
}
