//! Administration of tables and namespaces.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use bytes::Bytes;
use hjall_engine::name::TableName;
use hjall_engine::region::Region;
use hjall_engine::region::split::{self, REGIONS_MAX};
use hjall_engine::schema::{NamespaceDescriptor, TableDescriptor};
use hjall_engine::store::CompactionControl;
use hjall_engine::{Engine, Error, ErrorKind, FamilyProgress, Options, Result};
use parking_lot::Mutex;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::call::{call_interruptible, call_named, call_watched};
use crate::convert::{self, Encoding, argument};
use crate::database::{Database, DatabaseHandle};
use crate::error;
use crate::family::{self, FamilyArgument, TableFields};

/// The administrative operations of `hjall.Database`.
#[pyclass(frozen, module = "hjall._native")]
pub struct Admin {
    handle: Arc<DatabaseHandle>,
}

/// The splits of a new table: the attributes of `hjall.descriptors.SplitArgument`.
#[derive(FromPyObject)]
pub struct SplitArgument<'py> {
    keys: Option<Vec<Bound<'py, PyAny>>>,
    num_regions: Option<Bound<'py, PyAny>>,
    algorithm: Option<Bound<'py, PyAny>>,
}

impl SplitArgument<'_> {
    fn keys(&self, encoding: Encoding<'_>) -> PyResult<Vec<Bytes>> {
        let algorithm = self.algorithm.as_ref().map(|name| convert::text(name, "split_algo")).transpose()?;
        match (&self.keys, self.num_regions()?, algorithm.as_deref()) {
            (None, None, None) => Ok(Vec::new()),
            (Some(keys), None, None) => keys.iter().map(|key| convert::bytes(key, "a split key", encoding)).collect(),
            (None, Some(regions), Some(algorithm)) => match algorithm {
                "HexStringSplit" => split::hex_string(regions),
                "DecimalStringSplit" => split::decimal_string(regions),
                "UniformSplit" => split::uniform(regions),
                other => {
                    return Err(error::invalid(format!(
                        "split_algo must be HexStringSplit, DecimalStringSplit or UniformSplit, not {other:?}"
                    )));
                }
            }
            .map_err(|e| error::from_engine(&e)),
            _ => Err(PyTypeError::new_err("give either split_keys, or num_regions and split_algo together")),
        }
    }

    fn num_regions(&self) -> PyResult<Option<u32>> {
        let Some(given) = &self.num_regions else { return Ok(None) };
        let number = convert::integer(given, "num_regions")?;
        match u32::try_from(number) {
            Ok(number @ 2..=REGIONS_MAX) => Ok(Some(number)),
            _ => {
                Err(error::invalid(format!("create_table: num_regions must be from 2 to {REGIONS_MAX}, not {number}")))
            }
        }
    }
}

impl Admin {
    /// Runs an operation on one table.
    fn change(
        &self,
        py: Python<'_>,
        method: &str,
        name: &Bound<'_, PyAny>,
        run: impl FnOnce(&Engine, &TableName) -> Result<()> + Send,
    ) -> PyResult<()> {
        let engine = self.handle.engine()?;
        let name = table_name(method, name)?;
        call_named(py, method, || run(&engine, &name))
    }

    fn descriptor(
        &self,
        method: &str,
        name: &Bound<'_, PyAny>,
        families: &[FamilyArgument<'_>],
        attributes: &Bound<'_, PyDict>,
    ) -> PyResult<TableDescriptor> {
        let mut table = TableDescriptor::new(table_name(method, name)?);
        for family in families {
            table.add_family(family.descriptor(method)?).map_err(|e| error::from_method(&e, method))?;
        }
        for (key, value) in convert::items(attributes)? {
            let (key, value) = family::table_attribute(&key, &value, method)?;
            table.set(key, value);
        }
        Ok(table)
    }
}

/// A region as HappyBase returns it: a dict. There are no region servers, so the last three fields are constant.
#[derive(IntoPyObject)]
struct RegionFields<'py> {
    start_key: Bound<'py, PyBytes>,
    end_key: Bound<'py, PyBytes>,
    id: i64,
    name: Bound<'py, PyBytes>,
    version: i32,
    server_name: Bound<'py, PyBytes>,
    port: u16,
}

fn table_name(method: &str, name: &Bound<'_, PyAny>) -> PyResult<TableName> {
    TableName::parse(&convert::name(name, "a table name")?).map_err(|e| error::from_method(&e, method))
}

fn namespace_name(method: &str, name: &Bound<'_, PyAny>) -> PyResult<String> {
    convert::text(name, format_args!("{method}: the name of a namespace"))
}

#[pymethods]
impl Admin {
    #[new]
    fn new(database: &Bound<'_, Database>) -> Self {
        Self { handle: Arc::clone(database.get().handle()) }
    }

