//! Reading the catalog from the store: when it is opened, and again after a change with an unknown outcome.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::Arc;

use parking_lot::{Mutex, RwLock};

use super::doubt::Doubt;
use super::meta::{FIRST_NUMBER, meta_table};
use super::record::{self, HEAD_KEY, Head, NAMESPACE_PREFIX, TABLE_PREFIX};
use super::state::TableState;
use super::table_slot::TableSlot;
use super::{Catalog, Counter, UnsyncedChange};
use crate::durability::Durability;
use crate::error::{Error, ErrorKind, Result};
use crate::name::{DEFAULT_NAMESPACE, SYSTEM_NAMESPACE};
use crate::schema::NamespaceDescriptor;
use crate::stop::Stop;
use crate::store::{CATALOG_SPACE, Order, Snapshot, SpaceId, Store};

/// Pairs expected in one catalog scan.
const FETCH: usize = 256;

/// The stored catalog.
#[derive(Default)]
struct Stored {
    head: Head,
    namespaces: Vec<NamespaceDescriptor>,
    tables: Vec<TableState>,
}

impl Catalog {
    /// Opens the catalog of a store, creating it if necessary, and drops spaces that it does not name. If the store
    /// was opened for reading only, only reads it.
    ///
    /// `memory_max`: the most memory that descriptors may take, in bytes.
    pub(crate) fn open(store: Arc<dyn Store>, memory_max: Option<u64>) -> Result<Self> {
        let snapshot = store.snapshot()?;
        let cluster_id = match snapshot.get(CATALOG_SPACE, HEAD_KEY)? {
            Some(stored) => record::decode_head(stored)?.cluster_id,
            None => new_uuid(),
        };
        drop(snapshot);
        let catalog = Self {
            store,
            cluster_id,
            namespaces: RwLock::default(),
            tables: RwLock::default(),
            rules: Arc::default(),
            loading: Arc::default(),
            memory_max,
            changes: Mutex::new(Counter { next: FIRST_NUMBER, stop: Stop::never() }),
            doubt: Doubt::default(),
            unsynced: UnsyncedChange::default(),
        };
        if catalog.store.check_writable().is_ok() {
            catalog.load(&mut catalog.changes.lock())?;
        } else {
            let stored = read_all(&*catalog.store.snapshot()?)?;
            check_spaces(&stored, &catalog.store.spaces()?)?;
            catalog.install(stored)?;
        }
        Ok(catalog)
    }

    /// Replaces the catalog in memory with the stored one. If the outcome of a change was unknown, the transaction that
    /// reads also writes the counter durably, which settles what is stored.
    pub(super) fn load(&self, counter: &mut Counter) -> Result<()> {
        let spaces = self.store.spaces()?;
        let above_spaces = spaces.last().map_or(0, |s| s + 1);
        let mut stored = Stored::default();
        let least = counter.next.max(above_spaces);
        let cluster_id = &self.cluster_id;
        self.store.transact(&[super::change::lock_name()], Durability::FsyncWal, &mut |tx| {
            stored = read_all(&**tx.snapshot())?;
            let head = Head { next_number: stored.head.next_number.max(least), cluster_id: cluster_id.clone() };
            if head != stored.head || self.doubt.exists() {
                tx.put(CATALOG_SPACE, HEAD_KEY.to_vec().into(), record::encode_head(&head));
            }
            stored.head = head;
            Ok(())
        })?;
        counter.next = stored.head.next_number;
        let named = check_spaces(&stored, &spaces)?;
        for space in spaces.into_iter().filter(|s| *s != CATALOG_SPACE && !named.contains(s)) {
            tracing::info!(space, "dropping a space that no table owns, left by an interrupted change");
            self.store.drop_space(space)?;
        }
        self.install(stored)
    }

    fn install(&self, stored: Stored) -> Result<()> {
        let mut namespaces: BTreeMap<_, _> = [DEFAULT_NAMESPACE, SYSTEM_NAMESPACE]
            .into_iter()
            .map(|n| (n.to_owned(), NamespaceDescriptor::new(n)))
            .collect();
        namespaces.extend(stored.namespaces.into_iter().map(|n| (n.name.clone(), n)));
        let states = stored.tables.into_iter().chain([meta_table()?]).map(Arc::new);
        let mut states: HashMap<_, _> = states.map(|s| (s.name().clone(), s)).collect();
        let rules =
            states.values().filter(|s| !s.is_system()).flat_map(|s| s.families().iter().map(|f| (f.space, f.rules)));
        *self.rules.write() = rules.collect();
        *self.namespaces.write() = namespaces;
        let slots: Vec<_> = self.tables.read().iter().map(|(n, s)| (n.clone(), Arc::clone(s))).collect();
        for (name, slot) in slots {
            let mut held = slot.exclusive();
            *held = states.remove(&name);
            if held.is_none() {
                self.tables.write().remove(&name);
            }
        }
        let mut tables = self.tables.write();
        tables.extend(states.into_iter().map(|(name, state)| (name, Arc::new(TableSlot::new(state)))));
        Ok(())
    }
}

/// The spaces that tables need, which must exist.
fn check_spaces(stored: &Stored, spaces: &[SpaceId]) -> Result<BTreeSet<SpaceId>> {
    let named: BTreeSet<_> = stored.tables.iter().flat_map(|t| t.families().iter().map(|f| f.space)).collect();
    match named.iter().find(|space| !spaces.contains(space)) {
        None => Ok(named),
        Some(missing) => Err(Error::new(
            ErrorKind::Corrupt,
            format!(
                "space {missing}, which a table needs, is missing from the data folder; restore the folder from a copy"
            ),
        )),
    }
}

fn read_all(snapshot: &dyn Snapshot) -> Result<Stored> {
    let mut stored = Stored::default();
    if let Some(head) = snapshot.get(CATALOG_SPACE, HEAD_KEY)? {
        stored.head = record::decode_head(head)?;
    }
    each(snapshot, NAMESPACE_PREFIX, &mut |value| {
        stored.namespaces.push(record::decode_namespace(value)?);
        Ok(())
    })?;
    each(snapshot, TABLE_PREFIX, &mut |value| {
        stored.tables.push(record::decode_table(&value)?);
        Ok(())
    })?;
    Ok(stored)
}

fn each(snapshot: &dyn Snapshot, prefix: &[u8], take: &mut dyn FnMut(bytes::Bytes) -> Result<()>) -> Result<()> {
    let mut end = prefix.to_vec();
    if let Some(last) = end.last_mut() {
        *last += 1;
    }
    let mut cursor = snapshot.scan(CATALOG_SPACE, prefix, &end, Order::Ascending, FETCH)?;
    while let Some((_, value)) = cursor.next()? {
        take(value)?;
    }
    Ok(())
}

/// A random UUID (version 4). It only identifies a database, so the random keys of hash maps are good enough.
fn new_uuid() -> String {
    let half = || RandomState::new().build_hasher().finish().to_be_bytes();
    let mut bytes = [half(), half()].concat();
    bytes[6] = bytes[6] & 0x0F | 0x40;
    bytes[8] = bytes[8] & 0x3F | 0x80;
    let hex: String = bytes.iter().map(|b| format!("{b:02x}")).collect();
    [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]].join("-")
}
