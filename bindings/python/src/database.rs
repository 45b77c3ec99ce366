//! Databases: opening, closing, and access to the engine.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use hjall_engine::config::Limits;
use hjall_engine::{Engine, Error, ErrorKind, Options};
use parking_lot::RwLock;
use pyo3::prelude::*;

use crate::call::{call, without_gil};
use crate::clock::ManualClock;
use crate::error;
use crate::fork::{ForkGuard, ProcessLock};

/// The location and options of a database, and its engine while the database is open. Tables share the handle, so
/// they remain valid when the database is closed and reopened.
pub struct DatabaseHandle {
    path: Option<PathBuf>,
    options: Options,
    /// The encoding of `str` arguments.
    encoding: Option<String>,
    /// `None` while the database is closed. No exception may be made and no Python object be touched while the lock is
    /// held: see [`Self::engine`].
    engine: RwLock<Option<ForkGuard<Engine>>>,
    /// Held while the database is being opened, which may take long. The lock of `engine` is only held briefly.
    opening: ProcessLock,
    /// The number of times that the database has been opened or closed.
    generation: AtomicU64,
    /// The handle whose engine this one uses while both are open; `None` if it opens its own.
    shared: Option<Arc<DatabaseHandle>>,
}

impl DatabaseHandle {
    /// A handle that is not open. `shared`: the handle whose engine it uses.
    fn new(path: Option<PathBuf>, options: Options, encoding: Option<String>, shared: Option<Arc<Self>>) -> Arc<Self> {
        Arc::new(Self {
            path,
            options,
            encoding,
            engine: RwLock::new(None),
            opening: ProcessLock::new(),
            generation: AtomicU64::new(0),
            shared,
        })
    }

    /// The engine, if the database is open.
    ///
    /// # Errors
    /// `hjall.Closed`, `hjall.ForkError`.
    pub fn engine(&self) -> PyResult<Engine> {
        // The guard must be gone before an exception is made. That runs Python code, which may let other threads run,
        // and they would wait for the lock with the GIL.
        let found = self.engine.read().as_ref().map(|engine| engine.if_owner().cloned());
        match found {
            Some(engine) => engine.ok_or_else(error::forked),
            None => Err(error::closed(self.why_closed())),
        }
    }

    /// The reason for which there is no engine, and the remedy.
    fn why_closed(&self) -> &'static str {
        match (self.generation(), &self.path, &self.shared) {
            (0, ..) => {
                "the database has not been opened: call open(), or with hjall.aio, await the database, as in \
                 `db = await aio.open(folder)`"
            }
            (_, None, None) => "the database in memory was closed and its data is gone: create one with hjall.memory()",
            _ => "the database is closed: call open() to open it again",
        }
    }

    /// The number of times that the database has been opened or closed. Objects obtained in an earlier generation are
    /// no longer valid.
    pub fn generation(&self) -> u64 {
        self.generation.load(Ordering::Acquire)
    }

    /// The encoding of `str` arguments.
    pub fn encoding(&self) -> Option<&str> {
        self.encoding.as_deref()
    }

    /// The engine, if the database is open in this process.
    fn engine_if_open(&self) -> Option<Engine> {
        self.engine.read().as_ref().and_then(|engine| engine.if_owner().cloned())
    }

    fn is_open(&self) -> bool {
        self.engine.read().as_ref().is_some_and(ForkGuard::is_owner)
    }

    /// Runs without the GIL and holds a lock, so it must not create a Python exception, which takes the GIL.
    fn open(&self) -> Result<(), OpenError> {
        let _opening = self.opening.lock();
        // An engine that a parent process opened does not count: it is replaced, but left untouched.
        if self.is_open() {
            return Ok(());
        }
        let engine = match (&self.shared, &self.path) {
            (Some(shared), _) => shared.engine_if_open().ok_or_else(|| {
                Error::new(ErrorKind::Closed, "the database that this connection uses is closed: open that first")
            }),
            (None, Some(path)) => Engine::open(path, self.options.clone()),
            (None, None) if self.generation() > 0 => return Err(OpenError::MemoryDiscarded),
            (None, None) => Engine::memory(self.options.clone()),
        };
        let engine = ForkGuard::new(engine.map_err(OpenError::Engine)?);
        let old = self.engine.write().replace(engine);
        self.generation.fetch_add(1, Ordering::AcqRel);
        drop(old);
        Ok(())
    }

    fn close(&self) -> hjall_engine::Result<()> {
        // The engine is removed first, so that later calls raise `Closed`. Running calls finish, or the engine ends
        // them with an error.
        let engine = self.engine.write().take_if(|engine| engine.is_owner());
        if engine.is_some() {
            self.generation.fetch_add(1, Ordering::AcqRel);
        }
        if self.shared.is_some() {
            return Ok(());
        }
        engine.and_then(ForkGuard::into_inner).map_or(Ok(()), |engine| engine.close())
    }
}

