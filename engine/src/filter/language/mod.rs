//! The filter language: filters as text.
//!
//! HBase parses it with two stacks, one of operators and open parentheses and one of filters, and inspects them only
//! when it applies an operator. This decides which malformed texts are accepted: an unclosed `(` is accepted, `(A AND
//! SKIP B)` is refused, and `()A` is `A`. Programs contain such texts, so this parser uses the same two stacks.

mod argument;
mod simple;

use super::regex::of_filter;
use super::spec::{DEPTH_MAX, FilterSpec, LENGTH_MAX};
use crate::error::{Error, Result};

pub(super) use argument::{Arguments, Parsed};

/// An operator or an open parenthesis, the tightest binding first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Operator {
    Skip,
    While,
    And,
    Or,
    Open,
}

impl Operator {
    fn precedence(self) -> u8 {
        match self {
            Self::Skip | Self::While => 1,
            Self::And => 2,
            Self::Or | Self::Open => 3,
        }
    }

    /// HBase's message for an operator with too few filters, and what was expected.
    fn too_few(self) -> (&'static str, &'static str) {
        match self {
            Self::Skip => ("Incorrect input string - a SKIP wraps a filter", "a filter for this SKIP"),
            Self::While => ("Incorrect input string - a WHILE wraps a filter", "a filter for this WHILE"),
            Self::And => ("Incorrect input string - an AND needs two filters", "a filter on either side of this AND"),
            Self::Or => ("Incorrect input string - an OR needs two filters", "a filter on either side of this OR"),
            Self::Open => ("Incorrect Filter String", "a filter for this parenthesis"),
        }
    }
}

impl FilterSpec {
    /// Parses HBase's filter language.
    ///
    /// # Errors
    /// `InvalidArgument` with HBase's message, the position in the text (in bytes, from 0) and what was expected there.
    pub fn parse(text: &[u8]) -> Result<Self> {
        if text.len() > LENGTH_MAX {
            return Err(Error::invalid(format!(
                "Incorrect Filter String: the text has {} bytes, the maximum is {LENGTH_MAX}: shorten it, or use several reads",
                text.len()
            )));
        }
        of_filter(|| Self::parse_filters(text))
    }

    fn parse_filters(text: &[u8]) -> Result<Self> {
        let mut stacks = Stacks::default();
        let mut at = 0;
        while let Some(byte) = text.get(at) {
            let operator = operator_at(text, at);
            match (byte, operator) {
                (b'(', _) => stacks.operators.push((Operator::Open, at)),
                (b' ' | b'\t', _) => {}
                (_, Some((operator, length))) => {
                    stacks.operator(operator, at)?;
                    at += length - 1;
                }
                (b')', _) => stacks.close(at)?,
                _ => {
                    let simple = simple::Simple::extract(text, at)?;
                    at += simple.length - 1;
                    stacks.filters.push((simple.filter()?, 1));
                }
            }
            at += 1;
        }
        stacks.finish(text.len())
    }
}

/// The keyword that begins here, and its length. The characters allowed next to it depend on the keyword. A tab is
/// not a space.
fn operator_at(text: &[u8], at: usize) -> Option<(Operator, usize)> {
    let words: [(&[u8], Operator); 4] =
        [(b"OR", Operator::Or), (b"AND", Operator::And), (b"SKIP", Operator::Skip), (b"WHILE", Operator::While)];
    let (word, operator) = words.into_iter().find(|(word, _)| text[at..].starts_with(word))?;
    let before = at.checked_sub(1).map(|i| text[i]);
    let begins = match operator {
        Operator::And | Operator::Or => matches!(before, Some(b' ' | b')')),
        _ => matches!(before, None | Some(b' ' | b')' | b'(')),
    };
    let ends = matches!(text.get(at + word.len()), Some(b' ' | b'('));
    (begins && ends).then_some((operator, word.len()))
}

/// HBase's two stacks. Operators have their position, filters their depth.
#[derive(Default)]
struct Stacks {
    operators: Vec<(Operator, usize)>,
    filters: Vec<(FilterSpec, usize)>,
}

impl Stacks {
    fn operator(&mut self, operator: Operator, at: usize) -> Result<()> {
        while let Some((top, _)) = self.operators.last()
            && *top != Operator::Open
            && top.precedence() < operator.precedence()
        {
            self.reduce()?;
        }
        self.operators.push((operator, at));
        Ok(())
    }

    fn close(&mut self, at: usize) -> Result<()> {
        let mismatched = || fail("Mismatched parenthesis", at, "no `)`, since no group is open");
        match self.operators.last() {
            None => return mismatched(),
            Some((Operator::Open, _)) => {
                self.operators.pop();
                return Ok(());
            }
            Some(_) => {}
        }
        loop {
            self.reduce()?;
            // HBase's bug: the operator below the applied one is dropped unless it is the group's parenthesis. So
            // HBase refuses groups with two kinds of operators.
            match self.operators.pop() {
                None => {
                    return fail(
                        "Mismatched parenthesis",
                        at,
                        "no `)`, since a group with different operators needs parentheses around each part",
                    );
                }
                Some((Operator::Open, _)) => return Ok(()),
                Some(_) => {}
            }
        }
    }

    /// Applies the topmost operator. AND and OR include all adjacent operators of the same kind below them.
    fn reduce(&mut self) -> Result<()> {
        let Some((operator, at)) = self.operators.pop() else { return Ok(()) };
        let mut wanted = 1;
        if matches!(operator, Operator::And | Operator::Or) {
            wanted += 1;
            while self.operators.pop_if(|(below, _)| *below == operator).is_some() {
                wanted += 1;
            }
        }
        let Some(first) = self.filters.len().checked_sub(wanted) else {
            let (message, expected) = operator.too_few();
            return fail(message, at, expected);
        };
        if operator == Operator::Open {
            return Ok(());
        }
        let members = self.filters.split_off(first);
        let depth = members.iter().map(|(_, depth)| depth + 1).max().unwrap_or(1);
        if depth > DEPTH_MAX {
            let expected = format!("at most {DEPTH_MAX} levels of nested filters");
            return fail("Incorrect Filter String", at, &expected);
        }
        let mut members = members.into_iter().map(|(filter, _)| filter);
        let filter = match operator {
            Operator::And => FilterSpec::all(members.collect()),
            Operator::Or => FilterSpec::one(members.collect()),
            wrapper => match (members.next(), wrapper) {
                (Some(inner), Operator::Skip) => FilterSpec::skip(inner),
                (Some(inner), _) => FilterSpec::while_match(inner),
                (None, _) => return Ok(()),
            },
        };
        self.filters.push((filter, depth));
        Ok(())
    }

    fn finish(mut self, end: usize) -> Result<FilterSpec> {
        while !self.operators.is_empty() {
            self.reduce()?;
        }
        match (self.filters.pop(), self.filters.is_empty()) {
            (Some((filter, _)), true) => Ok(filter),
            (Some(_), false) => fail("Incorrect Filter String", end, "AND or OR between two filters"),
            (None, _) => fail("Incorrect Filter String", end, "a filter, such as PrefixFilter('a')"),
        }
    }
}

/// An error with HBase's message, the position and what was expected there.
fn fail<T>(message: &str, at: usize, expected: &str) -> Result<T> {
    Err(Error::invalid(format!("{message} (at byte {at}: expected {expected})")))
}
