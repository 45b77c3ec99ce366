//! Random writes: few rows, columns and timestamps, so that writes often affect each other.

use hjall_engine::CellKind;
use hjall_engine::clock::Clock as _;
use hjall_engine::mutation::MarkerKind;
use proptest::prelude::*;

use super::naive::Naive;
use super::{NOW, World, bytes};
use hjall_engine::mutation::{Delete, Marker};

/// One write.
#[derive(Debug, Clone)]
pub struct Write {
    pub row: &'static str,
    pub column: &'static str,
    pub kind: CellKind,
    pub timestamp: i64,
    pub ttl_ms: Option<i64>,
}

/// Times around the edge of a TTL of one second.
pub fn time() -> impl Strategy<Value = i64> {
    (0i64..12).prop_map(|n| NOW - 1_006 + n)
}

pub fn write() -> impl Strategy<Value = Write> {
    use CellKind::*;
    let kind = prop_oneof![
        6 => Just(Put), 2 => Just(Delete), 1 => Just(DeleteColumn), 1 => Just(DeleteFamily), 1 => Just(DeleteFamilyVersion)
    ];
    let column = prop_oneof![Just("f:"), Just("f:a"), Just("f:b"), Just("g:a")];
    let ttl = prop_oneof![8 => Just(None), 1 => Just(Some(1_001)), 1 => Just(Some(60_000)), 1 => Just(Some(i64::MAX))];
    (prop_oneof![Just("r"), Just("s")], column, kind, time(), ttl)
        .prop_map(|(row, column, kind, timestamp, ttl_ms)| Write { row, column, kind, timestamp, ttl_ms })
}

impl Write {
    /// Applies it to the engine and to the model. `n` makes its value unique.
    pub fn apply(&self, n: usize, world: &World, naive: &mut Naive) {
        let value = format!("v{n}");
        let ttl = self.ttl_ms.filter(|ttl| *ttl != i64::MAX);
        // A cell that has expired when it is written changes nothing.
        let is_expired = ttl.is_some_and(|ttl| self.timestamp + ttl < world.clock.now_ms());
        let family = self.column.split_once(':').unwrap().0;
        let (kind, column) = match self.kind {
            CellKind::Put => {
                world.put_living(self.row, self.column, self.timestamp, &value, self.ttl_ms);
                if !is_expired {
                    naive.write((self.row, self.column), self.timestamp, CellKind::Put, &value, ttl);
                }
                return;
            }
            CellKind::Delete => (MarkerKind::Version, self.column.to_string()),
            CellKind::DeleteColumn => (MarkerKind::Column, self.column.to_string()),
            CellKind::DeleteFamily => (MarkerKind::Family, format!("{family}:")),
            CellKind::DeleteFamilyVersion => (MarkerKind::FamilyVersion, format!("{family}:")),
        };
        let qualifier = bytes(column.split_once(':').unwrap().1);
        let marker = Marker { family: bytes(family), qualifier, kind, timestamp: self.timestamp };
        let delete = Delete { markers: vec![marker], ttl_ms: self.ttl_ms, ..Delete::row(bytes(self.row)) };
        world.table.delete(&delete).unwrap();
        if !is_expired {
            naive.write((self.row, &column), self.timestamp, self.kind, "", ttl);
        }
    }
}
