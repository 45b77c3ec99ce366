//! Adding, changing and deleting families of a table, with HBase's order of checks.

use super::Engine;
use super::tables::{alter, check_not_system};
use crate::error::{Error, ErrorKind, Result};
use crate::name::{TableName, check_family_length};
use crate::quote;
use crate::schema::{FamilyDescriptor, TableDescriptor, check_table, check_tracker_change};

fn refuse<T>(text: String, remedy: impl std::fmt::Display) -> Result<T> {
    Err(Error::new(ErrorKind::FamilyOperation, text).with_remedy(remedy))
}

/// The remedy for a family that a table does not have.
fn known(descriptor: &TableDescriptor) -> String {
    let names: Vec<_> = descriptor.families.keys().map(|name| shown(name)).collect();
    format!("table {} has the families {}", descriptor.name, names.join(", "))
}

fn shown(name: &[u8]) -> String {
    quote::utf8(name).to_string()
}

impl Engine {
    /// Adds a family.
    ///
    /// # Errors
    /// `TableNotFound`, `FamilyOperation` if the family exists, `Unprocessable` if its name is too long, then those of
    /// [`Self::modify_table`].
    pub fn add_family(&self, table: &TableName, family: FamilyDescriptor) -> Result<()> {
        self.change_families(table, |descriptor| {
            if descriptor.families.contains_key(&family.name) {
                return refuse(
                    format!(
                        "Column family '{}' in table '{table}' already exists so cannot be added",
                        shown(&family.name)
                    ),
                    "modify it, or choose another name",
                );
            }
            // HBase's master fails to add it however often the client asks.
            check_family_length(&family.name).map_err(|error| error.as_kind(ErrorKind::Unprocessable))?;
            descriptor.families.insert(family.name.clone(), family);
            Ok(())
        })
    }

    /// Replaces a family's descriptor.
    ///
    /// # Errors
    /// `TableNotFound`, `FamilyOperation` if the family does not exist, then those of [`Self::modify_table`].
    pub fn modify_family(&self, table: &TableName, family: FamilyDescriptor) -> Result<()> {
        self.change_families(table, |descriptor| {
            if !descriptor.families.contains_key(&family.name) {
                let text = format!("Family '{}' does not exist, so it cannot be modified", shown(&family.name));
                return refuse(text, known(descriptor));
            }
            descriptor.families.insert(family.name.clone(), family);
            Ok(())
        })
    }

    /// Removes a family and its data.
    ///
    /// # Errors
    /// `TableNotFound`; `FamilyOperation` if the family does not exist or is the only one.
    pub fn delete_family(&self, table: &TableName, family: &[u8]) -> Result<()> {
        self.change_families(table, |descriptor| {
            if !descriptor.families.contains_key(family) {
                let text = format!("Family '{}' does not exist, so it cannot be deleted", shown(family));
                return refuse(text, known(descriptor));
            }
            if descriptor.families.len() == 1 {
                return refuse(
                    format!(
                        "Family '{}' is the only column family in the table, so it cannot be deleted",
                        shown(family)
                    ),
                    format_args!("add another family to table {table} first, or delete the table"),
                );
            }
            descriptor.families.remove(family);
            Ok(())
        })
    }

    fn change_families(
        &self,
        table: &TableName,
        change: impl FnOnce(&mut TableDescriptor) -> Result<()>,
    ) -> Result<()> {
        let catalog = &self.handle.live()?.catalog;
        let mut counter = catalog.begin(&self.stop)?;
        let old = catalog.table(table)?;
        check_not_system(&old)?;
        let mut descriptor = old.descriptor().clone();
        change(&mut descriptor)?;
        check_table(&descriptor)?;
        check_tracker_change(old.descriptor(), &descriptor)?;
        alter(catalog, &mut counter, &old, descriptor)
    }
}
