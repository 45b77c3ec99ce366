//! Creating, altering and deleting tables, with HBase's order of checks.

use bytes::Bytes;

use super::Engine;
use crate::catalog::{Catalog, TableState, not_found};
use crate::error::{Error, ErrorKind, Result};
use crate::name::TableName;
use crate::region::{self, Region};
use crate::request::ROW_LENGTH_MAX;
use crate::schema::{TRACKER_KEY, TableDescriptor, check_table, check_tracker, check_tracker_change};

/// Refuses changes of `hbase:meta`.
pub(super) fn check_not_system(table: &TableState) -> Result<()> {
    if !table.is_system() {
        return Ok(());
    }
    let refusal = Error::new(ErrorKind::SystemTable, "Can't modify catalog tables");
    Err(refusal.with_remedy(format_args!("{} lists the regions of all tables; name another table", table.name())))
}

/// Adds the attributes that HBase always returns to a descriptor given by a client. IS_META is never what the client
/// says.
fn complete(mut descriptor: TableDescriptor) -> TableDescriptor {
    descriptor.families.values_mut().for_each(crate::schema::FamilyDescriptor::complete);
    descriptor.attributes.insert(Bytes::from_static(b"IS_META"), Bytes::from_static(b"false"));
    descriptor
}

/// Checks that the names of regions are not too long. In HBase, each is a row of `hbase:meta`.
///
/// # Errors
/// `InvalidArgument`.
fn check_region_names(name: &TableName, regions: &[Region]) -> Result<()> {
    let longest = regions.iter().map(|region| region.name(name).len()).max().unwrap_or(0);
    if longest <= ROW_LENGTH_MAX {
        return Ok(());
    }
    Err(Error::invalid(format!("Row length {longest} is > {ROW_LENGTH_MAX}")).with_plain(format!(
        "the name of a region, which has those of the table and of its first row, would have {longest} bytes, and the \
         limit is {ROW_LENGTH_MAX}: use shorter split keys, or a shorter name"
    )))
}

fn not_disabled(name: &TableName, text: String) -> Error {
    Error::new(ErrorKind::TableNotDisabled, text).with_plain(format!("table {name} is enabled: disable it first"))
}

/// Replaces the descriptor of a table by one of a client, and keeps the data of its families.
pub(super) fn alter(
    catalog: &Catalog,
    counter: &mut crate::catalog::Counter,
    old: &TableState,
    descriptor: TableDescriptor,
) -> Result<()> {
    let descriptor = complete(descriptor);
    catalog.check_table_size(counter, Some(old), &descriptor, old.regions())?;
    replan(catalog, counter, old, descriptor, old.enabled())
}

/// Replaces a table's descriptor and state, and keeps its data.
fn replan(
    catalog: &Catalog,
    counter: &mut crate::catalog::Counter,
    old: &TableState,
    descriptor: TableDescriptor,
    enabled: bool,
) -> Result<()> {
    let new = catalog.plan(counter, Some(old), descriptor, old.regions().to_vec(), enabled, false)?;
    catalog.replace_table(counter, old.name(), Some(new))
}

impl Engine {
    /// Creates a table with regions split at these keys, in any order.
    ///
    /// # Errors
    /// `InvalidArgument` for bad split keys, `NamespaceNotFound`, `InvalidDescriptor`, `Unprocessable`, `TableExists`,
    /// `ClassNotFound`, `InvalidArgument` for too long split keys: the first in that order.
    pub fn create_table(&self, descriptor: TableDescriptor, splits: Vec<Bytes>) -> Result<()> {
        let core = self.handle.live()?;
        let catalog = &core.catalog;
        let regions = region::cut(splits, core.store.now_ms())?;
        let mut counter = catalog.begin(&self.stop)?;
        catalog.namespace(descriptor.name.namespace())?;
        check_table(&descriptor)?;
        if catalog.table(&descriptor.name).is_ok() {
            let name = &descriptor.name;
            return Err(Error::new(ErrorKind::TableExists, name.to_string())
                .with_plain(format!("table {name} already exists: choose another name, or delete it first")));
        }
        check_tracker(&descriptor)?;
        check_region_names(&descriptor.name, &regions)?;
        let mut descriptor = complete(descriptor);
        descriptor
            .attributes
            .entry(Bytes::from_static(TRACKER_KEY.as_bytes()))
            .or_insert_with(|| Bytes::from_static(b"DEFAULT"));
        catalog.check_table_size(&counter, None, &descriptor, &regions)?;
        let table = catalog.plan(&mut counter, None, descriptor, regions, true, true)?;
        catalog.add_table(&counter, table)
    }

    /// Drops a disabled table.
    ///
    /// # Errors
    /// `TableNotFound`, `TableNotDisabled`, `SystemTable`.
    pub fn delete_table(&self, name: &TableName) -> Result<()> {
        let catalog = &self.handle.live()?.catalog;
        let counter = catalog.begin(&self.stop)?;
        let old = catalog.table(name)?;
        check_not_system(&old)?;
        if old.enabled() {
            return Err(not_disabled(name, format!("Not DISABLED; tableName={name}, state=ENABLED")));
        }
        catalog.replace_table(&counter, name, None)
    }

