//! Media types: which representation of an answer a request asks for, and which one its body has.

use hjall_engine::quote;

/// A representation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Lines of text.
    Text,
    /// XML.
    Xml,
    /// JSON.
    Json,
    /// Protobuf, as `application/x-protobuf`.
    Protobuf,
    /// Protobuf, as `application/protobuf`.
    ProtobufIetf,
    /// The value of one cell.
    Binary,
}

impl Kind {
    /// All representations.
    pub const ALL: [Self; 6] = [Self::Text, Self::Xml, Self::Json, Self::Protobuf, Self::ProtobufIetf, Self::Binary];

    /// The media type.
    pub fn name(self) -> &'static str {
        match self {
            Self::Text => "text/plain",
            Self::Xml => "text/xml",
            Self::Json => "application/json",
            Self::Protobuf => "application/x-protobuf",
            Self::ProtobufIetf => "application/protobuf",
            Self::Binary => "application/octet-stream",
        }
    }

    /// Whether this is protobuf, under either name.
    pub fn is_protobuf(self) -> bool {
        matches!(self, Self::Protobuf | Self::ProtobufIetf)
    }

    /// The representation with this media type.
    pub fn of(declared: &MediaType) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == declared.name)
    }
}

/// The names of representations, as a list for people.
pub fn names(kinds: &[Kind]) -> String {
    kinds.iter().map(|kind| kind.name()).collect::<Vec<_>>().join(", ")
}

/// A media type in a header.
#[derive(Debug, Clone, PartialEq)]
pub struct MediaType {
    /// `type/subtype` in lower case.
    pub name: String,
    /// The parameters, each preceded by a semicolon, without `q`.
    pub parameters: String,
    /// The quality, from 0 to 1.
    pub quality: f32,
}

/// Parses one media type. Returns `None` for other text.
pub fn parse(text: &str) -> Option<MediaType> {
    let mut parts = text.split(';');
    let name = parts.next()?.trim().to_ascii_lowercase();
    let (first, second) = name.split_once('/')?;
    let is_token = |text: &str| {
        !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
    };
    if !is_token(first) || !is_token(second) {
        return None;
    }
    let (mut parameters, mut quality) = (String::new(), 1.0);
    for parameter in parts.map(str::trim).filter(|parameter| !parameter.is_empty()) {
        let (key, value) = parameter.split_once('=')?;
        let (key, value) = (key.trim(), value.trim());
        if key.eq_ignore_ascii_case("q") {
            quality = value.parse::<f32>().ok().filter(|quality| (0.0..=1.0).contains(quality))?;
        } else if is_token(key) && value.bytes().all(|byte| (b' '..0x7f).contains(&byte)) {
            parameters.push_str(&format!(";{key}={value}"));
        } else {
            return None;
        }
    }
    Some(MediaType { name, parameters, quality })
}

/// The representation of an answer, and how `Content-Type` names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Output {
    /// The representation.
    pub kind: Kind,
    /// Its media type, with the parameters of the request.
    pub content_type: String,
}

impl Output {
    /// A representation without parameters.
    pub fn of(kind: Kind) -> Self {
        Self { kind, content_type: kind.name().to_owned() }
    }
}

/// The media types that `Accept` lists, best first. `None` accepts everything.
#[derive(Debug, Clone)]
pub struct Accept(Option<Vec<MediaType>>);

/// The most media types of a header that are considered.
const ACCEPTED_MAX: usize = 64;

impl Accept {
    /// Parses the header. Parts that are not media types accept nothing.
    pub fn parse(text: Option<&str>) -> Self {
        let Some(text) = text.filter(|text| !text.trim().is_empty()) else { return Self(None) };
        let parts = text.split(',').take(ACCEPTED_MAX);
        let mut accepted: Vec<_> = parts.filter_map(parse).filter(|one| one.quality > 0.0).collect();
        let specific = |one: &MediaType| match one.name.split_once('/') {
            Some(("*", _)) => 0,
            Some((_, "*")) => 1,
            _ => 2,
        };
        // The sort is stable: of equal ones, the first counts.
        accepted.sort_by(|a, b| b.quality.total_cmp(&a.quality).then_with(|| specific(b).cmp(&specific(a))));
        Self(Some(accepted))
    }

