//! The sizes of descriptors, what the catalog takes in memory, and the limits on both.
//!
//! A descriptor is in memory for as long as its table or namespace exists, so clients must not be able to store any
//! number of bytes in descriptors. A change is refused only if it adds to what exceeds a limit: what was stored under
//! other limits can be read, disabled, shortened and dropped.

use std::fmt;

use super::state::TableState;
use super::traffic::RegionCounters;
use super::{Catalog, Counter};
use crate::error::{Error, ErrorKind, Result};
use crate::name::TableName;
use crate::quote::Quoted;
use crate::region::Region;
use crate::schema::{Attributes, DESCRIPTOR_BYTES_MAX, NamespaceDescriptor, TableDescriptor};

// Estimates of what is allocated beside the bytes of names, keys and values.

/// An attribute of a table or a family, or a property of a namespace.
const ENTRY_MEMORY: u64 = 128;
/// A family: its descriptor, its rules and the nodes of its maps.
const FAMILY_MEMORY: u64 = 1024;
/// A table: its state, its entry and the nodes of its maps.
const TABLE_MEMORY: u64 = 2048;
/// A namespace.
const NAMESPACE_MEMORY: u64 = 256;

/// The size of a descriptor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Size {
    /// The bytes of its names, keys, values and start keys.
    bytes: u64,
    /// What it takes in memory, in bytes. An estimate.
    memory: u64,
}

impl Size {
    /// That of a table with its families and regions.
    pub(super) fn of_table(descriptor: &TableDescriptor, regions: &[Region]) -> Self {
        let families = descriptor.families.values().map(|family| {
            let (attributes, configuration) = (entries(&family.attributes), entries(&family.configuration));
            let bytes = family.name.len() as u64 + attributes.bytes + configuration.bytes;
            // The descriptor and the family of the table's state have the name.
            let name = 2 * family.name.len() as u64;
            Self { bytes, memory: FAMILY_MEMORY + name + attributes.memory + configuration.memory }
        });
        let name = (descriptor.name.namespace().len() + descriptor.name.qualifier().len()) as u64;
        let keys: u64 = regions.iter().map(|region| region.start.len() as u64).sum();
        let counted = RegionCounters::memory_of(regions) + size_of_val(regions) as u64;
        // The record and the keys of two maps have the name.
        let own = Self { bytes: name + keys, memory: TABLE_MEMORY + 3 * name + keys + counted };
        families.chain([entries(&descriptor.attributes)]).fold(own, Self::with)
    }

    fn of_namespace(namespace: &NamespaceDescriptor) -> Self {
        let properties = namespace.configuration.iter().map(|(key, value)| (key.len() + value.len()) as u64);
        let name = namespace.name.len() as u64;
        let own = Self { bytes: name, memory: NAMESPACE_MEMORY + 2 * name };
        properties.fold(own, |size, bytes| size.with(Self { bytes, memory: ENTRY_MEMORY + bytes }))
    }

    fn with(self, other: Self) -> Self {
        Self { bytes: self.bytes + other.bytes, memory: self.memory + other.memory }
    }
}

fn entries(attributes: &Attributes) -> Size {
    let bytes = attributes.iter().map(|(key, value)| (key.len() + value.len()) as u64).sum();
    Size { bytes, memory: ENTRY_MEMORY * attributes.len() as u64 + bytes }
}

impl Catalog {
    /// Checks that a table can be created, or altered from `old`, with this descriptor and these regions.
    ///
    /// # Errors
    /// `InvalidDescriptor` if the descriptor is too large, or the catalog would take too much memory.
    pub(crate) fn check_table_size(
        &self,
        _change: &Counter,
        old: Option<&TableState>,
        descriptor: &TableDescriptor,
        regions: &[Region],
    ) -> Result<()> {
        let size = Size::of_table(descriptor, regions);
        let old = old.map(TableState::size).unwrap_or_default();
        if size.bytes > DESCRIPTOR_BYTES_MAX && size.bytes > old.bytes {
            return refuse(format_args!(
                "the descriptor of table {} has {} bytes with its attributes, families and regions, the maximum is \
                 {DESCRIPTOR_BYTES_MAX}: shorten its attributes, or split it at fewer keys",
                Quoted(&descriptor.name),
                size.bytes
            ));
        }
        self.check_memory(size, old, &Subject::Table(&descriptor.name))
    }

    /// Checks that a namespace can be created or altered.
    ///
    /// # Errors
    /// Those of [`Self::check_table_size`].
    pub(crate) fn check_namespace_size(&self, _change: &Counter, new: &NamespaceDescriptor) -> Result<()> {
        let size = Size::of_namespace(new);
        let old = self.namespaces.read().get(&new.name).map(Size::of_namespace).unwrap_or_default();
        if size.bytes > DESCRIPTOR_BYTES_MAX && size.bytes > old.bytes {
            return refuse(format_args!(
                "the descriptor of namespace {} has {} bytes with its properties, the maximum is \
                 {DESCRIPTOR_BYTES_MAX}: shorten them",
                Quoted(&new.name),
                size.bytes
            ));
        }
        self.check_memory(size, old, &Subject::Namespace(&new.name))
    }

    /// Checks that the catalog has room for a descriptor that replaces `old`.
    fn check_memory(&self, new: Size, old: Size, subject: &Subject<'_>) -> Result<()> {
        let Some(max) = self.memory_max.filter(|_| new.memory > old.memory) else { return Ok(()) };
        let memory = self.memory().saturating_sub(old.memory) + new.memory;
        if memory <= max {
            return Ok(());
        }
        refuse(format_args!(
            "with {subject}, the descriptors of all tables and namespaces would take {memory} bytes of memory, the \
             maximum is {max} (store.catalog): delete tables or namespaces, shorten attributes, split tables at fewer \
             keys, or raise store.catalog"
        ))
    }

    /// What the descriptors of all tables and namespaces take in memory, in bytes.
    fn memory(&self) -> u64 {
        let slots: Vec<_> = self.tables.read().values().cloned().collect();
        let tables = slots.iter().filter_map(|slot| Some(slot.shared().as_ref()?.size().memory)).sum::<u64>();
        tables + self.namespaces.read().values().map(|n| Size::of_namespace(n).memory).sum::<u64>()
    }
}

/// What a change creates or alters.
enum Subject<'a> {
    Table(&'a TableName),
    Namespace(&'a str),
}

impl fmt::Display for Subject<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Table(name) => write!(f, "table {}", Quoted(name)),
            Self::Namespace(name) => write!(f, "namespace {}", Quoted(name)),
        }
    }
}

fn refuse(message: fmt::Arguments<'_>) -> Result<()> {
    Err(Error::new(ErrorKind::InvalidDescriptor, message))
}
