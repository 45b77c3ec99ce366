//! An open database: what tables, scanners and servers are made from.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use hjall_engine::config::Limits;
use hjall_engine::{Engine, Options};
use parking_lot::{Mutex, RwLock};
use pyo3::prelude::*;

use crate::call::call;
use crate::clock::ManualClock;
use crate::error;
use crate::fork::Owned;

/// A place where a database is, and the database while it is open. Tables hold on to it, so they outlive a close and an open anew.
pub struct Shared {
    path: Option<PathBuf>,
    options: Options,
    /// Of texts in the place of bytes.
    encoding: Option<String>,
    open: RwLock<Option<Owned<Engine>>>,
    /// Held while it is being opened, which may take long; the lock above is only held to look and to change.
    opening: Mutex<()>,
    /// How often it was opened.
    openings: AtomicU64,
}

impl Shared {
    /// The engine, if the database is open.
    ///
    /// # Errors
    /// `hjall.Closed`, `hjall.ForkError`.
    pub fn engine(&self) -> PyResult<Engine> {
        match &*self.open.read() {
            Some(engine) => Ok(engine.get()?.clone()),
            None => Err(error::closed("the database is not open: open() opens it")),
        }
    }

    /// How often it was opened: what was made of another opening is of no use.
    pub fn openings(&self) -> u64 {
        self.openings.load(Ordering::Acquire)
    }

    /// What texts are encoded with.
    pub fn encoding(&self) -> Option<&str> {
        self.encoding.as_deref()
    }

    fn is_open(&self) -> bool {
        self.open.read().as_ref().is_some_and(Owned::is_here)
    }

    /// Called without the GIL, so it must not raise: whoever holds the GIL waits for locks that are held here.
    fn open(&self) -> Result<(), NotOpened> {
        let _alone = self.opening.lock();
        // What a parent process opened is left to it.
        if self.is_open() {
            return Ok(());
        }
        let engine = match &self.path {
            Some(path) => Engine::open(path, self.options.clone()),
            None if self.openings() > 0 => return Err(NotOpened::MemoryHasEnded),
            None => Engine::memory(self.options.clone()),
        };
        let engine = Owned::new(engine.map_err(NotOpened::Engine)?);
        let old = self.open.write().replace(engine);
        self.openings.fetch_add(1, Ordering::AcqRel);
        drop(old);
        Ok(())
    }

    fn close(&self) -> hjall_engine::Result<()> {
        // Taken out first: whoever comes later is told, whoever is inside finishes or is told by the engine.
        let engine = self.open.write().take_if(|engine| engine.is_here());
        engine.and_then(Owned::into_here).map_or(Ok(()), |engine| engine.close())
    }
}

/// Why a database does not open.
enum NotOpened {
    Engine(hjall_engine::Error),
    MemoryHasEnded,
}

impl From<NotOpened> for PyErr {
    fn from(why: NotOpened) -> Self {
        match why {
            NotOpened::Engine(error) => error::raised(&error),
            NotOpened::MemoryHasEnded => error::closed(
                "a database in memory ends when it is closed, and is not shared with forked processes: hjall.memory() makes a new one",
            ),
        }
    }
}

/// A database; `hjall.Database` holds one.
#[pyclass(frozen, module = "hjall._native")]
pub struct Database {
    shared: Arc<Shared>,
}

impl Database {
    /// What tables hold on to.
    pub fn shared(&self) -> &Arc<Shared> {
        &self.shared
    }
}

#[pymethods]
impl Database {
    /// A database in a folder, or without one in memory; not open yet.
    #[new]
    #[pyo3(signature = (path, *, encoding=None, clock=None, cache_bytes=None, write_buffer_bytes=None, cell_bytes_max=None))]
    fn new(
        path: Option<PathBuf>,
        encoding: Option<String>,
        clock: Option<&Bound<'_, ManualClock>>,
        cache_bytes: Option<u64>,
        write_buffer_bytes: Option<u64>,
        cell_bytes_max: Option<i64>,
    ) -> Self {
        let limits = cell_bytes_max
            .map_or_else(Limits::default, |max| Limits { client_cell_bytes: max, server_cell_bytes: max });
        let clock = clock.map(|clock| clock.get().shared());
        let options = Options { clock, cache_bytes, write_buffer_bytes, limits };
        Self {
            shared: Arc::new(Shared {
                path,
                options,
                encoding,
                open: RwLock::new(None),
                opening: Mutex::new(()),
                openings: AtomicU64::new(0),
            }),
        }
    }

    /// Opens it, if it is not.
    fn open(&self, py: Python<'_>) -> PyResult<()> {
        Ok(py.detach(|| self.shared.open())?)
    }

    /// Writes everything to disk and lets go of the folder. Nothing to do in a forked child.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        call(py, || self.shared.close())
    }

    /// Whether it is open, in this process.
    #[getter]
    fn is_open(&self, py: Python<'_>) -> bool {
        py.detach(|| self.shared.is_open())
    }

    /// A UUID made with the folder.
    fn cluster_id(&self) -> PyResult<String> {
        Ok(self.shared.engine()?.cluster_id().to_owned())
    }

    /// The time as writes see it, in milliseconds since 1970.
    fn now_ms(&self) -> PyResult<i64> {
        Ok(self.shared.engine()?.now_ms())
    }
}