    /// The representation that an answer gets. `preferred` is that of requests that accept everything.
    pub fn choose(&self, produces: &[Kind], preferred: Kind) -> Option<Output> {
        let Some(accepted) = &self.0 else { return Some(Output::of(preferred)) };
        accepted.iter().find_map(|one| {
            let kind = match one.name.split_once('/') {
                Some(("*", _)) => Some(preferred),
                Some((main, "*")) => produces.iter().copied().find(|kind| kind.name().split('/').next() == Some(main)),
                _ => produces.iter().copied().find(|kind| kind.name() == one.name),
            }?;
            Some(Output { kind, content_type: format!("{}{}", kind.name(), one.parameters) })
        })
    }
}

/// Whether the body of a request with this `Content-Encoding` is compressed with gzip.
///
/// # Errors
/// It has another coding, or several.
pub fn is_gzip(text: Option<&str>) -> Result<bool, String> {
    match &*text.unwrap_or_default().trim().to_ascii_lowercase() {
        "" | "identity" => Ok(false),
        "gzip" | "x-gzip" => Ok(true),
        other => Err(format!(
            "the body has the Content-Encoding {}; gzip is the only one that is decoded",
            quote::escaped_text(other)
        )),
    }
}

/// Whether gzip is among the codings of a header, with a quality that is not 0.
pub fn accepts_gzip(text: Option<&str>) -> bool {
    text.unwrap_or_default().split(',').any(|coding| {
        let (name, parameters) = coding.split_once(';').unwrap_or((coding, ""));
        let quality = parameters.trim().strip_prefix("q=").and_then(|quality| quality.trim().parse::<f32>().ok());
        matches!(&*name.trim().to_ascii_lowercase(), "gzip" | "x-gzip") && quality != Some(0.0)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROW: [Kind; 5] = [Kind::Xml, Kind::Json, Kind::Protobuf, Kind::ProtobufIetf, Kind::Binary];

    fn chosen(accept: &str) -> Option<String> {
        Accept::parse(Some(accept)).choose(&ROW, Kind::Binary).map(|output| output.content_type)
    }

    #[test]
    fn the_best_acceptable_representation_is_chosen() {
        for (accept, wanted) in [
            ("", Some("application/octet-stream")),
            ("*/*", Some("application/octet-stream")),
            ("text/xml, application/json;q=0.5", Some("text/xml")),
            ("text/xml;q=0.2, application/json;q=0.5", Some("application/json")),
            ("APPLICATION/JSON", Some("application/json")),
            ("application/json;charset=utf-8", Some("application/json;charset=utf-8")),
            ("application/json; charset=utf-8; q=0.3", Some("application/json;charset=utf-8")),
            ("text/*", Some("text/xml")),
            ("*/*;q=0.1, image/png, application/protobuf;q=0.2", Some("application/protobuf")),
            ("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", Some("application/octet-stream")),
            ("application/json;q=0", None),
            ("text/json", None),
            ("nonsense", None),
            ("application/xml", None),
        ] {
            assert_eq!(chosen(accept).as_deref(), wanted, "{accept}");
        }
    }

    #[test]
    fn gzip_may_be_refused() {
        for (text, accepted) in [
            (None, false),
            (Some("gzip"), true),
            (Some("deflate, GZIP;q=0.5"), true),
            (Some("gzip;q=0"), false),
            (Some("identity"), false),
        ] {
            assert_eq!(accepts_gzip(text), accepted, "{text:?}");
        }
    }

    #[test]
    fn bodies_have_one_coding_or_none() {
        for (text, wanted) in [
            (None, Some(false)),
            (Some(""), Some(false)),
            (Some("identity"), Some(false)),
            (Some(" GZip "), Some(true)),
            (Some("x-gzip"), Some(true)),
            (Some("br"), None),
            (Some("deflate"), None),
            (Some("gzip, gzip"), None),
            (Some("br, gzip"), None),
            (Some("gzip;q=0"), None),
        ] {
            assert_eq!(is_gzip(text).ok(), wanted, "{text:?}");
        }
    }

    #[test]
    fn a_declared_type_needs_both_parts() {
        assert_eq!(Kind::of(&parse("Application/JSON; charset=UTF-8").unwrap()), Some(Kind::Json));
        for wrong in ["nonsense", "", "/", "a/", "a b/c", "application/json; charset"] {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
    }
}
