//! The frame of a rank's file: a header, then pages, each of which belongs to one thread or to the process.

use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

use crate::clock::ClockSample;
use crate::progress::{Entries, EntryRun, LINES, LedgerLine, Polls, Productive};
use crate::signature::Signature;
use crate::teams::Teams;

/// The first bytes of every file.
pub const MAGIC: [u8; 8] = *b"overhear";
/// The last version of the format that this library reads. It writes [`FileHeader::version_of`].
pub const VERSION: u32 = 4;
/// The first version that knows [`Teams`].
pub const WITH_TEAMS: u32 = 3;
/// The first version that knows [`Accesses`](crate::accesses::Accesses).
pub const WITH_ACCESSES: u32 = 4;
/// The rank before MPI_Init returns.
pub const NO_RANK: u32 = u32::MAX;

/// The start of a file. Pages follow at [`FIRST_PAGE`].
#[repr(C)]
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub struct FileHeader {
    /// [`MAGIC`].
    pub magic: [u8; 8],
    /// The first version that reads the file right: [`FileHeader::version_of`].
    pub version: u32,
    /// Page lengths are multiples of this many bytes.
    pub unit: u32,
    /// The run's identity, the same in all its files.
    pub run: [u8; 16],
    /// Rank in the process's `MPI_COMM_WORLD`, or [`NO_RANK`].
    pub rank: u32,
    /// Size of that communicator, 0 if unknown.
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
    /// [`Stop`]: the reason why the events end before the program does.
    pub stop: u32,
    /// End of the events, ticks.
    pub stopped_at: u64,
    /// Ticks per second as the processor states them, 0 if it does not.
    pub nominal_frequency: u64,
    /// The cost of a recorded call beyond the call itself, in thousandths of a tick, measured at the start.
    pub wrapper_cost: u64,
    /// The clocks when recording began, just before MPI was initialized.
    pub begin: ClockSample,
    /// The clocks when MPI was initialized.
    pub ready: ClockSample,
    /// The clocks when MPI was finalized.
    pub end: ClockSample,
    /// Time of the last reset of the profile by `MPI_Pcontrol(2)`, ticks; 0 if there was none.
    pub profile_begin: u64,
    /// Time of the `MPI_Pcontrol(0)` that stopped the profile, ticks; 0 if it is not stopped.
    pub profile_stopped_at: u64,
    /// Ticks for which the profile was stopped earlier, since it was last reset.
    pub profile_stopped: u64,
    /// Calls that no record and no total includes.
    pub lost: u64,
    /// Threads whose recording began, including those without a page of their own.
    pub threads: u64,
    /// The cost of listening to one entry into the progress engine, in thousandths of a tick, measured at the start.
    pub entry_cost: u64,
    /// The cost of listening to a productive entry, likewise; 0 in older files.
    pub productive_cost: u64,
    /// The shortest time whose records are kept, nanoseconds; 0 if time does not matter. If this and the next are 0, all records
    /// are kept.
    pub keep_time: u64,
    /// The size of the file, in bytes, below which all records are kept; 0 if size does not matter.
    pub keep_bytes: u64,
}

const _: () = assert!(size_of::<FileHeader>() == SHARED_TOTALS);

/// The offset of the first page.
pub const FIRST_PAGE: usize = 4096;

/// The offset of the totals by function, which lie after the header and are shared by threads without room of their
/// own.
pub const SHARED_TOTALS: usize = 256;
/// The number of these totals. The last one is for all functions without a total of their own.
pub const SHARED_ENTRIES: usize = (FIRST_PAGE - SHARED_TOTALS) / size_of::<ProfileEntry>();
/// The offset behind these of the number of definitions that were written; 0 in older files.
pub const DEFINED: usize = SHARED_TOTALS + SHARED_ENTRIES * size_of::<ProfileEntry>();

const _: () = assert!(DEFINED + size_of::<u64>() <= FIRST_PAGE);

