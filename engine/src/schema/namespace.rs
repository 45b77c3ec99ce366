//! A namespace's descriptor.

use std::collections::BTreeMap;
use std::fmt;

use crate::error::{Error, ErrorKind, Result};
use crate::quote::Quoted;

const QUOTA_REGIONS: &str = "hbase.namespace.quota.maxregions";
const QUOTA_TABLES: &str = "hbase.namespace.quota.maxtables";

/// A namespace.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NamespaceDescriptor {
    /// The name.
    pub name: String,
    /// Properties chosen by the user. Empty keys and values are allowed.
    pub configuration: BTreeMap<String, String>,
}

impl NamespaceDescriptor {
    /// A namespace without properties.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), configuration: BTreeMap::new() }
    }

    /// Checks the quotas among the properties. They are stored but not enforced, as in HBase if quotas are switched
    /// off.
    ///
    /// # Errors
    /// `Refused` if one is not a number, `Constraint` if it is not positive.
    pub fn check_quotas(&self) -> Result<()> {
        for (key, what) in [(QUOTA_REGIONS, "regions"), (QUOTA_TABLES, "tables")] {
            let Some(text) = self.configuration.get(key).filter(|t| !t.is_empty()) else { continue };
            let quota: i64 = text.parse().map_err(|_| {
                Error::new(
                    ErrorKind::Refused,
                    format!(
                        "NumberFormatException while getting max {what}. {key} must be a whole number, not \"{}\"",
                        Quoted(text)
                    ),
                )
            })?;
            if quota <= 0 {
                let which = what.trim_end_matches('s');
                let which = if which == "table" { "tables" } else { which };
                return Err(Error::new(
                    ErrorKind::Constraint,
                    format!("The max {which} quota for {} is less than or equal to zero.", Quoted(&self.name)),
                )
                .with_remedy(format_args!("set {key} to 1 or more, or leave it out")));
            }
        }
        Ok(())
    }
}

/// As HBase prints it: `{NAME => 'n', k => 'v'}`.
impl fmt::Display for NamespaceDescriptor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{{NAME => '{}'", self.name)?;
        for (key, value) in &self.configuration {
            write!(f, ", {key} => '{value}'")?;
        }
        f.write_str("}")
    }
}
