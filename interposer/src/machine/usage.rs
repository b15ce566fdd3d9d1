//! The use of the machine by this process, or by the calling thread, so far.

use std::fs;

use traces::machine::{Counters, HostTime, Usage, UsageMoment};
use traces::span::Span;

use super::{numbers, read_into, text};
use crate::system_calls;

/// Limit on the threads whose delays are read. Each takes a file; the limit is a guess, the time was not measured.
const MOST_THREADS: usize = 100;
const NANOS: u64 = 1_000_000_000;

/// The process's usage, with the delays of all its threads and the host's time.
pub fn of_process(moment: UsageMoment, ticks: u64) -> Usage {
    let threads = threads();
    let delay = threads.as_ref().filter(|threads| threads.len() <= MOST_THREADS);
    let delays = |names: &Vec<String>| names.iter().filter_map(|name| delay_of(name)).sum();
    Usage {
        allowed: allowed(),
        delay: delay.map(delays).filter(|_| own_delay().is_some()),
        threads: threads.map(|threads| threads.len() as u32),
        host: host_time(),
        ..of_process_briefly(moment, ticks)
    }
}

/// The process's usage as far as one system call tells it.
pub fn of_process_briefly(moment: UsageMoment, ticks: u64) -> Usage {
    Usage {
        moment,
        thread: None,
        ticks,
        core: core(),
        allowed: Vec::new(),
        counters: counters(libc::RUSAGE_SELF),
        delay: None,
        threads: None,
        host: None,
    }
}

/// The usage of the calling thread, whose number in the trace is `thread`.
pub fn of_thread(moment: UsageMoment, ticks: u64, thread: u32) -> Usage {
    let (counters, delay) = (counters(libc::RUSAGE_THREAD), own_delay());
    Usage { thread: Some(thread), counters, delay, ..of_process_briefly(moment, ticks) }
}

/// True if the process has started others and seen one end.
pub fn had_children() -> bool {
    counters(libc::RUSAGE_CHILDREN).is_some_and(|counters| counters.user + counters.system + counters.minor_faults > 0)
}

fn core() -> Option<u32> {
    // SAFETY: returns a number.
    u32::try_from(unsafe { libc::sched_getcpu() }).ok()
}

fn counters(of: libc::c_int) -> Option<Counters> {
    if system_calls::are_filtered() {
        return None;
    }
    // SAFETY: all zeros are a valid rusage.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: writes `usage`.
    let read = unsafe { libc::getrusage(of, &mut usage) } == 0;
    let nanos = |time: libc::timeval| time.tv_sec as u64 * NANOS + time.tv_usec as u64 * 1000;
    read.then_some(Counters {
        user: nanos(usage.ru_utime),
        system: nanos(usage.ru_stime),
        voluntary: usage.ru_nvcsw as u64,
        involuntary: usage.ru_nivcsw as u64,
        minor_faults: usage.ru_minflt as u64,
        major_faults: usage.ru_majflt as u64,
    })
}

/// The cores that the calling thread may use.
fn allowed() -> Vec<Span> {
    // Bits of 8,192 cores, the most that Linux can be built for.
    let mut mask = [0u64; 128];
    let bytes = size_of_val(&mask);
    // SAFETY: fills the mask. The C library's function would fail where its own mask is too short.
    let filled = unsafe { libc::syscall(libc::SYS_sched_getaffinity, 0, bytes, mask.as_mut_ptr()) };
    let words = usize::try_from(filled).unwrap_or(0) / size_of::<u64>();
    let bits = (0..)
        .zip(mask.iter().take(words))
        .flat_map(|(word, mask)| (0..64).filter(move |bit| mask >> bit & 1 == 1).map(move |bit| word * 64 + bit));
    Span::all(&bits.collect::<Vec<i32>>())
}

/// The system's ids of the process's threads.
fn threads() -> Option<Vec<String>> {
    let entries = fs::read_dir("/proc/self/task").ok()?;
    Some(entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect())
}

fn delay_of(thread: &str) -> Option<u64> {
    delay(text(&format!("/proc/self/task/{thread}/schedstat"))?.as_bytes())
}

/// The delay of the calling thread.
fn own_delay() -> Option<u64> {
    let mut buffer = [0; 96];
    delay(read_into(c"/proc/thread-self/schedstat", &mut buffer)?)
}

/// The second field of `schedstat`. All are 0 where the kernel does not count.
fn delay(schedstat: &[u8]) -> Option<u64> {
    let [ran, delay] = numbers(schedstat)?;
    (ran > 0).then_some(delay)
}

fn host_time() -> Option<HostTime> {
    let mut buffer = [0; 192];
    let line = read_into(c"/proc/stat", &mut buffer)?.strip_prefix(b"cpu ")?;
    let [user, nice, system, idle, waiting, interrupts, soft, stolen] = numbers(line)?;
    // SAFETY: reads a constant of the system.
    let second = u64::try_from(unsafe { libc::sysconf(libc::_SC_CLK_TCK) }).ok().filter(|second| *second > 0)?;
    let nanos = |counts: &[u64]| counts.iter().sum::<u64>() * (NANOS / second);
    Some(HostTime {
        busy: nanos(&[user, nice, system, interrupts, soft]),
        idle: nanos(&[idle, waiting]),
        stolen: nanos(&[stolen]),
    })
}
