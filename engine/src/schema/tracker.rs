//! The attribute that selects HBase's store file tracker. hjall stores it and refuses what HBase refuses; it has no
//! other effect.

use std::borrow::Cow;

use bytes::Bytes;

use super::attribute::text;
use super::family::FamilyDescriptor;
use super::table::TableDescriptor;
use crate::error::{Error, ErrorKind, Result};
use crate::quote::Quoted;

/// The key of the attribute, in tables, families and the configuration of families.
pub const TRACKER_KEY: &str = "hbase.store.file-tracker.impl";

const DEFAULT: &str = "DEFAULT";
const MIGRATION: &str = "MIGRATION";
/// Short names, and the full class names that are equivalent to them.
const CLASSES: [(&str, &str); 3] = [
    (DEFAULT, "org.apache.hadoop.hbase.regionserver.storefiletracker.DefaultStoreFileTracker"),
    ("FILE", "org.apache.hadoop.hbase.regionserver.storefiletracker.FileBasedStoreFileTracker"),
    (MIGRATION, "org.apache.hadoop.hbase.regionserver.storefiletracker.MigrationStoreFileTracker"),
];

/// The effective tracker of a family: its attribute, else its configuration, else the table's attribute.
fn tracker_of<'a>(table: &'a TableDescriptor, family: &'a FamilyDescriptor) -> Cow<'a, str> {
    let key = Bytes::from_static(TRACKER_KEY.as_bytes());
    text(&family.attributes, TRACKER_KEY)
        .or_else(|| family.configuration.get(&key).map(|v| String::from_utf8_lossy(v)))
        .or_else(|| text(&table.attributes, TRACKER_KEY))
        .unwrap_or(Cow::Borrowed(DEFAULT))
}

fn short_name(given: &str) -> Result<&'static str> {
    CLASSES
        .iter()
        .find(|(short, class)| short.eq_ignore_ascii_case(given) || *class == given)
        .map(|(short, _)| *short)
        .ok_or_else(|| {
            let known = CLASSES.map(|(short, _)| short).join(", ");
            Error::new(
                ErrorKind::ClassNotFound,
                format!("java.lang.ClassNotFoundException: Class {} not found", Quoted(given)),
            )
            .with_remedy(format_args!("set {TRACKER_KEY} to one of {known}, or leave it out"))
        })
}

/// Checks the trackers that a new table names.
///
/// # Errors
/// `ClassNotFound` if one is unknown.
pub fn check_tracker(table: &TableDescriptor) -> Result<()> {
    table.families.values().try_for_each(|family| short_name(&tracker_of(table, family)).map(|_| ()))
}

/// Checks that no existing family changes from one tracker to another without MIGRATION in between.
///
/// # Errors
/// `InvalidDescriptor` if one does; `ClassNotFound` if a tracker is unknown.
pub fn check_tracker_change(old: &TableDescriptor, new: &TableDescriptor) -> Result<()> {
    for family in new.families.values() {
        let to = short_name(&tracker_of(new, family))?;
        let Some(before) = old.families.get(&family.name) else { continue };
        let from = short_name(&tracker_of(old, before))?;
        if from != to && from != MIGRATION && to != MIGRATION {
            return Err(Error::new(
                ErrorKind::InvalidDescriptor,
                format!(
                    "Should change to MIGRATION first when migrating from {from} for family {} of table {}",
                    family.shown_name(),
                    new.name
                ),
            )
            .with_remedy(format_args!("alter the table twice, first with {TRACKER_KEY} {MIGRATION}")));
        }
    }
    Ok(())
}
