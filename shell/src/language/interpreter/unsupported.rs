//! Names of Ruby that the shell's language does not have. Their error says that they are not part of the shell, instead
//! of that the name is unknown.

use super::super::value::Value;

const FUNCTIONS: &[&str] = &[
    "eval",
    "binding",
    "srand",
    "instance_eval",
    "class_eval",
    "system",
    "exec",
    "fork",
    "spawn",
    "open",
    "gets",
    "readline",
    "readlines",
    "load",
    "require_relative",
    "autoload",
    "catch",
    "throw",
    "trap",
    "at_exit",
    "define_method",
    "attr_accessor",
    "attr_reader",
    "attr_writer",
    "caller",
    "callcc",
    "select",
    "syscall",
    "test",
    "set_trace_func",
    "trace_var",
    "warn",
    "putc",
    "freeze",
    "private",
    "public",
    "protected",
    "extend",
    "alias_method",
    "instance_variable_set",
    "local_variables",
    "global_variables",
    "methods",
    "Rational",
    "Complex",
    "Hash",
    "redo",
    "retry",
];

const METHODS: &[(&str, &[&str])] = &[
    (
        "String",
        &[
            "each_grapheme_cluster",
            "unicode_normalize",
            "encode!",
            "crypt",
            "casecmp",
            "casecmp?",
            "codepoints",
            "each_codepoint",
            "oct",
            "slice!",
            "tr_s",
            "undump",
            "dump",
            "rpartition",
            "to_c",
            "to_r",
            "getbyte",
            "setbyte",
        ],
    ),
    (
        "Array",
        &[
            "bsearch",
            "permutation",
            "repeated_combination",
            "fill",
            "assoc",
            "rassoc",
            "slice_when",
            "chunk",
            "chunk_while",
            "lazy",
            "to_set",
            "combination",
            "slice!",
            "filter!",
        ],
    ),
    ("Hash", &["default", "default=", "compare_by_identity", "rehash", "assoc", "fetch_values", "lazy", "to_proc"]),
    ("Integer", &["gcd", "lcm", "rationalize", "to_r", "to_c", "numerator", "denominator", "size"]),
    ("Float", &["rationalize", "to_r", "to_c", "next_float", "prev_float"]),
    ("Range", &["bsearch", "lazy", "to_set"]),
    ("Time", &["round", "dst?", "zone", "utc_offset", "gmt_offset", "sunday?", "monday?"]),
    ("Regexp", &["named_captures", "names", "options"]),
    ("Proc", &["curry", "parameters", "source_location", ">>", "<<"]),
];

const OBJECT: &[&str] = &[
    "instance_eval",
    "instance_exec",
    "define_singleton_method",
    "extend",
    "respond_to?",
    "display",
    "instance_variable_get",
    "instance_variables",
    "methods",
    "singleton_class",
    "instance_variable_set",
    "public_methods",
    "taint",
    "untaint",
    "enum_for",
    "to_enum",
];

/// How an error names a function of Ruby's that the language does not have.
pub fn function(name: &str) -> Option<String> {
    FUNCTIONS.contains(&name).then(|| format!("'{name}'"))
}

/// Whether Ruby has this method and the language does not.
pub fn method(receiver: &Value, name: &str) -> bool {
    let class = receiver.class_name();
    OBJECT.contains(&name) || METHODS.iter().any(|(known, methods)| *known == class && methods.contains(&name))
}
