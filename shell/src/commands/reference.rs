//! The methods of references to tables.

/// Commands that are methods of a reference, which stands for their first argument.
pub const TABLE_METHODS: &[&str] = &[
    "append",
    "count",
    "delete",
    "deleteall",
    "describe",
    "disable",
    "drop",
    "enable",
    "flush",
    "get",
    "get_counter",
    "get_splits",
    "incr",
    "put",
    "scan",
];
