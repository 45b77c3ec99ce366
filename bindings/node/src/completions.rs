//! What is done and not yet taken by JavaScript: however much it is, one wake-up brings all of it.

use std::collections::VecDeque;

use napi::bindgen_prelude::Function;
use napi::threadsafe_function::{ThreadsafeFunction, ThreadsafeFunctionCallMode};
use napi::{Result, Status};
use parking_lot::Mutex;

/// Does not keep the event loop alive: JavaScript does so itself as long as it waits for something.
type Wake = ThreadsafeFunction<(), (), (), Status, false, true>;

/// Answers on their way to one event loop.
pub struct Completions {
    done: Mutex<VecDeque<(u32, Vec<u8>)>>,
    wake: Wake,
}

/// Bytes in front of each answer: its call's number and its length.
const HEAD: usize = 8;

impl Completions {
    /// `wake` is called on its own event loop after something was done; it is to take all of it.
    pub fn new(wake: &Function<'_, (), ()>) -> Result<Self> {
        let wake = wake.build_threadsafe_function::<()>().callee_handled::<false>().weak::<true>().build()?;
        Ok(Self { done: Mutex::default(), wake })
    }

    /// Something is done.
    pub fn push(&self, number: u32, answer: Vec<u8>) {
        self.push_all(std::iter::once((number, answer)));
    }

    /// Several things are done.
    pub fn push_all(&self, answers: impl IntoIterator<Item = (u32, Vec<u8>)>) {
        let was_empty = {
            let mut done = self.done.lock();
            let was_empty = done.is_empty();
            done.extend(answers);
            was_empty && !done.is_empty()
        };
        if was_empty {
            // An event loop that has ended takes nothing any more.
            let _ = self.wake.call((), ThreadsafeFunctionCallMode::NonBlocking);
        }
    }

    /// Writes as many answers as fit, each behind its call's number and its length. Returns how many bytes that is; if not even the first
    /// fits, how many bytes it needs, negative.
    pub fn take(&self, out: &mut [u8]) -> i64 {
        let mut at = 0;
        let mut done = self.done.lock();
        while let Some((number, answer)) = done.front() {
            let end = at + HEAD + answer.len();
            if end > out.len() {
                if at == 0 {
                    return -i64::try_from(end).unwrap_or(i64::MAX);
                }
                break;
            }
            out[at..at + 4].copy_from_slice(&number.to_le_bytes());
            out[at + 4..at + HEAD].copy_from_slice(&u32::try_from(answer.len()).unwrap_or(u32::MAX).to_le_bytes());
            out[at + HEAD..end].copy_from_slice(answer);
            at = end;
            done.pop_front();
        }
        i64::try_from(at).unwrap_or(i64::MAX)
    }
}
