//! Reads what is left of a scan with several threads.
//!
//! The scan is divided into parts. A piece of work of one thread is to fill the next batch of the first part that
//! nobody reads. A part keeps its finished batches, and the consumer takes those of the first part first. Parts are
//! small, so that the consumer soon takes what the threads have read. The last part is the rest of the scan. It is
//! divided when its turn comes, by what has been learned about the keys until then.
//!
//! The threads never call Python: the consumer may hold the GIL while it waits for them.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use hjall_engine::read::{Stop, Stride, Watch};
use hjall_engine::{Error, ErrorKind, Scanner};
use parking_lot::{Condvar, Mutex};

use super::batch::{FilledBatch, Filler, Span};
use super::error::TransferError;

/// The most threads of a scan.
const THREADS_MAX: usize = 8;
/// What may have been read and not been taken, in bytes of memory. The part whose turn it is may always fill one batch.
const AHEAD_BYTES: usize = 64 << 20;
/// A waiting consumer checks for signals at this interval.
const WATCH_INTERVAL: Duration = Duration::from_millis(20);
/// A waiting thread checks at this interval whether the scan was stopped or the database closed.
const IDLE_INTERVAL: Duration = Duration::from_millis(50);
/// The distance of keys in a batch is measured again if the batch has at least this size, in bytes.
const MEASURED_BYTES: usize = 256 << 10;
/// A part of a few batches is smaller than full batches by this share of one, so that it hardly ends with a small one.
const SLACK: f64 = 0.03;
/// The number of small batches that is accepted in addition to one for each full batch.
const SMALL_BATCHES: f64 = 16.0;
/// Parts of more batches have no such slack.
const SLACK_BATCHES: usize = 8;

/// The batches of a scan that several threads read.
pub struct Parallel {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
    /// The flag that stops the scan and all its parts.
    stop: Stop,
    watch: Option<Watch>,
}

struct Shared {
    state: Mutex<State>,
    /// Signalled when a thread may find work.
    work: Condvar,
    /// Signalled when the consumer may find a batch.
    ready: Condvar,
    /// The number of threads.
    threads: usize,
    rows_max: usize,
    /// The flag that stops the scan.
    stop: Stop,
}

struct State {
    /// The parts that have not been taken completely, in order.
    parts: VecDeque<Part>,
    /// The memory of the batches of all parts, including an estimate for those that are being filled.
    held: usize,
    /// The memory of a full batch, as an estimate.
    batch_bytes: usize,
    density: Density,
    /// What has been read since the last division.
    round: Round,
    /// What has been read, in full batches, minus the number of small batches that this took.
    surplus: f64,
    next_id: u64,
    /// Whether the threads have to end.
    stopped: bool,
    /// Whether the scan has been divided. The threads wait for that.
    begun: bool,
}

/// How much memory the rows between two keys take.
struct Density {
    stride: Arc<Stride>,
    bytes: usize,
}

/// What was read of the parts of one division, or of several at the same time.
#[derive(Default)]
struct Round {
    /// The smallest and the largest row. `None` if there are no batches.
    rows: Option<(Vec<u8>, Vec<u8>)>,
    bytes: usize,
    /// The number of parts that have been read to their end.
    ended: usize,
}

struct Part {
    id: u64,
    /// `None` while a thread reads it, and at its end.
    scanner: Option<Scanner>,
    /// What is counted for the batch that a thread is filling; `None` if none does.
    filling: Option<usize>,
    /// The batches to be taken, each with its memory.
    batches: VecDeque<(FilledBatch, usize)>,
    /// The error that follows these batches.
    fault: Option<TransferError>,
    /// The memory of its batches since it was last divided, or that division was considered.
    read_bytes: usize,
    /// Whether it is the rest of a scan, of any size.
    is_rest: bool,
}

/// A batch to be filled.
struct Task {
    id: u64,
    scanner: Scanner,
    division: Option<Division>,
}

/// How a part is divided before it is read.
struct Division {
    stride: Arc<Stride>,
    times: f64,
    most: usize,
}

