//! Making, changing and listing tables and namespaces.

use std::sync::Arc;

use bytes::Bytes;
use hjall_engine::name::TableName;
use hjall_engine::region::split;
use hjall_engine::schema::{NamespaceDescriptor, TableDescriptor};
use hjall_engine::{Engine, Result};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::call::{call, long};
use crate::convert;
use crate::database::{Database, Shared};
use crate::error;
use crate::family::{self, Described, TableParts};

/// What is done to whole tables and namespaces; `hjall.Database` calls it.
#[pyclass(frozen, module = "hjall._native")]
pub struct Admin {
    shared: Arc<Shared>,
}

/// Where a new table is to be split.
#[derive(FromPyObject)]
pub struct Splits<'py>(Option<Vec<Bound<'py, PyAny>>>, Option<u32>, Option<String>);

impl Splits<'_> {
    fn keys(&self) -> PyResult<Vec<Bytes>> {
        let Self(keys, regions, algorithm) = self;
        match (keys, regions, algorithm.as_deref()) {
            (None, None, None) => Ok(Vec::new()),
            (Some(keys), None, None) => keys.iter().map(|key| convert::bytes(key, "a split key", None)).collect(),
            (None, Some(regions), Some(algorithm)) => match algorithm {
                "HexStringSplit" => split::hex_string(*regions),
                "DecimalStringSplit" => split::decimal_string(*regions),
                "UniformSplit" => split::uniform(*regions),
                other => {
                    return Err(PyValueError::new_err(format!(
                        "split_algo is HexStringSplit, DecimalStringSplit or UniformSplit, not {other:?}"
                    )));
                }
            }
            .map_err(|e| error::raised(&e)),
            _ => Err(PyTypeError::new_err("a table is split by split_keys, or by num_regions and split_algo together")),
        }
    }
}

impl Admin {
    /// Runs a change of one table.
    fn change(
        &self,
        py: Python<'_>,
        name: &Bound<'_, PyAny>,
        run: impl FnOnce(&Engine, &TableName) -> Result<()> + Send,
    ) -> PyResult<()> {
        let engine = self.shared.engine()?;
        let name = table_name(name)?;
        call(py, || run(&engine, &name))
    }

    fn descriptor(
        &self,
        name: &Bound<'_, PyAny>,
        families: &[Described<'_>],
        attributes: &Bound<'_, PyDict>,
    ) -> PyResult<TableDescriptor> {
        let mut table = TableDescriptor::new(table_name(name)?);
        for family in families {
            table.add_family(family.descriptor()?).map_err(|e| error::raised(&e))?;
        }
        for (key, value) in attributes {
            table.set(family::attribute(&key)?, family::attribute(&value)?);
        }
        Ok(table)
    }
}

fn table_name(name: &Bound<'_, PyAny>) -> PyResult<TableName> {
    TableName::parse(&convert::name(name, "the name of a table")?).map_err(|e| error::raised(&e))
}

#[pymethods]
impl Admin {
    #[new]
    fn new(database: &Bound<'_, Database>) -> Self {
        Self { shared: Arc::clone(database.get().shared()) }
    }

    /// The names of all tables of users, in order.
    fn tables<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyBytes>>> {
        let engine = self.shared.engine()?;
        // Lists cannot fail in the engine, so that it was closed meanwhile is asked.
        let tables = call(py, || engine.namespace("default").map(|_| engine.tables()))?;
        let users = tables.iter().filter(|(table, _)| !table.name.is_system());
        Ok(users.map(|(table, _)| PyBytes::new(py, table.name.to_string().as_bytes())).collect())
    }

    fn table_exists(&self, py: Python<'_>, name: &Bound<'_, PyAny>) -> PyResult<bool> {
        let engine = self.shared.engine()?;
        let name = table_name(name)?;
        Ok(py.detach(|| engine.table_exists(&name)))
    }

    fn create_table(
        &self,
        py: Python<'_>,
        name: &Bound<'_, PyAny>,
        families: Vec<Described<'_>>,
        attributes: &Bound<'_, PyDict>,
        splits: Splits<'_>,
    ) -> PyResult<()> {
        let engine = self.shared.engine()?;
        let (table, splits) = (self.descriptor(name, &families, attributes)?, splits.keys()?);
        call(py, || engine.create_table(table, splits))
    }

    /// Replaces a table's families and attributes.
    fn modify_table(
        &self,
        py: Python<'_>,
        name: &Bound<'_, PyAny>,
        families: Vec<Described<'_>>,
        attributes: &Bound<'_, PyDict>,
    ) -> PyResult<()> {
        let engine = self.shared.engine()?;
        let table = self.descriptor(name, &families, attributes)?;
        call(py, || engine.modify_table(table))
    }

    /// Sets attributes of a table; an empty one is removed.
    fn set_attributes(&self, py: Python<'_>, name: &Bound<'_, PyAny>, attributes: &Bound<'_, PyDict>) -> PyResult<()> {
        let mut changes = Vec::new();
        for (key, value) in attributes {
            changes.push((family::attribute(&key)?, family::attribute(&value)?));
        }
        self.change(py, name, |engine, name| {
            let mut table = engine.describe(name)?;
            for (key, value) in changes {
                table.set(key, value);
            }
            engine.modify_table(table)
        })
    }

