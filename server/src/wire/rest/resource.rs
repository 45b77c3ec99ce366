//! The resources and their operations: one table, from which requests are recognised and the OpenAPI document is made.

use super::media::Kind;
use crate::wire::method::{Effect, Method, Rest};

/// An HTTP method that some resource has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verb {
    /// GET, and HEAD.
    Get,
    /// PUT.
    Put,
    /// POST.
    Post,
    /// DELETE.
    Delete,
}

impl Verb {
    /// The method of a request.
    pub fn parse(text: &str) -> Option<Self> {
        Some(match text {
            "GET" | "HEAD" => Self::Get,
            "PUT" => Self::Put,
            "POST" => Self::Post,
            "DELETE" => Self::Delete,
            _ => return None,
        })
    }

    /// The name in requests.
    pub fn name(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Put => "PUT",
            Self::Post => "POST",
            Self::Delete => "DELETE",
        }
    }

    /// Whether the body of the request is read.
    pub fn has_body(self) -> bool {
        matches!(self, Self::Put | Self::Post)
    }
}

/// A kind of resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "each is described by its address below")]
pub enum Resource {
    Tables,
    Version,
    ClusterVersion,
    Status,
    Namespaces,
    Namespace,
    NamespaceTables,
    Schema,
    Regions,
    Exists,
    Scanners,
    Scanner,
    Multiget,
    Row,
    Scan,
}

/// A type of parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Of {
    /// Text.
    Text,
    /// Text that may be given several times.
    Texts,
    /// One of these texts.
    OneOf(&'static [&'static str]),
    /// A whole number.
    Number,
    /// `true` or `false`.
    Flag,
}

/// A parameter of a query or a header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parameter {
    /// The name.
    pub name: &'static str,
    /// The type.
    pub of: Of,
    /// Whether it is a header.
    pub header: bool,
    /// What it does.
    pub about: &'static str,
}

/// What a resource does for an HTTP method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Operation {
    /// The resource.
    pub resource: Resource,
    /// The HTTP method.
    pub verb: Verb,
    /// The method that answers it.
    pub method: Rest,
    /// The types of bodies that it reads.
    pub consumes: &'static [Kind],
    /// The types of answers that it gives.
    pub produces: &'static [Kind],
    /// The type of the answer to a request that accepts everything.
    pub preferred: Kind,
    /// Whether a request that accepts none of these types is refused.
    pub must_accept: bool,
    /// The value of the parameter `check` that selects it.
    pub check: Option<&'static str>,
    /// What it does.
    pub about: &'static str,
    /// Its parameters.
    pub parameters: &'static [Parameter],
    /// The statuses of its answers, without those that every operation has.
    pub statuses: &'static [u16],
}

const LISTINGS: &[Kind] = &[Kind::Text, Kind::Xml, Kind::Json, Kind::Protobuf, Kind::ProtobufIetf];
const CELLS: &[Kind] = &[Kind::Xml, Kind::Json, Kind::Protobuf, Kind::ProtobufIetf];
const CELLS_OR_VALUE: &[Kind] = &[Kind::Xml, Kind::Json, Kind::Protobuf, Kind::ProtobufIetf, Kind::Binary];

const fn query(name: &'static str, of: Of, about: &'static str) -> Parameter {
    Parameter { name, of, header: false, about }
}

const fn header(name: &'static str, of: Of, about: &'static str) -> Parameter {
    Parameter { name, of, header: true, about }
}

const VERSIONS: Parameter = query("v", Of::Number, "The number of versions per column; default 1.");
const KEY_ENCODING: Parameter = query(
    "e",
    Of::OneOf(&["b64", "base64", "b64url", "base64url", "b64basic", "base64basic"]),
    "How the row and the columns are written: b64, base64, b64url and base64url for the URL-safe alphabet, b64basic and \
     base64basic for the standard one. Default: percent-encoded UTF-8. The header Encoding does the same.",
);
const FILTER: Parameter = query("filter", Of::Text, "A filter in HBase's filter language.");
const CHECK: Parameter = query(
    "check",
    Of::OneOf(&["put", "delete", "append", "increment"]),
    "put, delete, append or increment; default: a plain write.",
);
const RETURN: Parameter = query("rr", Of::Flag, "Whether append and increment return the new cells.");
const TIMESTAMP: Parameter =
    header("X-Timestamp", Of::Number, "The timestamp of a value sent as application/octet-stream, in milliseconds.");