impl Parallel {
    /// Lets threads read what is left of a scan, of which this much has been read. `None`, and nothing has changed, if
    /// there is one core, the scan cannot be divided, or no thread can be started.
    ///
    /// # Errors
    /// Those of [`Scanner::divide`]. The scan can be continued.
    pub fn begin(
        scanner: &mut Scanner,
        filler: Filler,
        read: &Span,
        watch: Option<Watch>,
    ) -> Result<Option<Self>, TransferError> {
        let cores = thread::available_parallelism().map_or(1, usize::from).min(THREADS_MAX);
        let Some(stride) = Stride::between(&read.first, &read.last) else { return Ok(None) };
        if cores < 2 || !scanner.is_divisible() {
            return Ok(None);
        }
        let state = State {
            parts: VecDeque::new(),
            held: 0,
            batch_bytes: read.bytes / read.batches.max(1),
            density: Density { stride: Arc::new(stride), bytes: read.bytes },
            round: Round::default(),
            surplus: 0.0,
            next_id: 0,
            stopped: false,
            begun: false,
        };
        let division = state.division(cores);
        let shared = Arc::new(Shared {
            state: Mutex::new(state),
            work: Condvar::new(),
            ready: Condvar::new(),
            threads: cores,
            rows_max: filler.rows_max(),
            stop: scanner.stopper(),
        });
        let mut parallel = Self { shared, threads: Vec::new(), stop: scanner.stopper(), watch };
        let mut next = Some(filler);
        for _ in 0..cores {
            let Some(filler) = next.take() else { break };
            next = filler.another();
            let shared = Arc::clone(&parallel.shared);
            let body = move || shared.run(filler);
            let Ok(thread) = thread::Builder::new().name("hjall-arrow".to_owned()).spawn(body) else { break };
            parallel.threads.push(thread);
        }
        let divided = if parallel.threads.is_empty() { Ok(Vec::new()) } else { division.of(scanner) };
        match divided {
            Ok(parts) if !parts.is_empty() => {
                let mut state = parallel.shared.state.lock();
                let is_rest = parts.len() == division.most;
                state.insert(0, parts, is_rest);
                state.begun = true;
                drop(state);
                parallel.shared.work.notify_all();
                Ok(Some(parallel))
            }
            undivided => {
                parallel.end();
                Ok(undivided.map(|_| None)?)
            }
        }
    }

    /// The next batch, or `None` at the end. Must not be called again after that, or after an error.
    ///
    /// # Errors
    /// Those of [`Batches::next`](super::batch::Batches::next).
    pub fn next(&mut self) -> Result<Option<FilledBatch>, TransferError> {
        loop {
            // Without the lock, because a signal handler may take long.
            if self.stop.is_stopped() || self.watch.as_ref().is_some_and(|watch| watch()) {
                return Err(cancelled());
            }
            let mut state = self.shared.state.lock();
            match state.take() {
                Taken::Batch(batch) => {
                    drop(state);
                    self.shared.work.notify_all();
                    return Ok(Some(batch));
                }
                Taken::Fault(fault) => return Err(fault),
                Taken::End => return Ok(None),
                Taken::Nothing { moved } => {
                    if moved {
                        // Another part may fill a batch now although much has been read.
                        self.shared.work.notify_all();
                    }
                    self.shared.ready.wait_for(&mut state, WATCH_INTERVAL);
                }
            }
        }
    }

    /// Whether all threads wait for the consumer, because enough has been read ahead.
    pub fn is_ahead(&self) -> bool {
        let state = self.shared.state.lock();
        state.held + state.batch_bytes > AHEAD_BYTES && state.parts.iter().all(|part| part.filling.is_none())
    }

