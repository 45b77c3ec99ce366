//! The queue between the caller of a bulk load and the thread that writes its files.

use std::collections::VecDeque;

use parking_lot::{Condvar, Mutex};

use crate::blocking;
use crate::error::{Error, ErrorKind, Result};
use crate::store::LoadedPair;

/// The number of steps that wait. Two let the caller encode pairs while others are being written.
const WAITING_MAX: usize = 2;

/// What the caller asks for.
pub(super) enum Step {
    Add(Vec<LoadedPair>),
    Prepare,
    Commit,
}

/// The queue of one load.
#[derive(Default)]
pub(in crate::store::fjall) struct LoadQueue {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    steps: VecDeque<Step>,
    /// The answer to the last `Prepare` or `Commit`.
    answer: Option<bool>,
    error: Option<Error>,
    is_stopped: bool,
    has_ended: bool,
}

impl State {
    /// Fails if the load has failed or ended.
    fn check(&self) -> Result<()> {
        match &self.error {
            Some(error) => Err(error.again()),
            None if self.has_ended => Err(Error::invalid("the bulk load has ended; begin another one")),
            None => Ok(()),
        }
    }
}

/// The error of a load whose database was closed or reopened.
pub(super) fn interrupted() -> Error {
    Error::new(
        ErrorKind::Busy,
        "the database was closed or reopened during the bulk load, and nothing of it was stored; repeat the load",
    )
}

impl LoadQueue {
    /// Adds pairs, after it has waited until few others are waiting.
    ///
    /// # Errors
    /// That of the load.
    pub(super) fn add(&self, pairs: Vec<LoadedPair>) -> Result<()> {
        let mut state = self.state.lock();
        while state.steps.len() >= WAITING_MAX && state.check().is_ok() {
            blocking::may_wait();
            self.changed.wait(&mut state);
        }
        state.check()?;
        state.steps.push_back(Step::Add(pairs));
        self.changed.notify_all();
        Ok(())
    }

    /// Asks for a step and waits for the answer.
    ///
    /// # Errors
    /// That of the load.
    pub(super) fn call(&self, step: Step) -> Result<bool> {
        let mut state = self.state.lock();
        state.check()?;
        state.steps.push_back(step);
        self.changed.notify_all();
        loop {
            if let Some(answer) = state.answer.take() {
                return Ok(answer);
            }
            state.check()?;
            blocking::may_wait();
            self.changed.wait(&mut state);
        }
    }

    /// The next step; waits for it.
    ///
    /// # Errors
    /// The load has been stopped.
    pub(super) fn next(&self) -> Result<Step> {
        let mut state = self.state.lock();
        loop {
            if state.is_stopped {
                return Err(interrupted());
            }
            if let Some(step) = state.steps.pop_front() {
                self.changed.notify_all();
                return Ok(step);
            }
            self.changed.wait(&mut state);
        }
    }

    /// Fails if the load has been stopped.
    pub(super) fn check(&self) -> Result<()> {
        if self.state.lock().is_stopped { Err(interrupted()) } else { Ok(()) }
    }

    pub(super) fn answer(&self, answer: bool) {
        self.state.lock().answer = Some(answer);
        self.changed.notify_all();
    }

    /// Records the error of the load, which every later call returns.
    pub(super) fn fail(&self, error: Error) {
        self.state.lock().error.get_or_insert(error);
        self.changed.notify_all();
    }

    /// Notes that the thread has ended.
    pub(super) fn end(&self) {
        self.state.lock().has_ended = true;
        self.changed.notify_all();
    }

    /// Makes the thread end as soon as possible.
    pub fn stop(&self) {
        self.state.lock().is_stopped = true;
        self.changed.notify_all();
    }

    /// Waits until the thread has ended.
    pub fn wait_until_ended(&self) {
        let mut state = self.state.lock();
        while !state.has_ended {
            blocking::may_wait();
            self.changed.wait(&mut state);
        }
    }
}
