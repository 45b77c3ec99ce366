//! The cost of observing one call: prints the processor time of one report, from one thread and from several at once.
//!
//! `cargo run --release -p hjall-server --example watching`
#![allow(missing_docs, clippy::unwrap_used, reason = "an example")]

use std::hint::black_box;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use hjall_server::info::Process;
use hjall_server::observe::{CallEnd, CallReport, Observer, SlowSettings, Watch};
use hjall_server::wire::method::{LaneKind, Method, Service, Thrift1};
use hjall_server::wire::{Encoding, Transport};

const CALLS: u32 = 2_000_000;

/// The reply of a get without a cell: an empty list as the result's field 0.
const REPLY: &[u8] = b"\x80\x01\0\x02\0\0\0\x06getRow\0\0\0\x01\x0f\0\0\x0c\0\0\0\0\0";

fn main() {
    for threads in [1, 2, 4] {
        let watch = Arc::new(Watch::new(SlowSettings::default(), None));
        let before = processor_ns();
        let all: Vec<_> = (0..threads).map(|_| watch.clone()).map(|watch| thread::spawn(move || see(&watch))).collect();
        all.into_iter().for_each(|thread| thread.join().unwrap());
        let each = (processor_ns() - before) / f64::from(threads * CALLS);
        println!("{threads} threads: {each:.0} ns of processor time for a report");
    }
}

/// The processor time of this thread, which excludes the time of other threads.
fn processor_ns() -> f64 {
    Process::read().cpu_seconds.unwrap_or_default() * 1e9
}

fn see(watch: &Watch) {
    for n in 0..CALLS {
        watch.call_ended(black_box(&CallReport {
            method: Some(Method::Thrift1(Thrift1::GetRow)),
            service: Service::Thrift1,
            encoding: Encoding::Binary,
            transport: Transport::Buffered,
            lane: LaneKind::Read,
            peer: ([127, 0, 0, 1], 9090).into(),
            user: None,
            waited: Duration::ZERO,
            took: Duration::from_nanos(5_000 + u64::from(n % 5_000)),
            message_bytes: 40,
            arguments: b"\x0b\0\x01\0\0\0\x01t\0",
            names: None,
            reply: REPLY,
            end: CallEnd::Answered,
        }));
    }
}
