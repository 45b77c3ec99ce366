//! Conversion of column families between HappyBase's options and HBase's attributes.

use bytes::Bytes;
use hjall_engine::schema::{BloomFilter, Compression, FamilyDescriptor, TableDescriptor};
use hjall_engine::{Error, Result};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyFloat};

use crate::convert;
use crate::error;

/// The options in addition to HappyBase's, with HBase's names of the attributes.
const EXTRA_OPTIONS: [(&str, &str); 6] = [
    ("minversions", "MIN_VERSIONS"),
    ("blocksize", "BLOCKSIZE"),
    ("keepdeletedcells", "KEEP_DELETED_CELLS"),
    ("datablockencoding", "DATA_BLOCK_ENCODING"),
    ("newversionbehavior", "NEW_VERSION_BEHAVIOR"),
    ("scope", "REPLICATION_SCOPE"),
];

/// The attributes of `hjall.descriptors.FamilyArgument`: HappyBase's `options`, or HBase's `attributes` and
/// `configuration`.
#[derive(FromPyObject)]
pub struct FamilyArgument<'py> {
    name: Bound<'py, PyAny>,
    options: Option<Bound<'py, PyDict>>,
    attributes: Option<Bound<'py, PyDict>>,
    configuration: Option<Bound<'py, PyDict>>,
}

impl FamilyArgument<'_> {
    /// The family's descriptor, for a method, which the messages of errors name.
    ///
    /// # Errors
    /// `TypeError` for an unknown option or a value of a wrong type, `InvalidArgument` for an invalid value.
    pub fn descriptor(&self, method: &str) -> PyResult<FamilyDescriptor> {
        let Self { name, options, attributes, configuration } = self;
        let mut name = convert::name(name, "a family name")?;
        if name.last() == Some(&b':') {
            name.truncate(name.len() - 1);
        }
        let mut family = FamilyDescriptor::new(name).map_err(|e| error::from_method(&e, method))?;
        match (options, attributes) {
            (_, Some(attributes)) => {
                for (key, value) in convert::items(attributes)? {
                    family.set(attribute(&key)?, attribute(&value)?);
                }
            }
            (options, None) => set_options(&mut family, options.as_ref(), method)?,
        }
        if let Some(configuration) = configuration {
            for (key, value) in convert::items(configuration)? {
                family.set_configuration(attribute(&key)?, attribute(&value)?);
            }
        }
        // HBase accepts the attribute, and hides everything that is written to the family.
        if let Ok(versions @ ..=0) = family.max_versions() {
            family.set_max_versions(versions).map_err(|e| error::from_method(&e, method))?;
        }
        Ok(family)
    }
}

/// Sets HappyBase's options. Options that are left out get HappyBase's defaults, which differ from HBase's.
fn set_options(family: &mut FamilyDescriptor, options: Option<&Bound<'_, PyDict>>, method: &str) -> PyResult<()> {
    let raise = |error: Error| error::from_method(&error, method);
    family.set_max_versions(3).map_err(raise)?;
    family.set_bloom_filter(BloomFilter::None).set_flag("BLOCKCACHE", false);
    let Some(options) = options else { return Ok(()) };
    for (key, value) in convert::items(options)? {
        let name = convert::text(&key, "the name of a family option")?;
        if !name.is_empty() && name.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_') {
            let value = attribute_of(&value, &name)?;
            family.set(name, value);
            continue;
        }
        match &name.replace('_', "").to_ascii_lowercase()[..] {
            "maxversions" => drop(family.set_max_versions(convert::integer32(&value, "max_versions")?).map_err(raise)?),
            "compression" => drop(family.set_compression(compression(&attribute_of(&value, &name)?).map_err(raise)?)),
            "inmemory" => drop(family.set_flag("IN_MEMORY", value.is_truthy()?)),
            "bloomfiltertype" => drop(family.set_bloom_filter(bloom(&attribute_of(&value, &name)?).map_err(raise)?)),
            // Checked, then ignored, as in HBase.
            "bloomfiltervectorsize" | "bloomfilternbhashes" => drop(convert::integer32(&value, &name)?),
            "blockcacheenabled" => drop(family.set_flag("BLOCKCACHE", value.is_truthy()?)),
            "timetolive" => {
                let seconds = convert::integer32(&value, "time_to_live")?;
                family.set_ttl_seconds(if seconds > 0 { seconds } else { i32::MAX });
            }
            other => match EXTRA_OPTIONS.iter().find(|(known, _)| *known == other) {
                Some((_, key)) => drop(family.set(*key, attribute_of(&value, &name)?)),
                None => return Err(unknown_option(&name)),
            },
        }
    }
    Ok(())
}

