//! BigDecimalComparator: Java's serialised decimal numbers, by value.

use std::cmp::Ordering;

use num_bigint::{BigInt, BigUint, Sign};

use super::{Comparable, Comparator, Kind, too_short};
use crate::error::Result;
use crate::filter::serialised::{DESERIALIZATION, refused};

/// A `java.math.BigDecimal`: `unscaled · 10^-scale`.
#[derive(Debug, PartialEq)]
pub(super) struct BigDecimal {
    scale: i32,
    unscaled: BigInt,
}

impl Kind for BigDecimal {
    const CLASS: &'static str = "BigDecimalComparator";

    fn decode(body: &[u8]) -> Result<Comparator> {
        let value = Comparable::decode(body)?;
        match Self::from_bytes(&value) {
            Some(number) => Ok(Comparator::of(number)),
            None => {
                let message = format!("BigDecimalComparator needs 5 bytes or more, it has {}", value.len());
                refused(DESERIALIZATION, message)
            }
        }
    }

    fn encode(&self) -> Vec<u8> {
        let mut bytes = self.scale.to_be_bytes().to_vec();
        bytes.extend(self.unscaled.to_signed_bytes_be());
        Comparable::encode(&bytes)
    }

    fn order(&self, part: &[u8]) -> Result<Ordering> {
        match Self::from_bytes(part) {
            Some(other) => Ok(self.compare(&other)),
            None => Err(too_short(Self::CLASS, "at least 5 bytes", part)),
        }
    }
}

impl BigDecimal {
    /// HBase's form: the scale in four big-endian bytes, then the unscaled number in two's complement. `None` for
    /// fewer than five bytes.
    fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (scale, unscaled) = bytes.split_first_chunk::<4>()?;
        if unscaled.is_empty() {
            return None;
        }
        Some(Self { scale: i32::from_be_bytes(*scale), unscaled: BigInt::from_signed_bytes_be(unscaled) })
    }

    /// Compares by value: 1 equals 1.0.
    fn compare(&self, other: &Self) -> Ordering {
        let (a, b) = (self.unscaled.sign(), other.unscaled.sign());
        if a != b || a == Sign::NoSign {
            return a.cmp(&b);
        }
        let magnitude = self.compare_magnitude(other);
        if a == Sign::Minus { magnitude.reverse() } else { magnitude }
    }

    /// Compares the absolute values of two numbers that are not zero.
    ///
    /// Scales may be any 32-bit number, so multiplying by a power of ten could take gigabytes. The orders of
    /// magnitude decide first. If they overlap, the difference of the scales is at most the number of digits of the
    /// longer number, which bounds the multiplication.
    fn compare_magnitude(&self, other: &Self) -> Ordering {
        let (a, b) = (self.unscaled.magnitude(), other.unscaled.magnitude());
        let (low, high) = self.log10_bounds();
        let (other_low, other_high) = other.log10_bounds();
        if high < other_low {
            return Ordering::Less;
        }
        if low > other_high {
            return Ordering::Greater;
        }
        let power = |difference: u32| BigUint::from(10u32).pow(difference);
        match self.scale.cmp(&other.scale) {
            Ordering::Equal => a.cmp(b),
            Ordering::Less => (a * power(other.scale.abs_diff(self.scale))).cmp(b),
            Ordering::Greater => a.cmp(&(b * power(self.scale.abs_diff(other.scale)))),
        }
    }

    /// Bounds of the decimal logarithm of the absolute value, from the number of bits.
    fn log10_bounds(&self) -> (f64, f64) {
        // Far above the rounding errors: numbers of bits and scales are below 2^32.
        const SLACK: f64 = 0.001;
        let (bits, scale) = (self.unscaled.bits() as f64, f64::from(self.scale));
        let low = (bits - 1.0) * std::f64::consts::LOG10_2 - scale;
        let high = bits * std::f64::consts::LOG10_2 - scale;
        (low - SLACK, high + SLACK)
    }
}
