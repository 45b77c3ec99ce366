//! Writes: from mutations to stored cells, row by row, each row's in one transaction.
//!
//! `draft` turns puts and deletes into cells; `group` applies many, `mutate` several of one row, with a condition or without; `count`
//! increments and appends; `limits` are the sizes that servers refuse.

mod count;
mod draft;
mod group;
mod limits;
mod mutate;

pub(crate) use count::{append, increment};
pub(crate) use group::{Single, apply_each};
pub(crate) use mutate::{check_and_mutate, mutate_row};
