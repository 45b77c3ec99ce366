//! Counters of calls by service, method and dialect.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use super::histogram::{Histogram, Snapshot};
use super::window::Window;
use crate::wire::method::{Method, Service};
use crate::wire::{Encoding, Transport, dialect};

/// The counters of all methods. Methods that are never called use almost no memory.
pub struct Calls {
    /// Indexed by method and dialect.
    counted: Box<[OnceLock<Box<Counted>>]>,
    /// By method.
    windows: Box<[Window]>,
    /// Calls of methods that no service has.
    pub unknown: AtomicU64,
}

/// The counters of one method in one dialect.
#[derive(Default)]
pub struct Counted {
    /// Run times, in nanoseconds.
    pub took: Histogram,
    /// Calls that ended in an exception.
    pub failed: AtomicU64,
    /// Bytes of messages.
    pub received: AtomicU64,
    /// Bytes of replies.
    pub sent: AtomicU64,
}

/// The counters of one method in one dialect, with their labels.
pub struct Line<'a> {
    /// The service.
    pub service: Service,
    /// The method.
    pub method: &'static str,
    /// The dialect.
    pub dialect: &'static str,
    /// Its counters.
    pub counted: &'a Counted,
}

impl Default for Calls {
    fn default() -> Self {
        Self {
            counted: (0..Method::COUNT * dialect::NAMES.len()).map(|_| OnceLock::new()).collect(),
            windows: (0..Method::COUNT).map(|_| Window::default()).collect(),
            unknown: AtomicU64::new(0),
        }
    }
}

impl Calls {
    /// Returns the counters of a method in a dialect.
    pub fn of(&self, method: Method, transport: Transport, encoding: Encoding) -> &Counted {
        let cell = &self.counted[method.number() * dialect::NAMES.len() + dialect::number(transport, encoding)];
        cell.get_or_init(Box::default)
    }

    /// Returns the counters of a method by dialect.
    fn of_method(&self, method: Method) -> &[OnceLock<Box<Counted>>] {
        &self.counted[method.number() * dialect::NAMES.len()..][..dialect::NAMES.len()]
    }

    /// The methods and dialects that have been called.
    pub fn lines(&self) -> impl Iterator<Item = Line<'_>> {
        Method::all().flat_map(|method| {
            self.of_method(method).iter().zip(dialect::NAMES).filter_map(move |(cell, dialect)| {
                let (service, method) = (method.service(), method.name());
                cell.get().map(|counted| Line { service, method, dialect, counted })
            })
        })
    }

    /// Every method of a service, called or not: its name, its run times since the start, and its recent run times.
    pub fn methods(&self, service: Service) -> impl Iterator<Item = (&'static str, Snapshot, Snapshot)> {
        Method::all().filter(move |method| method.service() == service).map(|method| {
            let mut all = Snapshot::default();
            let called = self.of_method(method).iter().filter_map(OnceLock::get);
            called.for_each(|counted| all.add(&counted.took.read()));
            let recent = self.windows[method.number()].recent(&all);
            (method.name(), all, recent)
        })
    }

    /// The calls of a method that have ended, and how many of them in an exception.
    pub fn outcomes(&self, method: Method) -> (u64, u64) {
        self.of_method(method).iter().filter_map(OnceLock::get).fold((0, 0), |(all, failed), counted| {
            (all + counted.took.read().count(), failed + counted.failed.load(Ordering::Relaxed))
        })
    }

    /// Run times of all calls of a service.
    pub fn took(&self, service: Service) -> Snapshot {
        let mut all = Snapshot::default();
        self.lines().filter(|line| line.service == service).for_each(|line| all.add(&line.counted.took.read()));
        all
    }

    /// Bytes of all messages, and bytes of all replies, of a service.
    pub fn bytes(&self, service: Service) -> (u64, u64) {
        let of_it = self.lines().filter(|line| line.service == service);
        of_it.fold((0, 0), |(received, sent), line| {
            let load = |count: &AtomicU64| count.load(Ordering::Relaxed);
            (received + load(&line.counted.received), sent + load(&line.counted.sent))
        })
    }
}
