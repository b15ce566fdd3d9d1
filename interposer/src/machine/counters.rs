//! Events that the system counts for the thread that initializes MPI.

use std::ffi::c_int;
use std::io::Error;
use std::sync::OnceLock;

use traces::counters::{AskedEvent, CounterEvent, CounterReading, CounterValue};
use traces::machine::UsageMoment;

use super::text;
use crate::descriptor;
use crate::system_calls;
use crate::uncancellable;

static OPEN: OnceLock<OpenCounters> = OnceLock::new();

struct OpenCounters {
    /// The number of the thread in the trace.
    thread: u32,
    all: Vec<OpenCounter>,
}

/// A descriptor, and the system's number of the event behind it: the program may close the descriptor, and open another file by
/// its number.
struct OpenCounter {
    descriptor: c_int,
    id: u64,
}

/// The first version of `perf_event_attr`, which all kernels take.
#[repr(C)]
struct Attributes {
    kind: u32,
    size: u32,
    config: u64,
    sample_period: u64,
    sample_type: u64,
    read_format: u64,
    flags: u64,
    wakeup: u32,
    breakpoint: u32,
    config1: u64,
}

const TIMES_ENABLED_AND_RUNNING: u64 = 3;
const EXCLUDE_KERNEL: u64 = 1 << 5;
const EXCLUDE_HYPERVISOR: u64 = 1 << 6;
const CLOSE_ON_EXEC: u64 = 8;
/// PERF_EVENT_IOC_ID, on all architectures that the recorder is for.
const ASK_ID: u64 = 0x8008_2407;

/// Begins to count events of the calling thread, whose number in the trace is `thread`. Returns all that were asked for.
pub fn begin(thread: u32, asked: &[&CounterEvent]) -> Vec<AskedEvent> {
    let mut all = Vec::new();
    let mut told = Vec::new();
    for event in asked {
        let opened =
            if system_calls::are_filtered() { Err("the program filters its system calls".into()) } else { open(event) };
        let problem = match opened {
            Ok(counter) => {
                all.push(counter);
                String::new()
            }
            Err(problem) => problem,
        };
        told.push(AskedEvent { name: event.name.into(), problem });
    }
    let _ = OPEN.set(OpenCounters { thread, all });
    told
}

fn open(event: &CounterEvent) -> Result<OpenCounter, String> {
    let descriptor = match ask(event, 0) {
        // What the system does for the thread takes a right of its own. Switches and migrations happen there alone.
        Err(libc::EACCES | libc::EPERM) if !matches!(event.name, "context-switches" | "cpu-migrations") => {
            ask(event, EXCLUDE_KERNEL)
        }
        opened => opened,
    };
    let descriptor = descriptor.map_err(|error| problem(event, error))?;
    let high = descriptor::copy(descriptor);
    if high.is_some() {
        descriptor::close(descriptor);
    }
    let descriptor = high.unwrap_or(descriptor);
    let id = id_of(descriptor).ok_or("the system does not say which event it counts")?;
    Ok(OpenCounter { descriptor, id })
}

/// The descriptor of a counter of the calling thread, on any core; else the error's number.
fn ask(event: &CounterEvent, flags: u64) -> Result<c_int, c_int> {
    let attributes = Attributes {
        kind: event.kind,
        size: size_of::<Attributes>() as u32,
        config: event.config,
        sample_period: 0,
        sample_type: 0,
        read_format: TIMES_ENABLED_AND_RUNNING,
        flags: flags | EXCLUDE_HYPERVISOR,
        wakeup: 0,
        breakpoint: 0,
        config1: 0,
    };
    // SAFETY: reads the attributes.
    let number = unsafe { libc::syscall(libc::SYS_perf_event_open, &raw const attributes, 0, -1, -1, CLOSE_ON_EXEC) };
    if number < 0 { Err(Error::last_os_error().raw_os_error().unwrap_or(0)) } else { Ok(number as c_int) }
}

/// Why an event cannot be counted, and what would allow it.
fn problem(event: &CounterEvent, error: c_int) -> String {
    match error {
        libc::ENOENT | libc::EOPNOTSUPP | libc::ENODEV if event.kind == 0 => {
            "this machine shows no such counter; virtual machines often show none".into()
        }
        libc::EACCES | libc::EPERM => match text("/proc/sys/kernel/perf_event_paranoid") {
            Some(level) => format!(
                "the system does not allow it: kernel.perf_event_paranoid is {level}, and 2 allows counting in the program, 1 in the \
                 kernel, too; in a container, its seccomp profile must allow perf_event_open"
            ),
            None => "the system does not allow it".into(),
        },
        libc::ENOSYS => "the kernel, or a filter of system calls around the program, has no perf_event_open".into(),
        other => Error::from_raw_os_error(other).to_string(),
    }
}

/// The number of the event behind a descriptor; `None` if it is another file.
fn id_of(descriptor: c_int) -> Option<u64> {
    let mut id = 0u64;
    // SAFETY: writes `id`. Files of other kinds do not know the request.
    let result = unsafe { libc::syscall(libc::SYS_ioctl, descriptor, ASK_ID, &raw mut id) };
    (result == 0).then_some(id)
}

/// What was counted so far, if the thread is the one whose events are.
pub fn read(thread: u32, moment: UsageMoment, ticks: u64) -> Option<CounterReading> {
    let open = OPEN.get().filter(|open| open.thread == thread && !open.all.is_empty())?;
    let values: Option<Vec<CounterValue>> = open.all.iter().map(OpenCounter::value).collect();
    Some(CounterReading { moment, thread, ticks, values: values? })
}

impl OpenCounter {
    fn value(&self) -> Option<CounterValue> {
        let mut words = [0u8; 24];
        if id_of(self.descriptor) != Some(self.id) || uncancellable::read(self.descriptor, &mut words) != 24 {
            return None;
        }
        let number = |at: usize| Some(u64::from_le_bytes(words.get(at..at + 8)?.try_into().ok()?));
        Some(CounterValue { value: number(0)?, enabled: number(8)?, running: number(16)? })
    }
}
