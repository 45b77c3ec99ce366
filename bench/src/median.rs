//! Medians.

/// The middle value; with an even number of values, the larger one of the two in the middle. 0 if there are none.
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or_default()
}
