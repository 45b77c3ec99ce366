//! The commit of a bulk load, and its completion after a crash.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;

use fjall::{Keyspace, PersistMode};

use super::thread::{Copied, Part, copy, is_empty};
use crate::error::{Error, ErrorKind, Result};
use crate::store::fjall::database::{Committed, Database};
use crate::store::fjall::failure::failed;
use crate::store::fjall::rewrite::record_key;
use crate::store::fjall::space::Space;
use crate::store::{CATALOG_SPACE, SpaceId};

/// The key of the record of the ingestions that a commit completes: 0xff "load". For each, the value has the number of
/// the space (8 bytes, big-endian), the length of the name of the staging keyspace (1 byte), and the name.
const LOAD_KEY: &[u8] = b"\xffload";

fn encode<'a>(parts: impl Iterator<Item = &'a Part>) -> Vec<u8> {
    let mut out = Vec::new();
    for part in parts {
        let name = part.staging.name().as_bytes();
        out.extend_from_slice(&part.space.to_be_bytes());
        out.push(u8::try_from(name.len()).unwrap_or(u8::MAX));
        out.extend_from_slice(name);
    }
    out
}

fn decode(mut record: &[u8]) -> Result<Vec<(SpaceId, String)>> {
    let mut parts = Vec::new();
    while !record.is_empty() {
        let part = || {
            let (space, rest) = record.split_first_chunk()?;
            let (len, rest) = rest.split_first()?;
            let (name, rest) = rest.split_at_checked(usize::from(*len))?;
            Some((u64::from_be_bytes(*space), std::str::from_utf8(name).ok()?.to_owned(), rest))
        };
        let damaged = || {
            Error::new(
                ErrorKind::Corrupt,
                "the stored record of a bulk load is damaged; restore the data folder from a backup",
            )
        };
        let (space, name, rest) = part().ok_or_else(damaged)?;
        parts.push((space, name));
        record = rest;
    }
    Ok(parts)
}

/// Completes the load whose commit a crash has interrupted, if there is one. To be called while the database is being
/// opened. `spaces` are the current keyspaces. If `is_copy`, the record stays, because the folder is temporary.
pub(in crate::store::fjall) fn complete(
    inner: &fjall::Database,
    catalog: &Keyspace,
    spaces: &BTreeMap<SpaceId, Space>,
    is_copy: bool,
    open: impl Fn(&str) -> Result<Keyspace>,
) -> Result<()> {
    let record = catalog.get(LOAD_KEY).map_err(|error| failed("reading the record of a bulk load", error))?;
    let Some(record) = record else { return Ok(()) };
    for (space, name) in decode(&record)? {
        let Some(target) = spaces.get(&space) else { continue };
        if !inner.keyspace_exists(&name) {
            return Err(Error::new(
                ErrorKind::Corrupt,
                format!(
                    "the files of a bulk load (keyspace {name}) are missing; restore the data folder from a backup"
                ),
            ));
        }
        let staging = open(&name)?;
        let ingestion = copy(&staging, &target.keyspace, || Ok(()))?;
        ingestion.complete()?;
    }
    tracing::info!("a bulk load that a crash had interrupted was completed");
    if is_copy {
        return Ok(());
    }
    catalog.remove(LOAD_KEY).map_err(|error| failed("completing a bulk load", error))?;
    inner.persist(PersistMode::SyncAll).map_err(|error| failed("completing a bulk load", error))
}

impl Database {
    /// Makes the pairs of a load visible. Returns `false` if nothing was done, because a space that was empty is not
    /// any more, or a space has another keyspace.
    pub(super) fn commit_load(&self, parts: &mut [Part], copied: Vec<Copied<'_>>) -> Result<bool> {
        let _committing = self.committing.lock();
        self.check_writable()?;
        if !self.is_ready(parts, &copied)? {
            return Ok(false);
        }
        let copies: Vec<usize> = copied.iter().map(|copied| copied.part).collect();
        let replaces = |n: usize, part: &Part| part.pairs > 0 && !copies.contains(&n);
        let replacing: Vec<usize> = (0..).zip(&*parts).filter(|(n, part)| replaces(*n, part)).map(|(n, _)| n).collect();
        // A single ingestion is atomic without a record.
        let is_recorded = !copies.is_empty() && copies.len() + replacing.len() > 1;
        let catalog = self.keyspace(CATALOG_SPACE)?;
        // If a step fails, the next opening finds out whether the staging keyspaces are needed.
        parts.iter_mut().for_each(|part| part.is_kept = true);
        if !replacing.is_empty() || is_recorded {
            let mut batch = self.inner.batch().durability(Some(PersistMode::Buffer));
            for part in replacing.iter().filter_map(|n| parts.get(*n)) {
                batch.insert(&catalog, record_key(part.space), part.staging.name().as_bytes());
            }
            if is_recorded {
                batch.insert(&catalog, LOAD_KEY, encode(copies.iter().filter_map(|n| parts.get(*n))));
            }
            self.applied(batch.commit())?;
        }
        if !copies.is_empty() {
            // The files of an ingestion are durable at once. So must be the record, and the mark that covers the
            // timestamps.
            self.sync().map_err(|error| self.freeze(error))?;
        }
        for copied in copied {
            // If it fails, it may have taken effect, and so have earlier ones. The next opening completes the others.
            copied.ingestion.complete().map_err(|error| self.freeze(error))?;
        }
        if is_recorded {
            let mut batch = self.inner.batch().durability(Some(PersistMode::Buffer));
            batch.remove(&catalog, LOAD_KEY);
            self.applied(batch.commit()).map_err(|error| self.freeze(error))?;
        }
        // No view has been renewed since the record was written, so that all views in use have smaller numbers.
        let until = self.inner.supervisor.snapshot_tracker.get();
        for space in copies.iter().filter_map(|n| self.space(parts.get(*n)?.space)) {
            space.ingested(until, &self.replaced_files);
        }
        for (n, part) in parts.iter_mut().enumerate() {
            part.is_current = replacing.contains(&n);
            self.pressure.written_bytes.fetch_add(part.bytes, Ordering::Relaxed);
            if part.is_current {
                self.replace_keyspace(part.space, Space::new(part.staging.clone(), &self.flushed, until), until)?;
            }
        }
        self.renew_view();
        Ok(true)
    }

    /// Whether each space either has no pairs, or the load's ingestion is one into its current keyspace.
    fn is_ready(&self, parts: &[Part], copied: &[Copied<'_>]) -> Result<bool> {
        if self.rewrites.target_of(parts.iter().map(|part| part.space)).is_some() {
            return Ok(false);
        }
        for (n, part) in parts.iter().enumerate() {
            let current = self.keyspace(part.space)?;
            let is_ready = match copied.iter().find(|copied| copied.part == n) {
                Some(copied) => copied.keyspace.name() == current.name(),
                None => part.pairs == 0 || is_empty(&current),
            };
            if !is_ready {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn applied(&self, committed: fjall::Result<()>) -> Result<()> {
        match self.outcome(committed)? {
            Committed::Refused(error) => Err(error),
            Committed::Whole(_) | Committed::Crowded | Committed::Occupied => Ok(()),
        }
    }
}
