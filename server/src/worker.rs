//! The threads that run calls.

use std::io;
use std::sync::Arc;
use std::thread::{Builder, JoinHandle};
use std::time::Instant;

use crossbeam_channel::Receiver;

use crate::arithmetic::LaneSize;
use crate::call::Handler;
use crate::method::LaneKind;
use crate::queue::Job;

/// Starts a lane's workers, `hjall-read-0` and so on. They end when the lane's queue is dropped and empty.
pub fn start(
    kind: LaneKind,
    size: LaneSize,
    jobs: &Receiver<Job>,
    reply_bytes_max: usize,
    handler: &Arc<dyn Handler>,
) -> io::Result<Vec<JoinHandle<()>>> {
    (0..size.running_max)
        .map(|i| {
            let (jobs, handler) = (jobs.clone(), handler.clone());
            Builder::new().name(format!("hjall-{}-{i}", kind.name())).spawn(move || {
                for job in jobs {
                    run(job, &*handler, reply_bytes_max);
                }
            })
        })
        .collect()
}

fn run(job: Job, handler: &dyn Handler, reply_bytes_max: usize) {
    let Job { call, message, mut out, permit, reply } = job;
    if reply.is_closed() {
        // Its connection was ended by the server's stop; nobody will hear of it.
        return;
    }
    let started = Instant::now();
    call.run(handler, &message, &mut out, reply_bytes_max);
    permit.ran(started.elapsed());
    // Before the reply goes out, so that the connection finds its buffer free and the lane a place.
    drop((message, permit));
    // A connection that ended meanwhile needs no reply.
    let _ = reply.send(out);
}