fn unknown_option(name: &str) -> PyErr {
    let meant = match &name.replace('_', "").to_ascii_lowercase()[..] {
        "versions" | "version" | "maxversion" => " (did you mean max_versions?)",
        "ttl" | "ttlseconds" => " (did you mean time_to_live?)",
        "bloomfilter" | "bloom" => " (did you mean bloom_filter_type?)",
        "blockcache" => " (did you mean block_cache_enabled?)",
        _ => "",
    };
    PyTypeError::new_err(format!(
        "unknown family option {name:?}{meant}: use max_versions, compression, in_memory, bloom_filter_type, \
         block_cache_enabled, time_to_live (seconds), min_versions, block_size, keep_deleted_cells, \
         data_block_encoding, new_version_behavior or scope, or the name of an HBase attribute, such as VERSIONS"
    ))
}

fn compression(name: &Bytes) -> Result<Compression> {
    let name = String::from_utf8_lossy(name);
    Compression::from_name(&name.to_lowercase())
        .ok_or_else(|| Error::invalid(format!("unknown compression {name}: use NONE, GZ, SNAPPY, LZ4, LZO or ZSTD")))
}

fn bloom(name: &Bytes) -> Result<BloomFilter> {
    let name = String::from_utf8_lossy(name);
    // HBase accepts this name in upper case only.
    let known = BloomFilter::from_name(&name).filter(|known| known.name() == name);
    known.ok_or_else(|| {
        Error::invalid(format!("unknown bloom filter type {name}: use NONE, ROW, ROWCOL or ROWPREFIX_FIXED_LENGTH"))
    })
}

/// An attribute's key or value as HBase stores it: booleans as `true` and `false`, integers in decimal digits, `str` as
/// UTF-8, bytes unchanged.
///
/// # Errors
/// `TypeError` for any other type.
pub fn attribute(value: &Bound<'_, PyAny>) -> PyResult<Bytes> {
    attribute_of(value, "an attribute")
}

/// The value of an option, as [`attribute`] converts it. `what` names the option in messages.
fn attribute_of(value: &Bound<'_, PyAny>, what: &str) -> PyResult<Bytes> {
    if let Ok(truth) = value.cast::<PyBool>() {
        return Ok(Bytes::from_static(if truth.is_true() { b"true" } else { b"false" }));
    }
    if let Ok(number) = value.extract::<i64>() {
        return Ok(Bytes::from(number.to_string()));
    }
    if value.is_instance_of::<PyFloat>() || value.is_none() {
        let given = value.get_type().name()?;
        return Err(PyTypeError::new_err(format!("{what} must be an integer, a bool, str or bytes, not {given}")));
    }
    convert::name(value, what)
}

/// An attribute of a table, as [`attribute`] converts it.
///
/// # Errors
/// `TypeError` for another type, `InvalidArgument` for an unknown DURABILITY, which HBase would ignore. An empty one
/// removes the attribute.
pub fn table_attribute(key: &Bound<'_, PyAny>, value: &Bound<'_, PyAny>, method: &str) -> PyResult<(Bytes, Bytes)> {
    let (key, value) = (attribute(key)?, attribute(value)?);
    if key == "DURABILITY" && !value.is_empty() {
        let name = String::from_utf8_lossy(&value);
        convert::durability_level(&name, format_args!("{method}: the attribute DURABILITY"))?;
    }
    Ok((key, value))
}

/// A family in the form of HappyBase's `Table.families`.
///
/// # Errors
/// `Refused` if an attribute, which HBase stores unchecked, has an invalid value.
pub fn happybase_options<'py>(py: Python<'py>, family: &FamilyDescriptor) -> PyResult<Bound<'py, PyDict>> {
    let raise = |error: Error| error::from_engine(&error);
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

fn bytes_dict<'a, 'py>(
    py: Python<'py>,
    pairs: impl IntoIterator<Item = (&'a Bytes, &'a Bytes)>,
) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    for (key, value) in pairs {
        dict.set_item(PyBytes::new(py, key), PyBytes::new(py, value))?;
    }
    Ok(dict)
}

/// A table's descriptor as a dict.
#[derive(IntoPyObject)]
pub struct TableFields<'py> {
    name: Bound<'py, PyBytes>,
    families: Vec<FamilyFields<'py>>,
    attributes: Bound<'py, PyDict>,
}

/// A family's descriptor as a dict.
#[derive(IntoPyObject)]
struct FamilyFields<'py> {
    name: Bound<'py, PyBytes>,
    attributes: Bound<'py, PyDict>,
    configuration: Bound<'py, PyDict>,
}

/// Converts a table's descriptor.
///
/// # Errors
/// `MemoryError`.
pub fn table_fields<'py>(py: Python<'py>, table: &TableDescriptor) -> PyResult<TableFields<'py>> {
    let fields = |family: &FamilyDescriptor| {
        Ok(FamilyFields {
            name: PyBytes::new(py, &family.name),
            attributes: bytes_dict(py, &family.attributes)?,
            configuration: bytes_dict(py, &family.configuration)?,
        })
    };
    Ok(TableFields {
        name: PyBytes::new(py, table.name.to_string().as_bytes()),
        families: table.families.values().map(fields).collect::<PyResult<_>>()?,
        attributes: bytes_dict(py, &table.attributes)?,
    })
}