    /// The names of all user tables, in order.
    fn tables<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyBytes>>> {
        let engine = self.handle.engine()?;
        // `tables` cannot report a closed engine; `namespace` can.
        let tables = call_named(py, "tables", || engine.namespace("default").map(|_| engine.tables()))?;
        let users = tables.iter().filter(|(table, _)| !table.name.is_system());
        Ok(users.map(|(table, _)| PyBytes::new(py, table.name.to_string().as_bytes())).collect())
    }

    fn table_exists(&self, py: Python<'_>, name: &Bound<'_, PyAny>) -> PyResult<bool> {
        let engine = self.handle.engine()?;
        let name = table_name("table_exists", name)?;
        Ok(py.detach(|| engine.table_exists(&name)))
    }

    fn create_table(
        &self,
        py: Python<'_>,
        name: &Bound<'_, PyAny>,
        families: Vec<FamilyArgument<'_>>,
        attributes: &Bound<'_, PyDict>,
        splits: SplitArgument<'_>,
    ) -> PyResult<()> {
        let engine = self.handle.engine()?;
        let (table, splits) =
            (self.descriptor("create_table", name, &families, attributes)?, splits.keys(self.handle.encoding())?);
        call_named(py, "create_table", || engine.create_table(table, splits))
    }

    /// Replaces a table's families and attributes.
    fn modify_table(
        &self,
        py: Python<'_>,
        name: &Bound<'_, PyAny>,
        families: Vec<FamilyArgument<'_>>,
        attributes: &Bound<'_, PyDict>,
    ) -> PyResult<()> {
        let engine = self.handle.engine()?;
        let table = self.descriptor("alter_table", name, &families, attributes)?;
        call_named(py, "alter_table", || engine.modify_table(table))
    }

    /// Sets attributes of a table. An empty value removes an attribute.
    fn set_attributes(&self, py: Python<'_>, name: &Bound<'_, PyAny>, attributes: &Bound<'_, PyDict>) -> PyResult<()> {
        let mut changes = Vec::new();
        for (key, value) in convert::items(attributes)? {
            changes.push(family::table_attribute(&key, &value, "alter_table")?);
        }
        self.change(py, "alter_table", name, |engine, name| {
            let mut table = engine.describe(name)?;
            for (key, value) in changes {
                table.set(key, value);
            }
            engine.modify_table(table)
        })
    }

    fn add_family(&self, py: Python<'_>, name: &Bound<'_, PyAny>, family: FamilyArgument<'_>) -> PyResult<()> {
        let family = family.descriptor("add_family")?;
        self.change(py, "add_family", name, |engine, name| engine.add_family(name, family))
    }

    fn modify_family(&self, py: Python<'_>, name: &Bound<'_, PyAny>, family: FamilyArgument<'_>) -> PyResult<()> {
        let family = family.descriptor("modify_family")?;
        self.change(py, "modify_family", name, |engine, name| engine.modify_family(name, family))
    }

    fn delete_family(&self, py: Python<'_>, name: &Bound<'_, PyAny>, family: &Bound<'_, PyAny>) -> PyResult<()> {
        let family = convert::name(family, "a family name")?;
        self.change(py, "delete_family", name, |engine, name| engine.delete_family(name, &family))
    }

    fn delete_table(&self, py: Python<'_>, name: &Bound<'_, PyAny>) -> PyResult<()> {
        self.change(py, "delete_table", name, |engine, name| engine.delete_table(name))
    }

    fn enable_table(&self, py: Python<'_>, name: &Bound<'_, PyAny>) -> PyResult<()> {
        self.change(py, "enable_table", name, |engine, name| engine.enable_table(name))
    }

    /// `method`: the one that the program calls, for messages.
    #[pyo3(signature = (name, method="disable_table"))]
    fn disable_table(&self, py: Python<'_>, name: &Bound<'_, PyAny>, method: &str) -> PyResult<()> {
        self.change(py, method, name, |engine, name| engine.disable_table(name))
    }

    /// `method`: the one that the program calls, for messages.
    #[pyo3(signature = (name, method="is_table_enabled"))]
    fn is_table_enabled(&self, py: Python<'_>, name: &Bound<'_, PyAny>, method: &str) -> PyResult<bool> {
        let engine = self.handle.engine()?;
        let name = table_name(method, name)?;
        call_named(py, method, || engine.is_table_enabled(&name))
    }

