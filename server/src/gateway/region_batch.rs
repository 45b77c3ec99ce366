//! Batches as HBase's client sends them: cut by region, where one request that a region server cannot even read fails its region's share.

use hjall_engine::schema::Region;

/// Parts requests into those of regions which hold a doomed one, and the others; each part in its order.
pub fn split<T: Clone>(
    regions: &[Region],
    requests: &[T],
    row: impl Fn(&T) -> &[u8],
    doomed: impl Fn(&T) -> bool,
) -> (Vec<T>, Vec<T>) {
    // Regions lie in order of their start keys, and the first one starts with the empty key.
    let region = |request: &T| regions.partition_point(|region| region.start[..] <= *row(request));
    let mut lost: Vec<usize> = requests.iter().filter(|request| doomed(request)).map(region).collect();
    lost.sort_unstable();
    requests.iter().cloned().partition(|request| lost.binary_search(&region(request)).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_doomed_request_takes_its_region_along_and_no_other() {
        let region = |start: &'static str, end: &'static str| Region { id: 1, start: start.into(), end: end.into() };
        let regions = [region("", "g"), region("g", "p"), region("p", "")];
        let rows = ["a", "g", "h", "o", "p", "z"];
        let (lost, kept) = split(&regions, &rows, |row| row.as_bytes(), |row| *row == "h");
        assert_eq!((lost, kept), (vec!["g", "h", "o"], vec!["a", "p", "z"]));
    }
}
