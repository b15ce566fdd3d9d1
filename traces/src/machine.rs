//! The machine that a process runs on, and the process's use of it.
//!
//! A *core* is what the system schedules on: each hardware thread counts as one, by the system's own numbers.

use wincode::{SchemaRead, SchemaWrite};

use crate::span::Span;

/// The host's cores. Lists are empty where the system does not say.
#[derive(Clone, PartialEq, Eq, Debug, Default, SchemaRead, SchemaWrite)]
pub struct Machine {
    /// The cores that are online.
    pub online: Vec<Span>,
    /// The cores of each socket.
    pub sockets: Vec<Vec<Span>>,
    /// The cores of each NUMA node.
    pub nodes: Vec<Vec<Span>>,
    /// Hardware threads of a physical core; 0 if unknown.
    pub threads_a_core: u32,
    /// The most processor time that the process's control groups allow it, in thousandths of a core; 0 if unknown,
    /// [`UNLIMITED`](Machine::UNLIMITED) if they set no limit.
    pub limit: u32,
    /// The governor of the first allowed core's frequency; empty if there is none or it is unknown.
    pub governor: String,
}

impl Machine {
    pub const UNLIMITED: u32 = u32::MAX;
}

/// The use of the machine by a process, or by one of its threads, since it began.
#[derive(Clone, PartialEq, Eq, Debug, SchemaRead, SchemaWrite)]
pub struct Usage {
    /// The occasion of the reading.
    pub moment: UsageMoment,
    /// The number in the trace of the thread that this is about; `None` for all threads of the process together.
    pub thread: Option<u32>,
    /// Time of the reading.
    pub ticks: u64,
    /// The core that the reading thread was on.
    pub core: Option<u32>,
    /// The cores that the reading thread was allowed; empty if unknown or not asked.
    pub allowed: Vec<Span>,
    pub counters: Option<Counters>,
    /// Nanoseconds that threads were ready to run, but did not.
    pub delay: Option<u64>,
    /// Threads that the process has, among them those of its libraries.
    pub threads: Option<u32>,
    pub host: Option<HostTime>,
}

/// How often the smallest quota of the process's control groups stopped the processes of its group, since the group was made.
#[derive(Clone, PartialEq, Eq, Debug, SchemaRead, SchemaWrite)]
pub struct Throttling {
    /// The occasion of the reading.
    pub moment: UsageMoment,
    /// Time of the reading.
    pub ticks: u64,
    /// Periods in which processes of the group were ready to run.
    pub periods: u64,
    /// Periods in which they had used up the quota.
    pub throttled: u64,
    /// Nanoseconds for which they were stopped, summed over the cores that they were stopped on.
    pub time: u64,
}

/// The occasions of a [`Usage`]. The order is on disk: append only.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, SchemaRead, SchemaWrite)]
pub enum UsageMoment {
    /// MPI was initialized, and the recorder had set itself up.
    Initialized,
    /// The program has called MPI_Finalize.
    Finalizing,
    /// A page of records was full.
    PageFull,
}

/// The system's counts (`getrusage`), times in nanoseconds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, SchemaRead, SchemaWrite)]
pub struct Counters {
    /// Processor time in the program and its libraries.
    pub user: u64,
    /// Processor time in the kernel.
    pub system: u64,
    /// Times that a thread gave its core up, as it had to wait for something.
    pub voluntary: u64,
    /// Times that a thread had to give its core up, as others wanted it.
    pub involuntary: u64,
    /// Page faults without reading a disk.
    pub minor_faults: u64,
    /// Page faults that read a disk.
    pub major_faults: u64,
}

/// Time of all of a host's cores together since it was started, in nanoseconds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, SchemaRead, SchemaWrite)]
pub struct HostTime {
    pub busy: u64,
    pub idle: u64,
    /// The time that a virtual machine's cores were not run by their hypervisor.
    pub stolen: u64,
}
