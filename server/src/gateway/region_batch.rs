//! Batches, which HBase's client groups by region. If a region server cannot read one request, all requests of that
//! region fail.

use hjall_engine::schema::Region;

/// The requests of a batch, in their order.
pub struct Split<T> {
    /// The requests for regions that have a request which a region server cannot read. All of them fail.
    pub failing: Vec<T>,
    /// The other requests.
    pub sound: Vec<T>,
}

/// Splits requests by whether their region also has a request that is `unreadable`.
pub fn split<T>(
    regions: &[Region],
    requests: Vec<T>,
    row: impl Fn(&T) -> &[u8],
    unreadable: impl Fn(&T) -> bool,
) -> Split<T> {
    // Regions are in the order of their start keys, and the first one starts with the empty key.
    let region = |request: &T| regions.partition_point(|region| region.start[..] <= *row(request));
    let mut lost: Vec<usize> = requests.iter().filter(|request| unreadable(request)).map(region).collect();
    lost.sort_unstable();
    let (failing, sound) = requests.into_iter().partition(|request| lost.binary_search(&region(request)).is_ok());
    Split { failing, sound }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unreadable_request_fails_its_region_and_no_other() {
        let region = |start: &'static str, end: &'static str| Region { id: 1, start: start.into(), end: end.into() };
        let regions = [region("", "g"), region("g", "p"), region("p", "")];
        let rows = ["a", "g", "h", "o", "p", "z"];
        let Split { failing, sound } = split(&regions, rows.to_vec(), |row| row.as_bytes(), |row| *row == "h");
        assert_eq!((failing, sound), (vec!["g", "h", "o"], vec!["a", "p", "z"]));
    }
}