/// Set once MPI is initialized: rank, size and the other facts about the world are known.
pub const INITIALIZED: u32 = 1;
/// Set once MPI_Finalize, or the last MPI_Session_finalize, has returned.
pub const FINALIZED: u32 = 2;

/// The ABI that the program was compiled for: its handles, statuses and constants.
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

#[repr(u16)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// Every call.
    Trace = 1,
    /// Only counts and times per signature.
    Profile = 2,
}

/// The reason why the events of a file end before the program does.
#[repr(u32)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stop {
    /// The events do not end early. For every other reason, the calls that follow are in the profile.
    No = 0,
    /// The file reached its limit.
    MaxBytes = 1,
    /// The file system was full.
    NoSpace = 2,
    /// The file could not be written or mapped.
    Io = 3,
    /// Memory ran out.
    NoMemory = 4,
    /// The file reached the limit that the system sets for the process, RLIMIT_FSIZE.
    SizeLimit = 5,
    /// Calls have too many signatures for a file that keeps only the newest records.
    TooVaried = 6,
}

impl Stop {
    /// True if the reason is a limit that someone set.
    pub fn is_limit(self) -> bool {
        matches!(self, Stop::MaxBytes | Stop::SizeLimit)
    }
}

impl FileHeader {
    /// True if the recorder drops old pages of records.
    pub fn keeps_newest(&self) -> bool {
        self.keep_time | self.keep_bytes != 0
    }

    /// The first version whose readers read a file right; it depends on whether the recorder drops old pages. A file
    /// with parallel regions says [`WITH_TEAMS`] from the first of them on, and one with accesses to files
    /// [`WITH_ACCESSES`].
    pub const fn version_of(keeps_newest: bool) -> u32 {
        if keeps_newest { 2 } else { 1 }
    }

    /// True if only counts and times were recorded, from the start.
    pub fn is_only_profile(&self) -> bool {
        self.mode == Mode::Profile as u16
    }

    /// True if the file has a profile, of the whole run or of its end.
    pub fn has_profile(&self) -> bool {
        self.is_only_profile() || self.stop != Stop::No as u32
    }
}

macro_rules! from_number {
    ($($enum:ident: $int:ty = $($value:ident)*;)*) => {$(
        impl $enum {
            /// The value with a number read from disk.
            pub fn from_number(number: $int) -> Option<$enum> {
                [$($enum::$value),*].into_iter().find(|value| *value as $int == number)
            }
        }
    )*};
}

from_number! {
    Abi: u16 = OpenMpi Mpich Standard;
    Mode: u16 = Trace Profile;
    Stop: u32 = No MaxBytes NoSpace Io NoMemory SizeLimit TooVaried;
    PageKind: u32 = Thread Signatures Events Profile Definitions Dropped Free;
}

/// The content of a page. The number is the page's first word, and is written last.
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
    /// The account of a thread's dropped pages of records: [`DroppedHead`](crate::dropped::DroppedHead).
    Dropped = 0x7476_6f06,
    /// Nothing: the page is about to be reused.
    Free = 0x7476_6f07,
}

/// The start of a page.
#[repr(C)]
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub struct PageHeader {
    /// [`PageKind`]; 0 for a page that is reserved but not begun.
    pub kind: u32,
    /// Length in units, this header included.
    pub units: u32,
    /// The thread that owns the page. Threads count from 0 in the order in which they first called MPI.
    pub thread: u32,
    /// The page's place among the thread's pages of this kind, from 0. Dropped: the number of dropped pages of records.
    pub sequence: u32,
    /// Events: the tick from which the gap of the first record counts. Profile: the tick from which it counts calls.
    pub base: u64,
    /// Events: the number that the next request gets. Dropped: the number of times that the recorder has written the
    /// account, this one included.
    pub requests: u64,
    /// The clocks when the page was begun.
    pub sample: ClockSample,
}

