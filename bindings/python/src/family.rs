//! Families of columns: HappyBase's options, HBase's attributes, and back.

use bytes::Bytes;
use hjall_engine::schema::{BloomFilter, Compression, FamilyDescriptor, TableDescriptor};
use hjall_engine::{Error, Result};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict};

use crate::convert;
use crate::error;

/// Options beyond HappyBase's, and HBase's names for them.
const MORE: [(&str, &str); 6] = [
    ("minversions", "MIN_VERSIONS"),
    ("blocksize", "BLOCKSIZE"),
    ("keepdeletedcells", "KEEP_DELETED_CELLS"),
    ("datablockencoding", "DATA_BLOCK_ENCODING"),
    ("newversionbehavior", "NEW_VERSION_BEHAVIOR"),
    ("scope", "REPLICATION_SCOPE"),
];

/// A family as Python describes it: its name, and HappyBase's options or HBase's attributes and configuration.
#[derive(FromPyObject)]
pub struct Described<'py>(
    Bound<'py, PyAny>,
    Option<Bound<'py, PyDict>>,
    Option<Bound<'py, PyDict>>,
    Option<Bound<'py, PyDict>>,
);

impl Described<'_> {
    /// The engine's words for it.
    ///
    /// # Errors
    /// `TypeError` for an option that is unknown or of a wrong type, `InvalidArgument` for a value that cannot be.
    pub fn descriptor(&self) -> PyResult<FamilyDescriptor> {
        let Self(name, options, attributes, configuration) = self;
        let mut name = convert::name(name, "the name of a family")?;
        if name.last() == Some(&b':') {
            name.truncate(name.len() - 1);
        }
        let mut family = FamilyDescriptor::new(name).map_err(|e| error::raised(&e))?;
        match (options, attributes) {
            (_, Some(attributes)) => {
                for (key, value) in attributes {
                    family.set(attribute(&key)?, attribute(&value)?);
                }
            }
            (options, None) => happybase(&mut family, options.as_ref())?,
        }
        if let Some(configuration) = configuration {
            for (key, value) in configuration {
                family.set_configuration(attribute(&key)?, attribute(&value)?);
            }
        }
        Ok(family)
    }
}

/// What HappyBase sends where an option is left out are the defaults of its contract, not those of HBase.
fn happybase(family: &mut FamilyDescriptor, options: Option<&Bound<'_, PyDict>>) -> PyResult<()> {
    let raise = |error: Error| error::raised(&error);
    family.set_max_versions(3).map_err(raise)?;
    family.set_bloom_filter(BloomFilter::None).set_flag("BLOCKCACHE", false);
    let Some(options) = options else { return Ok(()) };
    for (key, value) in options {
        let name: String = key.extract()?;
        if !name.is_empty() && name.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_') {
            family.set(name, attribute(&value)?);
            continue;
        }
        match &name.replace('_', "").to_ascii_lowercase()[..] {
            "maxversions" => drop(family.set_max_versions(value.extract()?).map_err(raise)?),
            "compression" => drop(family.set_compression(compression(&attribute(&value)?).map_err(raise)?)),
            "inmemory" => drop(family.set_flag("IN_MEMORY", value.is_truthy()?)),
            "bloomfiltertype" => drop(family.set_bloom_filter(bloom(&attribute(&value)?).map_err(raise)?)),
            // HBase keeps neither.
            "bloomfiltervectorsize" | "bloomfilternbhashes" => drop(value.extract::<i32>()?),
            "blockcacheenabled" => drop(family.set_flag("BLOCKCACHE", value.is_truthy()?)),
            "timetolive" => {
                let seconds: i32 = value.extract()?;
                family.set_ttl_seconds(if seconds > 0 { seconds } else { i32::MAX });
            }
            other => match MORE.iter().find(|(known, _)| *known == other) {
                Some((_, key)) => drop(family.set(*key, attribute(&value)?)),
                None => return Err(unknown(&name)),
            },
        }
    }
    Ok(())
}

