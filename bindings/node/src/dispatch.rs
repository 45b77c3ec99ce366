//! Runs requests, on the calling thread or as jobs of the lanes.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use bytes::Bytes;
use hjall_engine::{Error, ErrorKind};

use crate::answer::Answer;
use crate::completions::Completion;
use crate::lanes::LaneKind;
use crate::operation;
use crate::origin::Origin;
use crate::request::Request;
use crate::session::{Session, closed_error};
use crate::vocabulary::Operation;

/// Gets of one submission that run as one job.
const GETS_PER_JOB: usize = 16;

/// A request and the number that identifies its answer to JavaScript.
pub struct Call {
    /// The number that JavaScript gave it.
    pub number: u32,
    /// The encoded request.
    pub request: Bytes,
}

/// The operation of a request, if it has a known one.
fn operation_of(request: &[u8]) -> Option<Operation> {
    request.first().and_then(|number| Operation::try_from(*number).ok())
}

/// The lane of an operation. An unknown one gets its error in the admin lane.
fn lane_of(operation: Option<Operation>) -> LaneKind {
    match operation {
        Some(Operation::Get | Operation::Exists | Operation::GetMany) => LaneKind::Read,
        Some(
            Operation::Mutate
            | Operation::MutateMany
            | Operation::MutateRow
            | Operation::CheckAndMutate
            | Operation::Increment
            | Operation::Append
            | Operation::AddToLoad,
        ) => LaneKind::Write,
        Some(Operation::NextBlock) => LaneKind::Scan,
        _ => LaneKind::Admin,
    }
}

/// Carries out a request on the calling thread, unless the database is closing. `memory` is reused for the answer.
pub fn run_here(session: &Session, request: Bytes, memory: Vec<u8>) -> Vec<u8> {
    if session.accepts(operation_of(&request)) {
        run(session, request, memory, Origin::CallingThread)
    } else {
        error_answer(session, &closed_error())
    }
}

/// Hands calls to the lanes. Gets are bundled: each is too short to be worth a job.
pub fn submit(session: &Arc<Session>, calls: impl IntoIterator<Item = Call>) {
    let mut gets = Vec::new();
    for call in calls {
        let operation = operation_of(&call.request);
        if operation == Some(Operation::Close) {
            session.begin_closing();
        }
        if !session.accepts(operation) {
            refuse(session, [call.number]);
        } else if operation == Some(Operation::Get) {
            gets.push(call);
            if gets.len() == GETS_PER_JOB {
                enqueue(session, LaneKind::Read, std::mem::take(&mut gets));
            }
        } else {
            enqueue(session, lane_of(operation), vec![call]);
        }
    }
    if !gets.is_empty() {
        enqueue(session, LaneKind::Read, gets);
    }
}

/// Runs calls one after the other, as one job of a lane.
fn enqueue(session: &Arc<Session>, lane: LaneKind, calls: Vec<Call>) {
    let numbers: Vec<u32> = calls.iter().map(|call| call.number).collect();
    let shared = Arc::clone(session);
    let job = Box::new(move || {
        let answers: Vec<Completion> = calls.into_iter().map(|call| complete(&shared, call)).collect();
        shared.completions.push_all(answers);
    });
    if session.lanes.run(lane, job).is_err() {
        refuse(session, numbers);
    }
}

fn complete(session: &Session, Call { number, request }: Call) -> Completion {
    let answer = if session.take_cancelled(number) {
        error_answer(session, &Error::new(ErrorKind::Cancelled, "the call was cancelled before it began"))
    } else {
        let answer = run(session, request, Vec::new(), Origin::Lane);
        session.take_cancelled(number);
        answer
    };
    Completion { call: number, answer }
}

/// Carries out a request. A panic becomes an error answer.
fn run(session: &Session, request: Bytes, memory: Vec<u8>, origin: Origin) -> Vec<u8> {
    let run = || {
        let mut answer = Answer::new(memory, &session.columns);
        let result = operation::run(session, &mut Request::new(request), &mut answer, origin);
        answer.finish(result)
    };
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|_| {
        let message = "the call failed because of a bug in hjall (a panic); the database remains usable";
        error_answer(session, &Error::new(ErrorKind::Io, message))
    })
}

/// Answers calls that arrived after the database was closed.
fn refuse(session: &Session, calls: impl IntoIterator<Item = u32>) {
    let answers = calls.into_iter().map(|call| Completion { call, answer: error_answer(session, &closed_error()) });
    session.completions.push_all(answers);
}

fn error_answer(session: &Session, error: &Error) -> Vec<u8> {
    Answer::new(Vec::new(), &session.columns).failed(error)
}
