//! Namespaces, tables, column families and regions: creating, altering and dropping them.

mod compactions;
mod crash;
mod descriptors;
mod families;
mod full_disk;
mod names;
mod namespaces;
mod regions;
mod sizes;
mod stops;
mod tables;
mod unsynced;
