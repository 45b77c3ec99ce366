//! Rows for tests of representations.

use std::sync::Arc;

use bytes::Bytes;
use hjall_engine::{Cell, CellKind, Row};

use super::cell_writer::CellSetWriter;
use crate::dispatch::caller::Caller;

pub fn caller() -> Arc<Caller> {
    Caller::new(([127, 0, 0, 1], 1).into())
}

pub fn cell(qualifier: &str, value: &[u8]) -> Cell {
    Cell {
        row: "r".into(),
        family: "f".into(),
        qualifier: Bytes::copy_from_slice(qualifier.as_bytes()),
        timestamp: 5,
        kind: CellKind::Put,
        value: Bytes::copy_from_slice(value),
    }
}

pub fn row(cells: Vec<Cell>) -> Row {
    Row { key: "r".into(), cells, partial: false }
}

pub fn written(mut writer: CellSetWriter, rows: &[Row]) -> Vec<u8> {
    let mut out = Vec::new();
    rows.iter().for_each(|row| writer.row(&mut out, row).unwrap());
    writer.end(&mut out).unwrap();
    out
}
