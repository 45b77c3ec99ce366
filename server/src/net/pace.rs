//! The minimum rate of messages and replies.
//!
//! A client that sends or takes a byte now and then would otherwise hold the memory of a large message forever. Time
//! is divided into windows whose length is the stall limit. A transfer that has to wait for its client and moves too
//! few bytes within a window is ended.

use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::time::{Sleep, sleep};

use crate::settings::config::Limits;

/// The minimum rate of a transfer.
#[derive(Debug, Clone, Copy)]
pub struct MinimumRate {
    window: Duration,
    /// Bytes in a second.
    rate: u64,
}

impl MinimumRate {
    /// The rate that the limits require.
    pub fn of(limits: &Limits) -> Self {
        Self { window: limits.stall_max, rate: limits.min_rate.unwrap_or(0) }
    }

    /// Bytes within a window, at least 1. Computed only for a transfer that had to wait.
    fn window_bytes(self) -> usize {
        let bytes = u128::from(self.rate) * self.window.as_millis() / 1000;
        usize::try_from(bytes).unwrap_or(usize::MAX).max(1)
    }
}

/// The client is slower than the minimum rate.
#[derive(Debug)]
pub struct TooSlow;

/// The progress of one transfer.
#[derive(Debug, Default)]
pub struct Pace {
    /// Bytes moved in the current window.
    moved: usize,
    /// The timer of the current window. `None` until the transfer has to wait.
    window: Option<Pin<Box<Sleep>>>,
}

impl Pace {
    /// Counts bytes that were sent or received.
    pub fn moved(&mut self, bytes: usize) {
        self.moved = self.moved.saturating_add(bytes);
    }

    /// Resets the progress, for another transfer.
    pub fn reset(&mut self) {
        *self = Self::default();
    }

    /// Must be called while the transfer waits for its client. Ready when the client is too slow.
    pub fn poll_too_slow(&mut self, rate: MinimumRate, cx: &mut Context<'_>) -> Poll<TooSlow> {
        loop {
            let window = match &mut self.window {
                Some(window) => window,
                None => {
                    self.moved = 0;
                    self.window.insert(Box::pin(sleep(rate.window)))
                }
            };
            ready!(window.as_mut().poll(cx));
            if self.moved < rate.window_bytes() {
                return Poll::Ready(TooSlow);
            }
            self.window = None;
        }
    }

    /// Waits for one step of the transfer. There is no timer unless the step has to wait, and replies usually need not.
    pub async fn keep<T>(&mut self, rate: MinimumRate, step: impl Future<Output = T>) -> Result<T, TooSlow> {
        let mut step = pin!(step);
        poll_fn(|cx| match step.as_mut().poll(cx) {
            Poll::Ready(done) => Poll::Ready(Ok(done)),
            Poll::Pending => self.poll_too_slow(rate, cx).map(Err),
        })
        .await
    }
}