    fn add_family(&self, py: Python<'_>, name: &Bound<'_, PyAny>, family: Described<'_>) -> PyResult<()> {
        let family = family.descriptor()?;
        self.change(py, name, |engine, name| engine.add_family(name, family))
    }

    fn modify_family(&self, py: Python<'_>, name: &Bound<'_, PyAny>, family: Described<'_>) -> PyResult<()> {
        let family = family.descriptor()?;
        self.change(py, name, |engine, name| engine.modify_family(name, family))
    }

    fn delete_family(&self, py: Python<'_>, name: &Bound<'_, PyAny>, family: &Bound<'_, PyAny>) -> PyResult<()> {
        let family = convert::name(family, "the name of a family")?;
        self.change(py, name, |engine, name| engine.delete_family(name, &family))
    }

    fn delete_table(&self, py: Python<'_>, name: &Bound<'_, PyAny>) -> PyResult<()> {
        self.change(py, name, |engine, name| engine.delete_table(name))
    }

    fn enable_table(&self, py: Python<'_>, name: &Bound<'_, PyAny>) -> PyResult<()> {
        self.change(py, name, |engine, name| engine.enable_table(name))
    }

    fn disable_table(&self, py: Python<'_>, name: &Bound<'_, PyAny>) -> PyResult<()> {
        self.change(py, name, |engine, name| engine.disable_table(name))
    }

    fn is_table_enabled(&self, py: Python<'_>, name: &Bound<'_, PyAny>) -> PyResult<bool> {
        let engine = self.shared.engine()?;
        let name = table_name(name)?;
        call(py, || engine.is_table_enabled(&name))
    }

    fn truncate_table(&self, py: Python<'_>, name: &Bound<'_, PyAny>, preserve_splits: bool) -> PyResult<()> {
        self.change(py, name, |engine, name| engine.truncate_table(name, preserve_splits))
    }

    fn compact_table(&self, py: Python<'_>, name: &Bound<'_, PyAny>, major: bool) -> PyResult<()> {
        let engine = self.shared.engine()?;
        let name = table_name(name)?;
        long(py, move || engine.compact(&name, major))
    }

    fn flush_table(&self, py: Python<'_>, name: &Bound<'_, PyAny>) -> PyResult<()> {
        let engine = self.shared.engine()?;
        let name = table_name(name)?;
        long(py, move || engine.flush(&name))
    }

    fn describe<'py>(&self, py: Python<'py>, name: &Bound<'py, PyAny>) -> PyResult<TableParts<'py>> {
        let engine = self.shared.engine()?;
        let name = table_name(name)?;
        family::parts(py, &call(py, || engine.describe(&name))?)
    }

    /// A table's families, as HappyBase shows them.
    fn families<'py>(&self, py: Python<'py>, name: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyDict>> {
        let engine = self.shared.engine()?;
        let name = table_name(name)?;
        let table = call(py, || engine.describe(&name))?;
        let families = PyDict::new(py);
        for (name, family) in &table.families {
            families.set_item(PyBytes::new(py, name), family::shown(py, family)?)?;
        }
        Ok(families)
    }

    /// A table's regions: start, end, id, name; none if there is no such table, as HBase's gateway answers.
    #[allow(clippy::type_complexity)]
    fn regions<'py>(
        &self,
        py: Python<'py>,
        name: &Bound<'py, PyAny>,
    ) -> PyResult<Vec<(Bound<'py, PyBytes>, Bound<'py, PyBytes>, i64, Bound<'py, PyBytes>)>> {
        let engine = self.shared.engine()?;
        let name = table_name(name)?;
        let regions = call(py, || if engine.table_exists(&name) { engine.regions(&name) } else { Ok(Vec::new()) })?;
        let bytes = |bytes: &[u8]| PyBytes::new(py, bytes);
        Ok(regions.iter().map(|r| (bytes(&r.start), bytes(&r.end), r.id, bytes(&r.name(&name)))).collect())
    }

    fn namespaces(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        let engine = self.shared.engine()?;
        let namespaces = call(py, || engine.namespace("default").map(|_| engine.namespaces()))?;
        Ok(namespaces.into_iter().map(|namespace| namespace.name).collect())
    }

    fn describe_namespace<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyDict>> {
        let engine = self.shared.engine()?;
        let namespace = call(py, || engine.namespace(name))?;
        let configuration = PyDict::new(py);
        for (key, value) in namespace.configuration {
            configuration.set_item(key, value)?;
        }
        Ok(configuration)
    }

    /// Makes a namespace, or replaces the configuration of one that is there.
    fn put_namespace(
        &self,
        py: Python<'_>,
        name: String,
        configuration: &Bound<'_, PyDict>,
        new: bool,
    ) -> PyResult<()> {
        let engine = self.shared.engine()?;
        let mut namespace = NamespaceDescriptor::new(name);
        for (key, value) in configuration {
            namespace.configuration.insert(key.extract()?, value.extract()?);
        }
        call(py, || if new { engine.create_namespace(namespace) } else { engine.modify_namespace(namespace) })
    }

    fn delete_namespace(&self, py: Python<'_>, name: &str) -> PyResult<()> {
        let engine = self.shared.engine()?;
        call(py, || engine.delete_namespace(name))
    }
}
