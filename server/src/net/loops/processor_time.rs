//! How busy threads and the processor are, as far as the system tells.

use std::time::Duration;

/// The number of a thread.
#[derive(Debug, Clone, Copy)]
pub struct ThreadId(#[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "only Linux is asked"))] i32);

impl ThreadId {
    /// The number of the current thread. `None` on systems that do not tell the processor time of other threads.
    pub fn current() -> Option<Self> {
        #[cfg(target_os = "linux")]
        return Some(Self(rustix::thread::gettid().as_raw_nonzero().get()));
        #[cfg(not(target_os = "linux"))]
        None
    }

    /// The processor time that the thread of this process has used.
    pub fn used(self) -> Option<Duration> {
        #[cfg(target_os = "linux")]
        {
            let text = std::fs::read_to_string(format!("/proc/self/task/{}/schedstat", self.0)).ok()?;
            Some(Duration::from_nanos(text.split_ascii_whitespace().next()?.parse().ok()?))
        }
        #[cfg(not(target_os = "linux"))]
        None
    }
}

/// The time that the cores which this process may use have been idle, added up.
pub fn idle() -> Option<Duration> {
    #[cfg(target_os = "linux")]
    {
        let text = std::fs::read_to_string("/proc/stat").ok()?;
        let may_use = rustix::thread::sched_getaffinity(None).ok()?;
        let ticks = idle_ticks(&text, |core| core >= rustix::thread::CpuSet::MAX_CPU || may_use.is_set(core))?;
        let per_second = rustix::param::clock_ticks_per_second();
        Some(Duration::from_secs_f64(ticks as f64 / per_second.max(1) as f64))
    }
    #[cfg(not(target_os = "linux"))]
    None
}

/// The ticks of `/proc/stat` in which these cores were idle or waited for a disk.
#[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "only Linux has this file"))]
fn idle_ticks(text: &str, is_wanted: impl Fn(usize) -> bool) -> Option<u64> {
    let mut ticks = None;
    for line in text.lines() {
        let Some(line) = line.strip_prefix("cpu") else { break };
        // The line without a number is the sum of all cores.
        let Some((Ok(core), fields)) = line.split_once(' ').map(|(core, fields)| (core.parse(), fields)) else {
            continue;
        };
        if is_wanted(core) {
            let mut fields = fields.split_ascii_whitespace().skip(3).map_while(|field| field.parse::<u64>().ok());
            *ticks.get_or_insert(0) += fields.next()? + fields.next()?;
        }
    }
    ticks
}

#[cfg(test)]
mod tests {
    use super::*;

    const STAT: &str = "cpu  30 0 40 300 60 0 0 0 0 0\ncpu0 10 0 20 100 50 0 0 0 0 0\ncpu1 20 0 20 200 10 0 0 0 0 0\n\
                        intr 5 0 1\ncpu9 1 1 1 1 1\n";

    #[test]
    fn the_idle_time_of_the_cores_that_may_be_used() {
        assert_eq!(idle_ticks(STAT, |_| true), Some(360));
        assert_eq!(idle_ticks(STAT, |core| core == 1), Some(210));
        assert_eq!(idle_ticks(STAT, |core| core == 7), None);
        for short in ["", "intr 0\n", "cpu0 1 2 3\n", "cpu0 1 2 3 4\n", "cpu0 1 2 3 x 5\n", "cpuidle\n"] {
            assert_eq!(idle_ticks(short, |_| true), None, "{short:?}");
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_thread_that_computes_uses_time() {
        let thread = ThreadId::current().unwrap();
        let before = thread.used().unwrap();
        while thread.used().unwrap() < before + Duration::from_millis(2) {
            std::hint::spin_loop();
        }
        assert!(idle().is_some());
    }
}
