//! Column strings: `family`, or `family:qualifier` split at the first colon.

use bytes::Bytes;
use hjall_engine::request::Columns;

/// A parsed column string. `family:` has an empty qualifier, `family` has none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// The part before the colon, which may be empty.
    pub family: Bytes,
    /// The part after the colon.
    pub qualifier: Option<Bytes>,
}

impl Column {
    /// Parses a column string. Every byte string is valid.
    pub fn parse(text: impl Into<Bytes>) -> Self {
        let mut family = text.into();
        match family.iter().position(|&b| b == b':') {
            None => Self { family, qualifier: None },
            Some(colon) => {
                let qualifier = family.split_off(colon + 1);
                family.truncate(colon);
                Self { family, qualifier: Some(qualifier) }
            }
        }
    }

    /// Adds it to the columns of a get or scan.
    pub fn select(self, columns: &mut Columns) {
        match self.qualifier {
            Some(qualifier) => columns.add_column(self.family, qualifier),
            None => columns.add_family(self.family),
        };
    }
}

/// The columns that a list of column strings selects. Without a list, or with an empty one, all columns.
pub fn selection(texts: Option<Vec<Vec<u8>>>) -> Columns {
    let mut columns = Columns::all();
    for text in texts.unwrap_or_default() {
        Column::parse(text).select(&mut columns);
    }
    columns
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_first_colon_separates() {
        let parsed = |text: &'static str| Column::parse(text);
        let column =
            |f: &'static str, q: Option<&'static str>| Column { family: f.into(), qualifier: q.map(Into::into) };
        assert_eq!(parsed("f"), column("f", None));
        assert_eq!(parsed("f:"), column("f", Some("")));
        assert_eq!(parsed("f:q:x"), column("f", Some("q:x")));
        assert_eq!(parsed(":q"), column("", Some("q")));
        assert_eq!(parsed(""), column("", None));
    }

    #[test]
    fn a_later_column_narrows_a_family_and_a_later_family_widens() {
        let families = |texts: &[&str]| {
            let columns = selection(Some(texts.iter().map(|t| t.as_bytes().to_vec()).collect()));
            columns.families().map(|(f, q)| (f.clone(), q.map(|q| q.len()))).collect::<Vec<_>>()
        };
        assert_eq!(families(&["f", "f:a"]), [("f".into(), Some(1))]);
        assert_eq!(families(&["f:a", "f:b", "f"]), [("f".into(), None)]);
        assert_eq!(families(&[]), []);
    }
}