fn unknown(name: &str) -> PyErr {
    PyTypeError::new_err(format!(
        "{name:?} is no option of a family; there are max_versions, compression, in_memory, bloom_filter_type, block_cache_enabled, time_to_live \
         (seconds), min_versions, block_size, keep_deleted_cells, data_block_encoding, new_version_behavior, scope, and HBase's attributes by \
         their own names, such as VERSIONS"
    ))
}

fn compression(name: &Bytes) -> Result<Compression> {
    let name = String::from_utf8_lossy(name).to_lowercase();
    Compression::from_name(&name)
        .ok_or_else(|| Error::invalid(format!("there is no compression {name}: try NONE, GZ, SNAPPY, LZ4 or ZSTD")))
}

fn bloom(name: &Bytes) -> Result<BloomFilter> {
    let name = String::from_utf8_lossy(name);
    // HBase wants this one in capitals.
    let known = BloomFilter::from_name(&name).filter(|known| known.name() == name);
    known.ok_or_else(|| {
        Error::invalid(format!("there is no bloom filter {name}: it is NONE, ROW, ROWCOL or ROWPREFIX_FIXED_LENGTH"))
    })
}

/// An attribute's value as HBase stores it: `true` and `false`, numbers in decimal digits, texts as UTF-8, bytes as they are.
///
/// # Errors
/// `TypeError` for anything else.
pub fn attribute(value: &Bound<'_, PyAny>) -> PyResult<Bytes> {
    if let Ok(truth) = value.cast::<PyBool>() {
        return Ok(Bytes::from_static(if truth.is_true() { b"true" } else { b"false" }));
    }
    if let Ok(number) = value.extract::<i64>() {
        return Ok(Bytes::from(number.to_string()));
    }
    convert::name(value, "an attribute")
}

/// A family as `Table.families` of HappyBase shows it.
///
/// # Errors
/// `Refused` for attributes that were given raw and mean nothing.
pub fn shown<'py>(py: Python<'py>, family: &FamilyDescriptor) -> PyResult<Bound<'py, PyDict>> {
    let raise = |error: Error| error::raised(&error);
    let dict = PyDict::new(py);
    dict.set_item("name", PyBytes::new(py, &[&family.name[..], b":"].concat()))?;
    dict.set_item("max_versions", family.max_versions().map_err(raise)?)?;
    dict.set_item("compression", PyBytes::new(py, family.compression().map_err(raise)?.name().as_bytes()))?;
    dict.set_item("in_memory", family.in_memory())?;
    dict.set_item("bloom_filter_type", PyBytes::new(py, family.bloom_filter().map_err(raise)?.name().as_bytes()))?;
    dict.set_item("bloom_filter_vector_size", 0)?;
    dict.set_item("bloom_filter_nb_hashes", 0)?;
    dict.set_item("block_cache_enabled", family.block_cache())?;
    dict.set_item("time_to_live", family.ttl_seconds().map_err(raise)?)?;
    Ok(dict)
}

/// Bytes by bytes, as a dict.
pub fn bytes_dict<'a, 'py>(
    py: Python<'py>,
    pairs: impl IntoIterator<Item = (&'a Bytes, &'a Bytes)>,
) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    for (key, value) in pairs {
        dict.set_item(PyBytes::new(py, key), PyBytes::new(py, value))?;
    }
    Ok(dict)
}

/// A table's parts: name, families with attributes and configuration, attributes.
pub type TableParts<'py> = (Bound<'py, PyBytes>, Vec<FamilyParts<'py>>, Bound<'py, PyDict>);

/// A family's parts: name, attributes, configuration.
pub type FamilyParts<'py> = (Bound<'py, PyBytes>, Bound<'py, PyDict>, Bound<'py, PyDict>);

/// A descriptor taken apart.
///
/// # Errors
/// Python has no memory.
pub fn parts<'py>(py: Python<'py>, table: &TableDescriptor) -> PyResult<TableParts<'py>> {
    let family = |family: &FamilyDescriptor| {
        Ok((
            PyBytes::new(py, &family.name),
            bytes_dict(py, &family.attributes)?,
            bytes_dict(py, &family.configuration)?,
        ))
    };
    let families = table.families.values().map(family).collect::<PyResult<_>>()?;
    Ok((PyBytes::new(py, table.name.to_string().as_bytes()), families, bytes_dict(py, &table.attributes)?))
}
