//! The object through which JavaScript uses a database.

use std::sync::Arc;

use bytes::{Buf, Bytes};
use hjall_engine::read::WorkLimit;
use napi::bindgen_prelude::{Buffer, BufferSlice, Function};
use napi::{Env, Result};
use napi_derive::napi;
use parking_lot::Mutex;

use crate::cleanup;
use crate::clock::ManualClock;
use crate::columns::ColumnName;
use crate::completions::Completions;
use crate::dispatch::{self, Call};
use crate::session::Session;

/// The work of an asynchronous call that is carried out on JavaScript's thread. Passing a call to another thread and
/// its answer back takes about as long.
const SHORT: WorkLimit = WorkLimit { pairs: 512, bytes: 128 << 10 };

/// A database of one event loop. All databases of a process that are open on the same folder share one engine.
#[napi]
pub struct NativeDatabase {
    session: Arc<Session>,
    /// The last answer of `run_sync`: reused as memory, and kept if it was too large for JavaScript's buffer.
    last_answer: Mutex<Vec<u8>>,
}

impl NativeDatabase {
    /// The state that its calls share.
    #[cfg(debug_assertions)]
    pub fn session(&self) -> &Arc<Session> {
        &self.session
    }
}

#[napi]
impl NativeDatabase {
    /// Creates a database that is not open: its first request must open it. `wake` is called when there are answers for
    /// `take_answers`.
    #[napi(constructor)]
    pub fn new(env: Env, wake: Function<'_, (), ()>) -> Result<Self> {
        let session = Arc::new(Session::new(Completions::new(&wake)?));
        cleanup::register(env, &session)?;
        Ok(Self { session, last_answer: Mutex::default() })
    }

    /// Sets the clock to open the database with.
    #[napi]
    pub fn set_clock(&self, clock: &ManualClock) {
        self.session.set_clock(clock.shared());
    }

    /// The number of a table; -1 if it has none, in which case requests must carry its name.
    #[napi]
    pub fn table_number(&self, name: String) -> i64 {
        let engine = self.session.engine().ok();
        engine.and_then(|engine| self.session.tables.number(&engine, &name)).map_or(-1, i64::from)
    }

    /// The name of the column with a number: length of the family (u8), family, qualifier.
    #[napi]
    pub fn column_name(&self, number: u32) -> Buffer {
        let Some(ColumnName { family, qualifier }) = self.session.columns.name(number) else {
            return vec![0].into();
        };
        let mut name = Vec::with_capacity(1 + family.len() + qualifier.len());
        name.push(u8::try_from(family.len()).unwrap_or(u8::MAX));
        name.extend_from_slice(&family);
        name.extend_from_slice(&qualifier);
        name.into()
    }

    /// Carries out the request at `memory[at .. at + length]` on this thread, overwrites it with the answer and returns
    /// the answer's length. If the answer does not fit into `memory`, returns its length negated; `oversized_answer`
    /// then has it.
    #[napi]
    pub fn run_sync(&self, mut memory: BufferSlice<'_>, at: u32, length: u32) -> i64 {
        let (at, end) = (at as usize, at as usize + length as usize);
        let Some(request) = memory.get(at..end) else { return 0 };
        let request = Bytes::copy_from_slice(request);
        let mut last_answer = self.last_answer.lock();
        let answer = dispatch::run_here(&self.session, request, std::mem::take(&mut *last_answer));
        let length = i64::try_from(answer.len()).unwrap_or(i64::MAX);
        let fits = memory.get_mut(at..at + answer.len()).map(|place| place.copy_from_slice(&answer));
        *last_answer = answer;
        if fits.is_some() { length } else { -length }
    }

    /// Whether short reads may be carried out with `run_short` although the database is on a disk: the last ones were
    /// quick.
    #[napi]
    pub fn reads_are_quick(&self) -> bool {
        self.session.pace.is_quick()
    }

