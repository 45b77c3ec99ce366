//! Numbers for tables. JavaScript asks for a table's number once; its requests carry the number instead of the name.

use std::sync::Arc;

use hjall_engine::name::TableName;
use hjall_engine::{Engine, Result, Table};
use parking_lot::RwLock;

use crate::request::Request;
use crate::vocabulary::NAMED;

/// The number of tables that get numbers. Requests to further ones carry the name.
const NUMBERED_MAX: usize = 65_536;
/// The numbered tables of one database.
#[derive(Default)]
pub struct Tables(RwLock<Vec<Arc<Table>>>);

impl Tables {
    /// A new number for a table. `None` if no numbers are left, or if the name is illegal: requests that carry it will
    /// fail with the reason.
    pub fn number(&self, engine: &Engine, name: &str) -> Option<u32> {
        let name = TableName::parse(name.as_bytes()).ok()?;
        let mut tables = self.0.write();
        if tables.len() >= NUMBERED_MAX {
            return None;
        }
        tables.push(Arc::new(engine.table(&name)));
        u32::try_from(tables.len() - 1).ok()
    }

    /// Reads the table at the beginning of a request: its number, or [`NAMED`] and its name.
    pub fn read(&self, engine: &Engine, from: &mut Request) -> Result<Arc<Table>> {
        let number = from.u32()?;
        if number != NAMED
            && let Some(table) = self.0.read().get(number as usize)
        {
            return Ok(Arc::clone(table));
        }
        Ok(Arc::new(engine.table(&name(from)?)))
    }

    /// Releases all tables.
    pub fn clear(&self) {
        self.0.write().clear();
    }
}

/// Reads a table's name.
pub fn name(from: &mut Request) -> Result<TableName> {
    TableName::parse(&from.bytes()?)
}
