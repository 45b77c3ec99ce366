//! What is counted of calls: by service, method and dialect.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use hjall_idl::methods;

use super::histogram::{Histogram, Snapshot};
use super::window::Window;
use crate::wire::method::Service;
use crate::wire::{Encoding, Transport, dialect};

const SERVICES: usize = 2;

/// The counts of all methods. What nobody calls takes next to no memory.
pub struct Calls {
    /// By service, method and dialect.
    counted: Box<[OnceLock<Box<Counted>>]>,
    windows: Box<[Window]>,
    /// Calls of names that no service has.
    pub unknown: AtomicU64,
}

/// The counts of one method in one dialect.
#[derive(Default)]
pub struct Counted {
    /// How long the calls ran, in nanoseconds.
    pub took: Histogram,
    /// Calls that ended in an exception.
    pub failed: AtomicU64,
    /// Bytes of their messages.
    pub received: AtomicU64,
    /// Bytes of their replies.
    pub sent: AtomicU64,
}

/// One method in one dialect, for those who tell of it.
pub struct Line<'a> {
    /// The service.
    pub service: Service,
    /// The method.
    pub method: &'static str,
    /// The dialect.
    pub dialect: &'static str,
    /// Its counts.
    pub counted: &'a Counted,
}

impl Default for Calls {
    fn default() -> Self {
        Self {
            counted: (0..SERVICES * methods().len() * dialect::NAMES.len()).map(|_| OnceLock::new()).collect(),
            windows: (0..SERVICES * methods().len()).map(|_| Window::default()).collect(),
            unknown: AtomicU64::new(0),
        }
    }
}

impl Calls {
    /// The counts of a method in a dialect; `None`: no service has it.
    pub fn of(&self, service: Service, name: &str, transport: Transport, encoding: Encoding) -> Option<&Counted> {
        let method = methods().binary_search_by(|method| method.name.cmp(name)).ok()?;
        let at =
            (service as usize * methods().len() + method) * dialect::NAMES.len() + dialect::number(transport, encoding);
        self.counted.get(at).map(|cell| &**cell.get_or_init(Box::default))
    }

    /// All that were called.
    pub fn lines(&self) -> impl Iterator<Item = Line<'_>> {
        self.counted.iter().enumerate().filter_map(|(at, cell)| {
            let (method, spoken) = (at / dialect::NAMES.len(), at % dialect::NAMES.len());
            let service = if method < methods().len() { Service::Thrift1 } else { Service::Thrift2 };
            let method = methods().get(method % methods().len())?.name;
            cell.get().map(|counted| Line { service, method, dialect: dialect::NAMES[spoken], counted })
        })
    }

    /// Every method of a service, called or not: its name, all it has counted, and that of late.
    pub fn methods(&self, service: Service) -> impl Iterator<Item = (&'static str, Snapshot, Snapshot)> {
        methods().iter().enumerate().filter_map(move |(at, method)| {
            let there = match service {
                Service::Thrift1 => method.thrift1.is_some(),
                Service::Thrift2 => method.thrift2.is_some(),
            };
            let at = service as usize * methods().len() + at;
            let mut all = Snapshot::default();
            let cells =
                self.counted.get(at * dialect::NAMES.len()..(at + 1) * dialect::NAMES.len()).unwrap_or_default();
            cells.iter().filter_map(OnceLock::get).for_each(|counted| all.add(&counted.took.read()));
            let recent = self.windows.get(at)?.recent(&all);
            there.then_some((method.name, all, recent))
        })
    }

    /// How long all calls of a service ran.
    pub fn took(&self, service: Service) -> Snapshot {
        let mut all = Snapshot::default();
        self.lines().filter(|line| line.service == service).for_each(|line| all.add(&line.counted.took.read()));
        all
    }

    /// Bytes of all messages and of all replies of a service.
    pub fn bytes(&self, service: Service) -> (u64, u64) {
        let of_it = self.lines().filter(|line| line.service == service);
        of_it.fold((0, 0), |(received, sent), line| {
            let load = |count: &AtomicU64| count.load(Ordering::Relaxed);
            (received + load(&line.counted.received), sent + load(&line.counted.sent))
        })
    }
}
