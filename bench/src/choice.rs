//! Which row an operation uses: the distributions of YCSB, and some others.

use std::cell::Cell;
use std::rc::Rc;

use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use rand_distr::{Distribution, Zipf};

use crate::Outcome;

/// YCSB's exponent of the zipfian distribution.
const EXPONENT: f64 = 0.99;
/// A prime number. It is larger than most tables, so that successive rows of [`Choice::each`] are far apart.
const STEP: usize = 15_485_863;

/// Chooses rows.
pub struct Choice {
    random: SmallRng,
    how: How,
}

enum How {
    Uniform {
        from: usize,
        rows: usize,
    },
    /// A rank with the zipfian distribution, scrambled.
    Zipfian(Zipf<f64>, usize),
    /// The zipfian distribution, counted from the newest row.
    Latest(Rc<Cell<usize>>),
    Each {
        next: Rc<Cell<usize>>,
        from: usize,
        rows: usize,
    },
}

impl Choice {
    fn new(seed: usize, how: How) -> Self {
        Self { random: SmallRng::seed_from_u64(seed as u64), how }
    }

    /// All rows alike.
    pub fn uniform(seed: usize, rows: usize) -> Self {
        Self::uniform_from(seed, 0, rows)
    }

    /// All rows from `from` to `from + rows` alike.
    pub fn uniform_from(seed: usize, from: usize, rows: usize) -> Self {
        Self::new(seed, How::Uniform { from, rows })
    }

    /// A few rows most of the time; these are spread over the table.
    pub fn zipfian(seed: usize, rows: usize) -> Outcome<Self> {
        Ok(Self::new(seed, How::Zipfian(Zipf::new(rows as f64, EXPONENT)?, rows)))
    }

    /// The last rows most of the time, of a number of rows that grows.
    pub fn latest(seed: usize, rows: Rc<Cell<usize>>) -> Self {
        Self::new(seed, How::Latest(rows))
    }

    /// Each row from `from` to `from + rows` once before any of them again, far apart. Choices that share `next`, which
    /// counts the operations, share the rows.
    pub fn each(next: &Rc<Cell<usize>>, from: usize, rows: usize) -> Self {
        Self::new(0, How::Each { next: Rc::clone(next), from, rows })
    }

    /// The number of the next row.
    pub fn next(&mut self) -> usize {
        match &self.how {
            How::Uniform { from, rows } => from + self.random.random_range(0..*rows),
            How::Zipfian(zipf, rows) => scrambled(zipf.sample(&mut self.random) as usize) % rows,
            How::Latest(rows) => {
                let rows = rows.get();
                // The distribution is cheap to set up for each number of rows.
                let rank = Zipf::new(rows as f64, EXPONENT).map_or(1, |zipf| zipf.sample(&mut self.random) as usize);
                rows.saturating_sub(rank.max(1))
            }
            How::Each { next, from, rows } => {
                let n = next.get();
                next.set(n.wrapping_add(1));
                from + (n % rows).wrapping_mul(STEP) % rows
            }
        }
    }

    /// A random number, for values and lengths.
    pub fn any(&mut self, below: usize) -> usize {
        self.random.random_range(0..below.max(1))
    }
}

/// The 64-bit FNV-1a hash of a number.
fn scrambled(rank: usize) -> usize {
    rank.to_le_bytes().iter().fold(0xcbf2_9ce4_8422_2325_u64 as usize, |hash, byte| {
        (hash ^ usize::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROWS: usize = 1_000;
    const CALLS: usize = 100_000;

    /// How often each row was chosen.
    fn counts(mut choice: Choice) -> Vec<usize> {
        let mut counts = vec![0; ROWS];
        for _ in 0..CALLS {
            counts[choice.next()] += 1;
        }
        counts
    }

    #[test]
    fn a_zipfian_choice_prefers_a_few_rows() {
        let mut counts = counts(Choice::zipfian(1, ROWS).expect("a distribution"));
        counts.sort_unstable_by(|a, b| b.cmp(a));
        // Of 1,000 rows, the first has a share of 1 / (1 + 2^-0.99 + … + 1000^-0.99), which is 13 %.
        assert!((12_000..16_000).contains(&counts[0]), "{:?}", &counts[..5]);
        assert!(counts[..100].iter().sum::<usize>() > CALLS / 2);
    }

    #[test]
    fn the_latest_rows_are_the_most_frequent() {
        let counts = counts(Choice::latest(1, Rc::new(Cell::new(ROWS))));
        assert!((12_000..15_000).contains(&counts[ROWS - 1]), "{}", counts[ROWS - 1]);
        assert!(counts[ROWS - 1] > counts[ROWS - 2] && counts[ROWS - 2] > counts[0]);
    }

    #[test]
    fn each_row_is_chosen_once_by_all_choices_together() {
        let next = Rc::default();
        let (mut one, mut other) = (Choice::each(&next, 5, 1_000), Choice::each(&next, 5, 1_000));
        let mut all: Vec<_> = (0..500).flat_map(|_| [one.next(), other.next()]).collect();
        all.sort_unstable();
        assert_eq!(all, (5..1_005).collect::<Vec<_>>());
    }
}