    fn truncate_table(
        &self,
        py: Python<'_>,
        name: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = argument::preserve_splits)] preserve_splits: bool,
    ) -> PyResult<()> {
        self.change(py, "truncate_table", name, |engine, name| engine.truncate_table(name, preserve_splits))
    }

    /// Compacts a table. An exception raised by a signal handler, or by `progress`, ends the compaction.
    #[pyo3(signature = (name, major, progress=None))]
    fn compact_table(
        &self,
        py: Python<'_>,
        name: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = argument::major)] major: bool,
        progress: Option<Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let engine = self.handle.engine()?;
        let name = table_name("compact_table", name)?;
        let control = Arc::<CompactionControl>::default();
        let (watched, mut reported_bytes) = (Arc::clone(&control), 0);
        let compact = move || engine.compact_with(&name, major, &watched);
        let watch = &mut || {
            let read_bytes = control.read_bytes();
            if let Some(progress) = progress.as_ref().filter(|_| read_bytes > reported_bytes) {
                reported_bytes = read_bytes;
                progress.call1((read_bytes,))?;
            }
            Ok(())
        };
        call_watched(py, "compact_table", compact, watch, &|| control.stop())
    }

    fn flush_table(&self, py: Python<'_>, name: &Bound<'_, PyAny>) -> PyResult<()> {
        let engine = self.handle.engine()?;
        let name = table_name("flush_table", name)?;
        call_interruptible(py, "flush_table", move || engine.flush(&name))
    }

    /// Copies the database to a folder. An exception raised by a signal handler, or by `progress`, ends the copying.
    #[pyo3(signature = (folder, progress=None, incremental=false))]
    fn backup(
        &self,
        py: Python<'_>,
        folder: PathBuf,
        progress: Option<Bound<'_, PyAny>>,
        #[pyo3(from_py_with = argument::incremental)] incremental: bool,
    ) -> PyResult<()> {
        let engine = self.handle.engine()?;
        long_copy(py, "backup", progress, move |report| match incremental {
            false => engine.backup(&folder, report),
            true => engine.backup_incremental(&folder, report),
        })
    }

    /// Figures of a table: its size and its traffic.
    fn table_statistics<'py>(&self, py: Python<'py>, name: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyDict>> {
        let engine = self.handle.engine()?;
        let name = table_name("table_statistics", name)?;
        let (files, (regions, sum)) = call_named(py, "table_statistics", || {
            let files = engine.table_files(&name)?;
            let traffic = engine.traffic_of(&name);
            Ok((files, traffic.map_or_else(Default::default, |table| (table.regions().len(), table.sum()))))
        })?;
        let figures = PyDict::new(py);
        figures.set_item("file_bytes", files.bytes)?;
        figures.set_item("files", files.count)?;
        figures.set_item("regions", regions)?;
        figures.set_item("reads", sum.reads)?;
        figures.set_item("writes", sum.writes)?;
        Ok(figures)
    }

    /// Figures of the whole database.
    fn statistics<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let engine = self.handle.engine()?;
        let all = call_named(py, "statistics", || engine.statistics())?;
        let figures = PyDict::new(py);
        for (name, value) in [
            ("disk_bytes", all.disk_bytes),
            ("files", all.files),
            ("journal_bytes", all.journal_bytes),
            ("write_buffer_bytes", all.write_buffer_bytes),
            ("write_buffer_bytes_max", all.write_buffer_bytes_max),
            ("cache_bytes", all.cache_bytes),
            ("cache_bytes_max", all.cache_bytes_max),
            ("block_hits", all.block_hits),
            ("block_misses", all.block_misses),
            ("row_filter_bytes", all.row_filter_bytes),
            ("row_cache_rows", all.row_cache_rows),
            ("row_cache_bytes", all.row_cache_bytes),
            ("row_cache_bytes_max", all.row_cache_bytes_max),
            ("row_cache_hits", all.row_cache_hits),
            ("row_cache_misses", all.row_cache_misses),
        ] {
            figures.set_item(name, value)?;
        }
        Ok(figures)
    }

    /// `method`: the one that the program calls, for messages.
    #[pyo3(signature = (name, method="describe_table"))]
    fn describe<'py>(&self, py: Python<'py>, name: &Bound<'py, PyAny>, method: &str) -> PyResult<TableFields<'py>> {
        let engine = self.handle.engine()?;
        let name = table_name(method, name)?;
        family::table_fields(py, &call_named(py, method, || engine.describe(&name))?)
    }

    /// A table's families by name, each with HappyBase's options.
    fn families<'py>(&self, py: Python<'py>, name: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyDict>> {
        let engine = self.handle.engine()?;
        let name = table_name("families", name)?;
        let table = call_named(py, "families", || engine.describe(&name))?;
        let families = PyDict::new(py);
        for (name, family) in &table.families {
            families.set_item(PyBytes::new(py, name), family::happybase_options(py, family)?)?;
        }
        Ok(families)
    }

    /// A table's regions, as dicts. The list is empty if the table does not exist, as in HBase's gateway.
    fn regions<'py>(&self, py: Python<'py>, name: &Bound<'py, PyAny>) -> PyResult<Vec<RegionFields<'py>>> {
        let engine = self.handle.engine()?;
        let name = table_name("regions", name)?;
        let regions =
            call_named(
                py,
                "regions",
                || if engine.table_exists(&name) { engine.regions(&name) } else { Ok(Vec::new()) },
            )?;
        let bytes = |bytes: &[u8]| PyBytes::new(py, bytes);
        let fields = |region: &Region| RegionFields {
            start_key: bytes(&region.start),
            end_key: bytes(&region.end),
            id: region.id,
            name: bytes(&region.name(&name)),
            version: 1,
            server_name: bytes(b"localhost"),
            port: 0,
        };
        Ok(regions.iter().map(fields).collect())
    }

    fn namespaces(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        let engine = self.handle.engine()?;
        let namespaces = call_named(py, "namespaces", || engine.namespace("default").map(|_| engine.namespaces()))?;
        Ok(namespaces.into_iter().map(|namespace| namespace.name).collect())
    }

    fn describe_namespace<'py>(&self, py: Python<'py>, name: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyDict>> {
        let engine = self.handle.engine()?;
        let name = namespace_name("describe_namespace", name)?;
        let namespace = call_named(py, "describe_namespace", || engine.namespace(&name))?;
        let configuration = PyDict::new(py);
        for (key, value) in namespace.configuration {
            configuration.set_item(key, value)?;
        }
        Ok(configuration)
    }

    /// Creates a namespace, or replaces the configuration of an existing one.
    fn put_namespace(
        &self,
        py: Python<'_>,
        name: &Bound<'_, PyAny>,
        configuration: &Bound<'_, PyDict>,
        new: bool,
    ) -> PyResult<()> {
        let engine = self.handle.engine()?;
        let method = if new { "create_namespace" } else { "alter_namespace" };
        let mut namespace = NamespaceDescriptor::new(namespace_name(method, name)?);
        for (key, value) in convert::items(configuration)? {
            let key = convert::text(&key, format_args!("{method}: a key of configuration"))?;
            let value = convert::text(&value, format_args!("{method}: the value of {key:?} in configuration"))?;
            namespace.configuration.insert(key, value);
        }
        call_named(py, method, || {
            if new { engine.create_namespace(namespace) } else { engine.modify_namespace(namespace) }
        })
    }

    fn delete_namespace(&self, py: Python<'_>, name: &Bound<'_, PyAny>) -> PyResult<()> {
        let engine = self.handle.engine()?;
        let name = namespace_name("delete_namespace", name)?;
        call_named(py, "delete_namespace", || engine.delete_namespace(&name))
    }
}

