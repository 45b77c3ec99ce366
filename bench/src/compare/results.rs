//! The figures of all rounds, and what is computed from them.

use crate::generator::Figures;
use crate::median::median;

/// One measurement.
#[derive(Debug, Clone, Copy, Default)]
pub struct Sample {
    /// Operations or rows per second.
    pub rate: f64,
    /// Latencies in microseconds.
    pub p50: f64,
    pub p99: f64,
    pub p999: f64,
    pub cpu: Cpu,
}

/// Processor time per operation, in microseconds; 0 if it is not known.
#[derive(Debug, Clone, Copy, Default)]
pub struct Cpu {
    pub server_us: f64,
    pub generator_us: f64,
}

impl Sample {
    /// The figures of a run, with its rate in operations per second.
    pub fn of(figures: &Figures, cpu: Cpu) -> Self {
        let at = |share| figures.all.percentile_us(share);
        Self { rate: figures.rate, p50: at(0.5), p99: at(0.99), p999: at(0.999), cpu }
    }

    /// The same with the rate in rows per second.
    pub fn of_rows(figures: &Figures, cpu: Cpu) -> Self {
        Self { rate: figures.rows_per_second, ..Self::of(figures, cpu) }
    }
}

/// What is compared with a goal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ratio {
    /// The rate of the first system divided by that of the second one.
    Rate,
    /// The p50 of the first system, in microseconds.
    P50,
    /// The p99 of the first system divided by that of the second one.
    P99,
    /// The p99 of the first system divided by its p50.
    P99ToP50,
    /// The p99.9 of the first system divided by its p50.
    P999ToP50,
}

impl Ratio {
    /// Its name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Rate => "rate",
            Self::P50 => "p50, µs",
            Self::P99 => "p99",
            Self::P99ToP50 => "p99 ÷ p50",
            Self::P999ToP50 => "p99.9 ÷ p50",
        }
    }

    fn of(self, one: &Sample, other: Option<&Sample>) -> Option<f64> {
        let divided = |a: f64, b: f64| (b > 0.0).then(|| a / b);
        match self {
            Self::Rate => divided(one.rate, other?.rate),
            Self::P50 => Some(one.p50),
            Self::P99 => divided(one.p99, other?.p99),
            Self::P99ToP50 => divided(one.p99, one.p50),
            Self::P999ToP50 => divided(one.p999, one.p50),
        }
    }
}

/// A goal for a ratio.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Goal {
    pub ratio: Ratio,
    pub bound: Bound,
    /// The system that the first one is compared with; `None` if the ratio is one of the first system alone.
    pub to: Option<&'static str>,
}

impl Goal {
    /// At least this share of the rate of another system.
    pub fn rate(least: f64, to: &'static str) -> Self {
        Self { ratio: Ratio::Rate, bound: Bound::AtLeast(least), to: Some(to) }
    }

    /// At most this latency or ratio of latencies.
    pub fn latency(ratio: Ratio, most: f64, to: Option<&'static str>) -> Self {
        Self { ratio, bound: Bound::AtMost(most), to }
    }
}

/// The bound of a goal.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Bound {
    AtLeast(f64),
    AtMost(f64),
}

impl Bound {
    /// The bound itself.
    pub fn value(self) -> f64 {
        match self {
            Self::AtLeast(bound) | Self::AtMost(bound) => bound,
        }
    }

    fn met(self, value: f64) -> bool {
        match self {
            Self::AtLeast(bound) => value >= bound,
            Self::AtMost(bound) => value <= bound,
        }
    }
}

impl std::fmt::Display for Bound {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::AtLeast(bound) => write!(f, "≥ {bound}"),
            Self::AtMost(bound) => write!(f, "≤ {bound}"),
        }
    }
}

/// What a line of a table measures.
#[derive(Debug, Clone, PartialEq)]
pub struct Subject {
    /// The heading of the table.
    pub section: &'static str,
    pub operation: String,
    pub connections: usize,
    /// What the rate counts: "calls" or "rows".
    pub unit: &'static str,
    pub goals: Vec<Goal>,
}

/// The samples of one system, one for each round.
#[derive(Debug, Clone)]
pub struct Series {
    pub system: String,
    pub samples: Vec<Sample>,
}

