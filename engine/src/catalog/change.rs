//! Changes of the catalog. Each is one transaction, durable when the call returns.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use bytes::Bytes;

use super::doubt::Subject;
use super::flush;
use super::record::{self, HEAD_KEY, Head};
use super::state::{Family, TableState, space_options};
use super::table_slot::TableSlot;
use super::{Catalog, Counter};
use crate::durability::Durability;
use crate::error::Result;
use crate::name::TableName;
use crate::region::Region;
use crate::schema::{NamespaceDescriptor, TableDescriptor};
use crate::store::{CATALOG_SPACE, JournalSync, SpaceId, Transaction};

/// The lock under which the catalog is written.
pub(super) fn lock_name() -> Bytes {
    Bytes::from_static(b"catalog")
}

/// A change of the catalog that has taken effect, and may have to be synced.
#[must_use]
struct Written<'a> {
    catalog: &'a Catalog,
    subject: Subject,
    sync: Option<Arc<dyn JournalSync>>,
}

impl Written<'_> {
    /// Waits until the change is durable.
    fn synced(self) -> Result<()> {
        match self.sync.map_or(Ok(()), |sync| sync.wait()) {
            Ok(()) => {
                self.catalog.unsynced.since.store(0, Ordering::Release);
                Ok(())
            }
            Err(error) => {
                self.catalog.doubt.raise(self.subject);
                Err(error)
            }
        }
    }
}

