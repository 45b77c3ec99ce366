//! Changes lanes, queues and workers while calls run and wait.

use std::io;

use super::dispatcher::Dispatcher;
use super::queue::Tuning;
use super::runner::ActiveSettings;
use crate::settings::config::Config;

impl Dispatcher {
    /// Applies settings.
    ///
    /// # Errors
    /// The operating system cannot start a thread. The settings are still applied, with fewer workers.
    pub fn reconfigure(&self, config: Config) -> io::Result<()> {
        let live = ActiveSettings::new(config);
        // Lanes grow before calls are routed by the new settings, and shrink afterwards, so that every lane has room
        // for the calls routed to it.
        let grown = self.workers.grow(&live.lanes);
        for (kind, size) in live.lanes.iter() {
            let lane = self.lane(kind);
            lane.queue().tune(Tuning::new(&live.config.queues, &size));
            lane.resize(Some(size));
        }
        self.runner.activate(live.clone());
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
