//! Addresses: which resource a path names, and the parameters of a query.
//!
//! The rules are those of HBase's resource classes: a word after the table is a row, unless it is the name of a
//! resource, and a star decides between a row and a scan.

use std::borrow::Cow;

use super::resource::Resource;

/// The resource that a path names. Names are decoded; parts that the gateway decodes itself are as they were sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// `/`: the tables.
    Tables,
    /// `/version` and `/version/rest`.
    Version,
    /// `/version/cluster`.
    ClusterVersion,
    /// `/status/cluster`.
    Status,
    /// `/namespaces`.
    Namespaces,
    /// `/namespaces/NAME`.
    Namespace(String),
    /// `/namespaces/NAME/tables`.
    NamespaceTables(String),
    /// `/TABLE/schema`.
    Schema(String),
    /// `/TABLE/regions`.
    Regions(String),
    /// `/TABLE/exists`.
    Exists(String),
    /// `/TABLE/scanner`.
    Scanners(String),
    /// `/TABLE/scanner/ID`.
    Scanner {
        /// The table, which does not matter.
        table: String,
        /// The identifier.
        id: String,
    },
    /// `/TABLE/multiget` and `/TABLE/multiget/COLUMNS`.
    Multiget {
        /// The table.
        table: String,
        /// The columns, separated by commas.
        columns: String,
    },
    /// `/TABLE/ROW…`: a row, a range of rows, or rows with a prefix and the columns to read.
    Row {
        /// The table.
        table: String,
        /// Row, columns and times, as they were sent.
        spec: String,
    },
    /// `/TABLE/PREFIX*`.
    Scan {
        /// The table.
        table: String,
        /// The part before the first star.
        prefix: String,
    },
}

/// Why a path names nothing that could exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Malformed {
    /// It is not percent-encoded UTF-8 without zero bytes.
    Encoding,
    /// It has a segment `.` or `..` that is not the key of a row.
    Dots,
}

impl Place {
    /// The resource.
    pub fn resource(&self) -> Resource {
        match self {
            Self::Tables => Resource::Tables,
            Self::Version => Resource::Version,
            Self::ClusterVersion => Resource::ClusterVersion,
            Self::Status => Resource::Status,
            Self::Namespaces => Resource::Namespaces,
            Self::Namespace(_) => Resource::Namespace,
            Self::NamespaceTables(_) => Resource::NamespaceTables,
            Self::Schema(_) => Resource::Schema,
            Self::Regions(_) => Resource::Regions,
            Self::Exists(_) => Resource::Exists,
            Self::Scanners(_) => Resource::Scanners,
            Self::Scanner { .. } => Resource::Scanner,
            Self::Multiget { .. } => Resource::Multiget,
            // A star after a row that was given as a prefix: also read as a scan, but as that of one resource.
            Self::Row { .. } => Resource::Row,
            Self::Scan { .. } => Resource::Scan,
        }
    }

    /// The table.
    pub fn table(&self) -> Option<&str> {
        match self {
            Self::Schema(table) | Self::Regions(table) | Self::Exists(table) | Self::Scanners(table) => Some(table),
            Self::Scanner { table, .. }
            | Self::Multiget { table, .. }
            | Self::Row { table, .. }
            | Self::Scan { table, .. } => Some(table),
            _ => None,
        }
    }

    /// The namespace.
    pub fn namespace(&self) -> Option<&str> {
        match self {
            Self::Namespace(name) | Self::NamespaceTables(name) => Some(name),
            _ => None,
        }
    }

    /// The row or the prefix, as it was sent.
    pub fn row(&self) -> Option<&str> {
        match self {
            Self::Row { spec, .. } => spec.trim_start_matches('/').split('/').next(),
            Self::Scan { prefix, .. } => Some(prefix),
            _ => None,
        }
    }
}

/// Finds the resource that a path names. `None` if there is no such resource.
///
/// # Errors
/// The path cannot name anything.
pub fn place(path: &str) -> Result<Option<Place>, Malformed> {
    let path = without_matrix(path);
    let has_dots_for_row = check(&path)?;
    let found = path.strip_prefix('/').and_then(find);
    match has_dots_for_row && !matches!(found, Some(Place::Row { .. })) {
        true => Err(Malformed::Dots),
        false => Ok(found),
    }
}

/// Removes the matrix parameters: in each segment, the part after a semicolon.
fn without_matrix(path: &str) -> Cow<'_, str> {
    if !path.contains(';') {
        return Cow::Borrowed(path);
    }
    let segments: Vec<_> = path.split('/').map(|segment| segment.split(';').next().unwrap_or_default()).collect();
    Cow::Owned(segments.join("/"))
}