    /// Empties a disabled table and enables it; without `preserve_splits` it has one region afterwards.
    ///
    /// # Errors
    /// `TableNotFound`, `TableNotDisabled`.
    pub fn truncate_table(&self, name: &TableName, preserve_splits: bool) -> Result<()> {
        let core = self.handle.live()?;
        let catalog = &core.catalog;
        let mut counter = catalog.begin(&self.stop)?;
        let old = catalog.table(name)?;
        if old.enabled() {
            return Err(not_disabled(name, name.to_string()));
        }
        let starts = old.regions().iter().skip(1).filter(|_| preserve_splits).map(|r| r.start.clone()).collect();
        let regions = region::cut(starts, core.store.now_ms())?;
        let new = catalog.plan(&mut counter, Some(&old), old.descriptor().clone(), regions, true, true)?;
        catalog.replace_table(&counter, name, Some(new))
    }

    /// Enables a disabled table.
    ///
    /// # Errors
    /// `TableNotFound`, `TableNotDisabled`.
    pub fn enable_table(&self, name: &TableName) -> Result<()> {
        let catalog = &self.handle.live()?.catalog;
        let mut counter = catalog.begin(&self.stop)?;
        let old = catalog.table(name)?;
        if old.enabled() {
            let text = format!("tableName={name}, state=ENABLED");
            return Err(Error::new(ErrorKind::TableNotDisabled, text)
                .with_plain(format!("table {name} is enabled already: only a disabled table can be enabled")));
        }
        replan(catalog, &mut counter, &old, old.descriptor().clone(), true)
    }

    /// Disables an enabled table, after running writes have finished.
    ///
    /// # Errors
    /// `TableNotFound`, `TableDisabled`, `Constraint` for `hbase:meta`.
    pub fn disable_table(&self, name: &TableName) -> Result<()> {
        let catalog = &self.handle.live()?.catalog;
        let mut counter = catalog.begin(&self.stop)?;
        let old = catalog.table(name)?;
        if old.is_system() {
            return Err(Error::new(ErrorKind::Constraint, format!("Cannot disable {name}"))
                .with_remedy("it lists the regions of all tables; name another table"));
        }
        if !old.enabled() {
            return Err(Error::new(ErrorKind::TableDisabled, name.to_string())
                .with_plain(format!("table {name} is disabled already: only an enabled table can be disabled")));
        }
        replan(catalog, &mut counter, &old, old.descriptor().clone(), false)
    }

    /// Whether a table is enabled.
    ///
    /// # Errors
    /// `TableNotFound`.
    pub fn is_table_enabled(&self, name: &TableName) -> Result<bool> {
        Ok(self.handle.live()?.catalog.table(name)?.enabled())
    }

    /// A number that distinguishes this table from all others that exist or ever existed, including those of the same
    /// name. A table gets a new one when it is truncated.
    ///
    /// # Errors
    /// `TableNotFound`.
    pub fn table_number(&self, name: &TableName) -> Result<u64> {
        Ok(self.handle.live()?.catalog.table(name)?.number())
    }

    /// Whether a table exists, as [`Self::tables`] lists it.
    pub fn table_exists(&self, name: &TableName) -> bool {
        self.catalog().has_table(name)
    }

    /// A table's descriptor, with all attributes that HBase returns.
    ///
    /// # Errors
    /// `TableNotFound`.
    pub fn describe(&self, name: &TableName) -> Result<TableDescriptor> {
        Ok(self.handle.live()?.catalog.table(name)?.descriptor().clone())
    }

    /// All tables, including `hbase:meta`, sorted by `namespace:qualifier`. The flag says whether the table is enabled.
    pub fn tables(&self) -> Vec<(TableDescriptor, bool)> {
        self.catalog().tables().iter().map(|t| (t.descriptor().clone(), t.enabled())).collect()
    }

    /// Passes all tables, including `hbase:meta`, to a function, sorted by `namespace:qualifier`, and copies none. The
    /// flag says whether the table is enabled. The first error of the function ends the visit.
    ///
    /// # Errors
    /// That of the function.
    pub fn visit_tables<E>(
        &self,
        mut visit: impl FnMut(&TableDescriptor, bool) -> std::result::Result<(), E>,
    ) -> std::result::Result<(), E> {
        self.catalog().tables().iter().try_for_each(|table| visit(table.descriptor(), table.enabled()))
    }

    /// The names of all tables, including `hbase:meta`, sorted by `namespace:qualifier`.
    pub fn table_names(&self) -> Vec<TableName> {
        self.catalog().tables().iter().map(|table| table.name().clone()).collect()
    }

    /// A table's regions, ordered by start key.
    ///
    /// # Errors
    /// `TableNotFound`.
    pub fn regions(&self, name: &TableName) -> Result<Vec<Region>> {
        self.with_regions(name, <[Region]>::to_vec)
    }

    /// Passes a table's regions, ordered by start key, to a function, and copies none.
    ///
    /// # Errors
    /// `TableNotFound`.
    pub fn with_regions<T>(&self, name: &TableName, read: impl FnOnce(&[Region]) -> T) -> Result<T> {
        Ok(read(self.handle.live()?.catalog.table(name)?.regions()))
    }

    /// Replaces a table's descriptor; families not in it are removed with their data.
    ///
    /// # Errors
    /// `InvalidDescriptor`, `Unprocessable`, `TableNotFound`, `ClassNotFound`: the first in that order; `SystemTable`
    /// for `hbase:meta`.
    pub fn modify_table(&self, descriptor: TableDescriptor) -> Result<()> {
        let catalog = &self.handle.live()?.catalog;
        let mut counter = catalog.begin(&self.stop)?;
        check_table(&descriptor)?;
        let old = catalog.table(&descriptor.name).map_err(|_| not_found(&descriptor.name))?;
        check_not_system(&old)?;
        check_tracker_change(old.descriptor(), &descriptor)?;
        alter(catalog, &mut counter, &old, descriptor)
    }
}
