//! The frame of a rank's file: a header, then pages, each owned by one thread or by all together.

use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

use crate::clock::ClockSample;
use crate::progress::{Entries, EntryRun, LINES, LedgerLine, Polls, Productive};
use crate::signature::Signature;

/// The first bytes of every file.
pub const MAGIC: [u8; 8] = *b"overhear";
/// The version of the format this library writes.
pub const VERSION: u32 = 1;
/// A rank that is not known: MPI_Init did not return.
pub const NO_RANK: u32 = u32::MAX;

/// The start of a file. Pages follow at [`FIRST_PAGE`].
#[repr(C)]
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub struct FileHeader {
    /// [`MAGIC`].
    pub magic: [u8; 8],
    /// [`VERSION`] of whoever wrote it.
    pub version: u32,
    /// Bytes of which pages are multiples.
    pub unit: u32,
    /// The same in all files of a run.
    pub run: [u8; 16],
    /// Rank in the process's `MPI_COMM_WORLD`, or [`NO_RANK`].
    pub rank: u32,
    /// Size of that communicator, 0 where unknown.
    pub size: u32,
    /// 0 for processes the launcher started; from 1 for worlds that were spawned.
    pub world: u32,
    /// Process id.
    pub pid: u32,
    /// [`Abi`].
    pub abi: u16,
    /// [`ClockKind`](crate::clock::ClockKind).
    pub clock: u16,
    /// Thread level that MPI provided: 0 single, 1 funneled, 2 serialized, 3 multiple.
    pub thread_level: u16,
    /// [`Mode`].
    pub mode: u16,
    /// [`INITIALIZED`], [`FINALIZED`].
    pub state: u32,
    /// [`Stop`]: why the events end before the program does.
    pub stop: u32,
    /// When they ended, ticks.
    pub stopped_at: u64,
    /// Ticks a second by what the processor says of itself, 0 where it says nothing.
    pub nominal_frequency: u64,
    /// What one recorded call costs beyond the call itself, thousandths of a tick, measured at start.
    pub wrapper_cost: u64,
    /// When recording began, just before MPI was initialized.
    pub begin: ClockSample,
    /// When MPI was initialized.
    pub ready: ClockSample,
    /// When MPI was finalized.
    pub end: ClockSample,
    /// When `MPI_Pcontrol(2)` last set the profile back to nothing, ticks; 0 where it never did.
    pub profile_begin: u64,
    /// Since when `MPI_Pcontrol(0)` has stopped the profile, ticks; 0 where it goes on.
    pub profile_stopped_at: u64,
    /// Ticks for which the profile was stopped before, since it was last set back.
    pub profile_stopped: u64,
    /// Calls that are in no record and in no total.
    pub lost: u64,
    /// Recordings of threads that were begun, also those without a page of their own.
    pub threads: u64,
    /// What listening to one entry into the progress engine costs, thousandths of a tick, measured at start.
    pub entry_cost: u64,
    /// Zero.
    pub reserved: [u64; 2],
}

const _: () = assert!(size_of::<FileHeader>() == 248);

/// Where pages begin.
pub const FIRST_PAGE: usize = 4096;

/// Where the totals by function are, behind the header, that threads without room of their own share.
pub const SHARED_TOTALS: usize = 256;
/// How many there are. The last is for all functions that have none.
pub const SHARED_ENTRIES: usize = (FIRST_PAGE - SHARED_TOTALS) / size_of::<ProfileEntry>();

/// MPI was initialized: rank, size and what else the header says of the world are known.
pub const INITIALIZED: u32 = 1;
/// MPI_Finalize, or the last MPI_Session_finalize, returned.
pub const FINALIZED: u32 = 2;

/// What kind of handles, statuses and constants the program was compiled for.
#[repr(u16)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Abi {
    /// Open MPI's.
    OpenMpi = 1,
    /// The one MPICH, Intel MPI, MVAPICH and Cray MPICH share.
    Mpich = 2,
    /// The standard ABI of MPI 5.0.
    Standard = 3,
}

/// What was recorded.
#[repr(u16)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// Every call.
    Trace = 1,
    /// Only counts and times per signature.
    Profile = 2,
}

/// Why the events of a file end before the program does.
#[repr(u32)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stop {
    /// They do not. Else the rest is in the profile.
    No = 0,
    /// The file reached its limit.
    MaxBytes = 1,
    /// The file system was full.
    NoSpace = 2,
    /// The file could not be written or mapped.
    Io = 3,
    /// Memory ran out.
    NoMemory = 4,
    /// The file reached what the system lets the process write, RLIMIT_FSIZE; the rest is in the profile.
    SizeLimit = 5,
}

impl Stop {
    /// Whether somebody set the limit that was reached.
    pub fn is_limit(self) -> bool {
        matches!(self, Stop::MaxBytes | Stop::SizeLimit)
    }
}

