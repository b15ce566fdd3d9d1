//! The cores that other processes used while one of ours ran.

use std::fs;
use std::mem::MaybeUninit;
use std::time::Instant;

/// A moment, with the seconds of processor time used until then.
pub struct ProcessorTime {
    at: Instant,
    by_all: f64,
    by_children: f64,
}

impl ProcessorTime {
    pub fn now() -> ProcessorTime {
        ProcessorTime { at: Instant::now(), by_all: by_all(), by_children: by_children() }
    }

    /// Mean number of cores that processes other than the ended children of this one used since then.
    pub fn used_by_others(&self) -> f64 {
        let now = ProcessorTime::now();
        let others = (now.by_all - self.by_all) - (now.by_children - self.by_children);
        (others / now.at.duration_since(self.at).as_secs_f64()).max(0.0)
    }
}

fn by_all() -> f64 {
    let stat = fs::read_to_string("/proc/stat").unwrap_or_default();
    let fields = stat.lines().next().unwrap_or_default().split_whitespace().skip(1);
    let ticks: Vec<f64> = fields.filter_map(|field| field.parse().ok()).collect();
    // The fourth and fifth are idle time and waits for disks; the last two are counted in the first two.
    let is_busy = |at: usize| at < 8 && !matches!(at, 3 | 4);
    let busy: f64 = ticks.iter().enumerate().filter(|(at, _)| is_busy(*at)).map(|(_, ticks)| ticks).sum();
    // SAFETY: asks the system.
    busy / unsafe { libc::sysconf(libc::_SC_CLK_TCK) as f64 }
}

fn by_children() -> f64 {
    let mut usage = MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: the system fills what it gets, and zeros are valid.
    let usage = unsafe {
        libc::getrusage(libc::RUSAGE_CHILDREN, usage.as_mut_ptr());
        usage.assume_init()
    };
    let seconds = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 / 1e6;
    seconds(usage.ru_utime) + seconds(usage.ru_stime)
}
