//! Roles, and the tables that each covers.

use std::collections::HashSet;
use std::fmt;

use hjall_engine::name::{self, TableName};

/// What a user may do with a table. No role includes another, as in HBase.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Reads cells.
    Read,
    /// Writes and deletes cells.
    Write,
    /// Creates, changes and drops tables, and sees their descriptors.
    Admin,
}

impl Role {
    /// All roles.
    pub const ALL: [Self; 3] = [Self::Read, Self::Write, Self::Admin];

    /// The name in the users file and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Admin => "admin",
        }
    }

    /// The action that HBase's messages name. The role admin stands for `ADMIN` or `CREATE`, of which they name the
    /// last.
    pub fn action(self) -> &'static str {
        match self {
            Self::Read => "READ",
            Self::Write => "WRITE",
            Self::Admin => "CREATE",
        }
    }
}

/// What a role covers: everything, whole namespaces, and single tables.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Scope {
    everything: bool,
    namespaces: HashSet<String>,
    tables: HashSet<TableName>,
}

impl Scope {
    /// Adds `*`, `NAMESPACE:*`, `NAMESPACE:TABLE`, or `TABLE` in the namespace `default`.
    ///
    /// # Errors
    /// The text has none of these forms. The error names the reason.
    pub fn add(&mut self, pattern: &str) -> Result<(), String> {
        match pattern.split_once(':') {
            _ if pattern == "*" => self.everything = true,
            Some((namespace, "*")) => {
                name::check_namespace(namespace).map_err(|error| error.message().to_owned())?;
                self.namespaces.insert(namespace.to_owned());
            }
            _ => {
                let table = TableName::parse(pattern.as_bytes()).map_err(|error| error.message().to_owned())?;
                self.tables.insert(table);
            }
        }
        Ok(())
    }

    /// Whether it covers everything, including tables and namespaces that do not exist yet.
    pub fn covers_everything(&self) -> bool {
        self.everything
    }

    /// Whether it covers every table of a namespace.
    pub fn covers_namespace(&self, namespace: &str) -> bool {
        self.everything || self.namespaces.contains(namespace)
    }

    /// Whether it covers a table.
    pub fn covers(&self, table: &TableName) -> bool {
        self.covers_namespace(table.namespace()) || self.tables.contains(table)
    }

    /// Whether it covers nothing.
    pub fn is_empty(&self) -> bool {
        !self.everything && self.namespaces.is_empty() && self.tables.is_empty()
    }
}

/// The patterns, in order: `*, sales:*, sales:orders`.
impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut patterns: Vec<_> = self.namespaces.iter().map(|namespace| format!("{namespace}:*")).collect();
        patterns.extend(self.tables.iter().map(ToString::to_string));
        patterns.extend(self.everything.then(|| "*".to_owned()));
        patterns.sort();
        f.write_str(&patterns.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scope(patterns: &[&str]) -> Scope {
        let mut scope = Scope::default();
        patterns.iter().for_each(|pattern| scope.add(pattern).unwrap());
        scope
    }

    fn covers(scope: &Scope, table: &str) -> bool {
        scope.covers(&TableName::parse(table.as_bytes()).unwrap())
    }

    #[test]
    fn a_scope_covers_what_its_patterns_name_and_nothing_with_the_same_prefix() {
        let sales = scope(&["sales:*", "users"]);
        for table in ["sales:orders", "sales:o", "users", "default:users"] {
            assert!(covers(&sales, table), "{table}");
        }
        for table in ["sales2:orders", "sale:orders", "orders", "users2", "user", "sales:", "other:users", "sales"] {
            let table = TableName::parse(table.as_bytes());
            assert!(!table.is_ok_and(|table| sales.covers(&table)));
        }
        assert!(sales.covers_namespace("sales") && !sales.covers_namespace("default"));
        assert!(!sales.covers_everything());
        let default = scope(&["default:*"]);
        assert!(covers(&default, "t") && covers(&default, "default:t") && !covers(&default, "hbase:meta"));
        assert!(covers(&scope(&["*"]), "hbase:meta") && !covers(&Scope::default(), "t"));
    }

    #[test]
    fn other_patterns_are_errors() {
        for wrong in ["", "**", "*:*", "sales:", ":*", ":t", "sales:o*", "sa les:*", "*:t", "a:b:c", "t*"] {
            assert!(Scope::default().add(wrong).is_err(), "{wrong}");
        }
        assert_eq!(scope(&["users", "sales:*", "default:users"]).to_string(), "sales:*, users");
    }
}
