//! Names and values of the rows of benchmarks.

use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

/// The number of different names. A name ends with eight digits.
pub const NAMES: usize = 100_000_000;
/// A multiplier without a common divisor with [`NAMES`]: different numbers of rows have different names.
const SPREAD: usize = 2_654_435_761;
const PREFIX: &[u8] = b"row";
const DIGITS: usize = 8;

/// The name of a row. Names of consecutive numbers are spread over the whole range.
pub fn row(n: usize) -> Vec<u8> {
    let mut name = PREFIX.to_vec();
    name.extend_from_slice(&digits(spread(n)));
    name
}

/// The name at this share, from 0 to 1, of the range of names.
pub fn row_at(share: f64) -> Vec<u8> {
    [PREFIX, &digits((NAMES as f64 * share) as usize % NAMES)].concat()
}

fn spread(n: usize) -> usize {
    n.wrapping_mul(SPREAD) % NAMES
}

fn digits(mut number: usize) -> [u8; DIGITS] {
    let mut digits = [b'0'; DIGITS];
    for digit in digits.iter_mut().rev() {
        *digit += (number % 10) as u8;
        number /= 10;
    }
    digits
}

/// Values of one length, which hardly compress: pieces of random letters and digits.
pub struct Values {
    letters: Vec<u8>,
    length: usize,
}

impl Values {
    /// Values of this length.
    pub fn new(length: usize) -> Self {
        const LETTERS: &[u8] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz-";
        let mut random = SmallRng::seed_from_u64(1);
        let letters = (0..(1 << 20) + length).map(|_| LETTERS[random.random_range(0..LETTERS.len())]).collect();
        Self { letters, length }
    }

    /// The length of each value.
    pub fn length(&self) -> usize {
        self.length
    }

    /// One of the values.
    pub fn get(&self, n: usize) -> &[u8] {
        let from = n.wrapping_mul(SPREAD) % (self.letters.len() - self.length);
        &self.letters[from..from + self.length]
    }
}

/// An encoded call, whose names of rows and values are replaced for each use.
#[derive(Clone)]
pub struct Template {
    bytes: Vec<u8>,
    /// Where the digits of each name begin.
    rows: Vec<usize>,
    /// Where each value begins.
    values: Vec<usize>,
}

impl Template {
    /// The name that stands for a row in the bytes of a template.
    pub const ROW: &[u8] = b"row########";

    /// The bytes that stand for a value.
    pub fn value(length: usize) -> Vec<u8> {
        vec![b'#'; length]
    }

    /// Finds the names and the values of this length, after each other, in the bytes of a call.
    pub fn new(bytes: Vec<u8>, value_length: usize) -> Self {
        let (mut rows, mut values) = (Vec::new(), Vec::new());
        let value = Self::value(value_length);
        let mut at = 0;
        while at < bytes.len() {
            if bytes[at..].starts_with(Self::ROW) {
                rows.push(at + PREFIX.len());
                at += Self::ROW.len();
            } else if value_length > 0 && bytes[at..].starts_with(&value) {
                values.push(at);
                at += value_length;
            } else {
                at += 1;
            }
        }
        Self { bytes, rows, values }
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.rows.len()
    }

    /// Appends the call with these rows, and with values that begin with the one of this number.
    pub fn write(&self, rows: impl IntoIterator<Item = usize>, values: &Values, value: usize, out: &mut Vec<u8>) {
        let begin = out.len();
        out.extend_from_slice(&self.bytes);
        let call = &mut out[begin..];
        for (at, n) in self.rows.iter().zip(rows) {
            call[*at..at + DIGITS].copy_from_slice(&digits(spread(n)));
        }
        for (n, at) in self.values.iter().enumerate() {
            call[*at..at + values.length].copy_from_slice(values.get(value.wrapping_add(n)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates_are_filled() {
        let values = Values::new(20);
        let template = Template::new([b"<", Template::ROW, b"|", &Template::value(20), b">"].concat(), 20);
        let mut out = b"before".to_vec();
        template.write([7], &values, 3, &mut out);
        assert_eq!(out, [b"before<", &row(7)[..], b"|", values.get(3), b">"].concat());
        assert_eq!((template.rows(), row(0), row_at(0.5)), (1, b"row00000000".to_vec(), b"row50000000".to_vec()));
    }
}