const ROW: Operation = Operation {
    resource: Resource::Row,
    verb: Verb::Get,
    method: Rest::GetRow,
    consumes: &[],
    produces: &[],
    preferred: Kind::Xml,
    must_accept: false,
    check: None,
    about: "",
    parameters: &[],
    statuses: &[200],
};

const LISTING: Operation = Operation { produces: LISTINGS, preferred: Kind::Text, must_accept: true, ..ROW };

const WRITE: Operation = Operation {
    consumes: CELLS_OR_VALUE,
    statuses: &[200, 404],
    parameters: &[CHECK, RETURN, KEY_ENCODING, TIMESTAMP],
    ..ROW
};

const CHECKED: Operation = Operation { consumes: CELLS, ..WRITE };

const REPLACE_SCHEMA: Operation = Operation {
    resource: Resource::Schema,
    verb: Verb::Put,
    method: Rest::ReplaceSchema,
    consumes: CELLS,
    statuses: &[201, 304],
    about: "Creates the table, or replaces its families and attributes.",
    ..ROW
};

const OPEN_SCANNER: Operation = Operation {
    resource: Resource::Scanners,
    verb: Verb::Put,
    method: Rest::OpenScanner,
    consumes: CELLS,
    statuses: &[201],
    about: "Opens a scanner. Its address is the header Location of the answer.",
    ..ROW
};

