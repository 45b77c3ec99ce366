//! Batches, which HBase's client groups by region. A region server that cannot read one of the requests fails the whole
//! batch, but it handles the regions one after the other, and keeps what it has done before.

use hjall_engine::schema::Region;

/// The requests that a region server handles before it finds one that is `unreadable`: those of the earlier regions.
/// The batch has the regions in the order of their names, in which a start key is followed by a comma.
pub fn handled_before<T>(
    regions: &[Region],
    requests: Vec<T>,
    row: impl Fn(&T) -> &[u8],
    unreadable: impl Fn(&T) -> bool,
) -> Vec<T> {
    let names: Vec<_> =
        regions.iter().map(|region| [&region.start, &b","[..], region.id.to_string().as_bytes()].concat()).collect();
    // Regions are sorted by their start keys, and the first one starts with the empty key.
    let name = |request: &T| &names[regions.partition_point(|region| region.start[..] <= *row(request)).max(1) - 1];
    let Some(last) = requests.iter().filter(|request| unreadable(request)).map(name).min() else { return requests };
    requests.into_iter().filter(|request| name(request) < last).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn handled(starts: &[&'static str], rows: &[&'static str], bad: &str) -> Vec<&'static str> {
        let region = |start: &&'static str| Region { id: 1, start: (*start).into(), end: "".into() };
        let regions: Vec<_> = starts.iter().map(region).collect();
        handled_before(&regions, rows.to_vec(), |row| row.as_bytes(), |row| *row == bad)
    }

    #[test]
    fn only_the_regions_before_that_of_an_unreadable_request_are_handled() {
        let rows = ["z", "a", "g", "h", "o", "p"];
        assert_eq!(handled(&["", "g", "p"], &rows, "h"), ["a"]);
        assert_eq!(handled(&["", "g", "p"], &rows, "p"), ["a", "g", "h", "o"]);
        assert_eq!(handled(&["", "g", "p"], &rows, "a"), [""; 0]);
        assert_eq!(handled(&["", "g", "p"], &rows, "none"), rows);
    }

    #[test]
    fn regions_are_in_the_order_of_their_names() {
        // "+,1" < ",1" < "a+,1" < "a,1"
        let rows = ["\0", "+", "a", "a+"];
        assert_eq!(handled(&["", "+", "a", "a+"], &rows, "\0"), ["+"]);
        assert_eq!(handled(&["", "+", "a", "a+"], &rows, "a"), ["\0", "+", "a+"]);
    }
}
