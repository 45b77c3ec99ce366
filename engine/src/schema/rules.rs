//! The attributes of a family that reads and compactions need.

use super::family::{FamilyDescriptor, TTL_FOREVER_SECONDS};
use super::options::KeepDeleted;
use crate::error::Result;

/// The parsed attributes of a family that reads and compactions need.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FamilyRules {
    /// VERSIONS.
    pub versions: i32,
    /// MIN_VERSIONS.
    pub min_versions: i32,
    /// TTL in milliseconds; `i64::MAX` means no expiry.
    pub ttl_ms: i64,
    /// KEEP_DELETED_CELLS.
    pub keep_deleted: KeepDeleted,
    /// NEW_VERSION_BEHAVIOR: the write order decides which versions are visible.
    pub new_version_behavior: bool,
}

impl FamilyRules {
    /// The rules of a family.
    ///
    /// # Errors
    /// `Unprocessable` if an attribute cannot be parsed.
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

    /// Whether a cell with this timestamp has exceeded the TTL at the time `now`, both in milliseconds.
    #[inline]
    pub(crate) fn is_expired(&self, timestamp: i64, now: i64) -> bool {
        self.ttl_ms != i64::MAX && timestamp < now.saturating_sub(self.ttl_ms)
    }
}