impl Series {
    /// The median of a field.
    pub fn median(&self, field: impl Fn(&Sample) -> f64) -> f64 {
        median(self.samples.iter().map(field).collect())
    }
}

/// The figures of one subject. The first system is the one that is judged.
#[derive(Debug, Clone)]
pub struct Line {
    pub subject: Subject,
    pub systems: Vec<Series>,
}

/// The median and the range of a ratio over the rounds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spread {
    pub median: f64,
    pub least: f64,
    pub most: f64,
}

impl Line {
    /// A ratio of the first system, round by round; to another one if the ratio compares two.
    pub fn ratio(&self, ratio: Ratio, other: Option<&Series>) -> Option<Spread> {
        let first = self.systems.first()?;
        let ratios: Vec<f64> = match other {
            Some(other) => {
                first.samples.iter().zip(&other.samples).filter_map(|(one, other)| ratio.of(one, Some(other))).collect()
            }
            None => first.samples.iter().filter_map(|one| ratio.of(one, None)).collect(),
        };
        let least = ratios.iter().copied().reduce(f64::min)?;
        let most = ratios.iter().copied().reduce(f64::max)?;
        Some(Spread { median: median(ratios), least, most })
    }

    /// The other systems.
    pub fn others(&self) -> &[Series] {
        self.systems.get(1..).unwrap_or_default()
    }

    /// The spread of the ratio of a goal, and whether its median reaches the goal. `None` if the other system was not
    /// measured.
    pub fn judged(&self, goal: Goal) -> Option<(Spread, bool)> {
        let other = match goal.to {
            Some(name) => Some(self.others().iter().find(|series| series.system == name)?),
            None => None,
        };
        let spread = self.ratio(goal.ratio, other)?;
        Some((spread, goal.bound.met(spread.median)))
    }
}

/// All figures, in the order in which they were first measured.
#[derive(Debug, Clone, Default)]
pub struct Results {
    pub lines: Vec<Line>,
}

impl Results {
    /// Adds a sample, and prints it.
    pub fn add(&mut self, subject: &Subject, system: &str, sample: Sample) {
        println!(
            "{:<60} {:>3}  {system:<26} {:>11.0} {}/s  p50 {:>7.0}  p99 {:>7.0}  p99.9 {:>7.0} µs{}",
            subject.operation,
            subject.connections,
            sample.rate,
            subject.unit,
            sample.p50,
            sample.p99,
            sample.p999,
            if sample.cpu.server_us > 0.0 {
                format!("  CPU {:.1} µs, of the generator {:.1} µs", sample.cpu.server_us, sample.cpu.generator_us)
            } else {
                String::new()
            },
        );
        let at = self.lines.iter().position(|line| line.subject == *subject).unwrap_or_else(|| {
            self.lines.push(Line { subject: subject.clone(), systems: Vec::new() });
            self.lines.len() - 1
        });
        let systems = &mut self.lines[at].systems;
        match systems.iter_mut().find(|series| series.system == system) {
            Some(series) => series.samples.push(sample),
            None => systems.push(Series { system: system.to_owned(), samples: vec![sample] }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_are_those_of_the_same_round() {
        let goal = Goal::rate(0.9, "Redis");
        let subject =
            Subject { section: "Gets", operation: "get".into(), connections: 1, unit: "calls", goals: vec![goal] };
        let mut results = Results::default();
        for (ours, theirs) in [(10.0, 10.0), (30.0, 60.0), (8.0, 10.0)] {
            results.add(&subject, "hjall", Sample { rate: ours, p50: 2.0, p999: 8.0, ..Sample::default() });
            results.add(&subject, "Redis", Sample { rate: theirs, ..Sample::default() });
        }
        let line = &results.lines[0];
        assert_eq!(line.judged(goal), Some((Spread { median: 0.8, least: 0.5, most: 1.0 }, false)));
        let steady = Goal::latency(Ratio::P999ToP50, 5.0, None);
        assert_eq!(line.judged(steady), Some((Spread { median: 4.0, least: 4.0, most: 4.0 }, true)));
        assert_eq!(results.lines.len(), 1);
    }
}
