//! Histograms: exact counts and sums, and percentiles with an error of at most a quarter of their value.

use std::sync::atomic::{AtomicU64, Ordering};

/// The lower bounds of the buckets of a decade, in hundredths of the decade's start.
const STEPS: [u64; 14] = [100, 125, 150, 175, 200, 250, 300, 350, 400, 500, 600, 700, 800, 900];
/// From 1 to 10¹¹: 100 s in nanoseconds, 100 GB in bytes.
const DECADES: usize = 11;

/// Inclusive upper bounds of the buckets. One more bucket holds greater values.
const BOUNDS: [u64; STEPS.len() * DECADES + 1] = {
    let mut bounds = [0; STEPS.len() * DECADES + 1];
    let (mut at, mut decade) = (0, 1);
    while at < bounds.len() {
        // In the first decade, several steps round to the same number, which only leaves buckets empty.
        bounds[at] = STEPS[at % STEPS.len()] * decade / 100;
        at += 1;
        if at % STEPS.len() == 0 {
            decade *= 10;
        }
    }
    bounds
};

const BUCKETS: usize = BOUNDS.len() + 1;

/// By the number of bits of a value, the first bucket that can be its own. The next one or two bits decide between this
/// bucket and a few that follow.
const FIRST_BUCKETS: [usize; u64::BITS as usize + 1] = {
    let mut first = [0; u64::BITS as usize + 1];
    let mut bits = 1;
    while bits < first.len() {
        first[bits] = first[bits - 1];
        while first[bits] < BOUNDS.len() && BOUNDS[first[bits]] < 1 << (bits - 1) {
            first[bits] += 1;
        }
        bits += 1;
    }
    first
};

/// The bucket of a value: that of the first bound that is not less.
fn bucket(value: u64) -> usize {
    let mut bucket = FIRST_BUCKETS[(u64::BITS - value.leading_zeros()) as usize];
    while BOUNDS.get(bucket).is_some_and(|bound| *bound < value) {
        bucket += 1;
    }
    bucket
}

/// Counts values by size. Threads record concurrently without waiting for each other.
pub struct Histogram {
    counts: [AtomicU64; BUCKETS],
    sum: AtomicU64,
}

impl Default for Histogram {
    fn default() -> Self {
        Self { counts: std::array::from_fn(|_| AtomicU64::new(0)), sum: AtomicU64::new(0) }
    }
}

impl Histogram {
    /// Records a value.
    pub fn record(&self, value: u64) {
        // Fast path: most calls do not wait at all.
        if value == 0 {
            self.counts[0].fetch_add(1, Ordering::Relaxed);
            return;
        }
        self.counts[bucket(value)].fetch_add(1, Ordering::Relaxed);
        self.sum.fetch_add(value, Ordering::Relaxed);
    }

    /// Returns the values recorded so far.
    pub fn read(&self) -> Snapshot {
        Snapshot {
            counts: self.counts.iter().map(|count| count.load(Ordering::Relaxed)).collect(),
            sum: self.sum.load(Ordering::Relaxed),
        }
    }
}

/// The state of a [`Histogram`] at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot {
    counts: Vec<u64>,
    sum: u64,
}

impl Default for Snapshot {
    fn default() -> Self {
        Self { counts: vec![0; BUCKETS], sum: 0 }
    }
}

impl Snapshot {
    /// Number of values.
    pub fn count(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// Sum of the values.
    pub fn sum(&self) -> u64 {
        self.sum
    }

    /// Number of values up to a bound. Exact if the bound is 1, 1.25, 1.5 … 9 times a power of ten.
    pub fn up_to(&self, bound: u64) -> u64 {
        let buckets = BOUNDS.partition_point(|upper| *upper <= bound);
        self.counts[..buckets].iter().sum()
    }

    /// Adds the values of another snapshot.
    pub fn add(&mut self, other: &Self) {
        self.counts.iter_mut().zip(&other.counts).for_each(|(mine, theirs)| *mine += theirs);
        self.sum = self.sum.wrapping_add(other.sum);
    }

    /// The values recorded since an earlier snapshot.
    pub fn since(&self, earlier: &Self) -> Self {
        let counts = self.counts.iter().zip(&earlier.counts).map(|(now, then)| now.saturating_sub(*then)).collect();
        Self { counts, sum: self.sum.wrapping_sub(earlier.sum) }
    }

    /// The mean, or 0 without values.
    pub fn mean(&self) -> u64 {
        self.sum.checked_div(self.count()).unwrap_or(0)
    }

    /// The value below which this share of all values lies, interpolated within its bucket; 0 without values.
    pub fn quantile(&self, part: f64) -> u64 {
        let all = self.count();
        if all == 0 {
            return 0;
        }
        let wanted = (all as f64 * part).max(1.0);
        let mut below = 0;
        for (bucket, count) in self.counts.iter().enumerate().filter(|(_, count)| **count > 0) {
            if (below + count) as f64 >= wanted {
                let (low, high) = Self::edges(bucket);
                let inside = (wanted - below as f64) / *count as f64;
                return low + ((high - low) as f64 * inside) as u64;
            }
            below += count;
        }
        self.max()
    }

    /// A lower bound of all values; 0 without values.
    pub fn min(&self) -> u64 {
        self.counts.iter().position(|count| *count > 0).map_or(0, |bucket| Self::edges(bucket).0)
    }

    /// An upper bound of all values, except those beyond the last bucket; 0 without values.
    pub fn max(&self) -> u64 {
        self.counts.iter().rposition(|count| *count > 0).map_or(0, |bucket| Self::edges(bucket).1)
    }

    fn edges(bucket: usize) -> (u64, u64) {
        let low = if bucket == 0 { 0 } else { BOUNDS[bucket - 1] };
        (low, BOUNDS.get(bucket).copied().unwrap_or(low))
    }
}

#[cfg(test)]
mod tests {
    use super::{BOUNDS, Histogram, bucket};

    #[test]
    fn a_value_belongs_to_the_first_bound_that_is_not_less() {
        let around = |value: u64| [value.saturating_sub(1), value, value.saturating_add(1)];
        let powers = (0..u64::BITS).map(|bits| 1 << bits);
        for value in BOUNDS.into_iter().chain(powers).chain([0, u64::MAX]).flat_map(around) {
            assert_eq!(bucket(value), BOUNDS.partition_point(|bound| *bound < value), "{value}");
        }
    }

    #[test]
    fn bounds_are_sorted_and_contain_round_numbers() {
        assert!(BOUNDS.is_sorted());
        for round in [1, 1_000, 2_500_000, 10_000_000_000, 100_000_000_000] {
            assert!(BOUNDS.contains(&round), "{round}");
        }
    }

    #[test]
    fn recorded_values_are_counted_and_summed() {
        let spread = Histogram::default();
        (1..=1000).for_each(|us| spread.record(us * 1000));
        let all = spread.read();
        assert_eq!((all.count(), all.sum(), all.mean()), (1000, 500_500_000, 500_500));
        assert_eq!((all.up_to(100_000), all.up_to(1_000_000), all.up_to(999)), (100, 1000, 0));
        for (part, exact) in [(0.25, 250_000), (0.5, 500_000), (0.95, 950_000), (0.999, 999_000)] {
            let told = all.quantile(part);
            assert!(told.abs_diff(exact) * 100 <= exact, "{part}: {told}");
        }
        assert!(all.min() <= 1000 && all.max() == 1_000_000);
        spread.record(u64::MAX);
        spread.record(0);
        assert_eq!(spread.read().since(&all).count(), 2);
    }
}
