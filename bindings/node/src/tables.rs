//! Tables by number: a program names a table once, its calls carry the number.

use std::sync::Arc;

use hjall_engine::name::TableName;
use hjall_engine::{Engine, Result, Table};
use parking_lot::RwLock;

use crate::request::Request;

/// So many tables get a number; beyond that each call carries the name.
const NUMBERED_MAX: usize = 65_536;
/// In place of a number: the name follows.
const NAMED: u32 = u32::MAX;

/// The tables that a program named.
#[derive(Default)]
pub struct Tables(RwLock<Vec<Arc<Table>>>);

impl Tables {
    /// A number for a table; `None` if the name is illegal or there are too many: then calls carry the name, and fail or not by it.
    pub fn number(&self, engine: &Engine, name: &str) -> Option<u32> {
        let name = TableName::parse(name.as_bytes()).ok()?;
        let mut tables = self.0.write();
        if tables.len() >= NUMBERED_MAX {
            return None;
        }
        tables.push(Arc::new(engine.table(&name)));
        u32::try_from(tables.len() - 1).ok()
    }

    /// The table that a request begins with.
    pub fn read(&self, engine: &Engine, from: &mut Request) -> Result<Arc<Table>> {
        let number = from.u32()?;
        if number != NAMED
            && let Some(table) = self.0.read().get(number as usize)
        {
            return Ok(Arc::clone(table));
        }
        Ok(Arc::new(engine.table(&name(from)?)))
    }

    /// Lets go of all of them.
    pub fn clear(&self) {
        self.0.write().clear();
    }
}

/// A table's name.
pub fn name(from: &mut Request) -> Result<TableName> {
    TableName::parse(&from.bytes()?)
}
