//! The object that JavaScript holds.

use std::sync::Arc;

use bytes::Bytes;
use napi::bindgen_prelude::{Buffer, BufferSlice, Function};
use napi::{Env, Result};
use napi_derive::napi;
use parking_lot::Mutex;

use crate::clock::ManualClock;
use crate::completions::Completions;
use crate::lanes::LaneKind;
use crate::operation::{self, GET};
use crate::parting;
use crate::state::State;

/// So many gets that were asked for together run as one job.
const GETS_TOGETHER: usize = 16;

/// A database for one event loop; all that opened the same folder share one engine.
#[napi]
pub struct NativeDatabase {
    state: Arc<State>,
    /// Memory for answers of calls on the calling thread.
    memory: Mutex<Vec<u8>>,
}

impl NativeDatabase {
    /// What its calls see.
    #[cfg(debug_assertions)]
    pub fn state(&self) -> &Arc<State> {
        &self.state
    }
}

#[napi]
impl NativeDatabase {
    /// Not open yet: the first request opens it. `wake` is called when there is something to `take`.
    #[napi(constructor)]
    pub fn new(env: Env, wake: Function<'_, (), ()>) -> Result<Self> {
        let state = Arc::new(State::new(Completions::new(&wake)?));
        parting::add(env, &state)?;
        Ok(Self { state, memory: Mutex::default() })
    }

    /// The clock to open it with.
    #[napi]
    pub fn set_clock(&self, clock: &ManualClock) {
        self.state.set_clock(clock.shared());
    }

    /// A number for a table, or -1: then requests carry the name.
    #[napi]
    pub fn table(&self, name: String) -> i64 {
        let engine = self.state.engine().ok();
        engine.and_then(|engine| self.state.tables.number(&engine, &name)).map_or(-1, i64::from)
    }

    /// Family and qualifier of a column's number, behind the family's length (one byte).
    #[napi]
    pub fn column(&self, number: u32) -> Buffer {
        let (family, qualifier) = self.state.columns.name(number).unwrap_or_default();
        let mut name = Vec::with_capacity(1 + family.len() + qualifier.len());
        name.push(u8::try_from(family.len()).unwrap_or(u8::MAX));
        name.extend_from_slice(&family);
        name.extend_from_slice(&qualifier);
        name.into()
    }

    /// Carries out the request at `memory[at .. at + length]` and puts the answer in its place, or as far as memory reaches. Returns its
    /// length; negative: it needs so much room, `held` has it.
    #[napi]
    pub fn run_sync(&self, mut memory: BufferSlice<'_>, at: u32, length: u32) -> i64 {
        let (at, end) = (at as usize, at as usize + length as usize);
        let Some(request) = memory.get(at..end) else { return 0 };
        let takes = self.state.takes(request.first().copied().unwrap_or_default());
        let request = Bytes::copy_from_slice(request);
        let mut held = self.memory.lock();
        let answer =
            if takes { self.state.answer(request, std::mem::take(&mut *held), false) } else { self.state.too_late() };
        let length = i64::try_from(answer.len()).unwrap_or(i64::MAX);
        let fits = memory.get_mut(at..at + answer.len()).map(|place| place.copy_from_slice(&answer));
        *held = answer;
        if fits.is_some() { length } else { -length }
    }

    /// The answer that had no room.
    #[napi]
    pub fn held(&self, mut memory: BufferSlice<'_>) {
        let held = std::mem::take(&mut *self.memory.lock());
        if let Some(place) = memory.get_mut(..held.len()) {
            place.copy_from_slice(&held);
        }
    }

    /// Takes the calls in the first `length` bytes, each its number, its length, its request; they are answered through `take`.
    #[napi]
    pub fn submit(&self, memory: &[u8], length: u32) {
        let calls = Bytes::copy_from_slice(memory.get(..length as usize).unwrap_or_default());
        let word = |at: usize| calls.get(at..at + 4).and_then(|b| b.try_into().ok()).map_or(0, u32::from_le_bytes);
        let mut gets = Vec::new();
        let mut at = 0;
        while at + 8 < calls.len() {
            let (number, length) = (word(at), word(at + 4) as usize);
            let end = (at + 8 + length).min(calls.len());
            let request = calls.slice(at + 8..end);
            at = end;
            let operation = request.first().copied().unwrap_or_default();
            if operation::closes(operation) {
                self.state.begin_closing();
            }
            if !self.state.takes(operation) {
                self.state.completions.push(number, self.state.too_late());
            } else if operation == GET {
                gets.push((number, request));
                if gets.len() == GETS_TOGETHER {
                    self.state.submit(LaneKind::Read, std::mem::take(&mut gets));
                }
            } else {
                self.state.submit(operation::lane(operation), vec![(number, request)]);
            }
        }
        if !gets.is_empty() {
            self.state.submit(LaneKind::Read, gets);
        }
    }

    /// Writes answers that are done into `memory` from `at` on, each its call's number, its length, its bytes. Returns how many bytes; negative:
    /// the first needs so many.
    #[napi]
    pub fn take(&self, mut memory: BufferSlice<'_>, at: u32) -> i64 {
        let room = memory.get_mut(at as usize..).unwrap_or_default();
        self.state.completions.take(room)
    }

    /// Nobody waits for a call any more.
    #[napi]
    pub fn cancel(&self, number: u32) {
        self.state.cancel(number);
    }

    /// Ends a scan, also one whose block is being read.
    #[napi]
    pub fn close_scan(&self, number: u32) {
        self.state.scanners.close(number);
    }
}

impl Drop for NativeDatabase {
    /// Collected, or the event loop ended: closes what nobody closed.
    fn drop(&mut self) {
        self.state.part();
    }
}
