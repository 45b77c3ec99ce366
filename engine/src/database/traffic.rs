//! Reads and writes by table and region.

use std::sync::Arc;

use super::Engine;
use crate::catalog::{TableState, Traffic};
use crate::name::TableName;
use crate::region::Region;
use crate::schema::TableDescriptor;

/// The reads and writes of one table since the database was opened. The table and its regions are those of the moment
/// when this value was returned; they are not copied. The counters are read by each call.
#[derive(Debug, Clone)]
pub struct TableTraffic(Arc<TableState>);

impl TableTraffic {
    /// Distinguishes the table from all others, including those that had its name before. Tables created later have
    /// greater numbers; truncating a table gives it a new one.
    pub fn number(&self) -> u64 {
        self.0.number()
    }

    /// The name.
    pub fn table(&self) -> &TableName {
        self.0.name()
    }

    /// The table's descriptor.
    pub fn descriptor(&self) -> &TableDescriptor {
        self.0.descriptor()
    }

    /// The regions in order, with the traffic of each.
    pub fn regions(&self) -> impl ExactSizeIterator<Item = (&Region, Traffic)> {
        self.0.regions().iter().zip(self.0.traffic().read())
    }

    /// The traffic of all regions together.
    pub fn sum(&self) -> Traffic {
        self.0.traffic().read().sum()
    }
}

impl Engine {
    /// The reads and writes of all tables since the database was opened, in the order in which the tables were created.
    /// System tables are left out.
    pub fn traffic(&self) -> Vec<TableTraffic> {
        let mut tables = self.core().catalog.tables();
        tables.retain(|table| !table.is_system());
        tables.sort_by_key(|table| table.number());
        tables.into_iter().map(TableTraffic).collect()
    }

    /// The reads and writes of one table; `None` if it does not exist or is a system table.
    pub fn traffic_of(&self, name: &TableName) -> Option<TableTraffic> {
        self.core().catalog.table(name).ok().filter(|table| !table.is_system()).map(TableTraffic)
    }
}