/// Copies a backup to a folder that does not exist or is empty.
#[pyfunction]
#[pyo3(signature = (backup, folder, progress=None))]
pub fn restore(py: Python<'_>, backup: PathBuf, folder: PathBuf, progress: Option<Bound<'_, PyAny>>) -> PyResult<()> {
    long_copy(py, "restore", progress, move |report| Engine::restore(&backup, &folder, Options::default(), report))
}

/// The progress of a copy is reported to this function, and an error from it ends the copy.
type Progress<'a> = &'a mut dyn FnMut(&FamilyProgress) -> Result<()>;

/// Runs a copy that ends when a signal handler or `progress` has raised an exception. `progress` is called at intervals
/// with the names of the table and family being copied, and with the cells and bytes copied so far.
fn long_copy(
    py: Python<'_>,
    method: &str,
    progress: Option<Bound<'_, PyAny>>,
    copy: impl FnOnce(Progress<'_>) -> Result<()> + Send + 'static,
) -> PyResult<()> {
    let interrupted = Arc::new(AtomicBool::new(false));
    let seen = Arc::clone(&interrupted);
    let latest = Arc::new(Mutex::new(None::<(FamilyProgress, u64, u64)>));
    let reported = Arc::clone(&latest);
    let (mut cells, mut bytes) = (0, 0);
    let body = move || {
        copy(&mut |family| {
            *reported.lock() = Some((family.clone(), cells + family.cells, bytes + family.bytes));
            if family.done {
                (cells, bytes) = (cells + family.cells, bytes + family.bytes);
            }
            match seen.load(Ordering::Relaxed) {
                true => Err(Error::new(ErrorKind::Cancelled, "interrupted by a signal")),
                false => Ok(()),
            }
        })
    };
    let watch = &mut || {
        let news = latest.lock().take();
        if let (Some(progress), Some((family, cells, bytes))) = (&progress, news) {
            let table = PyBytes::new(py, family.table.to_string().as_bytes());
            progress.call1((table, PyBytes::new(py, &family.family), cells, bytes))?;
        }
        Ok(())
    };
    call_watched(py, method, body, watch, &|| interrupted.store(true, Ordering::Relaxed))
}