/// Checks the segments. Returns whether the second one, which may be the key of a row, is `.` or `..`.
fn check(path: &str) -> Result<bool, Malformed> {
    // Before it there are the empty text in front of the first slash, and the name of the table.
    const ROW: usize = 2;
    let (mut has_dots, mut has_dots_for_row) = (false, false);
    for (at, segment) in path.split('/').enumerate() {
        let decoded = unescape(segment).ok_or(Malformed::Encoding)?;
        let text = std::str::from_utf8(&decoded).map_err(|_| Malformed::Encoding)?;
        if text.contains('\0') {
            return Err(Malformed::Encoding);
        }
        let dots = matches!(text, "." | "..");
        has_dots |= dots && at != ROW;
        has_dots_for_row |= dots && at == ROW;
    }
    if has_dots { Err(Malformed::Dots) } else { Ok(has_dots_for_row) }
}

fn find(path: &str) -> Option<Place> {
    if path.is_empty() {
        return Some(Place::Tables);
    }
    let (first, rest) = split(path);
    match (first, rest) {
        ("status", Some("cluster" | "cluster/")) => return Some(Place::Status),
        ("status", Some(rest)) if rest.starts_with("cluster/") => return None,
        ("version", None | Some("" | "rest" | "rest/")) => return Some(Place::Version),
        ("version", Some("cluster" | "cluster/")) => return Some(Place::ClusterVersion),
        ("version", _) => return None,
        ("namespaces", None | Some("")) => return Some(Place::Namespaces),
        ("namespaces", Some(rest)) => {
            let (name, rest) = split(rest);
            let name = Some(decoded(name)).filter(|name| !name.is_empty())?;
            return match rest {
                None | Some("") => Some(Place::Namespace(name)),
                Some("tables" | "tables/") => Some(Place::NamespaceTables(name)),
                Some(_) => None,
            };
        }
        _ => {}
    }
    let table = Some(decoded(first)).filter(|table| !table.is_empty())?;
    of_table(table, rest.filter(|rest| !rest.is_empty())?)
}

fn of_table(table: String, rest: &str) -> Option<Place> {
    let (word, after) = split(rest);
    let end = matches!(after, None | Some(""));
    match word {
        "exists" => return end.then_some(Place::Exists(table)),
        "regions" => return end.then_some(Place::Regions(table)),
        "schema" => return end.then_some(Place::Schema(table)),
        "scanner" if end => return Some(Place::Scanners(table)),
        "scanner" => return Some(Place::Scanner { table, id: decoded(after?) }),
        _ => {}
    }
    // HBase removes the word and every slash, wherever they are.
    if rest.starts_with("multiget") {
        return Some(Place::Multiget { table, columns: decoded(rest).replace("multiget", "").replace('/', "") });
    }
    let Some(star) = rest.find('*') else { return Some(Place::Row { table, spec: rest.to_owned() }) };
    if rest.get(1..star).is_some_and(|before| before.contains('/')) {
        // A row and something below it, which no resource has.
        return None;
    }
    if rest.contains("*/") && !rest.ends_with("*/") {
        return Some(Place::Row { table, spec: rest.to_owned() });
    }
    let scan = rest.ends_with('*');
    scan.then(|| Place::Scan { table, prefix: decoded(rest).split('*').next().unwrap_or_default().to_owned() })
}

/// Splits at the first slash.
fn split(path: &str) -> (&str, Option<&str>) {
    path.split_once('/').map_or((path, None), |(first, rest)| (first, Some(rest)))
}

/// A segment without its escapes. The path has been checked.
fn decoded(segment: &str) -> String {
    unescape(segment).map_or_else(String::new, |bytes| String::from_utf8_lossy(&bytes).into_owned())
}

/// Decodes percent escapes. `None` if a percent sign is not followed by two hexadecimal digits.
pub fn unescape(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        if *first != b'%' {
            bytes.push(*first);
            continue;
        }
        let (digits, after) = rest.split_first_chunk::<2>()?;
        let digit = |byte: u8| char::from(byte).to_digit(16);
        bytes.push(u8::try_from(digit(digits[0])? * 16 + digit(digits[1])?).ok()?);
        rest = after;
    }
    Some(bytes)
}

/// Decodes percent escapes and plus signs, which stand for blanks, as Java's `URLDecoder` does.
pub fn unescape_form(text: &str) -> Option<Vec<u8>> {
    unescape(&text.replace('+', " "))
}

/// The parameters of a query, in their order. Names are compared exactly.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Query(Vec<(String, String)>);

