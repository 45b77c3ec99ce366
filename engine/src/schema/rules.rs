//! What reading and forgetting need of a family.

use super::family::{FamilyDescriptor, TTL_FOREVER_SECONDS};
use super::options::KeepDeleted;
use crate::error::Result;

/// What reading and forgetting need of a family, parsed once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FamilyRules {
    /// VERSIONS.
    pub versions: i32,
    /// MIN_VERSIONS.
    pub min_versions: i32,
    /// TTL in milliseconds; `i64::MAX`: for ever.
    pub ttl_ms: i64,
    /// KEEP_DELETED_CELLS.
    pub keep_deleted: KeepDeleted,
    /// NEW_VERSION_BEHAVIOR: deletes and versions count in the order of writing.
    pub new_version_behavior: bool,
}

impl FamilyRules {
    /// The rules of a family.
    ///
    /// # Errors
    /// `Unprocessable` if an attribute is no number or unknown.
    pub fn of(family: &FamilyDescriptor) -> Result<Self> {
        let ttl_ms = match family.ttl_seconds()? {
            TTL_FOREVER_SECONDS | -1 => i64::MAX,
            seconds => i64::from(seconds) * 1000,
        };
        Ok(Self {
            versions: family.max_versions()?,
            min_versions: family.min_versions()?,
            ttl_ms,
            keep_deleted: family.keep_deleted()?,
            new_version_behavior: family.new_version_behavior(),
        })
    }
}