    /// Ends the threads, and waits for them.
    fn end(&mut self) {
        self.shared.state.lock().stopped = true;
        self.shared.work.notify_all();
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

impl Drop for Parallel {
    fn drop(&mut self) {
        // Ends running reads. If the scan was not divided, it goes on without threads.
        let begun = self.shared.state.lock().begun;
        if begun {
            self.stop.stop();
        }
        self.end();
    }
}

impl Division {
    fn of(&self, scanner: &mut Scanner) -> hjall_engine::Result<Vec<Scanner>> {
        scanner.divide(&self.stride, self.times, self.most)
    }
}

/// What the consumer finds.
enum Taken {
    Batch(FilledBatch),
    Fault(TransferError),
    End,
    /// The next batch is not ready. `moved`: whether another part has become the first one.
    Nothing {
        moved: bool,
    },
}

impl State {
    fn insert(&mut self, at: usize, scanners: Vec<Scanner>, last_is_rest: bool) {
        let last = scanners.len().saturating_sub(1);
        for (n, scanner) in scanners.into_iter().enumerate() {
            let part = Part {
                id: self.next_id,
                scanner: Some(scanner),
                filling: None,
                batches: VecDeque::new(),
                fault: None,
                read_bytes: 0,
                is_rest: last_is_rest && n == last,
            };
            self.next_id += 1;
            self.parts.insert(at + n, part);
        }
    }

    fn take(&mut self) -> Taken {
        let mut moved = false;
        loop {
            let Some(first) = self.parts.front_mut() else { return Taken::End };
            if let Some((batch, bytes)) = first.batches.pop_front() {
                self.held -= bytes;
                return Taken::Batch(batch);
            }
            if let Some(fault) = first.fault.take() {
                return Taken::Fault(fault);
            }
            if !first.is_over() {
                return Taken::Nothing { moved };
            }
            self.parts.pop_front();
            moved = true;
        }
    }

    /// The memory that a part should take.
    fn part_bytes(&self, threads: usize) -> usize {
        (AHEAD_BYTES / (8 * threads)).max(self.batch_bytes)
    }

    fn division(&self, threads: usize) -> Division {
        let batch = self.batch_bytes.max(1);
        let batches = self.part_bytes(threads) / batch;
        #[allow(clippy::cast_precision_loss, reason = "an estimate")]
        let batches = if batches > SLACK_BATCHES { batches as f64 } else { batches as f64 - SLACK };
        #[allow(clippy::cast_precision_loss, reason = "an estimate")]
        let times = batches * batch as f64 / self.density.bytes.max(1) as f64;
        Division { stride: Arc::clone(&self.density.stride), times, most: 4 * threads + 1 }
    }

    /// The next batch to be filled.
    fn task(&mut self, threads: usize) -> Option<Task> {
        let at = self.parts.iter().position(|part| part.scanner.is_some())?;
        let is_next = at == 0 && self.parts[at].batches.is_empty();
        if !is_next && self.held + self.batch_bytes > AHEAD_BYTES {
            // A scanner has no snapshot once the database is closed. Its read then fails, which ends the scan.
            let is_live = self.parts[at].scanner.as_ref().is_some_and(|scanner| scanner.snapshot_age().is_some());
            if is_live {
                return None;
            }
        }
        let is_large = self.parts[at].is_rest || self.parts[at].read_bytes >= 2 * self.part_bytes(threads);
        let division = if is_large { self.next_division(threads) } else { None };
        let part = &mut self.parts[at];
        let scanner = part.scanner.take()?;
        part.filling = Some(self.batch_bytes);
        self.held += self.batch_bytes;
        if is_large {
            (part.is_rest, part.read_bytes) = (false, 0);
        }
        Some(Task { id: part.id, scanner, division })
    }

    /// How to divide a part that is large. `None` if divisions have given too many small batches; the part is then read
    /// as a whole, and the next division is considered when more has been read.
    fn next_division(&mut self, threads: usize) -> Option<Division> {
        let round = std::mem::take(&mut self.round);
        // The keys have become sparser: full batches, which tell the density, may no longer occur.
        if round.ended >= 2
            && round.bytes / round.ended < self.part_bytes(threads) / 2
            && let Some((first, last)) = round.rows
            && let Some(stride) = Stride::between(&first, &last)
        {
            self.density = Density { stride: Arc::new(stride), bytes: round.bytes };
        }
        (self.surplus > -SMALL_BATCHES).then(|| self.division(threads))
    }

    /// Counts a batch with these rows of the table, of this share of a full one.
    fn count(&mut self, first: Vec<u8>, last: &[u8], bytes: usize, share: f64) {
        // A batch of less than half the size is a small one.
        self.surplus += if share < 0.5 { share - 1.0 } else { share };
        self.round.bytes += bytes;
        match &mut self.round.rows {
            Some((smallest, largest)) => {
                if first < *smallest {
                    *smallest = first;
                }
                if last > &largest[..] {
                    *largest = last.to_vec();
                }
            }
            none => *none = Some((first, last.to_vec())),
        }
    }

    /// Ends the threads, drops everything that has been read, and leaves the consumer an error.
    fn give_up(&mut self, fault: TransferError) {
        self.stopped = true;
        self.parts.clear();
        self.held = 0;
        let (id, batches) = (self.next_id, VecDeque::new());
        self.next_id += 1;
        let fault = Some(fault);
        self.parts.push_back(Part { id, scanner: None, filling: None, batches, fault, read_bytes: 0, is_rest: false });
    }

    fn at(&self, id: u64) -> Option<usize> {
        self.parts.iter().position(|part| part.id == id)
    }

    /// The part that a thread has read, which reads it no longer. `None` if the part is not needed any more.
    fn read(&mut self, id: u64) -> Option<&mut Part> {
        let at = self.at(id)?;
        let part = &mut self.parts[at];
        self.held -= part.filling.take().unwrap_or_default();
        Some(part)
    }

    /// Ends the scan with the error of a part, after the batches before it. Nothing is kept for a closed database.
    fn fail(&mut self, id: u64, fault: TransferError) {
        if matches!(&fault, TransferError::Engine(error) if error.kind() == ErrorKind::Closed) {
            if !self.stopped {
                self.give_up(fault);
            }
            return;
        }
        let Some(part) = self.read(id) else { return };
        part.fault = Some(fault);
        let Some(at) = self.at(id) else { return };
        for dropped in self.parts.drain(at + 1..) {
            self.held -= dropped.filling.unwrap_or_default();
            self.held -= dropped.batches.iter().map(|(_, bytes)| bytes).sum::<usize>();
        }
    }

    /// Whether there is nothing left to read.
    fn is_over(&self) -> bool {
        self.stopped || (self.begun && self.parts.iter().all(Part::is_over))
    }
}

impl Part {
    /// Whether it has been read to its end, or to its error.
    fn is_over(&self) -> bool {
        self.scanner.is_none() && self.filling.is_none()
    }
}

fn cancelled() -> TransferError {
    Error::new(ErrorKind::Cancelled, "the scan was stopped by its caller").into()
}

impl Shared {
    /// The body of a thread.
    fn run(&self, mut filler: Filler) {
        let mut state = self.state.lock();
        loop {
            if self.stop.is_stopped() && !state.stopped {
                state.give_up(cancelled());
            }
            if state.is_over() {
                break;
            }
            let Some(task) = state.task(self.threads) else {
                self.work.wait_for(&mut state, IDLE_INTERVAL);
                continue;
            };
            drop(state);
            let id = task.id;
            let performed = catch_unwind(AssertUnwindSafe(|| self.perform(task, &mut filler)));
            if performed.is_err() {
                // Otherwise the consumer would wait for this part forever.
                let fault = Error::new(ErrorKind::Io, "a thread of the scan panicked");
                self.state.lock().fail(id, fault.into());
                match filler.another() {
                    Some(another) => filler = another,
                    None => break,
                }
            }
            self.ready.notify_one();
            self.work.notify_all();
            state = self.state.lock();
        }
    }

    fn perform(&self, task: Task, filler: &mut Filler) {
        let Task { id, mut scanner, division } = task;
        if let Some(division) = division
            // The scan can be continued after an error, and meets it again or not.
            && let Ok(mut parts) = division.of(&mut scanner)
            && !parts.is_empty()
        {
            let is_rest = parts.len() == division.most;
            scanner = parts.remove(0);
            let mut state = self.state.lock();
            if let Some(at) = state.at(id) {
                state.insert(at + 1, parts, is_rest);
            }
            drop(state);
            self.work.notify_all();
        }
        match filler.fill(&mut scanner) {
            Ok(filled) => {
                let bytes = filled.batch.as_ref().map_or(0, FilledBatch::memory_bytes);
                let rows = filled.batch.as_ref().map_or(0, FilledBatch::rows);
                let is_full = rows >= self.rows_max;
                let stride = Some(is_full && bytes >= MEASURED_BYTES).filter(|measured| *measured);
                let stride = stride.and_then(|_| Stride::between(&filled.first, filler.last()));
                // A batch of large values ends before it has all its rows.
                #[allow(clippy::cast_precision_loss, reason = "an estimate")]
                let share = (rows as f64 / self.rows_max as f64).max(bytes as f64 / AHEAD_BYTES as f64);
                let mut state = self.state.lock();
                if rows > 0 {
                    state.count(filled.first, filler.last(), bytes, share);
                }
                state.round.ended += usize::from(filled.ended);
                if let Some(part) = state.read(id) {
                    part.read_bytes += bytes;
                    part.batches.extend(filled.batch.map(|batch| (batch, bytes)));
                    part.scanner = Some(scanner).filter(|_| !filled.ended);
                    state.held += bytes;
                }
                if is_full || bytes > state.batch_bytes {
                    state.batch_bytes = bytes;
                }
                if let Some(stride) = stride {
                    state.density = Density { stride: Arc::new(stride), bytes };
                }
            }
            Err(fault) => self.state.lock().fail(id, fault),
        }
    }
}
