//! Where a scan is divided: rows at similar distances, found by arithmetic on row keys.
//!
//! The distance between two rows that were read says how dense the keys are there. Steps from one existing row to the
//! next keep gaps between the keys from mattering: a step into a gap ends at the first row after it.

use std::sync::Arc;

use bytes::Bytes;

use super::key_range::KeyRange;
use super::work_limit;
use crate::error::Result;
use crate::key;
use crate::store::{Order, Snapshot, SpaceId};

/// Symbols before the first one that differs, so that a step rarely carries into bytes whose symbols are unknown.
const CARRY: usize = 4;
/// The number of different values that the symbols of a step can express at least, if keys are long enough.
const VALUES: u128 = 1 << 96;

/// A distance between row keys, of which [`Scanner::divide`](super::Scanner::divide) makes steps.
///
/// A key counts as a number whose digits are its bytes. In the text with which both keys begin, decimal and hexadecimal
/// digits count as such, and equal separators do not count.
#[derive(Debug, Clone)]
pub struct Stride {
    /// The position of the first symbol in a key.
    at: usize,
    symbols: Vec<Symbol>,
    distance: u128,
}

/// What stands at one position of the keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Symbol {
    Separator(u8),
    Decimal,
    /// With the first letter: `a` or `A`.
    Hexadecimal(u8),
    Byte,
}

impl Symbol {
    fn radix(self) -> u128 {
        match self {
            Self::Separator(_) => 1,
            Self::Decimal => 10,
            Self::Hexadecimal(_) => 16,
            Self::Byte => 256,
        }
    }

    /// The value of a byte, or the nearest one. A key that has ended counts as one with the smallest symbols.
    fn value(self, byte: Option<&u8>) -> u128 {
        let Some(&byte) = byte else { return 0 };
        let decimal = byte.clamp(b'0', b'9') - b'0';
        u128::from(match self {
            Self::Separator(_) => 0,
            Self::Decimal => decimal,
            Self::Hexadecimal(a) if byte >= a => 10 + (byte - a).min(5),
            Self::Hexadecimal(_) => decimal,
            Self::Byte => byte,
        })
    }

    /// The byte with a value, which is less than the radix.
    fn byte(self, value: u8) -> u8 {
        match self {
            Self::Separator(byte) => byte,
            Self::Hexadecimal(a) if value >= 10 => a + (value - 10),
            Self::Decimal | Self::Hexadecimal(_) => b'0' + value,
            Self::Byte => value,
        }
    }
}

impl Stride {
    /// The distance from one row to a later one. `None` if they cannot be distinguished.
    pub fn between(from: &[u8], to: &[u8]) -> Option<Self> {
        let common = from.iter().zip(to).take_while(|(a, b)| a == b).count();
        let at = common.saturating_sub(CARRY);
        let (from_rest, to_rest) = (from.get(at..)?, to.get(at..)?);
        let len = from_rest.len().max(to_rest.len());
        let pair = |n: usize| [from_rest.get(n), to_rest.get(n)];
        let both = |n: usize, is: fn(&u8) -> bool| pair(n).into_iter().flatten().all(is);
        let text = (0..len).take_while(|n| both(*n, |byte| (b' '..=b'~').contains(byte))).count();
        let differing = (0..text).filter(|n| from_rest.get(*n) != to_rest.get(*n)).flat_map(pair).flatten();
        let letter = hexadecimal_letter(differing);
        let mut symbols = Vec::new();
        let mut values = 1_u128;
        for n in 0..len {
            if values >= VALUES {
                break;
            }
            let symbol = match (pair(n), letter) {
                _ if n >= text => Symbol::Byte,
                ([Some(a), Some(b)], _) if a == b && !a.is_ascii_alphanumeric() => Symbol::Separator(*a),
                (_, Some(a)) if both(n, u8::is_ascii_hexdigit) => Symbol::Hexadecimal(a),
                _ if both(n, u8::is_ascii_digit) => Symbol::Decimal,
                _ => Symbol::Byte,
            };
            values = values.saturating_mul(symbol.radix());
            symbols.push(symbol);
        }
        let mut stride = Self { at, symbols, distance: 0 };
        stride.distance = stride.number(to).checked_sub(stride.number(from)).filter(|distance| *distance > 0)?;
        Some(stride)
    }

    /// The key at `times` this distance after another one. `None` if that is after all keys.
    fn after(&self, row: &[u8], times: f64) -> Option<Vec<u8>> {
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            clippy::cast_precision_loss,
            reason = "an estimate of a distance; the conversion to an integer saturates"
        )]
        let distance = ((self.distance as f64 * times) as u128).max(1);
        let mut number = self.number(row).checked_add(distance)?;
        let mut key = row.get(..self.at).map_or_else(|| row.to_vec(), <[u8]>::to_vec);
        key.resize(self.at, 0);
        let mut rest = Vec::with_capacity(self.symbols.len());
        for symbol in self.symbols.iter().rev() {
            rest.push(symbol.byte(u8::try_from(number % symbol.radix()).ok()?));
            number /= symbol.radix();
        }
        for byte in key.iter_mut().rev() {
            number += u128::from(*byte);
            *byte = u8::try_from(number % 256).ok()?;
            number /= 256;
        }
        key.extend(rest.into_iter().rev());
        (number == 0).then_some(key)
    }

    fn number(&self, row: &[u8]) -> u128 {
        let rest = row.get(self.at..).unwrap_or_default();
        let add = |number, (n, symbol): (usize, &Symbol)| number * symbol.radix() + symbol.value(rest.get(n));
        self.symbols.iter().enumerate().fold(0, add)
    }
}