impl Catalog {
    /// Writes the pair of a table or namespace, with the value that `value` returns (`None` removes it), and the
    /// counter, and deletes garbage, in one transaction. Does not wait for a sync, because callers hold locks for which
    /// other calls wait.
    fn commit(
        &self,
        counter: &Counter,
        subject: Subject,
        value: &mut dyn FnMut(&dyn Transaction) -> Option<Bytes>,
        garbage: &[(SpaceId, Bytes)],
    ) -> Result<Written<'_>> {
        let key = match &subject {
            Subject::Table(name) => record::table_key(name),
            Subject::Namespace(name) => record::namespace_key(name),
        };
        let head = record::encode_head(&Head { next_number: counter.next, cluster_id: self.cluster_id.clone() });
        let done = self.store.transact_unsynced(&[lock_name()], Durability::FsyncWal, &mut |tx| {
            tx.put(CATALOG_SPACE, Bytes::from_static(HEAD_KEY), head.clone());
            match value(tx) {
                Some(value) => tx.put(CATALOG_SPACE, key.clone(), value),
                None => tx.delete(CATALOG_SPACE, key.clone()),
            }
            flush::drop_garbage(garbage, tx);
            Ok(())
        });
        match done {
            Ok(sync) => Ok(Written { catalog: self, subject, sync }),
            Err(error) => {
                // A failed commit may still have reached the disk, so the catalog has to be read again.
                self.doubt.raise(subject);
                Err(error)
            }
        }
    }

    /// Adds or replaces a namespace.
    ///
    /// # Errors
    /// Those of [`Self::check_namespace_size`] and of the store.
    pub(crate) fn put_namespace(&self, counter: &Counter, namespace: NamespaceDescriptor) -> Result<()> {
        self.check_namespace_size(counter, &namespace)?;
        let stored = record::encode_namespace(&namespace);
        self.commit(counter, Subject::Namespace(namespace.name.clone()), &mut |_| Some(stored.clone()), &[])?
            .synced()?;
        self.namespaces.write().insert(namespace.name.clone(), namespace);
        Ok(())
    }

    /// Removes a namespace.
    pub(crate) fn remove_namespace(&self, counter: &Counter, name: &str) -> Result<()> {
        self.commit(counter, Subject::Namespace(name.to_owned()), &mut |_| None, &[])?.synced()?;
        self.namespaces.write().remove(name);
        Ok(())
    }

    /// Builds a table's state from a descriptor. Families of `old` keep their spaces unless `empty`; others get new
    /// ones.
    pub(crate) fn plan(
        &self,
        counter: &mut Counter,
        old: Option<&TableState>,
        descriptor: TableDescriptor,
        regions: Vec<Region>,
        enabled: bool,
        empty: bool,
    ) -> Result<TableState> {
        let number = old.filter(|_| !empty).map_or_else(|| counter.next(), TableState::number);
        let families = descriptor.families.values().map(|family| {
            let kept = old.filter(|_| !empty).and_then(|o| o.families().iter().find(|f| f.name == family.name));
            let planned = Family::new(family, kept.map_or_else(|| counter.next(), |f| f.space))?;
            Ok(Family { sequence_while_off: kept.and_then(|f| f.sequence_while_off), ..planned })
        });
        let families = families.collect::<Result<Vec<_>>>()?;
        let planned = TableState::new(number, descriptor, families, regions, enabled);
        // A client's attributes and keys are parts of its message, which must not stay in memory for their sake.
        record::decode_table(&record::encode_table(&planned))
    }

    /// Adds a table.
    pub(crate) fn add_table(&self, counter: &Counter, table: TableState) -> Result<()> {
        self.create_spaces(counter, None, &table)?;
        let stored = record::encode_table(&table);
        self.commit(counter, Subject::Table(table.name().clone()), &mut |_| Some(stored.clone()), &[])?.synced()?;
        self.register_rules(&table);
        let name = table.name().clone();
        self.tables.write().insert(name, Arc::new(TableSlot::new(Arc::new(table))));
        Ok(())
    }

    /// Replaces a table's state, or drops the table (`None`), once its running writes have finished. Other calls see
    /// the change before it is durable: they do not wait for the sync.
    pub(crate) fn replace_table(&self, counter: &Counter, name: &TableName, new: Option<TableState>) -> Result<()> {
        let slot = self.slot(name)?;
        let old = self.table(name)?;
        // Until the new rules are registered, or the change has failed.
        let altered: Vec<_> = spaces_with_other_rules(&old, new.as_ref()).collect();
        let _pause = self.store.pause_filters(&altered, &|| counter.check())?;
        if let Some(new) = &new {
            self.create_spaces(counter, Some(&old), new)?;
        }
        let stored = new.as_ref().map(record::encode_table);
        let mut new = new.map(|new| new.continuing(&old));
        let (before, kept) = (spaces(&old), new.as_ref().map(spaces).unwrap_or_default());
        let (written, new) = {
            let mut held = slot.exclusive();
            let garbage = self.recent_garbage(before.intersection(&kept));
            self.suspend_rules(&altered);
            // Before the commit: a reopening after it must be noticed.
            let generation = self.store.generation();
            // No write is running, so none has a number that it has not stored.
            let mut value = |tx: &dyn Transaction| {
                if let Some(new) = &mut new
                    && new.end_write_order(&old, || tx.sequence())
                {
                    return Some(record::encode_table(new));
                }
                stored.clone()
            };
            let written = self.commit(counter, Subject::Table(name.clone()), &mut value, &garbage)?;
            let new = new.map(Arc::new);
            self.end_recent(&kept);
            // Nothing is written to a table that is dropped.
            if let Some(new) = &new {
                self.unsynced.table.store(new.number(), Ordering::Release);
                self.unsynced.since.store(generation + 1, Ordering::Release);
            }
            if new.is_none() {
                self.tables.write().remove(name);
            }
            *held = new.clone();
            (written, new)
        };
        // Writes to the new spaces follow the change in the journal, so they are durable only if the change is.
        written.synced()?;
        if let Some(new) = &new {
            self.register_rules(new);
            log_deferred_options(&old, new);
        }
        for &space in before.difference(&kept) {
            self.rules.write().remove(&space);
            // The change is complete; the next opening drops what cannot be dropped now.
            if let Err(error) = self.store.drop_space(space) {
                tracing::warn!(space, %error, "a space that is no longer needed could not be dropped");
            }
        }
        Ok(())
    }

    /// Creates the spaces that `new` has and `old` lacks. If that fails, or the change is stopped, drops them again.
    fn create_spaces(&self, counter: &Counter, old: Option<&TableState>, new: &TableState) -> Result<()> {
        let there = old.map(spaces).unwrap_or_default();
        let mut made = Vec::new();
        for family in new.families().iter().filter(|f| !there.contains(&f.space)) {
            let options = new.descriptor().families.get(&family.name).map(space_options).unwrap_or_default();
            // Each space takes several syncs, so a table of many families takes long.
            let created = counter.check().and_then(|()| {
                made.push(family.space);
                self.store.create_space(family.space, &options)
            });
            if let Err(error) = created {
                for space in made {
                    // Numbers are never reused, so a space that remains is merely dropped later.
                    let _ = self.store.drop_space(space);
                }
                return Err(error);
            }
        }
        Ok(())
    }

    /// Lets compactions keep everything in the spaces whose rules a change alters. While the change is not durable, the
    /// old rules may apply again; as soon as it has taken effect, the new ones do.
    fn suspend_rules(&self, altered: &[SpaceId]) {
        let mut rules = self.rules.write();
        for space in altered {
            rules.remove(space);
        }
    }

    fn register_rules(&self, table: &TableState) {
        self.rules.write().extend(table.families().iter().map(|f| (f.space, f.rules)));
    }
}

/// The spaces that a change keeps, and whose rules it alters.
fn spaces_with_other_rules<'a>(old: &'a TableState, new: Option<&'a TableState>) -> impl Iterator<Item = SpaceId> + 'a {
    let differ = |family: &&Family| {
        old.families().iter().any(|before| before.space == family.space && before.rules != family.rules)
    };
    new.into_iter().flat_map(|new| new.families().iter()).filter(differ).map(|family| family.space)
}

pub(super) fn spaces(table: &TableState) -> BTreeSet<SpaceId> {
    table.families().iter().map(|f| f.space).collect()
}

/// Logs when an altered storage option takes effect.
fn log_deferred_options(old: &TableState, new: &TableState) {
    let altered = |family: &Family| {
        let options = |table: &TableState| table.descriptor().families.get(&family.name).map(space_options);
        old.families().iter().any(|f| f.space == family.space) && options(old) != options(new)
    };
    for family in new.families().iter().filter(|family| altered(family)) {
        tracing::info!(
            table = %new.name(),
            family = &*String::from_utf8_lossy(&family.name),
            "the altered COMPRESSION, BLOOMFILTER or BLOCKSIZE takes effect with the next major compaction"
        );
    }
}
