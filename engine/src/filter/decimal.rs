//! Java's serialised decimal numbers, compared by value.

use std::cmp::Ordering;

use num_bigint::{BigInt, Sign};

/// A `java.math.BigDecimal`: `unscaled · 10^-scale`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decimal {
    scale: i32,
    unscaled: BigInt,
}

impl Decimal {
    /// HBase's form: four bytes of big-endian scale, then the unscaled number in two's complement. `None` for fewer than five bytes.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (scale, unscaled) = bytes.split_first_chunk::<4>()?;
        if unscaled.is_empty() {
            return None;
        }
        Some(Self { scale: i32::from_be_bytes(*scale), unscaled: BigInt::from_signed_bytes_be(unscaled) })
    }

    /// The same form again.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = self.scale.to_be_bytes().to_vec();
        bytes.extend(self.unscaled.to_signed_bytes_be());
        bytes
    }

    /// By value: 1 is 1.0. Scales lie anywhere in 32 bits, so nothing is multiplied out before the number of digits has left them close.
    pub fn order(&self, other: &Self) -> Ordering {
        let (a, b) = (self.unscaled.sign(), other.unscaled.sign());
        if a != b || a == Sign::NoSign {
            return a.cmp(&b);
        }
        let magnitude = self.order_of_magnitude(other);
        if a == Sign::Minus { magnitude.reverse() } else { magnitude }
    }

    fn order_of_magnitude(&self, other: &Self) -> Ordering {
        let (a, b) = (self.unscaled.magnitude(), other.unscaled.magnitude());
        if self.scale == other.scale {
            return a.cmp(b);
        }
        let (mut a, mut b) = (a.to_str_radix(10), b.to_str_radix(10));
        let digits_before_point = |digits: &str, scale: i32| digits.len() as i128 - i128::from(scale);
        digits_before_point(&a, self.scale).cmp(&digits_before_point(&b, other.scale)).then_with(|| {
            let width = a.len().max(b.len());
            a.extend(std::iter::repeat_n('0', width - a.len()));
            b.extend(std::iter::repeat_n('0', width - b.len()));
            a.cmp(&b)
        })
    }
}
