//! How a walk enters the columns of its open row, one after the other.

use bytes::Bytes;

use super::{FamilyWalk, Hiding, OpenRow};
use crate::error::Result;
use crate::key;
use crate::read::column::{Column, Version, Walked};
use crate::read::pairs::Pairs;
use crate::read::plan::Plan;
use crate::read::{raw, sequence};

/// What entering the next column led to.
pub(super) enum Entered {
    /// The row has no more.
    Nothing,
    Column,
    /// A column, and its first version at once.
    Version(Version),
}

impl FamilyWalk {
    /// Enters the next column there is.
    pub(super) fn open_column(&mut self) -> Result<Entered> {
        let Some(row) = &mut self.row else { return Ok(Entered::Nothing) };
        let (pairs, plan, reader) = (&mut self.pairs, &self.plan, &*self.reader);
        let prefix = match next_column(pairs, plan, row)? {
            None => return Ok(Entered::Nothing),
            Some(Ahead::Markers) => key::column_prefix(&row.prefix, b""),
            Some(Ahead::Keys(len)) => {
                if row.place.is_none()
                    && let Hiding::Now(marks) = &mut row.marks
                    && let Some((prefix, column, version)) = Walked::open_at_value(pairs, (plan, reader), len, marks)?
                {
                    row.column = Some((prefix, Column::Walked(column)));
                    return Ok(Entered::Version(version));
                }
                pairs.head()?.map(|(head, _)| Bytes::copy_from_slice(&head[..len])).unwrap_or_default()
            }
        };
        let mut column = match &mut row.marks {
            Hiding::Now(marks) => Column::Walked(Walked::open(pairs, plan, reader, &prefix, marks)?),
            Hiding::Ordered(marks) => {
                Column::Known(sequence::versions(pairs, plan, reader, &prefix, marks)?.into_iter())
            }
            Hiding::Shown(markers) => {
                let mut versions = markers.take().unwrap_or_default();
                versions.extend(raw::stored(pairs, plan, reader, &prefix)?);
                Column::Known(raw::mix(versions, plan).into_iter())
            }
        };
        if let Some(place) = row.place.take().filter(|p| p.qualifier == key::qualifier_of(&prefix, row.prefix.len())) {
            column.skip_to_time(pairs, &prefix, place.newest)?;
        }
        row.column = Some((prefix.into(), column));
        Ok(Entered::Column)
    }
}

/// Where the next column to look at begins.
enum Ahead {
    /// At the next pair, whose key begins with the column's prefix, which is so long.
    Keys(usize),
    /// It is the one of the empty qualifier, which the markers of a raw read belong to.
    Markers,
}

/// Goes to the next column to look at.
fn next_column(pairs: &mut Pairs, plan: &Plan, row: &mut OpenRow) -> Result<Option<Ahead>> {
    let Some(wanted) = &plan.wanted else {
        if matches!(&row.marks, Hiding::Shown(Some(markers)) if !markers.is_empty()) {
            return Ok(Some(Ahead::Markers));
        }
        let Some((head, _)) = pairs.head()?.filter(|(k, _)| k.starts_with(&row.prefix)) else { return Ok(None) };
        let len = key::column_prefix_len(head, row.prefix.len())?.ok_or_else(|| key::damaged(head))?;
        return Ok(Some(Ahead::Keys(len)));
    };
    while let Some(qualifier) = wanted.get(row.wanted) {
        let prefix = key::column_prefix(&row.prefix, qualifier);
        pairs.skip_to(&prefix)?;
        match pairs.head()? {
            Some((head, _)) if head.starts_with(&prefix) => return Ok(Some(Ahead::Keys(prefix.len()))),
            Some((head, _)) if head.starts_with(&row.prefix) => row.wanted += 1,
            _ => return Ok(None),
        }
    }
    Ok(None)
}