/// The first hexadecimal letter in the case that is used, if there are letters and all of them are hexadecimal digits.
fn hexadecimal_letter<'a>(text: impl Iterator<Item = &'a u8>) -> Option<u8> {
    let letters: Vec<_> = text.filter(|byte| byte.is_ascii_alphabetic()).collect();
    let is_from = |a: &u8| letters.iter().all(|letter| (*a..=*a + 5).contains(*letter));
    [b'a', b'A'].into_iter().filter(|_| !letters.is_empty()).find(is_from)
}

/// The stored rows of some families in a key range, whether they have visible cells or not.
pub(super) struct StoredRows<'a> {
    pub(super) snapshot: &'a Arc<dyn Snapshot>,
    pub(super) spaces: Vec<SpaceId>,
    pub(super) range: KeyRange,
}

impl StoredRows<'_> {
    /// The first rows of up to `most` further parts of the range, `times` the stride apart.
    pub(super) fn at_steps(&self, stride: &Stride, times: f64, most: usize) -> Result<Vec<Bytes>> {
        let mut rows = Vec::new();
        let Some(mut last) = self.first_from(self.range.from.clone())? else { return Ok(rows) };
        while rows.len() < most {
            // A key whose symbols are not the expected ones may be followed by a smaller one.
            let Some(next) = stride.after(&last, times).filter(|next| next[..] > last[..]) else { break };
            let Some(row) = self.first_from(key::row_prefix(&next))? else { break };
            rows.push(row.clone());
            last = row;
        }
        Ok(rows)
    }

    /// The first row whose keys are at or after `from`.
    fn first_from(&self, from: Bytes) -> Result<Option<Bytes>> {
        let mut first: Option<Bytes> = None;
        if !self.range.to.is_empty() && from >= self.range.to {
            return Ok(None);
        }
        for space in &self.spaces {
            work_limit::charge_seeks(1)?;
            let pair = self.snapshot.scan(*space, &from, &self.range.to, Order::Ascending, 1)?.next()?;
            let Some((key, _)) = pair else { continue };
            let row = key::row_at(&key)?.1;
            if first.as_ref().is_none_or(|first| row < *first) {
                first = Some(row);
            }
        }
        Ok(first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps(from: &[u8], to: &[u8], times: f64, mut row: Vec<u8>, n: usize) -> Vec<Vec<u8>> {
        let stride = Stride::between(from, to).unwrap();
        (0..n)
            .map(|_| {
                row = stride.after(&row, times).unwrap();
                row.clone()
            })
            .collect()
    }

    fn texts(from: &str, to: &str, times: f64, n: usize) -> Vec<String> {
        let steps = steps(from.as_bytes(), to.as_bytes(), times, to.into(), n);
        steps.into_iter().map(|key| String::from_utf8_lossy(&key).into_owned()).collect()
    }

    #[test]
    fn digits_are_added_as_digits() {
        assert_eq!(texts("row000100", "row000150", 2.0, 3), ["row000250", "row000350", "row000450"]);
        assert_eq!(texts("row000100", "row000150", 0.5, 2), ["row000175", "row000200"]);
        assert_eq!(texts("0ff0", "1000", 15.0, 2), ["10f0", "11e0"]);
        assert_eq!(texts("0FF0", "1000", 15.0, 2), ["10F0", "11E0"]);
        assert_eq!(texts("a|2024-01-09", "a|2024-01-19", 3.0, 2), ["a|2024-01-49", "a|2024-01-79"]);
        assert_eq!(texts("a|2024-01-09", "a|2024-01-99", 1.0, 1), ["a|2024-02-89"]);
    }

    #[test]
    fn bytes_carry_into_the_bytes_before_them() {
        assert_eq!(steps(&[1, 0, 0], &[1, 0, 9], 30.0, vec![1, 0, 9], 1), [[1, 1, 23]]);
        assert_eq!(steps(&[0, 0], &[255, 0], 1.0, vec![0, 7], 1), [[255, 7]]);
        let stride = Stride::between(&[0], &[255]).unwrap();
        assert_eq!(stride.after(&[255], 1.0), None);
        let stride = Stride::between(&[7, 7, 7, 7, 7, 7, 0], &[7, 7, 7, 7, 7, 7, 255]).unwrap();
        assert_eq!(stride.after(&[7, 255, 255, 255, 255, 255, 255], 1.0), Some(vec![8, 0, 0, 0, 0, 0, 254]));
        assert_eq!(stride.after(&[255; 9], 1.0), None);
    }

    #[test]
    fn rows_that_cannot_be_distinguished_have_no_distance() {
        assert!(Stride::between(b"a", b"a").is_none());
        assert!(Stride::between(b"b", b"a").is_none());
        assert!(Stride::between(b"", b"").is_none());
        assert!(Stride::between(b"a", b"a\0").is_none());
    }

    #[test]
    fn keys_of_other_forms_are_nearest_to_symbols() {
        let stride = Stride::between(b"k10", b"k20").unwrap();
        assert_eq!(stride.after(b"kxy", 1.0), Some(b"l09".to_vec()), "carries out of the digits");
        assert_eq!(stride.after(b"", 1.0), Some(b"\x0010".to_vec()));
    }
}