const _: () = assert!(size_of::<PageHeader>() == 64);

/// Limit on the nested calls that a [`ThreadBlock`] shows.
pub const LEVELS: usize = 16;

/// A thread's fixed area: the calls that it is in, and counters since its last record.
#[repr(C)]
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub struct ThreadBlock {
    /// The system's id of the thread.
    pub tid: u32,
    /// Nesting depth of the thread's calls. Levels beyond [`LEVELS`] are not shown.
    pub depth: u32,
    /// Time of the thread's first call of MPI, ticks.
    pub begin: u64,
    /// The signature of a call numbered [`UNNUMBERED`](crate::record::UNNUMBERED).
    pub unnumbered: Signature,
    /// The open calls, outermost first; valid below `depth`.
    pub levels: [Level; LEVELS],
    /// Calls that polled without success since the last record.
    pub polls: Polls,
    /// Entries into the progress engine that achieved something since the last record.
    pub productive: Productive,
    /// Entries outside MPI calls since the last record.
    pub outside: EntryRun,
    /// The activity of the progress engine, in all and by component.
    pub ledger: [LedgerLine; LINES],
    /// Ticks that the recorder spent beyond the straight line of a call: on new signatures and objects, page turns,
    /// start and end.
    pub off_line: u64,
    /// End of the last entry into the progress engine, ticks; 0 if entries are not timed. It shows that a thread
    /// waiting inside MPI is alive.
    pub last_entry: u64,
    /// The part of `off_line` that was spent while MPI started and ended; 0 in older files.
    pub starting: u64,
    /// Ticks for which the recorder waited for the recorders of other ranks, while MPI started and ended.
    pub met: u64,
    /// Unsuccessful polls that directly followed another one: the program did nothing but wait.
    pub idle_polls: u64,
    /// Signatures that the thread has written; 0 in older files.
    pub signatures: u64,
    /// Entries of its profile that the thread has begun; 0 in older files.
    pub totals: u64,
    /// Parallel regions since the last record; none in older files.
    pub teams: Teams,
}

/// A call that a thread is in.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub struct Level {
    /// Start of the call, ticks.
    pub start: u64,
    /// The number of its signature in the lower half. In the upper, the lower half of the count that the call makes in the
    /// profile's entry of this signature, while it is counted there.
    pub signature: u64,
}

impl Level {
    /// True if a profile whose entry of the signature has this many calls has counted the call.
    pub fn is_counted(&self, calls: u64) -> bool {
        let count = (self.signature >> 32) as u32;
        count != 0 && (calls as u32).wrapping_sub(count) as i32 >= 0
    }
}

const _: () = assert!(size_of::<ThreadBlock>() == 3848);

/// The signature number of entries for all calls of a function, whatever their signatures.
pub const ANY_SIGNATURE: u32 = u32::MAX;
/// The call number of the entry for functions without one of their own.
pub const ANY_CALL: u16 = 0;
/// Added to the call number of an entry for calls made inside others.
pub const NESTED_CALLS: u64 = 1 << 16;

/// Counts and times of the calls with one signature.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub struct ProfileEntry {
    /// The signature's number; 0 for a free entry; or [`ANY_SIGNATURE`].
    pub signature: u32,
    /// Calls that did not return success.
    pub failed: u32,
    /// The call's number in an entry for any signature, with [`NESTED_CALLS`] if they were made inside others; else 0.
    pub call: u64,
    /// Calls that ended.
    pub count: u64,
    /// The sum of their durations, ticks.
    pub total: u64,
    /// The shortest, ticks.
    pub min: u64,
    /// The longest, ticks.
    pub max: u64,
    /// Bytes sent.
    pub sent: u64,
    /// Bytes received: as the status gave them, or else as posted.
    pub received: u64,
    /// The activity of the progress engine during the calls.
    pub engine: Entries,
}

const _: () = assert!(size_of::<ProfileEntry>() == 88);