/// The most parameters of a query that are considered. The head of a request has room for no more.
const PARAMETERS_MAX: usize = 32 << 10;
/// The memory of a parameter, beside its text: the list may have room for twice as many, and each text is allocated.
const PARAMETER_BYTES: usize = 128;

impl Query {
    /// Parses a query. Escapes that cannot be decoded stay as they are.
    pub fn parse(text: &str) -> Self {
        let part = |part: &str| match unescape_form(part) {
            Some(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            None => part.to_owned(),
        };
        let pairs = text.split('&').filter(|pair| !pair.is_empty()).take(PARAMETERS_MAX);
        Self(
            pairs
                .map(|pair| pair.split_once('=').unwrap_or((pair, "")))
                .map(|(name, value)| (part(name), part(value)))
                .collect(),
        )
    }

    /// The memory of the parameters beside their texts, in bytes.
    pub fn memory_bytes(&self) -> usize {
        self.0.len() * PARAMETER_BYTES
    }

    /// The first value of a parameter.
    pub fn first(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, value)| &**value)
    }

    /// All values of a parameter.
    pub fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.0.iter().filter(move |(known, _)| known == name).map(|(_, value)| &**value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(path: &str) -> Option<Resource> {
        place(path).unwrap().map(|place| place.resource())
    }

    #[test]
    fn paths_name_resources() {
        for (path, resource) in [
            ("/", Some(Resource::Tables)),
            ("//", None),
            ("/version", Some(Resource::Version)),
            ("/version/rest", Some(Resource::Version)),
            ("/version/nope", None),
            ("/status", None),
            ("/status/cluster", Some(Resource::Status)),
            ("/status/nope", Some(Resource::Row)),
            ("/namespaces", Some(Resource::Namespaces)),
            ("/namespaces/n", Some(Resource::Namespace)),
            ("/namespaces/n/tables", Some(Resource::NamespaceTables)),
            ("/namespaces/n/nope", None),
            ("/t", None),
            ("/t/", None),
            ("/t/schema", Some(Resource::Schema)),
            ("/t/schema/", Some(Resource::Schema)),
            ("/t/schema/x", None),
            ("/t/scanner", Some(Resource::Scanners)),
            ("/t/scanner/1", Some(Resource::Scanner)),
            ("/t/multiget", Some(Resource::Multiget)),
            ("/t/multiget/f:x", Some(Resource::Multiget)),
            ("/t/r", Some(Resource::Row)),
            ("/t/r/f:x", Some(Resource::Row)),
            ("/t/r//2000", Some(Resource::Row)),
            ("/t//r", Some(Resource::Row)),
            ("/t/a*", Some(Resource::Scan)),
            ("/t/*", Some(Resource::Scan)),
            ("/t/a*b*", Some(Resource::Scan)),
            ("/t/a*b", None),
            ("/t/a*/", None),
            ("/t/a*/f:x", Some(Resource::Row)),
            ("/t/a/b*", None),
            ("/t/a%2A", Some(Resource::Row)),
        ] {
            assert_eq!(found(path), resource, "{path}");
        }
        assert_eq!(place("/t/%ZZ"), Err(Malformed::Encoding));
        assert_eq!(place("/t/%FF"), Err(Malformed::Encoding));
        assert_eq!(place("/t/a%00"), Err(Malformed::Encoding));
        assert_eq!(place("/t/a/../u"), Err(Malformed::Dots));
        assert_eq!(place("/%2e%2e/u"), Err(Malformed::Dots));
        assert_eq!(place("/namespaces/."), Err(Malformed::Dots));
        for row in ["/t/.", "/t/..", "/t/%2e%2E/f:x"] {
            assert_eq!(found(row), Some(Resource::Row), "{row}");
        }
    }

    #[test]
    fn names_are_decoded_and_specifications_are_not() {
        assert_eq!(place("/n%3At/schema"), Ok(Some(Place::Schema("n:t".to_owned()))));
        let row = Place::Row { table: "t".to_owned(), spec: "a%2Fb/f:x".to_owned() };
        assert_eq!(place("/t/a%2Fb/f:x;f:y"), Ok(Some(row)));
        let multiget = Place::Multiget { table: "t".to_owned(), columns: "f:x,f:y".to_owned() };
        assert_eq!(place("/t/multiget/f:x,f:y"), Ok(Some(multiget)));
    }

    #[test]
    fn the_first_of_repeated_parameters_counts() {
        let query = Query::parse("row=a&row=b+c%2B&v=1&v=2&V=3&x");
        assert_eq!(query.first("v"), Some("1"));
        assert_eq!(query.all("row").collect::<Vec<_>>(), ["a", "b c+"]);
        assert_eq!(query.first("x"), Some(""));
        assert_eq!(query.first("y"), None);
    }
}
