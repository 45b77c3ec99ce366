//! Wakes the event loop at a given time, more precisely than its own timeout, which counts in milliseconds.

use std::io;
use std::time::Duration;

use mio::{Registry, Token};

#[cfg(target_os = "linux")]
pub use linux::Alarm;
#[cfg(not(target_os = "linux"))]
pub use other::Alarm;

#[cfg(target_os = "linux")]
mod linux {
    use std::os::fd::{AsRawFd, OwnedFd};

    use mio::Interest;
    use mio::unix::SourceFd;
    use rustix::time::{
        Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create, timerfd_settime,
    };

    use super::*;

    /// A timer of the kernel that is one of the loop's sources of events.
    pub struct Alarm(OwnedFd);

    impl Alarm {
        /// Registers the alarm.
        pub fn new(registry: &Registry, token: Token) -> io::Result<Self> {
            let timer = timerfd_create(TimerfdClockId::Monotonic, TimerfdFlags::NONBLOCK | TimerfdFlags::CLOEXEC)?;
            registry.register(&mut SourceFd(&timer.as_raw_fd()), token, Interest::READABLE)?;
            Ok(Self(timer))
        }

        /// Wakes the loop after this time. Returns the timeout for waiting.
        pub fn set(&self, after: Duration) -> io::Result<Option<Duration>> {
            // Zero would disarm the timer.
            let after = after.max(Duration::from_nanos(1));
            let it_value = Timespec { tv_sec: after.as_secs() as i64, tv_nsec: i64::from(after.subsec_nanos()) };
            let it_interval = Timespec { tv_sec: 0, tv_nsec: 0 };
            // A new time also ends the readiness of the timer, so that its next end is a new event.
            timerfd_settime(&self.0, TimerfdTimerFlags::empty(), &Itimerspec { it_interval, it_value })?;
            Ok(None)
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod other {
    use super::*;

    /// The timeout of the loop.
    pub struct Alarm;

    impl Alarm {
        /// Does nothing.
        pub fn new(_registry: &Registry, _token: Token) -> io::Result<Self> {
            Ok(Self)
        }

        /// Returns the timeout for waiting.
        pub fn set(&self, after: Duration) -> io::Result<Option<Duration>> {
            Ok(Some(after))
        }
    }
}
