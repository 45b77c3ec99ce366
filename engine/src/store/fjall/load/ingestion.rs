//! fjall's ingestion of sorted pairs into files of a keyspace, whose type has no public name.

use bytes::Bytes;
use fjall::Keyspace;

use crate::error::Result;
use crate::store::Pair;
use crate::store::fjall::failure::failed;

/// What failed, for errors.
pub(super) const LOADING: &str = "a bulk load";

/// An ingestion that has begun. Dropping it leaves files that the next opening of the keyspace removes.
pub(super) struct Ingestion<'a> {
    advance: Advance<'a>,
}

/// Writes a pair; `None` completes the ingestion.
type Advance<'a> = Box<dyn FnMut(Option<Pair>) -> fjall::Result<()> + 'a>;

impl<'a> Ingestion<'a> {
    pub fn begin(keyspace: &'a Keyspace) -> Result<Self> {
        let mut begun = Some(keyspace.start_ingestion().map_err(|error| failed(LOADING, error))?);
        let advance = move |pair: Option<Pair>| match (pair, &mut begun) {
            (Some((key, value)), Some(ingestion)) => ingestion.write(key, value),
            (None, _) => begun.take().map_or(Ok(()), |ingestion| ingestion.finish()),
            (Some(_), None) => Ok(()),
        };
        Ok(Self { advance: Box::new(advance) })
    }

    /// Writes a pair. fjall panics if its key is not greater than the one before.
    pub fn write(&mut self, key: Bytes, value: Bytes) -> Result<()> {
        (self.advance)(Some((key, value))).map_err(|error| failed(LOADING, error))
    }

    /// Makes all pairs visible, durably. Flushes the memtable of the keyspace, and blocks all commits of the database
    /// meanwhile.
    pub fn complete(mut self) -> Result<()> {
        (self.advance)(None).map_err(|error| failed(LOADING, error))
    }
}