impl Drop for DatabaseHandle {
    /// Closes a database that the program has left open. That waits for calls and writes to disk, so other Python
    /// threads must be able to run.
    fn drop(&mut self) {
        if let Some(engine) = self.engine.get_mut().take() {
            without_gil(move || drop(engine));
        }
    }
}

/// The error of opening a database.
enum OpenError {
    Engine(hjall_engine::Error),
    /// The database is in memory and was closed before.
    MemoryDiscarded,
}

impl From<OpenError> for PyErr {
    fn from(error: OpenError) -> Self {
        match error {
            OpenError::Engine(error) => error::from_open(&error),
            OpenError::MemoryDiscarded => error::closed(
                "a database in memory is discarded when it is closed, and is not available in a forked process: \
                 create a new one with hjall.memory()",
            ),
        }
    }
}

/// The implementation of `hjall.Database`.
#[pyclass(frozen, module = "hjall._native")]
pub struct Database {
    handle: Arc<DatabaseHandle>,
}

impl Database {
    /// The handle that tables share.
    pub fn handle(&self) -> &Arc<DatabaseHandle> {
        &self.handle
    }
}

#[pymethods]
impl Database {
    /// Makes a database in a folder, or in memory if `path` is `None`, without opening it.
    #[new]
    #[pyo3(signature = (path, *, encoding=None, clock=None, cache_bytes=None, row_cache_bytes=None,
    write_buffer_bytes=None, catalog_bytes=None, cell_bytes_max=None, durability=None, sync_interval=None, read_only=false))]
    #[allow(clippy::too_many_arguments, reason = "keyword arguments of Python")]
    fn new(
        path: Option<PathBuf>,
        encoding: Option<String>,
        clock: Option<&Bound<'_, ManualClock>>,
        cache_bytes: Option<u64>,
        row_cache_bytes: Option<u64>,
        write_buffer_bytes: Option<u64>,
        catalog_bytes: Option<u64>,
        cell_bytes_max: Option<i64>,
        durability: Option<&str>,
        sync_interval: Option<f64>,
        read_only: bool,
    ) -> PyResult<Self> {
        let limits = cell_bytes_max
            .map_or_else(Limits::default, |max| Limits { client_cell_bytes: max, server_cell_bytes: max });
        let clock = clock.map(|clock| clock.get().engine_clock());
        if path.is_none() && (durability.is_some() || sync_interval.is_some()) {
            return Err(error::invalid(
                "durability and sync_interval are for databases in a folder: one in memory is never on disk",
            ));
        }
        let fsync = match durability {
            None | Some("SYNC_WAL") => false,
            Some("FSYNC_WAL") => true,
            Some(other) => {
                return Err(error::invalid(format!(
                    "durability must be SYNC_WAL or FSYNC_WAL for a database, not {other:?}"
                )));
            }
        };
        let sync_interval = sync_interval.map(Duration::try_from_secs_f64).transpose().map_err(|_| {
            error::invalid("sync_interval must be a number of seconds that is not negative; 0 switches it off")
        })?;
        let options = Options {
            clock,
            cache_bytes,
            row_cache_bytes,
            write_buffer_bytes,
            catalog_bytes,
            fsync,
            sync_interval,
            open_files: None,
            read_only,
            limits,
        };
        // The database may be opened when the process has another working directory. Only an empty path and one below a
        // working directory that was removed have no absolute form. Opening them fails.
        let path = path.map(|path| std::path::absolute(&path).unwrap_or(path));
        Ok(Self { handle: DatabaseHandle::new(path, options, encoding, None) })
    }

    /// Makes another database object for this database, with an encoding of its own, without opening it. Closing it
    /// leaves this one open.
    #[pyo3(signature = (encoding=None))]
    fn sharing(&self, encoding: Option<String>) -> Self {
        let (path, options) = (self.handle.path.clone(), self.handle.options.clone());
        Self { handle: DatabaseHandle::new(path, options, encoding, Some(Arc::clone(&self.handle))) }
    }

    /// Opens the database if it is not open.
    fn open(&self, py: Python<'_>) -> PyResult<()> {
        Ok(py.detach(|| self.handle.open())?)
    }

    /// Writes everything to disk and releases the folder. Has no effect in a forked child.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        call(py, || self.handle.close())
    }

    /// Whether this process has the database open.
    #[getter]
    fn is_open(&self, py: Python<'_>) -> bool {
        py.detach(|| self.handle.is_open())
    }

    /// The UUID of the database.
    fn cluster_id(&self) -> PyResult<String> {
        Ok(self.handle.engine()?.cluster_id().to_owned())
    }

    /// The current time by the database's clock, in milliseconds since 1970.
    fn now_ms(&self) -> PyResult<i64> {
        Ok(self.handle.engine()?.now_ms())
    }
}