/// Every operation. Of those of one resource and verb, the last one without `check` serves all other values of it.
pub static OPERATIONS: &[Operation] = &[
    Operation { resource: Resource::Tables, method: Rest::ListTables, about: "Lists the tables.", ..LISTING },
    Operation {
        resource: Resource::Version,
        method: Rest::GetVersion,
        about: "The version of the gateway.",
        ..LISTING
    },
    Operation {
        resource: Resource::ClusterVersion,
        method: Rest::GetClusterVersion,
        produces: &[Kind::Text, Kind::Xml, Kind::Json],
        about: "The version of HBase that the server is compatible with.",
        ..LISTING
    },
    Operation {
        resource: Resource::Status,
        method: Rest::GetStatus,
        about: "The load of the server and of the regions that the user sees.",
        ..LISTING
    },
    Operation {
        resource: Resource::Namespaces,
        method: Rest::ListNamespaces,
        about: "Lists the namespaces.",
        ..LISTING
    },
    Operation {
        resource: Resource::Namespace,
        method: Rest::GetNamespace,
        about: "The properties of a namespace.",
        ..LISTING
    },
    Operation {
        resource: Resource::Namespace,
        verb: Verb::Post,
        method: Rest::CreateNamespace,
        consumes: CELLS,
        statuses: &[201],
        about: "Creates a namespace.",
        ..ROW
    },
    Operation {
        resource: Resource::Namespace,
        verb: Verb::Put,
        method: Rest::ModifyNamespace,
        consumes: CELLS,
        about: "Replaces the properties of a namespace.",
        ..ROW
    },
    Operation {
        resource: Resource::Namespace,
        verb: Verb::Delete,
        method: Rest::DeleteNamespace,
        statuses: &[200, 404],
        about: "Deletes an empty namespace.",
        ..ROW
    },
    Operation {
        resource: Resource::NamespaceTables,
        method: Rest::ListNamespaceTables,
        about: "Lists the tables of a namespace, without its name.",
        ..LISTING
    },
    Operation {
        resource: Resource::Schema,
        method: Rest::GetSchema,
        statuses: &[200, 404],
        about: "The schema of a table.",
        ..LISTING
    },
    REPLACE_SCHEMA,
    Operation {
        verb: Verb::Post,
        method: Rest::UpdateSchema,
        statuses: &[200, 201, 304],
        about: "Creates the table, or adds families to it and changes those that are named.",
        ..REPLACE_SCHEMA
    },
    Operation {
        resource: Resource::Schema,
        verb: Verb::Delete,
        method: Rest::DeleteTable,
        statuses: &[200, 404],
        about: "Disables and drops a table.",
        ..ROW
    },
    Operation {
        resource: Resource::Regions,
        method: Rest::GetRegions,
        statuses: &[200, 404],
        about: "The regions of a table.",
        ..LISTING
    },
    Operation {
        resource: Resource::Exists,
        method: Rest::TableExists,
        statuses: &[200, 404],
        about: "Whether a table exists.",
        ..LISTING
    },
    OPEN_SCANNER,
    Operation { verb: Verb::Post, ..OPEN_SCANNER },
    Operation {
        resource: Resource::Scanner,
        method: Rest::GetScannerCells,
        produces: CELLS_OR_VALUE,
        preferred: Kind::Binary,
        must_accept: true,
        parameters: &[
            query("n", Of::Number, "The most rows to return."),
            query("c", Of::Number, "The most cells to return, if it is less than the scanner's batch."),
        ],
        statuses: &[200, 204, 404, 410],
        about: "The next cells of a scanner; 204 at its end.",
        ..ROW
    },
    Operation {
        resource: Resource::Scanner,
        verb: Verb::Delete,
        method: Rest::CloseScanner,
        statuses: &[200, 404],
        about: "Closes a scanner.",
        ..ROW
    },
    Operation {
        resource: Resource::Multiget,
        method: Rest::GetRows,
        produces: CELLS,
        preferred: Kind::Xml,
        must_accept: true,
        parameters: &[
            query("row", Of::Texts, "A row to read, ROW[/COLUMNS[/TIMES]]. May be repeated."),
            VERSIONS,
            FILTER,
            KEY_ENCODING,
        ],
        statuses: &[200, 404],
        about: "Reads several rows, in the order of the request.",
        ..ROW
    },
    Operation {
        method: Rest::GetRow,
        produces: CELLS_OR_VALUE,
        preferred: Kind::Binary,
        must_accept: true,
        parameters: &[VERSIONS, KEY_ENCODING],
        statuses: &[200, 404],
        about: "Reads a row, some of its columns, or one value.",
        ..ROW
    },
    Operation {
        verb: Verb::Put,
        method: Rest::CheckAndPut,
        check: Some("put"),
        statuses: &[200, 304, 404],
        about: "Writes the cells of a row if the last one has this value.",
        ..CHECKED
    },
    Operation {
        verb: Verb::Put,
        method: Rest::CheckAndDelete,
        check: Some("delete"),
        statuses: &[200, 304, 404],
        about: "Deletes cells of a row if the last one has this value.",
        ..CHECKED
    },
    Operation {
        verb: Verb::Put,
        method: Rest::Append,
        check: Some("append"),
        produces: CELLS,
        about: "Appends to values of a row.",
        ..CHECKED
    },
    Operation {
        verb: Verb::Put,
        method: Rest::Increment,
        check: Some("increment"),
        produces: CELLS,
        about: "Adds to counters of a row.",
        ..CHECKED
    },
    Operation { verb: Verb::Put, method: Rest::PutRows, about: "Writes cells of one or more rows.", ..WRITE },
    Operation {
        verb: Verb::Post,
        method: Rest::CheckAndPut,
        check: Some("put"),
        statuses: &[200, 304, 404],
        about: "As PUT.",
        ..CHECKED
    },
    Operation {
        verb: Verb::Post,
        method: Rest::CheckAndDelete,
        check: Some("delete"),
        statuses: &[200, 304, 404],
        about: "As PUT.",
        ..CHECKED
    },
    Operation {
        verb: Verb::Post,
        method: Rest::Append,
        check: Some("append"),
        produces: CELLS,
        about: "As PUT.",
        ..CHECKED
    },
    Operation {
        verb: Verb::Post,
        method: Rest::Increment,
        check: Some("increment"),
        produces: CELLS,
        about: "As PUT.",
        ..CHECKED
    },
    Operation { verb: Verb::Post, method: Rest::PutRows, about: "Writes cells of one or more rows.", ..WRITE },
    Operation {
        verb: Verb::Delete,
        method: Rest::DeleteRow,
        parameters: &[KEY_ENCODING],
        statuses: &[200, 404],
        about: "Deletes a row, families or columns of it, up to a time if one is given.",
        ..ROW
    },
    Operation {
        resource: Resource::Scan,
        method: Rest::ScanRows,
        produces: CELLS,
        preferred: Kind::Protobuf,
        must_accept: true,
        parameters: &[
            query(
                "limit",
                Of::Number,
                "The most rows to return, or pieces of rows with batchsize. With 0 or less, no rows are returned.",
            ),
            query("startrow", Of::Text, "The first row."),
            query("endrow", Of::Text, "The row after the last one."),
            query("column", Of::Texts, "A family, or a column as family:qualifier. May be repeated."),
            query("maxversions", Of::Number, "The number of versions per column; default 1."),
            query("batchsize", Of::Number, "The most cells in one element Row."),
            query("starttime", Of::Number, "The smallest timestamp, in milliseconds."),
            query("endtime", Of::Number, "The timestamp after the greatest one, in milliseconds."),
            query("reversed", Of::Flag, "Whether to return the rows in descending order."),
            query("cacheblocks", Of::Flag, "Accepted for HBase's clients; without effect."),
            FILTER,
            query("filter_b64", Of::Text, "The filter in URL-safe base64."),
        ],
        statuses: &[200, 404],
        about: "Reads all rows with a prefix. The rows are sent while they are read.",
        ..ROW
    },
];

