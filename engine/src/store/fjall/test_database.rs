//! A database with one space, for the tests of this module.

use std::sync::Arc;

use fjall::Keyspace;
use tempfile::TempDir;

use super::StoreOptions;
use super::database::Database;
use super::reopenable_database::ReopenableDatabase;
use crate::store::folder::Folder;
use crate::store::{SpaceId, SpaceOptions};

/// The space.
pub(super) const SPACE: SpaceId = 7;

/// Opens a database in a new folder, and creates the space. All keys belong to rows.
pub(super) fn open(folder: &TempDir) -> (ReopenableDatabase, Arc<Database>, Keyspace) {
    let options = StoreOptions { row_prefix: Some(|key| key.first().map(|_| 1)), ..StoreOptions::default() };
    let holder = ReopenableDatabase::open(Folder::open(&folder.path().join("db")).unwrap(), options).unwrap();
    let database = holder.database().unwrap();
    database.create(SPACE, &SpaceOptions::default()).unwrap();
    let keyspace = database.keyspace(SPACE).unwrap();
    (holder, database, keyspace)
}
