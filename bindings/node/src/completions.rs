//! Completed calls that JavaScript has not collected yet. One wake-up of the event loop collects all of them.

use std::collections::VecDeque;

use napi::bindgen_prelude::Function;
use napi::threadsafe_function::{ThreadsafeFunction, ThreadsafeFunctionCallMode};
use napi::{Result, Status};
use parking_lot::Mutex;

/// A weak reference to JavaScript's function: it does not keep the event loop alive. `calls.js` does, while calls are
/// pending.
type Wake = ThreadsafeFunction<(), (), (), Status, false, true>;

/// The answer to a call.
pub struct Completion {
    /// The call's number.
    pub call: u32,
    /// The bytes of the answer.
    pub answer: Vec<u8>,
}

/// The completed calls of one event loop.
pub struct Completions {
    done: Mutex<VecDeque<Completion>>,
    wake: Wake,
}

/// Bytes before each answer: its call's number (u32) and its length (u32).
const HEADER_BYTES: usize = 8;

impl Completions {
    /// `wake` is called on its event loop after a call was completed. It must then collect all completed calls.
    pub fn new(wake: &Function<'_, (), ()>) -> Result<Self> {
        let wake = wake.build_threadsafe_function::<()>().callee_handled::<false>().weak::<true>().build()?;
        Ok(Self { done: Mutex::default(), wake })
    }

    /// Adds completed calls.
    pub fn push_all(&self, answers: impl IntoIterator<Item = Completion>) {
        let was_empty = {
            let mut done = self.done.lock();
            let was_empty = done.is_empty();
            done.extend(answers);
            was_empty && !done.is_empty()
        };
        if was_empty {
            // Fails if the event loop has ended; no promise awaits the answers then.
            let _ = self.wake.call((), ThreadsafeFunctionCallMode::NonBlocking);
        }
    }

    /// Writes as many answers as fit into `out`, each preceded by its call's number and its length, and returns the
    /// number of bytes written. If not even the first answer fits, returns the number of bytes that it needs, negated.
    pub fn take(&self, out: &mut [u8]) -> i64 {
        let mut at = 0;
        let mut done = self.done.lock();
        while let Some(Completion { call, answer }) = done.front() {
            let end = at + HEADER_BYTES + answer.len();
            if end > out.len() {
                if at == 0 {
                    return -i64::try_from(end).unwrap_or(i64::MAX);
                }
                break;
            }
            out[at..at + 4].copy_from_slice(&call.to_le_bytes());
            out[at + 4..at + HEADER_BYTES]
                .copy_from_slice(&u32::try_from(answer.len()).unwrap_or(u32::MAX).to_le_bytes());
            out[at + HEADER_BYTES..end].copy_from_slice(answer);
            at = end;
            done.pop_front();
        }
        i64::try_from(at).unwrap_or(i64::MAX)
    }
}
