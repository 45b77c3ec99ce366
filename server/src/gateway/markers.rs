//! The delete markers of one request, collected as HBase's `Delete` collects them.

use std::collections::{BTreeMap, HashSet};

use bytes::Bytes;
use hjall_engine::mutation::{Marker, MarkerKind};
use hjall_engine::{Error, ErrorKind};

/// Delete markers by family. In the result, families ascend and the markers of a family keep their order, as
/// in HBase's family map.
///
/// Adding a marker takes logarithmic time in the number of families.
#[derive(Default)]
pub struct Markers(BTreeMap<Bytes, Vec<Marker>>);

impl Markers {
    /// Adds a marker. A marker of a whole family replaces the markers collected for that family so far.
    pub fn add(&mut self, marker: Marker) {
        let of_family = self.0.entry(marker.family.clone()).or_default();
        if marker.kind == MarkerKind::Family {
            of_family.clear();
        }
        of_family.push(marker);
    }

    /// All markers.
    pub fn into_all(self) -> Vec<Marker> {
        self.0.into_values().flatten().collect()
    }

    /// All markers without duplicates. Each stays where it was added first.
    pub fn into_distinct(self) -> Vec<Marker> {
        let mut all = self.into_all();
        if all.len() > 1 {
            let mut seen = HashSet::with_capacity(all.len());
            let mut first = all.iter().map(|marker| seen.insert(marker)).collect::<Vec<_>>().into_iter();
            all.retain(|_| first.next().unwrap_or(true));
        }
        all
    }
}

/// The error of a batch with a delete whose family is empty.
pub fn nameless_family() -> Error {
    Error::new(ErrorKind::Unprocessable, "a column family to delete from has no name: send family:qualifier")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marker(family: &'static str, qualifier: &'static str, kind: MarkerKind) -> Marker {
        Marker { family: family.into(), qualifier: qualifier.into(), kind, timestamp: 1 }
    }

    fn collected(markers: &[Marker]) -> Markers {
        let mut all = Markers::default();
        markers.iter().cloned().for_each(|marker| all.add(marker));
        all
    }

    #[test]
    fn a_family_marker_replaces_those_before_it_in_its_family_alone() {
        let (a, b, f) = (
            marker("f", "a", MarkerKind::Column),
            marker("g", "b", MarkerKind::Column),
            marker("f", "", MarkerKind::Family),
        );
        let markers = [a.clone(), b.clone(), f.clone(), a.clone()];
        assert_eq!(collected(&markers).into_all(), [f, a, b]);
    }

    #[test]
    fn distinct_markers_stay_where_they_were_first() {
        let [a, b] = ["a", "b"].map(|qualifier| marker("f", qualifier, MarkerKind::Column));
        let version = marker("f", "a", MarkerKind::Version);
        let markers = [a.clone(), b.clone(), a.clone(), version.clone(), b.clone()];
        assert_eq!(collected(&markers).into_distinct(), [a, b, version]);
    }
}
