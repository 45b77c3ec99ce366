//! Changes lanes, queues and workers while calls run and wait.

use std::io;

use super::dispatcher::Dispatcher;
use super::queue::Tuning;
use super::runner::ActiveSettings;
use crate::settings::config::Config;

/// The operating system cannot start a thread.
#[derive(Debug)]
pub struct NoThread {
    /// The error of the operating system.
    pub error: io::Error,
    /// Whether the settings are applied, with fewer workers. They are not if a lane would have none.
    pub applied: bool,
}

impl Dispatcher {
    /// Applies settings.
    ///
    /// # Errors
    /// [`NoThread`].
    pub fn reconfigure(&self, config: Config) -> Result<(), NoThread> {
        let live = ActiveSettings::new(config);
        // Lanes grow before calls are routed by the new settings, and shrink afterwards, so that every lane has room
        // for the calls routed to it.
        let grown = self.workers.grow(&live.lanes);
        if let Err(error) = grown.as_ref()
            && !self.workers.serve(&live.lanes)
        {
            // The surplus workers of the other lanes are idle, and are used by a later change.
            return Err(NoThread { error: io::Error::new(error.kind(), error.to_string()), applied: false });
        }
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
        self.runner.services.set_limits(&live.config.limits);
        grown.map_err(|error| NoThread { error, applied: true })
    }
}