impl FileHeader {
    /// Whether there is a profile, from the start or from some point on.
    pub fn has_profile(&self) -> bool {
        self.mode == Mode::Profile as u16 || self.stop != Stop::No as u32
    }
}

macro_rules! from_number {
    ($($enum:ident: $int:ty = $($value:ident)*;)*) => {$(
        impl $enum {
            /// The value of a number read from disk.
            pub fn from_number(number: $int) -> Option<$enum> {
                [$($enum::$value),*].into_iter().find(|value| *value as $int == number)
            }
        }
    )*};
}

from_number! {
    Abi: u16 = OpenMpi Mpich Standard;
    Mode: u16 = Trace Profile;
    Stop: u32 = No MaxBytes NoSpace Io NoMemory SizeLimit;
    PageKind: u32 = Thread Signatures Events Profile Definitions;
}

/// What a page holds. The number is the page's first word, and written last.
#[repr(u32)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PageKind {
    /// A thread's [`ThreadBlock`].
    Thread = 0x7476_6f01,
    /// A thread's [`Signature`]s.
    Signatures = 0x7476_6f02,
    /// A thread's records.
    Events = 0x7476_6f03,
    /// A thread's [`ProfileEntry`]s.
    Profile = 0x7476_6f04,
    /// The process's definitions.
    Definitions = 0x7476_6f05,
}

/// The start of a page.
#[repr(C)]
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub struct PageHeader {
    /// [`PageKind`]; zero for a page reserved and not begun.
    pub kind: u32,
    /// Length in units, this header included.
    pub units: u32,
    /// The thread it belongs to, numbered from 0 in the order they first called MPI.
    pub thread: u32,
    /// Its place among the thread's pages of this kind, from 0.
    pub sequence: u32,
    /// Events: the tick the first record's gap counts from. Profile: since when it counts.
    pub base: u64,
    /// Events: the number the next request will get.
    pub requests: u64,
    /// The clocks when the page was begun.
    pub sample: ClockSample,
}

const _: () = assert!(size_of::<PageHeader>() == 64);

/// How many calls inside calls a [`ThreadBlock`] shows.
pub const LEVELS: usize = 16;

/// A thread's fixed place: the calls it is in, and what is counted instead of recorded one by one.
#[repr(C)]
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub struct ThreadBlock {
    /// The system's id of the thread.
    pub tid: u32,
    /// How many calls deep the thread is. Those beyond [`LEVELS`] are not shown.
    pub depth: u32,
    /// When the thread first called MPI, ticks.
    pub begin: u64,
    /// The signature of a call numbered [`UNNUMBERED`](crate::record::UNNUMBERED).
    pub unnumbered: Signature,
    /// The calls, outermost first; valid below `depth`.
    pub levels: [Level; LEVELS],
    /// Calls that asked in vain since the last record.
    pub polls: Polls,
    /// Entries into the progress engine that achieved something, since the last record.
    pub productive: Productive,
    /// Entries outside MPI calls, since the last record.
    pub outside: EntryRun,
    /// What the progress engine did, in all and by component.
    pub ledger: [LedgerLine; LINES],
    /// Ticks that the recorder took off the straight line of a call: new signatures and objects, page turns, start and end.
    pub off_line: u64,
    /// When the last entry into the progress engine ended, ticks; 0 where entries are not timed. A thread that waits inside MPI
    /// shows by this that it lives.
    pub last_entry: u64,
}

/// A call a thread is in.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub struct Level {
    /// When it began, ticks.
    pub start: u64,
    /// Its signature's number.
    pub signature: u64,
}

const _: () = assert!(size_of::<ThreadBlock>() == 3712);

/// The signature's number in entries that stand for calls of a function, whatever their signatures.
pub const ANY_SIGNATURE: u32 = u32::MAX;
/// The call's number in the entry for all functions that have no other.
pub const ANY_CALL: u16 = 0;

/// Counts and times of one signature's calls.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub struct ProfileEntry {
    /// The signature's number, 0 where the entry is free, or [`ANY_SIGNATURE`].
    pub signature: u32,
    /// Calls that did not return success.
    pub failed: u32,
    /// The call's number in an entry for any signature; else 0.
    pub call: u64,
    /// Calls that ended.
    pub count: u64,
    /// The sum of their durations, ticks.
    pub total: u64,
    /// The shortest, ticks.
    pub min: u64,
    /// The longest, ticks.
    pub max: u64,
    /// Bytes handed out.
    pub sent: u64,
    /// Bytes that came, as far as a status told; else as posted.
    pub received: u64,
    /// What the progress engine did during them.
    pub engine: Entries,
}

const _: () = assert!(size_of::<ProfileEntry>() == 88);