impl Operation {
    /// Whether the request changes nothing, so that HEAD may do the same. Reading from a scanner moves it.
    pub fn is_safe(&self) -> bool {
        let info = Method::Rest(self.method).info();
        info.effect == Effect::None && info.scanner.is_none()
    }
}

impl Resource {
    /// The address, with names in braces.
    pub fn address(self) -> &'static str {
        match self {
            Self::Tables => "/",
            Self::Version => "/version",
            Self::ClusterVersion => "/version/cluster",
            Self::Status => "/status/cluster",
            Self::Namespaces => "/namespaces",
            Self::Namespace => "/namespaces/{namespace}",
            Self::NamespaceTables => "/namespaces/{namespace}/tables",
            Self::Schema => "/{table}/schema",
            Self::Regions => "/{table}/regions",
            Self::Exists => "/{table}/exists",
            Self::Scanners => "/{table}/scanner",
            Self::Scanner => "/{table}/scanner/{scanner}",
            Self::Multiget => "/{table}/multiget",
            Self::Row => "/{table}/{row}/{columns}/{times}",
            Self::Scan => "/{table}/{prefix}*",
        }
    }

    /// Its operations.
    pub fn operations(self) -> impl Iterator<Item = &'static Operation> {
        OPERATIONS.iter().filter(move |operation| operation.resource == self)
    }

    /// The value of the header `Allow`.
    pub fn allow(self) -> String {
        let has = |verb| self.operations().any(|operation| operation.verb == verb);
        // The order in which HBase's gateway has them.
        let all =
            [("DELETE", has(Verb::Delete)), ("POST", has(Verb::Post)), ("GET", has(Verb::Get)), ("OPTIONS", true)];
        let all = all.into_iter().chain([("PUT", has(Verb::Put))]);
        all.filter(|(_, has)| *has).map(|(name, _)| name).collect::<Vec<_>>().join(",")
    }

    /// The types of bodies that the operations for this verb read.
    pub fn types(self, verb: Verb) -> Vec<Kind> {
        let of_verb = self.operations().filter(|operation| operation.verb == verb);
        of_verb.max_by_key(|operation| operation.consumes.len()).map_or(Vec::new(), |one| one.consumes.to_vec())
    }

    /// Whether an operation for this verb reads this type.
    pub fn reads(self, verb: Verb, kind: Kind) -> bool {
        self.operations().any(|operation| operation.verb == verb && operation.consumes.contains(&kind))
    }

    /// The operation for a verb, which the resource has. `check` selects among writes of cells.
    pub fn operation(self, verb: Verb, input: Option<Kind>, check: Option<&str>) -> &'static Operation {
        let of_verb = || self.operations().filter(move |operation| operation.verb == verb);
        let selected = |operation: &&Operation| match (operation.check, check, input) {
            (None, ..) => true,
            (Some(own), Some(check), Some(input)) => own.eq_ignore_ascii_case(check) && input != Kind::Binary,
            _ => false,
        };
        of_verb().find(selected).unwrap_or(&ROW)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resources_allow_what_they_have() {
        assert_eq!(Resource::Row.allow(), "DELETE,POST,GET,OPTIONS,PUT");
        assert_eq!(Resource::Scanners.allow(), "POST,OPTIONS,PUT");
        assert_eq!(Resource::Scan.allow(), "GET,OPTIONS");
    }

    #[test]
    fn check_selects_among_writes_of_cells() {
        let method = |input, check| Resource::Row.operation(Verb::Put, input, check).method;
        assert_eq!(method(Some(Kind::Json), Some("PUT")), Rest::CheckAndPut);
        assert_eq!(method(Some(Kind::Json), Some("")), Rest::PutRows);
        assert_eq!(method(Some(Kind::Binary), Some("append")), Rest::PutRows);
        assert_eq!(method(None, Some("append")), Rest::PutRows);
    }
}
