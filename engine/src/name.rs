//! Names of tables, namespaces and families, and which are legal.

/// The name of a table: namespace and qualifier.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TableName {
    namespace: String,
    qualifier: String,
}

impl TableName {
    /// The namespace, `default` where none was given.
    pub fn namespace(&self) -> &str {
        &self.namespace
    }

    /// The name inside its namespace.
    pub fn qualifier(&self) -> &str {
        &self.qualifier
    }
}