    /// Carries out a request that only reads, as `run_sync` does, unless it is too much work for an asynchronous call:
    /// then it returns 0.
    #[napi]
    pub fn run_short(&self, memory: BufferSlice<'_>, at: u32, length: u32) -> i64 {
        SHORT.run(|| self.run_sync(memory, at, length)).unwrap_or(0)
    }

    /// Copies the answer that did not fit into the memory of `run_sync`.
    #[napi]
    pub fn oversized_answer(&self, mut memory: BufferSlice<'_>) {
        let answer = std::mem::take(&mut *self.last_answer.lock());
        if let Some(place) = memory.get_mut(..answer.len()) {
            place.copy_from_slice(&answer);
        }
    }

    /// Accepts the calls in the first `length` bytes of `memory`. Each is its number (u32), the length of its request
    /// (u32) and the request. `take_answers` delivers the answers.
    #[napi]
    pub fn submit(&self, memory: &[u8], length: u32) {
        let mut rest = Bytes::copy_from_slice(memory.get(..length as usize).unwrap_or_default());
        let calls = std::iter::from_fn(|| {
            let (number, length) = (rest.try_get_u32_le().ok()?, rest.try_get_u32_le().ok()?);
            let request = rest.split_to(rest.len().min(length as usize));
            Some(Call { number, request })
        });
        dispatch::submit(&self.session, calls);
    }

    /// Writes answers to completed calls into `memory` from `at` on. Each is its call's number (u32), its length (u32)
    /// and the answer. Returns the number of bytes written; if the first answer does not fit, the number of bytes that
    /// it needs, negated.
    #[napi]
    pub fn take_answers(&self, mut memory: BufferSlice<'_>, at: u32) -> i64 {
        let room = memory.get_mut(at as usize..).unwrap_or_default();
        self.session.completions.take(room)
    }

    /// Cancels a call: if it has not begun, it will not be carried out.
    #[napi]
    pub fn cancel(&self, number: u32) {
        self.session.cancel(number);
    }

    /// Forgets that a call was cancelled. Must be called when a cancelled call has been answered, before its number is
    /// used again: the call may have ended before it was cancelled.
    #[napi]
    pub fn forget_cancelled(&self, number: u32) {
        self.session.take_cancelled(number);
    }

    /// The latest progress of a backup or restore, `[table, family, cells, bytes]`; null if there is none since the
    /// last call.
    #[napi]
    pub fn copy_progress(&self, number: u32) -> Option<(String, String, f64, f64)> {
        let report = self.session.copying.take(number)?;
        // Exact up to 2^53.
        Some((report.table, report.family, report.cells as f64, report.bytes as f64))
    }

    /// Lets a backup or restore end soon with the error `Cancelled`.
    #[napi]
    pub fn stop_copy(&self, number: u32) {
        self.session.copying.stop(number);
    }

    /// Forgets the progress of a backup or restore that has ended.
    #[napi]
    pub fn end_copy(&self, number: u32) {
        self.session.copying.end(number);
    }

    /// Lets a compaction end soon with the error `Cancelled`.
    #[napi]
    pub fn stop_compaction(&self, number: u32) {
        self.session.compacting.stop(number);
    }

    /// The bytes that a compaction has read, if they have changed since the last call; otherwise null.
    #[napi]
    pub fn compaction_progress(&self, number: u32) -> Option<f64> {
        // Exact up to 2^53.
        self.session.compacting.take(number).map(|bytes| bytes as f64)
    }

    /// Forgets the progress of a compaction that has ended.
    #[napi]
    pub fn end_compaction(&self, number: u32) {
        self.session.compacting.end(number);
    }

    /// Ends a scan, even while one of its blocks is being read.
    #[napi]
    pub fn close_scan(&self, number: u32) {
        self.session.scanners.close(number);
    }
}

impl Drop for NativeDatabase {
    /// Runs when the object is garbage-collected or the event loop ends. Closes the database if the program did not.
    fn drop(&mut self) {
        cleanup::close_at_exit(&self.session);
    }
}
