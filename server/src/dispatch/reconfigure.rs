//! Changing lanes, queues and workers while calls run and wait.

use std::io;

use super::dispatcher::Dispatcher;
use super::queue::Tuning;
use super::runner::Live;
use crate::settings::config::Config;

impl Dispatcher {
    /// Puts settings into force.
    ///
    /// # Errors
    /// The operating system gives no thread. The settings are in force all the same, with fewer workers.
    pub fn reconfigure(&self, config: Config) -> io::Result<()> {
        let live = Live::new(config);
        // First what grows, then where calls go, then what shrinks: so a call finds room in whatever lane it is sent to.
        let grown = self.workers.grow(&live.lanes);
        for (kind, size) in live.lanes.iter() {
            let lane = self.lane(kind);
            lane.queue().tune(Tuning::new(&live.config.queues, &size));
            lane.resize(Some(size));
        }
        self.runner.set_live(live.clone());
        self.quota.set_max(live.config.limits.held_bytes_max);
        for lane in &self.lanes {
            if live.lanes.size(lane.kind()).is_none() {
                lane.resize(None);
            }
        }
        self.workers.shrink(&live.lanes);
        self.runner.handler.set_limits(&live.config.limits);
        grown
    }
}
